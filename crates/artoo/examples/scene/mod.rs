//! What examples of an exchanged role share: a run of one step whose model follows a script.

#[path = "../support/mod.rs"]
mod support;

use artoo::{Artoo, Builder, Request, TerminalState};
use serde_json::json;

/// Runs a request that is answered by looking for text files, with artoo put together in the example's own way. It is to be accepted.
pub(crate) async fn accepted(
    request: &str,
    own: impl FnOnce(Builder) -> Builder,
) -> Result<(), Box<dyn std::error::Error>> {
    let folder = support::folder()?;
    let search = json!({"tool": "glob", "arguments": {"pattern": "*.txt"}});
    let model = support::model((request, "find_out"), search, "It is in shopping.txt");
    let artoo = own(Artoo::builder().model(model).data_folder(folder.path().join("data"))).build()?;
    let result = artoo.run(Request::new(request).folder(folder.path()))?.await;
    artoo.close().await;
    if result.directive == TerminalState::Accept { Ok(()) } else { Err(result.summary.into()) }
}
