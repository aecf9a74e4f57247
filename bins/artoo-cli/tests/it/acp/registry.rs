//! The entry for the registry of agents, and the ways to sign in that the registry demands.

use std::path::Path;

use serde_json::{Value, json};

use super::editor::Editor;
use crate::fixture::Scene;
use crate::mock_model::counting;

#[test]
fn the_entry_fits_this_version() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/registry/artoo");
    let entry: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("agent.json")).unwrap()).unwrap();
    assert_eq!(entry["id"], "artoo");
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    let targets = entry["distribution"]["binary"].as_object().unwrap();
    assert!(!targets.is_empty());
    for (target, start) in targets {
        assert!(["linux-x86_64", "linux-aarch64"].contains(&target.as_str()), "{target}");
        assert_eq!(start["args"], json!(["acp"]));
        assert!(start["archive"].as_str().unwrap().contains(env!("CARGO_PKG_VERSION")));
    }
    let icon = std::fs::read_to_string(folder.join("icon.svg")).unwrap();
    assert!(icon.contains("width=\"16\" height=\"16\"") && icon.contains("currentColor"));
}

#[test]
fn a_client_with_a_terminal_is_told_how_to_choose_a_model_in_it() {
    let scene = Scene::new(counting());
    let methods = |capabilities: Value| {
        let mut editor = Editor::start(&mut scene.artoo(&["acp"]));
        let answer =
            editor.ask("initialize", &json!({"protocolVersion": 1, "clientCapabilities": capabilities}));
        answer["result"]["authMethods"].clone()
    };
    let with_terminal = methods(json!({"auth": {"terminal": true}}));
    assert_eq!(with_terminal[0]["id"], "artoo-setup");
    assert_eq!(with_terminal[1]["type"], "terminal");
    assert_eq!(with_terminal[1]["args"], json!(["--setup"]));
    assert_eq!(methods(json!({})).as_array().unwrap().len(), 1);
    // The client adds the argument to its own command line. Nobody is at this terminal.
    crate::process::say(&mut scene.artoo(&["acp", "--setup"])).ended(2);
}
