//! Runs scripted by their plans alone: each step names its tool, its word, and whether it fails.

use std::{fs, sync::Arc, time::Duration};

use artoo_bus::Observed;
use artoo_llm_client::{
    Request, Usage,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_runtime::{Artoo, Builder, RunRequest, journal};
use artoo_tools::{Tool, ToolContext, ToolReport, Toolbox};
use artoo_types::{Arguments, CallFailure, FailureClass, Limits, Message, PlannedSubTask, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{
    doubles::{Say, Series, TokioClock, subtask},
    fixture::{House, Seen, recorded, verdict, watched},
};

/// The course of a run.
pub(crate) struct Course {
    plans: Vec<Vec<PlannedSubTask>>,
    limits: Limits,
    thinks: Duration,
    cancelled_in: Option<u32>,
}

impl Course {
    /// The plans, with steps separated by semicolons. A step is `say apple`, `say apple wrongly` (its output
    /// lacks the word), `fetch apple` (an environmental failure), or `try apples` (fetches `apple`, and
    /// whispers `apples` if that fails). Corrections are off: each step has one attempt.
    pub(crate) fn new(plans: &[&str]) -> Self {
        let step = |step: &str| subtask(1, step.trim(), &[word(step.trim())]);
        Self {
            plans: plans.iter().map(|plan| plan.split(';').map(step).collect()).collect(),
            limits: Limits { max_retries: 0, ..Limits::default() },
            thinks: Duration::from_secs(1),
            cancelled_in: None,
        }
    }

    /// With this number of replans.
    pub(crate) fn max_replans(mut self, max_replans: u32) -> Self {
        self.limits.max_replans = max_replans;
        self
    }

    /// With a time budget of which every answer of the model takes this share.
    pub(crate) fn each_answer_takes(mut self, share: f64) -> Self {
        self.thinks = Duration::from_millis(self.limits.time_budget_ms).mul_f64(share);
        self
    }

    /// Interrupted at the first step of this round.
    pub(crate) fn cancelled_in(mut self, round: u32) -> Self {
        self.cancelled_in = Some(round);
        self
    }

    /// Runs it.
    pub(crate) async fn run(self) -> Seen {
        self.run_with(|builder| builder).await
    }

    /// Runs it with a modified builder.
    pub(crate) async fn run_with(self, swap: impl FnOnce(Builder) -> Builder) -> Seen {
        let house = House::new();
        let usage = Usage { prompt_tokens: 100, completion_tokens: 10, ..Usage::default() };
        let answer = Answer::with(act).with_usage(usage).after(self.thinks);
        let model = Arc::new(
            ScriptedModel::new()
                .always(Expect::purpose("answer"), crate::doubles::composed())
                // Whoever gives up is not believed.
                .always(Expect::purpose("agent_validator"), Answer::json(verdict(false)))
                .always(Expect::purpose("executor"), answer),
        );
        let toolbox = Toolbox::new().with(Say).with(Other("whisper")).with(Other("fetch"));
        let builder =
            house.builder(&model).clock(TokioClock::new()).toolbox(toolbox).planner(Series::new(self.plans));
        let artoo: Artoo = swap(builder).build().unwrap();
        let request = RunRequest { limits: self.limits, ..house.request("Tell me all of it") };
        let run = artoo.start(request).unwrap();
        let Some(round) = self.cancelled_in else { return watched(run).await };
        let mut observer = run.observe(1);
        let (canceller, folder) = (run.canceller(), run.folder().to_owned());
        let finished = tokio::spawn(run.finished());
        while let Some(Observed::Message(envelope)) = observer.recv().await {
            if matches!(envelope.message.as_ref(), Message::SubTask(task) if task.round == round) {
                canceller.cancel();
            }
        }
        recorded(finished.await.unwrap(), &folder)
    }
}

/// The journal of a run with its text modified.
pub(crate) fn changed(seen: &Seen, change: impl FnOnce(String) -> String) -> journal::Read {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(journal::FILE_NAME);
    let lines: Vec<String> =
        seen.envelopes.iter().map(|envelope| serde_json::to_string(envelope).unwrap() + "\n").collect();
    fs::write(&path, change(lines.concat())).unwrap();
    journal::read(&path).unwrap()
}

fn word(step: &str) -> &str {
    step.split_whitespace().nth(1).unwrap()
}

/// The model's action for a step.
fn act(request: &Request) -> String {
    let prompt = &request.messages[0].content;
    let step = prompt.lines().find_map(|line| line.strip_prefix("Step: ")).unwrap();
    let tool = step.split(' ').next().unwrap();
    let again = request.messages.len() > 1;
    let (tool, text) = match (tool, again) {
        ("try", false) => ("fetch", word(step).trim_end_matches('s')),
        ("try", true) => ("whisper", word(step)),
        (tool, _) if step.ends_with("wrongly") => (tool, "nonsense"),
        (tool, _) => (tool, word(step)),
    };
    if again && tool == "fetch" {
        return json!({"give_up": "it did not work"}).to_string();
    }
    json!({"tool": tool, "arguments": {"text": text}, "output_is_answer": true}).to_string()
}

/// `whisper` is [`Say`] by another name; `fetch` always fails.
struct Other(&'static str);

#[async_trait]
impl Tool for Other {
    fn name(&self) -> ToolName {
        ToolName::new(self.0)
    }

    fn summary(&self) -> &str {
        "put out a text, or not"
    }

    fn arguments(&self) -> Value {
        Say.arguments()
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        let report = Say.call(arguments, cx).await;
        if self.0 == "whisper" {
            return report;
        }
        let reason = "the server cannot be reached".to_owned();
        let failure = Some(CallFailure { class: FailureClass::Environmental, reason, hint: None });
        ToolReport { failure, ..ToolReport::text("") }
    }
}
