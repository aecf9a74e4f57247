//! The recorded conversation: two questions, a deletion that is asked about, and its undo.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde_json::json;
use xtask::screencast::{Frame, Recording};

use crate::{
    Failure,
    model::{self, Step, counts},
    scene::Scene,
    screen,
    talk::{PROMPT, SIZE, Talk, last_line},
};

/// The model's delay: the screen does not change meanwhile.
const THINKS: Duration = Duration::from_millis(400);
/// Display times in milliseconds: for a few typed letters, for watching a change, and for reading a result.
const TYPES: u32 = 130;
const LOOKS: u32 = 700;
const READS: u32 = 3000;
/// The end is shown longer, before the recording restarts.
const RESTS: u32 = 8000;
/// Letters per frame.
const LETTERS: usize = 3;

/// The prompt before an answer to a question.
const ANSWER: &str = "answer › ";
/// The name of the home folder in the recording.
const HOME: &str = "/home/ada";

/// The step for each request, in order.
fn script() -> [Step; 3] {
    [
        counts("Count the letters from March", "ls 2026-03-*.txt | wc -l"),
        Step {
            understood: Some("How many of the letters in ~/letters are from April?"),
            ..counts("Count the letters from April", "ls 2026-04-*.txt | wc -l")
        },
        Step {
            understood: None,
            intent: "Delete the drafts in ~/letters",
            kind: "change",
            criterion: json!({"text": "The draft for the town hall is gone", "check": "file_absent", "path": "drafts/town-hall.txt"}),
            command: "rm -v drafts/*.txt".to_owned(),
            is_answer: true,
        },
    ]
}

/// Plays and records it.
pub(crate) fn recorded(artoo: &Path) -> Result<Recording, Failure> {
    let planned = AtomicUsize::new(0);
    let steps = script();
    let scene = Scene::new(artoo, move |call| {
        // A request is planned once; before that, it may be interpreted.
        let at = match model::asked(call) {
            "plan" => planned.fetch_add(1, Ordering::Relaxed),
            "resolved_request" | "resolved_or_open" => planned.load(Ordering::Relaxed),
            _ => planned.load(Ordering::Relaxed).saturating_sub(1),
        };
        let step = steps.get(at).or(steps.last());
        step.map_or_else(
            || artoo_llm_http::doubles::Reply::status(500, "the script is over"),
            |step| model::says(call, step).after(THINKS),
        )
    })?;
    let (talk, _) = Talk::with_artoo(&scene, &[])?;
    let mut camera = Camera { talk, place: scene.home().display().to_string(), frames: Vec::new() };
    camera.keeps(LOOKS);
    let questions = [
        ("How many of these letters are from March?", "R2   plan 1"),
        ("and from April?", "R1   understood:"),
    ];
    for (request, first) in questions {
        camera.says(PROMPT, request)?;
        camera.until(request, first, LOOKS)?;
        camera.until(request, "R4a  1 matched", LOOKS)?;
        camera.until_over(request)?;
    }
    let request = "delete the drafts";
    camera.says(PROMPT, request)?;
    camera.until(request, ANSWER.trim_end(), READS)?;
    camera.says(ANSWER, "y")?;
    camera.until_over(request)?;
    for command in ["/diff", "/undo"] {
        camera.says(PROMPT, command)?;
        camera.until_over(command)?;
    }
    if let Some(last) = camera.frames.last_mut() {
        last.milliseconds = RESTS;
    }
    Ok(Recording { rows: SIZE.0, columns: SIZE.1, frames: camera.frames })
}

/// Types, and records what is shown.
struct Camera {
    talk: Talk,
    /// The folder of this recording, which has another name each time.
    place: String,
    frames: Vec<Frame>,
}

impl Camera {
    /// Records the current screen.
    fn keeps(&mut self, milliseconds: u32) {
        let mut frame = self.talk.look(|shown| screen::frame(shown.screen(), milliseconds));
        for span in frame.lines.iter_mut().flatten() {
            screen::rename(span, &self.place, HOME);
        }
        self.frames.push(frame);
    }

    /// Types this at a prompt, a few letters per frame, and sends it.
    fn says(&mut self, prompt: &str, text: &str) -> Result<(), Failure> {
        let letters: Vec<char> = text.chars().collect();
        let mut typed = prompt.to_owned();
        for few in letters.chunks(LETTERS) {
            let few: String = few.iter().collect();
            self.talk.types(&few)?;
            typed.push_str(&few);
            self.talk.until(|shown| last_line(shown.screen()).starts_with(typed.trim_end()))?;
            self.keeps(TYPES);
        }
        self.talk.types("\r")
    }

    /// Waits until this is shown below the request, with which the run begins, and records it.
    fn until(&mut self, said: &str, text: &str, milliseconds: u32) -> Result<(), Failure> {
        let begins = format!("» {said}");
        let is_below = |all: &str| all.rsplit_once(&begins).is_some_and(|(_, below)| below.contains(text));
        self.talk.until(|shown| is_below(&shown.text()))?;
        self.keeps(milliseconds);
        Ok(())
    }

    /// Waits until the request is finished, and records it.
    fn until_over(&mut self, said: &str) -> Result<(), Failure> {
        self.talk.until(|shown| {
            let line = last_line(shown.screen());
            line.starts_with(PROMPT.trim_end()) && !line.contains(said)
        })?;
        self.keeps(READS);
        Ok(())
    }
}
