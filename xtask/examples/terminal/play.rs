//! The recorded conversation: two questions, a deletion that is asked about, and its undo.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde_json::json;
use xtask::screencast::Recording;

use crate::{
    Failure,
    camera::{Camera, LOOKS},
    model::{self, Step, counts},
    scene::Scene,
};

/// The model's delay: the screen does not change meanwhile.
const THINKS: Duration = Duration::from_millis(400);
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
    let mut camera = Camera::new(&scene, &[])?;
    let questions =
        [("How many of these letters are from March?", "plan: "), ("and from April?", "understood: ")];
    for (request, first) in questions {
        camera.asks(request)?;
        camera.until(request, first, LOOKS)?;
        camera.until(request, " → ", LOOKS)?;
        camera.until_over(request)?;
    }
    let request = "delete the drafts";
    camera.asks(request)?;
    camera.until_asked()?;
    camera.answers("y")?;
    camera.until_over(request)?;
    for command in ["/diff", "/undo"] {
        camera.asks(command)?;
        camera.until_over(command)?;
    }
    Ok(camera.recording())
}
