//! Types at artoo's terminal and records what is shown.

use xtask::screencast::{Frame, Recording};

use crate::{
    Failure,
    scene::Scene,
    screen,
    talk::{SIZE, Talk, last_line},
};

/// Display times in milliseconds: for a few typed letters, for watching a change, and for reading a result.
const TYPES: u32 = 130;
pub(crate) const LOOKS: u32 = 700;
const READS: u32 = 3000;
/// The end is shown longer, before the recording restarts.
const RESTS: u32 = 8000;
/// Letters per frame.
const LETTERS: usize = 3;

/// The prompt before an answer to a question.
const ANSWER: &str = "answer › ";
/// The name of the home folder in the recording.
const HOME: &str = "/home/ada";

/// Types, and records what is shown.
pub(crate) struct Camera {
    talk: Talk,
    prompt: String,
    /// The folder of this recording, which has another name each time.
    place: String,
    frames: Vec<Frame>,
}

impl Camera {
    /// Before artoo's first prompt in this scene.
    pub(crate) fn new(scene: &Scene, options: &[&str]) -> Result<Self, Failure> {
        let (talk, _) = Talk::with_artoo(scene, options)?;
        let place = scene.home().display().to_string();
        let mut camera = Self { talk, prompt: scene.prompt(), place, frames: Vec::new() };
        camera.keeps(LOOKS);
        Ok(camera)
    }

    /// What was recorded; its end stays longer.
    pub(crate) fn recording(mut self) -> Recording {
        if let Some(last) = self.frames.last_mut() {
            last.milliseconds = RESTS;
        }
        Recording { rows: SIZE.0, columns: SIZE.1, frames: self.frames }
    }

    /// Types a request or a command at artoo's prompt.
    pub(crate) fn asks(&mut self, text: &str) -> Result<(), Failure> {
        let prompt = self.prompt.clone();
        self.types_at(&prompt, text)
    }

    /// Types an answer to a question.
    pub(crate) fn answers(&mut self, text: &str) -> Result<(), Failure> {
        self.types_at(ANSWER, text)
    }

    /// Records the current screen.
    pub(crate) fn keeps(&mut self, milliseconds: u32) {
        let mut frame = self.talk.look(|shown| screen::frame(shown.screen(), milliseconds));
        for span in frame.lines.iter_mut().flatten() {
            screen::rename(span, &self.place, HOME);
        }
        self.frames.push(frame);
    }

    /// Types this at a prompt, a few letters per frame, and sends it.
    fn types_at(&mut self, prompt: &str, text: &str) -> Result<(), Failure> {
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

    /// Waits until this is shown below the request, and records it.
    pub(crate) fn until(&mut self, said: &str, text: &str, milliseconds: u32) -> Result<(), Failure> {
        let typed = format!("› {said}");
        let is_below = |all: &str| all.rsplit_once(&typed).is_some_and(|(_, below)| below.contains(text));
        self.talk.until(|shown| is_below(&shown.text()))?;
        self.keeps(milliseconds);
        Ok(())
    }

    /// Waits until a question is open, and records it.
    pub(crate) fn until_asked(&mut self) -> Result<(), Failure> {
        self.talk.until(|shown| last_line(shown.screen()).starts_with(ANSWER.trim_end()))?;
        self.keeps(READS);
        Ok(())
    }

    /// Waits until the request is finished, and records it.
    pub(crate) fn until_over(&mut self, said: &str) -> Result<(), Failure> {
        let prompt = self.prompt.trim_end();
        self.talk.until(|shown| {
            let line = last_line(shown.screen());
            line.starts_with(prompt) && !line.contains(said)
        })?;
        self.keeps(READS);
        Ok(())
    }
}
