//! Measures the overhead of a run without its model and commands:
//! `cargo run --release -p artoo-runtime --example overhead [runs]`.
//!
//! Prints the median time of a run with a scripted model that answers at once and a tool without a process,
//! including the journal, for a job of three subtasks with twelve model calls and for 200 subtasks in 20
//! groups; and the memory of a run that waits for its model. On a noisy machine compare only figures of the
//! same hour.

#![expect(clippy::print_stdout, reason = "printing figures is what this program is for")]

use std::{error::Error, path::Path, sync::Arc, time::Instant};

use artoo_bus::{Clock as _, SystemClock};
use artoo_llm_client::{Completion, LlmClient, LlmError, Request, Usage};
use artoo_planner::{FailureContext, PlanContext, PlanError, Planner};
use artoo_runtime::{Artoo, Builder, RunRequest};
use artoo_tools::{Tool, ToolContext, ToolReport, Toolbox};
use artoo_types::{
    Arguments, Check, Checkpoints, Criterion, Plan, PlannedSubTask, Surroundings, TerminalState, ToolName,
};
use async_trait::async_trait;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(400), |runs| runs.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("home"))?;
        let small = builder(folder.path(), twelve_calls()).build()?;
        println!("3 subtasks, 12 model calls:    {}", median(&small, folder.path(), 12, runs).await?);
        let large = builder(folder.path(), echo()).planner(Arc::new(TwoHundred)).parallel(10).build()?;
        println!(
            "200 subtasks in 20 groups:     {}",
            median(&large, folder.path(), 200, runs.div_ceil(13)).await?
        );
        println!("memory of a run that waits:    {}", memory(folder.path()).await?);
        Ok(())
    })
}

fn builder(folder: &Path, model: AtOnce) -> Builder {
    Artoo::builder().model(Arc::new(model)).data_folder(folder.join("data")).toolbox(Toolbox::new().with(Say))
}

const REQUEST: &str = "Describe the three fruits";

/// A model that answers at once and keeps nothing.
struct AtOnce(Box<Reply>);

/// The reply; `None` means no answer.
type Reply = dyn Fn(&Request) -> Option<String> + Send + Sync;

#[async_trait]
impl LlmClient for AtOnce {
    fn model(&self) -> &str {
        "at-once"
    }

    fn structured(&self) -> bool {
        true
    }

    async fn complete(&self, request: &Request) -> Result<Completion, LlmError> {
        match (self.0)(request) {
            Some(text) => Ok(Completion::of_text(text, Usage::default(), "at-once")),
            None => std::future::pending().await,
        }
    }
}

/// R2 plans three steps, each takes two turns of R3 and a verdict; their results are merged, and R4b judges the whole.
fn twelve_calls() -> AtOnce {
    let step = |n: u32| {
        json!({
            "intent": format!("Describe fruit number {n}"), "sequence": 1, "kind": "find_out",
            "criteria": [{"text": "The description is friendly and names a colour", "check": "none"}],
        })
    };
    let plan = json!({"subtasks": [step(1), step(2), step(3)]}).to_string();
    let verdict = json!({"reason": "it is friendly", "verdict": "pass", "class": "logical"}).to_string();
    let parts = parts();
    let text = "Dear friend, it is red";
    let answer = json!({"answer": text}).to_string();
    let call = say("red").to_string();
    AtOnce(Box::new(move |request| {
        Some(match request.schema.as_ref().map(|schema| schema.name.as_str()) {
            Some("plan") => plan.clone(),
            Some("action") if request.messages.len() > 1 => answer.clone(),
            Some("action") => call.clone(),
            Some("parts") => parts.clone(),
            Some(_) => verdict.clone(),
            // The merged answer.
            None => text.to_owned(),
        })
    }))
}

/// The judgement of the whole.
fn parts() -> String {
    let part = json!({"quote": REQUEST, "reason": "the outputs describe it", "call": 1, "verdict": "pass"});
    json!({"parts": [part]}).to_string()
}

