//! The recorded work of a developer: a failing test, its cause, the change that is asked about, and the tests again.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use artoo_llm_http::doubles::Reply;
use serde_json::{Value, json};
use xtask::screencast::Recording;

use crate::{
    Failure,
    camera::{Camera, LOOKS},
    scene::{Folder, Scene},
};

/// The model's delay.
const THINKS: Duration = Duration::from_millis(400);
const REQUEST: &str = "a test fails: mend the code, not the test";
/// How the tests are run.
const TESTS: &str = "python3 -m unittest";

/// A small program with a mistake, and its tests.
const TALLY: Folder = Folder {
    name: "tally",
    files: &[
        (
            "money.py",
            "def split(cents, people):\n    \"\"\"What each pays; nothing is lost.\"\"\"\n    share = cents // people\n    return [share] * people\n",
        ),
        (
            "test_money.py",
            "import unittest\nfrom money import split\n\n\nclass Split(unittest.TestCase):\n    def test_even(self):\n        self.assertEqual(split(900, 3), [300, 300, 300])\n\n    def test_nothing_is_lost(self):\n        self.assertEqual(sum(split(1000, 3)), 1000)\n",
        ),
    ],
};

/// A model that calls tools by their definitions.
const PROFILE: &str = "[models.scripted]\ntool_calling = \"native\"\nguided = false\n";

/// What the model answers, in order.
fn script() -> Vec<Reply> {
    let call = |name, arguments: Value| Reply::calls([("call_1", name, arguments)]);
    let criterion =
        json!({"text": "The tests pass", "check": "command_succeeds", "path": null, "value": TESTS});
    let edit = json!({
        "old": "    share = cents // people\n    return [share] * people\n",
        "new": "    share, left = divmod(cents, people)\n    return [share + 1] * left + [share] * (people - left)\n",
    });
    let parts = json!([{
        "quote": REQUEST,
        "reason": "call 1 shows the failing test, call 2 changes money.py alone, and call 3 shows that all tests pass",
        "verdict": "pass",
        "class": null,
        "call": 3,
    }]);
    vec![
        Reply::text(json!({"do": "change", "criteria": [criterion], "text": null}).to_string()),
        call("shell", json!({"command": format!("{TESTS} 2>&1; cat money.py test_money.py")})),
        call("edit_file", json!({"path": "money.py", "edits": [edit]})),
        call("shell", json!({"command": format!("{TESTS} 2>&1")})),
        Reply::text(
            "split() in money.py dropped the cents that do not divide evenly. The first people now pay one cent more, so that nothing is lost. The tests pass, and test_money.py is as it was.",
        ),
        Reply::text(json!({"parts": parts}).to_string()),
    ]
}

/// Plays and records it.
pub(crate) fn recorded(artoo: &Path, options: &[&str]) -> Result<Recording, Failure> {
    let (asked, replies) = (AtomicUsize::new(0), script());
    let scene = Scene::in_folder(artoo, TALLY, move |_| {
        let reply = replies.get(asked.fetch_add(1, Ordering::Relaxed)).cloned();
        reply.map_or_else(|| Reply::status(500, "the script is over"), |reply| reply.after(THINKS))
    })?;
    xtask::files::write(scene.home().join(".config/artoo/config.toml"), PROFILE)?;
    let mut camera = Camera::new(&scene, options)?;
    camera.asks(REQUEST)?;
    camera.until(REQUEST, TESTS, LOOKS)?;
    camera.until_asked()?;
    camera.answers("y")?;
    camera.until_over(REQUEST)?;
    Ok(camera.recording())
}
