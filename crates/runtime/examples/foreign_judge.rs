//! Replaces one role: a judge of the whole (R4b) that asks no model. It first passes the conformance suite of
//! its trait, then goes to the builder. Every role is replaced like this: implement its trait, run its
//! `conformance` suite, call its builder method.

use std::{collections::BTreeSet, error::Error, sync::Arc};

use artoo_bus::{Clock as _, SystemClock};
use artoo_llm_client::LlmClient;
use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_meta_validator::{JudgeError, TaskContext, TaskJudge, WHOLE, conformance};
use artoo_runtime::{Artoo, RunRequest, explain::explain, journal};
use artoo_sandbox::{Network, SandboxMode};
use artoo_types::{
    Approval, Criterion, Evidence, FailureClass, Finding, Limits, Surroundings, TerminalState,
};
use async_trait::async_trait;
use serde_json::json;

/// Passes a criterion if its quoted words occur in the output of a successful call; the whole, if those of
/// the request do.
struct Quoted;

#[async_trait]
impl TaskJudge for Quoted {
    async fn judge(
        &self,
        criteria: &[Criterion],
        cx: &TaskContext<'_>,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        Ok(criteria.iter().map(|criterion| judged(criterion, cx)).collect())
    }
}

fn judged(criterion: &Criterion, cx: &TaskContext<'_>) -> Finding {
    let text = if criterion.text == WHOLE { &cx.spec.raw_input } else { &criterion.text };
    let words = text.split('"').nth(1).unwrap_or(text);
    let mut calls = cx.outcomes.iter().flat_map(|outcome| &outcome.tool_calls);
    match calls.find(|call| call.succeeded() && call.output.shown.contains(words)) {
        Some(call) => Finding::Pass {
            evidence: Evidence::ToolCall { call_id: call.call_id, excerpt: words.to_owned() },
        },
        None => Finding::Fail {
            failure_class: FailureClass::Logical,
            reason: format!("no call put out {words:?}"),
            evidence: None,
        },
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("shopping.txt"), "apples\npears\n")?;
    let plan = json!({"subtasks": [{
        "intent": "Find the shopping list", "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "A file named \"shopping.txt\" was found", "check": "none"}],
    }]});
    let model: Arc<dyn LlmClient> = Arc::new(
        ScriptedModel::new()
            .expect(Expect::purpose("planner"), Answer::json(plan))
            .expect(
                Expect::purpose("executor"),
                Answer::json(json!({"tool": "glob", "arguments": {"pattern": "*.txt"}})),
            )
            .expect(Expect::purpose("executor"), Answer::json(json!({"answer": "It is in shopping.txt"}))),
    );
    conformance::check_all(&Quoted, &model).await?;

    let artoo = Artoo::builder().model(model).data_folder(folder.path().join("data"));
    let artoo = artoo.task_judge(Arc::new(Quoted)).build()?;
    let run = artoo.start(RunRequest {
        text: r#"Where is "shopping.txt"?"#.to_owned(),
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
    let path = run.folder().join(journal::FILE_NAME);
    let result = run.finished().await;
    artoo.close().await;
    let page = explain(&journal::read(&path)?);
    if result.directive != TerminalState::Accept || page.rounds.len() != 1 {
        return Err(result.summary.into());
    }
    Ok(())
}