/// Echoes its instruction, and passes the whole.
fn echo() -> AtOnce {
    AtOnce(Box::new(|request| {
        match request.schema.as_ref().map(|schema| schema.name.as_str()) {
            Some("parts") => return Some(parts()),
            // The merged answer.
            None => return Some("All fruits are described".to_owned()),
            Some(_) => {}
        }
        let prompt = request.messages.first().map(|message| message.content.as_str()).unwrap_or_default();
        let step = prompt.lines().find_map(|line| line.strip_prefix("Step: ")).unwrap_or_default();
        Some(json!({"tool": "say", "arguments": {"text": step}, "output_is_answer": true}).to_string())
    }))
}

fn say(text: &str) -> Value {
    json!({"tool": "say", "arguments": {"text": text}, "output_is_answer": false})
}

fn request(folder: &Path) -> RunRequest {
    let mut request = RunRequest::new(
        REQUEST,
        Surroundings {
            now: SystemClock::new().now(),
            zone: "UTC".to_owned(),
            // Not around the data: a judge looks through this folder.
            working_folder: folder.join("home"),
            workspace: folder.join("workspace"),
            home: folder.join("home"),
            platform: "linux".to_owned(),
        },
    );
    // Nobody is there to say that 200 calls may be followed by more.
    request.limits.checkpoints = Checkpoints::NONE;
    request
}

async fn median(artoo: &Artoo, folder: &Path, calls: u64, runs: usize) -> Result<String, Box<dyn Error>> {
    let mut times = Vec::new();
    for n in 0..runs + runs / 10 {
        let begun = Instant::now();
        let run = artoo.start(request(folder))?;
        let path = run.folder().join(artoo_runtime::journal::FILE_NAME);
        let result = run.finished().await;
        let time = begun.elapsed();
        if n == 0 {
            let read = artoo_runtime::journal::read(&path)?;
            let mut fold = artoo_runtime::events::EventFold::new();
            read.envelopes.iter().for_each(|envelope| drop(fold.on(envelope)));
            let counted = fold.total().calls;
            if result.directive != TerminalState::Accept || counted < calls {
                return Err(format!("{} after {counted} calls", result.summary).into());
            }
        }
        // The first tenth is warm-up.
        if n >= runs / 10 {
            times.push(time);
        }
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    Ok(format!("median {:?}, 90 % {:?}, of {} runs", at(50), at(90), times.len()))
}

/// Resident memory of a thousand waiting runs, per thousand.
async fn memory(folder: &Path) -> Result<String, Box<dyn Error>> {
    const RUNS: usize = 1000;
    let artoo = builder(folder, AtOnce(Box::new(|_| None))).build()?;
    let before = resident();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(artoo.start(request(folder))?);
    }
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let used = resident().zip(before).map(|(now, before)| now.saturating_sub(before) / RUNS);
    drop(runs);
    artoo.close().await;
    Ok(used.map_or_else(|| "not known on this system".to_owned(), |bytes| format!("{bytes} bytes")))
}

fn resident() -> Option<usize> {
    let pages: usize = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

struct Say;

#[async_trait]
impl Tool for Say {
    fn name(&self) -> ToolName {
        ToolName::new("say")
    }

    fn summary(&self) -> &str {
        "put out a text"
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, _cx: &ToolContext) -> ToolReport {
        ToolReport::text(arguments.get("text").and_then(Value::as_str).unwrap_or_default())
    }
}

struct TwoHundred;

#[async_trait]
impl Planner for TwoHundred {
    async fn plan(&self, cx: &PlanContext, _model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        let subtask = |n: u32| {
            PlannedSubTask::new(
                n / 10 + 1,
                format!("say fruit {n}"),
                vec![Criterion::checked(
                    "The output contains fruit",
                    Check::OutputContains { value: "fruit".to_owned() },
                )],
            )
        };
        let subtasks = (0..200).map(subtask).collect();
        Ok(Plan::new(cx.spec.task_id.clone(), cx.round, subtasks))
    }

    async fn failure_report(
        &self,
        _cx: &FailureContext,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        Ok("It failed.".to_owned())
    }
}
