//! Whole runs in which one role's loop is replaced: it repeats every message, drops its messages, or dies.

use std::{
    path::Path,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use artoo_bus::{BusError, Port};
use artoo_llm_client::{
    LlmClient,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_meta_validator::conformance::TakesTheWhole;
use artoo_sandbox::SandboxMode;
use artoo_tools::{Tool, ToolReport, Toolbox};
use artoo_types::{
    Arguments, Check, Criterion, DispatchManifest, Entity, Envelope, FaultKind, FinalResult, MemoryQuery,
    MessageKind, OutcomeStatus, OutcomeSummary, Plan, PlannedSubTask, ReplanRequest, Space, SubTaskOutcome,
    Surroundings, TagPair, TaskSpec, TerminalState, ToolName,
};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::*;
use crate::Artoo;

/// A tool that prints its text; each has its own name, so that others remain when one is blocked.
struct Speak(&'static str);

#[async_trait]
impl Tool for Speak {
    fn name(&self) -> ToolName {
        ToolName::new(self.0)
    }

    fn summary(&self) -> &str {
        "put out a text"
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, _cx: &ToolContext) -> ToolReport {
        ToolReport::text(arguments.get("text").and_then(Value::as_str).unwrap_or_default())
    }
}

fn call(tool: &str, text: &str) -> Answer {
    Answer::json(json!({"tool": tool, "arguments": {"text": text}, "output_is_answer": true}))
}

/// A planner's draft of one step.
fn draft(intent: &str) -> Answer {
    Answer::json(json!({"subtasks": [{
        "intent": intent, "sequence": 1, "kind": "find_out",
        "criteria": [{"text": "The output is one number", "check": "output_number"}],
    }]}))
}

/// One step that succeeds at once.
fn one_step() -> ScriptedModel {
    ScriptedModel::new()
        .always(Expect::purpose("planner"), draft("Count"))
        .always(Expect::purpose("executor"), call("say", "3"))
}

fn surroundings(folder: &Path) -> Surroundings {
    Surroundings {
        now: "2026-03-01T12:00:00+01:00".parse().unwrap(),
        zone: "Europe/Berlin".to_owned(),
        working_folder: folder.to_owned(),
        workspace: folder.to_owned(),
        home: folder.to_owned(),
        platform: "linux".to_owned(),
    }
}

/// A finished run, with all its messages.
struct Seen {
    result: FinalResult,
    envelopes: Vec<Arc<Envelope>>,
}

impl Seen {
    fn count(&self, kind: MessageKind) -> usize {
        self.envelopes.iter().filter(|envelope| envelope.message.kind() == kind).count()
    }

    /// The number of warnings that contain these words.
    fn warned(&self, words: &str) -> usize {
        let told =
            |message: &Message| matches!(message, Message::Warning(told) if told.message.contains(words));
        self.envelopes.iter().filter(|envelope| told(&envelope.message)).count()
    }

    fn fault(&self) -> Option<(Role, FaultKind)> {
        self.result.fault.as_ref().map(|fault| (fault.role, fault.kind))
    }
}

/// Runs a request with some roles' loops replaced. In every case there is exactly one result.
async fn run_with(
    model: ScriptedModel,
    max_replans: u32,
    swap: impl FnOnce(&mut RoleTasks, &RunBus) -> Result<(), BusError>,
) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let artoo = Artoo::builder()
        .model(Arc::new(model))
        .task_judge(Arc::new(TakesTheWhole))
        .data_folder(folder.path().join("data"))
        .toolbox(Toolbox::new().with(Speak("say")).with(Speak("tell")))
        .build()
        .unwrap();
    let parts = &artoo.parts;
    let request = RunRequest {
        limits: Limits { max_replans, max_retries: 0, ..Limits::default() },
        sandbox: SandboxMode::ReadOnly,
        ..RunRequest::new("Count", surroundings(&home))
    };
    let parameters = parameters(parts, &request.limits).unwrap();
    let (failed, storage_failure) = oneshot::channel();
    let runs = runs::folder(&parts.data_folder);
    let run_id = RunId::new(uuid::Uuid::now_v7());
    let journal = parts.journal.open(&runs, run_id, move |error| drop(failed.send(error))).unwrap();
    let asked = (request, artoo_types::Errand::Task, None);
    let (run, mut supervised) =
        assemble(parts, parameters, asked, (journal, Arc::default()), storage_failure).unwrap();
    swap(&mut supervised.role_tasks, &run.bus).unwrap();
    let mut observer = run.observe(1);
    tokio::spawn(supervise(supervised));
    let result = run.finished().await;
    let envelopes =
        std::iter::from_fn(|| observer.try_recv()).map(|seen| Arc::clone(seen.envelope().unwrap())).collect();
    artoo.close().await;
    let seen = Seen { result, envelopes };
    assert_eq!(seen.count(MessageKind::FinalResult), 1);
    seen
}

/// How a replaced loop publishes its messages.
#[derive(Clone, Copy)]
enum Voice {
    Twice,
    Never,
}

impl Voice {
    fn say(self, port: &Port, message: impl Into<Message>) {
        let message = message.into();
        match self {
            Self::Twice => {
                // What the bus refuses is recorded.
                let _ = port.publish(message.clone());
                let _ = port.publish(message);
            }
            Self::Never => {}
        }
    }
}

/// An R2 with one plan.
async fn planner(mut port: Port, voice: Voice) {
    let mut task: Option<TaskSpec> = None;
    while let Some(envelope) = port.recv().await {
        if let Message::TaskSpec(spec) = envelope.message.as_ref() {
            task = Some(spec.clone());
            port.publish(MemoryQuery {
                pairs: vec![TagPair::new(Space::intent(&spec.intent), Entity::local())],
                like: None,
            })
            .unwrap();
        } else if let Message::MemoryReply(_) = envelope.message.as_ref() {
            let criterion =
                Criterion::checked("The output contains 3", Check::OutputContains { value: "3".to_owned() });
            let subtask = PlannedSubTask::new(1, "Count", vec![criterion]);
            let plan = Plan::new(task.as_ref().unwrap().task_id.clone(), 1, vec![subtask]);
            voice.say(&port, plan);
        }
    }
}

/// An R4b without task criteria.
async fn gate(mut port: Port, voice: Voice) {
    let mut manifest: Option<DispatchManifest> = None;
    let mut outcomes: Vec<SubTaskOutcome> = Vec::new();
    while let Some(envelope) = port.recv().await {
        if let Message::DispatchManifest(dispatched) = envelope.message.as_ref() {
            manifest = Some(dispatched.clone());
            outcomes.clear();
        } else if let Message::SubTaskOutcome(outcome) = envelope.message.as_ref() {
            outcomes.push(outcome.clone());
        }
        let Some(manifest) = &manifest else { continue };
        if outcomes.len() < manifest.subtask_ids.len() {
            continue;
        }
        let task_id = manifest.task_id.clone();
        let (matched_outcomes, failed_outcomes): (Vec<_>, Vec<_>) =
            outcomes.iter().cloned().partition(|outcome| outcome.status == OutcomeStatus::Matched);
        if failed_outcomes.is_empty() {
            voice.say(&port, OutcomeSummary::new(task_id, json!("3"), "Done", matched_outcomes));
        } else {
            voice.say(&port, ReplanRequest::new(task_id, outcomes.clone(), "it is missing"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_with_its_own_roles_is_accepted() {
    let seen = run_with(one_step(), 3, |_, _| Ok(())).await;
    assert_eq!((seen.result.directive, seen.fault()), (TerminalState::Accept, None), "{:#?}", seen.result);
    assert_eq!(seen.count(MessageKind::Warning), 0);
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_comes_twice_is_run_once() {
    let twice = |role_tasks: &mut RoleTasks, bus: &RunBus| {
        role_tasks.add(bus, Role::Planner, |port| planner(port, Voice::Twice))
    };
    let seen = run_with(one_step(), 3, twice).await;
    assert_eq!((seen.result.directive, seen.fault()), (TerminalState::Accept, None), "{:#?}", seen.result);
    let counts = [MessageKind::Plan, MessageKind::DispatchManifest, MessageKind::ToolStarted];
    assert_eq!(counts.map(|kind| seen.count(kind)), [2, 1, 1]);
    assert_eq!(seen.warned("plan 1 came again"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_never_comes_is_a_deadline_fault() {
    let never = |role_tasks: &mut RoleTasks, bus: &RunBus| {
        role_tasks.add(bus, Role::Planner, |port| planner(port, Voice::Never))
    };
    let seen = run_with(one_step(), 3, never).await;
    assert_eq!(seen.fault(), Some((Role::Planner, FaultKind::Deadline)));
    assert_eq!(seen.count(MessageKind::ToolStarted), 0);
}

/// R7 would take two steps on one plan: the only replan would be used up before it was tried.
#[tokio::test(start_paused = true)]
async fn a_report_that_comes_twice_is_judged_once() {
    let model = ScriptedModel::new()
        .expect(Expect::purpose("planner"), draft("Count the apples"))
        .expect(Expect::purpose("planner"), draft("Count the pears"))
        .expect(Expect::purpose("executor"), call("say", "many"))
        .expect(Expect::purpose("executor"), call("tell", "a lot"))
        .always(Expect::any(), Answer::text("no story"));
    let twice = |role_tasks: &mut RoleTasks, bus: &RunBus| {
        role_tasks.add(bus, Role::MetaValidator, |port| gate(port, Voice::Twice))
    };
    let seen = run_with(model, 1, twice).await;
    assert_eq!((seen.result.directive, seen.result.replans), (TerminalState::Abandon, 1));
    let counts = [
        MessageKind::ReplanRequest,
        MessageKind::PlanDirective,
        MessageKind::Plan,
        MessageKind::DispatchManifest,
        MessageKind::ToolStarted,
    ];
    assert_eq!(counts.map(|kind| seen.count(kind)), [2, 1, 2, 2, 2], "{:#?}", seen.result);
    assert_eq!(seen.warned("but its plan was reported already"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_report_that_never_comes_is_a_deadline_fault() {
    let never = |role_tasks: &mut RoleTasks, bus: &RunBus| {
        role_tasks.add(bus, Role::MetaValidator, |port| gate(port, Voice::Never))
    };
    let seen = run_with(one_step(), 3, never).await;
    assert_eq!(seen.fault(), Some((Role::MetaValidator, FaultKind::Deadline)));
    assert_eq!(seen.count(MessageKind::ToolStarted), 1);
    let partial: Vec<&Value> = seen.result.partial.iter().map(|partial| &partial.output).collect();
    assert_eq!(partial, [&json!("3")], "what was done is handed over");
}

/// Waits for a message of this kind, then panics.
async fn dies_of(mut port: Port, kind: MessageKind) {
    while let Some(envelope) = port.recv().await {
        assert_ne!(envelope.message.kind(), kind, "as scripted");
    }
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_died_gathers_what_came_before() {
    let folder = tempfile::tempdir().unwrap();
    let settings = artoo_meta_validator::Settings {
        surroundings: surroundings(folder.path()),
        judge_deadline: std::time::Duration::from_secs(1),
        silence: artoo_llm_client::Silence::default(),
        output_schema: None,
        judges_the_whole: true,
        again: Arc::new(artoo_agent_validator::NoRerun),
        world: artoo_checks::Filesystem::of(&surroundings(folder.path())),
        conversation: None,
        excerpts: artoo_meta_validator::Excerpts::Long,
    };
    let lives = AtomicU32::new(0);
    let dies_once = move |role_tasks: &mut RoleTasks, bus: &RunBus| {
        role_tasks.add(bus, Role::MetaValidator, move |port| {
            let (is_first, settings) = (lives.fetch_add(1, Relaxed) == 0, settings.clone());
            async move {
                if is_first {
                    return dies_of(port, MessageKind::SubTaskOutcome).await;
                }
                let model: Arc<dyn LlmClient> = Arc::new(ScriptedModel::new());
                artoo_meta_validator::run(port, Arc::new(TakesTheWhole), model, settings).await;
            }
        })
    };
    let seen = run_with(one_step(), 3, dies_once).await;
    assert_eq!((seen.result.directive, seen.fault()), (TerminalState::Accept, None), "{:#?}", seen.result);
    assert_eq!(seen.warned("the role meta_validator panicked"), 1);
    assert_eq!(seen.count(MessageKind::OutcomeSummary), 1);
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_ends_early_is_started_once_more_and_no_more() {
    let early =
        |role_tasks: &mut RoleTasks, bus: &RunBus| role_tasks.add(bus, Role::MetaValidator, |_port| async {});
    let seen = run_with(one_step(), 3, early).await;
    assert_eq!(seen.fault(), Some((Role::MetaValidator, FaultKind::Panic)));
    let words = "the role meta_validator ended before its run";
    assert_eq!(seen.warned(words), 1);
    assert_eq!(seen.result.fault.unwrap().message, words);
}

/// The state of these roles cannot be rebuilt from messages.
#[tokio::test(start_paused = true)]
async fn roles_that_nobody_can_take_over_end_the_run() {
    let dying = [
        (Role::Executor, MessageKind::SubTask),
        (Role::AgentValidator, MessageKind::ExecutionResult),
        (Role::Dispatcher, MessageKind::Plan),
    ];
    for (role, kind) in dying {
        let dies = move |role_tasks: &mut RoleTasks, bus: &RunBus| {
            role_tasks.add(bus, role, move |port| dies_of(port, kind))
        };
        let seen = run_with(one_step(), 3, dies).await;
        assert_eq!(seen.fault(), Some((role, FaultKind::Panic)));
        assert_eq!(seen.warned("started again"), 0);
    }
}
