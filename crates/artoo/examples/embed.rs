//! Artoo inside another program: a model, a folder for its records, a request, one result. The model here follows a script (`support`);
//! put any `LlmClient` in its place.

mod support;

use std::io::Write;

use artoo::{Artoo, Request, TerminalState};
use serde_json::json;

const REQUEST: &str = "Where is my shopping list?";

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = support::folder()?;
    let search = json!({"tool": "glob", "arguments": {"pattern": "*.txt"}});
    let model = support::model((REQUEST, "find_out"), search, "It is in shopping.txt");

    let artoo = Artoo::builder().model(model).data_folder(folder.path().join("data")).build()?;
    let result = artoo.run(Request::new(REQUEST).folder(folder.path()))?.await;
    artoo.close().await;

    match result.directive {
        TerminalState::Accept => Ok(writeln!(std::io::stdout(), "{}", result.output)?),
        // What is missing is in the result, with what was found.
        TerminalState::Success | TerminalState::Abandon => Err(result.summary.into()),
    }
}
