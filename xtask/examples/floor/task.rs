//! The floor: the job of `cargo xtask bench` as a hand-written loop, with only tokio and reqwest. It plans
//! three subtasks, runs one shell command in each, checks each and merges: 11 model calls, five deep, without
//! any record.

use futures_util::future::try_join_all;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::process::Command;

/// Any error; the floor gives up.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

const PLAN: &str = "You plan work on the user's computer. Split the request into subtasks. Answer with one JSON object: \
    {\"subtasks\": [{\"intent\": \"...\"}]}. Each intent must be complete in itself.";
const ACT: &str = "You do one step of work on the user's computer. Answer with one JSON object. To run a command: \
    {\"tool\": \"shell\", \"arguments\": {\"command\": \"...\"}}. When the results hold the answer: {\"answer\": \"...\"}.";
const CHECK: &str = "You check one step against the output of its command. Answer with one JSON object: \
    {\"reason\": \"...\", \"verdict\": \"pass\" or \"fail\"}. In doubt: fail.";
const MERGE: &str = "You merge the results of the steps into one answer to the request. Answer with one JSON object: \
    {\"answer\": \"...\"}. Copy facts exactly.";
const REQUEST: &str = "Print the words alpha, beta and gamma, each with its own command.";

/// A client without proxies, as `artoo` uses one for the loopback interface.
pub(crate) fn client() -> Result<Client, Failure> {
    Ok(artoo_tls::client().no_proxy().build()?)
}

/// Does the job once and returns the merged answer.
pub(crate) async fn run(client: &Client, url: &str) -> Result<String, Failure> {
    let plan = ask(client, url, "plan", PLAN, &[("user", REQUEST)]).await?;
    let intents = plan.pointer("/subtasks").and_then(Value::as_array).ok_or("the plan has no subtasks")?;
    let intents = intents.iter().filter_map(|subtask| subtask.get("intent")?.as_str());
    let results = try_join_all(intents.map(|intent| subtask(client, url, intent))).await?;
    let merged = format!("Request: {REQUEST}\nResults:\n{}", results.join("\n"));
    let answer = ask(client, url, "merge", MERGE, &[("user", &merged)]).await?;
    Ok(text(&answer, "answer")?.to_owned())
}

/// One step: a command, an answer from its output, a verdict.
async fn subtask(client: &Client, url: &str, intent: &str) -> Result<String, Failure> {
    let step = format!("Step: {intent}");
    let action = ask(client, url, "action", ACT, &[("user", &step)]).await?;
    let command =
        action.pointer("/arguments/command").and_then(Value::as_str).ok_or("the action has no command")?;
    let output = Command::new("sh").arg("-c").arg(command).output().await?;
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let told = action.to_string();
    let turns = [("user", step.as_str()), ("assistant", told.as_str()), ("user", output.as_str())];
    let answer = ask(client, url, "action", ACT, &turns).await?;
    let answer = text(&answer, "answer")?.to_owned();
    let case = format!("Step: {intent}\nCommand: {command}\nOutput:\n{output}\nClaim: {answer}");
    let verdict = ask(client, url, "verdict", CHECK, &[("user", &case)]).await?;
    if text(&verdict, "verdict")? == "pass" { Ok(answer) } else { Err("the check failed".into()) }
}

/// One model call. `kind` is the schema's name, as in a request for a structured answer.
async fn ask(
    client: &Client,
    url: &str,
    kind: &str,
    system: &str,
    turns: &[(&str, &str)],
) -> Result<Value, Failure> {
    let mut messages = vec![json!({"role": "system", "content": system})];
    messages.extend(turns.iter().map(|(role, content)| json!({"role": role, "content": content})));
    let body = json!({
        "model": "mock",
        "messages": messages,
        "response_format": {"type": "json_schema", "json_schema": {"name": kind, "schema": {"type": "object"}}},
    });
    let sent =
        client.post(format!("{url}/v1/chat/completions")).json(&body).send().await?.error_for_status()?;
    let completion: Value = sent.json().await?;
    let content = completion.pointer("/choices/0/message/content").and_then(Value::as_str);
    Ok(serde_json::from_str(content.ok_or("the completion has no content")?)?)
}

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, Failure> {
    value.get(name).and_then(Value::as_str).ok_or_else(|| format!("the answer has no {name}").into())
}
