//! Embeds artoo in another program: a model, a folder for its records, a request, one result.
//!
//! The model here follows a script, so that the example runs anywhere; replace it with any `LlmClient`.

use std::{collections::BTreeSet, error::Error, sync::Arc};

use artoo_bus::{Clock as _, Observed, SystemClock};
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{Artoo, RunRequest, events::EventFold};
use artoo_sandbox::{Network, SandboxMode};
use artoo_types::{Approval, Limits, Surroundings};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("shopping.txt"), "apples\npears\n")?;
    let plan = json!({"subtasks": [{
        "intent": "Find the shopping list", "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "The output names a text file", "check": "output_matches", "value": "\\.txt"}],
    }]});
    // Nothing is accepted before a judge has compared it with the request, part by part.
    let met = json!({
        "parts": [{
            "quote": "Where is my shopping list?", "reason": "the call lists it", "call": 1, "verdict": "pass",
        }],
        "verdicts": [{"criterion": 1, "reason": "it is named", "verdict": "pass"}],
    });
    let model = ScriptedModel::new()
        .expect(Expect::purpose("planner"), Answer::json(plan))
        .expect(
            Expect::purpose("executor"),
            Answer::json(json!({"tool": "glob", "arguments": {"pattern": "*.txt"}})),
        )
        .expect(Expect::purpose("executor"), Answer::json(json!({"answer": "It is in shopping.txt"})))
        .expect(Expect::purpose("meta_validator"), Answer::json(met));

    let artoo = Artoo::builder().model(Arc::new(model)).data_folder(folder.path().join("data")).build()?;
    let run = artoo.start(RunRequest {
        text: "Where is my shopping list?".to_owned(),
        turns: Vec::new(),
        instructions: Vec::new(),
        surroundings: Surroundings {
            now: SystemClock::new().now(),
            zone: "UTC".to_owned(),
            working_folder: folder.path().to_owned(),
            workspace: folder.path().join("workspace"),
            home: folder.path().to_owned(),
            platform: std::env::consts::OS.to_owned(),
        },
        limits: Limits::default(),
        sandbox: SandboxMode::WorkspaceWrite,
        network: Network::Denied,
        approval: Approval::Auto,
        granted: BTreeSet::new(),
        timeout: None,
        person_present: false,
        output_schema: None,
    })?;

    let (mut view, mut fold) = (run.observe(1024), EventFold::new());
    let result = run.finished().await;
    let mut lines = 0;
    while let Some(Observed::Message(envelope)) = view.recv().await {
        lines += fold.on(&envelope).len(); // each is one JSON object: show it, or send it on
    }
    artoo.close().await;
    if result.output != json!("It is in shopping.txt") || lines == 0 {
        return Err(result.summary.into());
    }
    Ok(())
}
