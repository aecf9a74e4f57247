//! `artoo acp` with clients of the protocol: one of lines that the tests see whole, and others' clients.

mod clients;
mod editor;
mod registry;
mod sessions;
mod turns;

use serde_json::{Value, json};

use crate::fixture::Scene;
use editor::Editor;

/// An editor that has opened a session in the working folder: the session's id.
fn with_session(scene: &Scene, capabilities: Value) -> (Editor, String) {
    let mut editor = Editor::start(&mut scene.artoo(&["acp"]));
    editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": capabilities}));
    let opened = editor.ask("session/new", &json!({"cwd": scene.folder(), "mcpServers": []}));
    let id = opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
    (editor, id)
}

fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}
