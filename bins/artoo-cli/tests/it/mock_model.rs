//! Answers of the mock server: a model that plans, acts and judges as a test needs it.

use artoo_llm_http::doubles::{Call, Reply};
use serde_json::{Value, json};

/// The name of the schema that a request asks for; empty for plain text.
pub(crate) fn schema(call: &Call) -> &str {
    call.body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or_default()
}

/// The whole prompt as one text.
pub(crate) fn shown(call: &Call) -> String {
    call.body["messages"].to_string()
}

/// A plan of one subtask whose output is a number.
pub(crate) fn count_plan(intent: &str) -> Value {
    json!({"subtasks": [{"intent": intent, "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "The output is the number of files", "check": "output_number"}]}]})
}

/// A shell call whose output is the answer.
pub(crate) fn shell(command: &str) -> Value {
    json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": true})
}

/// A model with this plan, these actions and verdicts; it lists itself as a model,
/// and writes a short text if text is asked for.
pub(crate) fn model(
    plan: Value,
    action: impl Fn(&str) -> Value + Send + Sync + 'static,
) -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    move |call| {
        if call.path.ends_with("/models") {
            return Reply::json(&json!({"data": [{"id": "mock"}]}));
        }
        match schema(call) {
            "plan" => Reply::text(plan.to_string()),
            "action" => Reply::text(action(&shown(call)).to_string()),
            "parts" => Reply::text(met(call).to_string()),
            // A follow-up is resolved to its own words.
            "resolved_request" => Reply::text(json!({"intent": newest(call)}).to_string()),
            "resolved_or_open" => Reply::text(json!({"questions": [], "intent": newest(call)}).to_string()),
            "verdict" | "task_verdict" => {
                Reply::text(json!({"met": false, "reason": "not to be seen"}).to_string())
            }
            // A judge goes on with the executor's conversation.
            _ if shown(call).contains("your role changes: you now judge") => {
                Reply::text(met(call).to_string())
            }
            _ if call.body.get("tools").is_some() => called(action(&shown(call))),
            _ => Reply::text("It could not be done."),
        }
    }
}

/// The user's last message after earlier turns.
fn newest(call: &Call) -> String {
    let messages = call.body["messages"].as_array().unwrap();
    let text = messages.iter().filter_map(|message| message["content"].as_str()).next_back().unwrap();
    text.rsplit_once("Newest message: ").unwrap().1.to_owned()
}

/// The final judge's verdict: the request and each further criterion are met by the last call.
pub(crate) fn met(call: &Call) -> Value {
    let messages = call.body["messages"].as_array().unwrap();
    let case = messages.iter().filter_map(|message| message["content"].as_str());
    let lines: Vec<&str> = case.flat_map(str::lines).collect();
    let request = lines.iter().find_map(|line| line.strip_prefix("Request: ")).unwrap();
    let last = lines.iter().filter_map(|line| line.strip_prefix("Call ")).next_back().unwrap();
    let last: usize = last.split(':').next().unwrap().parse().unwrap();
    let part = json!({"quote": request, "reason": "the call shows it", "call": last, "verdict": "pass"});
    let verdict =
        |number| json!({"criterion": number, "reason": "the call shows it", "verdict": "pass", "call": last});
    json!({"parts": [part], "verdicts": (1..=criteria(&lines)).map(verdict).collect::<Vec<_>>()})
}

/// The number of criteria at the end of a judge's prompt.
fn criteria(lines: &[&str]) -> usize {
    match lines.iter().rposition(|line| *line == "Criteria:") {
        Some(at) => lines.len() - at - 1,
        None => lines.iter().filter(|line| line.starts_with("Criterion: ")).count(),
    }
}

/// An action as a native tool call, or as text.
fn called(action: Value) -> Reply {
    let Some(tool) = action["tool"].as_str() else {
        return Reply::text(action["answer"].as_str().unwrap_or_default());
    };
    let mut arguments = action["arguments"].clone();
    arguments["output_is_answer"] = action["output_is_answer"].clone();
    Reply::calls([("call_1", tool, arguments)])
}

/// A model that counts the .txt files in docs.
pub(crate) fn counting() -> impl Fn(&Call) -> Reply + Send + Sync + 'static {
    model(count_plan("Count the .txt files in docs"), |_| shell("ls docs/*.txt | wc -l"))
}
