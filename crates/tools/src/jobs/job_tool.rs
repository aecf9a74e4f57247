//! `job` tool: reads the output of a background command, waits for it, or stops it.

use std::io::Write as _;
use std::time::Duration;

use artoo_sandbox::{Ending, Outcome, SandboxMode};
use artoo_types::{Arguments, CallEnding, OutputRecord, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::END;
use super::running::Job;
use crate::arguments::Given;
use crate::shell::ended;
use crate::writable_folders::Granted;
use crate::{Captured, Tool, ToolContext, ToolEffect, ToolError, ToolReport};

/// Maximum and default wait of one call, in seconds.
const LONGEST_WAIT: u64 = 600;
const USUAL_WAIT: u64 = 60;

/// Inspects a command that `shell` left running. Each call returns the output since the last one; the call
/// that finds it ended returns its result as `shell` would have, and is the last.
#[derive(Debug, Clone, Copy, Default)]
pub struct LookAtJob;

#[derive(Debug, Clone, Copy)]
enum Act {
    Output,
    Wait,
    Stop,
}

const ACTS: [(&str, Act); 3] = [("output", Act::Output), ("wait", Act::Wait), ("stop", Act::Stop)];

#[async_trait]
impl Tool for LookAtJob {
    fn name(&self) -> ToolName {
        ToolKind::Job.into()
    }

    fn summary(&self) -> &str {
        "output of a command left running; wait for it or stop it"
    }

    fn description(&self) -> &str {
        "Read the new output of a command that shell left running in the background, wait for its end, or stop it."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Runs
    }

    fn output_is_answer(&self) -> bool {
        false
    }

    fn can_be_tried(&self) -> bool {
        true
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "job": { "type": "integer", "description": "its number, as shell gave it" },
                "do": { "enum": ACTS.map(|(word, _)| word), "description": "output: read what is new; wait: wait until it ends; stop: end it" },
                "seconds": { "type": "integer", "description": "longest wait; default 60, at most 600" },
            },
            "required": ["job", "do"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let given = Given::new(arguments, &["job", "do", "seconds"])?;
    let number = given.whole("job", 1..=u64::MAX)?;
    let number = number.ok_or_else(|| ToolError::argument("job", "is missing"))?;
    given.text("do")?;
    let act = given.word("do", &ACTS, Act::Output)?;
    let seconds = given.whole("seconds", 1..=LONGEST_WAIT)?.unwrap_or(USUAL_WAIT);
    let job = cx.jobs.get(number)?;
    match act {
        Act::Output => {}
        Act::Wait => job.wait(Duration::from_secs(seconds)).await,
        Act::Stop => {
            job.stop();
            job.wait(END).await;
        }
    }
    if job.is_running() {
        return going_on(&job, number, cx);
    }
    cx.jobs.forget(number);
    match (act, told(&job)?) {
        (Act::Stop, Outcome { ending: Ending::Cancelled, .. }) => {
            let said = format!("[job {number} was stopped]\n");
            said_with(&job, &said, cx)
        }
        (Act::Output | Act::Wait | Act::Stop, outcome) => end(&job, &outcome, cx),
    }
}

/// How the job ended.
fn told(job: &Job) -> Result<Outcome, ToolError> {
    match job.take_outcome() {
        Some(came) => Ok(came?),
        None => Err(ToolError::argument("job", "has ended, and its end was told")),
    }
}

/// The report of an ended command: what `shell` would report, minus the output shown before.
pub(crate) fn end_of(job: &Job, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    end(job, &told(job)?, cx)
}

/// The report of a command that is still running.
pub(crate) fn going_on(job: &Job, number: u64, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    said_with(job, &format!("[job {number} is running; it can write only in $TMPDIR]\n"), cx)
}

fn end(job: &Job, outcome: &Outcome, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let outputs = (record(&job.stdout.take(), "", cx)?, record(&job.stderr.take(), "", cx)?);
    // A hint must not name places where the command could not write.
    let cx = ToolContext { mode: SandboxMode::ReadOnly, ..cx.clone() };
    Ok(ended(&job.command, outcome.ending, outputs, job.time, (&cx, &Granted::default())))
}

/// The new output, after a header line.
fn said_with(job: &Job, line: &str, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    Ok(ToolReport {
        ending: CallEnding::Returned,
        failure: None,
        output: Captured::Stored(record(&job.stdout.take(), line, cx)?),
        stderr: Captured::Stored(record(&job.stderr.take(), "", cx)?),
        files: Vec::new(),
        build_output: Vec::new(),
        untried: None,
    })
}

fn record((new, lost): &(Vec<u8>, u64), line: &str, cx: &ToolContext) -> Result<OutputRecord, ToolError> {
    let lost = match lost {
        0 => String::new(),
        lost => format!("[... {lost} bytes before this came since the last look and are kept nowhere ...]\n"),
    };
    let text = [line.as_bytes(), lost.as_bytes(), new].concat();
    let mut writer = cx.evidence.writer();
    let kept = writer.write_all(&text).and_then(|()| writer.finish(cx.limits.shown, text.len() as u64));
    kept.map_err(|source| ToolError::Evidence { folder: cx.evidence.folder().to_owned(), source })
}
