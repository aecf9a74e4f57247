//! Watches a run: each event is told as it happens, and is one JSON object (the format of `artoo run --json`). The model follows a script.

mod support;

use artoo::{Artoo, Event, Request};
use futures_util::StreamExt as _;
use serde_json::json;

const REQUEST: &str = "Where is my shopping list?";

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = support::folder()?;
    let search = json!({"tool": "glob", "arguments": {"pattern": "*.txt"}});
    let model = support::model((REQUEST, "find_out"), search, "It is in shopping.txt");
    let artoo = Artoo::builder().model(model).data_folder(folder.path().join("data")).build()?;

    let mut run = artoo.run(Request::new(REQUEST).folder(folder.path()))?;
    let (mut events, mut tools) = (run.events(), Vec::new());
    while let Some(line) = events.next().await {
        if let Event::ToolFinished { tool, .. } = line.event {
            tools.push(tool.to_string());
        }
    }
    let result = run.await;
    if tools == ["glob"] { Ok(()) } else { Err(result.summary.into()) }
}
