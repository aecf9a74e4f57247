//! `artoo mcp serve` with clients of the protocol.

mod http;
mod tasks;
mod tools;

use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::json_rpc::Peer;

/// A client of the older protocol that has said what it can do.
fn client(scene: &Scene, options: &[&str], capabilities: &Value) -> Peer {
    let mut client = Peer::start(&mut scene.artoo(&[&["mcp", "serve"], options].concat()));
    let told = client.ask("initialize", &initialize(capabilities));
    assert_eq!(told["result"]["protocolVersion"], "2025-11-25", "{told}");
    client.notify("notifications/initialized", &json!({}));
    client
}

fn initialize(capabilities: &Value) -> Value {
    json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "test", "version": "1"}})
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

fn run_task(scene: &Scene, request: &str) -> Value {
    call("run_task", &json!({"request": request, "folder": scene.folder()}))
}

/// The text of a result.
fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}
