//! What the examples share: a folder with a shopping list, and a model that follows a script, so that they run anywhere. In its place
//! stands any `LlmClient`, for example `artoo::http::OpenAiCompatible`.

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use serde_json::{Value, json};

/// A folder that is removed in the end, with `shopping.txt` in it.
pub(crate) fn folder() -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("shopping.txt"), "apples\npears\n")?;
    Ok(folder)
}

/// A model that works on this request by one step of this kind with one call, and then gives this answer.
pub(crate) fn model((request, kind): (&str, &str), call: Value, answer: &str) -> ScriptedModel {
    let plan = json!({"subtasks": [{
        "intent": request, "sequence": 1, "kind": kind,
        "criteria": [{"text": format!("The output answers: {request}"), "check": "output_matches", "value": "."}],
    }]});
    // Nothing is accepted that no judge has held against the request, part by part. `verdicts` has an entry for each criterion of
    // the task, here the one that the default planner makes of the pattern; without any it may be left out.
    let met = json!({
        "parts": [{"quote": request, "reason": "the call shows it", "call": 1, "verdict": "pass"}],
        "verdicts": [{"criterion": 1, "reason": "the call shows it", "verdict": "pass"}],
    });
    ScriptedModel::new()
        .expect(Expect::purpose("planner"), Answer::json(plan))
        .expect(Expect::purpose("executor"), Answer::json(call))
        .expect(Expect::purpose("executor"), Answer::json(json!({"answer": answer})))
        .expect(Expect::purpose("meta_validator"), Answer::json(met))
}
