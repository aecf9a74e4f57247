//! Records what a model says, and runs the same request again without it. Prompts hold the time and the place, so the replay is told
//! the same time, and places are replaced on the tape. The model that is recorded follows a script.

mod support;

use artoo::llm::{LlmClient, cassette::*};
use artoo::{Artoo, Request};
use serde_json::json;

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (request, folder, tape) = ("Where is my list?", support::folder()?, tempfile::tempdir()?);
    let search = json!({"tool": "glob", "arguments": {"pattern": "*.txt"}});
    let model = support::model((request, "find_out"), search, "It is in shopping.txt");
    let redaction = Redaction::default().replace(folder.path().display().to_string(), "<folder>");
    let recorder = Recorder::create(std::sync::Arc::new(model), tape.path(), redaction.clone())?;

    let run = async |model: Box<dyn LlmClient>| {
        let artoo = Artoo::builder().model(model).data_folder(folder.path().join("data")).build()?;
        let moment = "2026-03-14T09:26:53Z".parse()?;
        let request = Request::new(request).folder(folder.path());
        let result = artoo.run(request.runtime(move |run| run.surroundings.now = moment))?.await;
        artoo.close().await;
        Ok::<_, Box<dyn std::error::Error>>(result.output)
    };
    let recorded = run(Box::new(recorder)).await?;
    let replayed = run(Box::new(Replayer::open(tape.path(), redaction)?)).await?;
    if recorded == replayed { Ok(()) } else { Err(format!("{recorded}, and then {replayed}").into()) }
}
