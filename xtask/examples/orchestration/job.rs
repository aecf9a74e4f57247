//! Scripted model of the benchmark: answers the calls of the job, for the floor and for artoo.
//!
//! Plan three subtasks; in each: a call, an answer from its output, a verdict; then one call that merges the outputs. artoo
//! makes a 12th call, which judges the whole: which words of the request are met, and by which call. The floor is five calls
//! deep, artoo six.

use serde_json::{Value, json};

/// The kind of work in each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// `sh -c "printf word"`.
    Shell,
    /// `read_file`, within the process.
    ReadFile,
}

/// The user's request to artoo.
pub(crate) const REQUEST: &str = "Print the words alpha, beta and gamma, each with its own command.";
const WORDS: [&str; 3] = ["alpha", "beta", "gamma"];
/// The merged answer.
pub(crate) const ANSWER: &str = "alpha, beta, gamma";

/// The model's answer to a request with the schema of this name. `turns` are the messages, each with whether
/// the model itself wrote it.
pub(crate) fn answer<'a>(schema: &str, turns: impl Iterator<Item = (bool, &'a str)>, work: Work) -> String {
    let turns: Vec<(bool, &str)> = turns.collect();
    let value = match schema {
        "plan" => plan(),
        "action" if turns.iter().any(|(own, _)| *own) => json!({"answer": word(&turns)}),
        "action" => action(word(&turns), work),
        "verdict" | "task_verdict" => {
            json!({"reason": "the output shows the word", "verdict": "pass", "class": "logical"})
        }
        "parts" => {
            json!({"parts": [{"quote": REQUEST, "reason": "the outputs show the words", "call": 1, "verdict": "pass"}]})
        }
        // The floor asks for JSON, artoo for plain text.
        "merge" => json!({"answer": ANSWER}),
        "" => return ANSWER.to_owned(),
        other => json!({"error": format!("the job has no call for {other:?}")}),
    };
    value.to_string()
}

/// The answer to a request of the chat completions format.
pub(crate) fn answer_http(body: &Value) -> String {
    let schema =
        body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or_default();
    answer(schema, contents(body), Work::Shell)
}

/// The content of a chat completions request, message by message.
pub(crate) fn contents(body: &Value) -> impl Iterator<Item = (bool, &str)> {
    let messages = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    messages.map(|message| {
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        (text("role") == "assistant", text("content"))
    })
}

fn plan() -> Value {
    let criteria = json!([{"text": "The output is the word that was asked for", "check": "none"}]);
    let subtask = |word: &&str| json!({"intent": format!("Print the word {word}"), "sequence": 1, "kind": "find_out", "criteria": criteria});
    let subtasks: Vec<Value> = WORDS.iter().map(subtask).collect();
    json!({"subtasks": subtasks})
}

fn action(word: &str, work: Work) -> Value {
    let (tool, arguments) = match work {
        Work::Shell => ("shell", json!({"command": format!("printf {word}")})),
        Work::ReadFile => ("read_file", json!({"path": format!("{word}.txt")})),
    };
    json!({"tool": tool, "arguments": arguments, "output_is_answer": false})
}

/// The word of a step, by the end of the line that names it: a prompt may quote other steps.
fn word(turns: &[(bool, &str)]) -> &'static str {
    let mut lines = turns.iter().rev().flat_map(|(_, text)| text.lines().rev());
    let step = lines.find(|line| line.starts_with("Step: ")).unwrap_or_default();
    WORDS.iter().find(|word| step.ends_with(*word)).copied().unwrap_or("nothing")
}
