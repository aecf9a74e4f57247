//! Test fixtures: subtasks, tools and runs.

use std::{path::Path, sync::Arc, time::Duration};

use artoo_bus::{Port, doubles::Scene};
use artoo_consent::{Question, Rules};
use artoo_executor::{CallTerms, Executor, RunTools, Settings, Terms, ToolSpec, conformance, run};
use artoo_llm_client::{
    LlmClient, Message as Turn, MessageRole, ModelProfile, ToolCalling, doubles::ScriptedModel,
};
use artoo_tools::{EvidenceStore, Rehearsal, RunFolders, Tool, ToolContext, ToolLimits, ToolReport, Toolbox};
use artoo_types::{
    Arguments, CallEnding, CallFailure, CallId, CorrectionSignal, Criterion, Effect, EvidenceId,
    ExecutionResult, FailureClass, GuardReply, MemoryGuard, Message, MessageKind, Mode, NotRehearsed,
    OutputRecord, Perturbation, Rehearsed, Role, SubTask, SubTaskId, Surroundings, ToolCall, ToolName,
};
use async_trait::async_trait;
use chrono::{DateTime, FixedOffset};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A model that writes its calls as JSON.
pub(crate) fn json_turns() -> ModelProfile {
    ModelProfile { tool_calling: ToolCalling::Json, ..ModelProfile::default() }
}

/// A model with native tool calls.
pub(crate) fn native() -> ModelProfile {
    ModelProfile { tool_calling: ToolCalling::Native, ..ModelProfile::default() }
}

/// A weak model.
pub(crate) fn guided() -> ModelProfile {
    ModelProfile { guided: true, ..json_turns() }
}

pub(crate) fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-14T09:26:53+08:00").unwrap()
}

pub(crate) fn surroundings(folder: &Path) -> Surroundings {
    Surroundings {
        now: now(),
        zone: "Asia/Shanghai".to_owned(),
        working_folder: folder.to_owned(),
        workspace: folder.join("workspace"),
        home: folder.to_owned(),
        platform: "linux".to_owned(),
    }
}

pub(crate) fn subtask(number: u128, intent: &str) -> SubTask {
    let criterion = Criterion::new("The output is one number", Mode::Verifiable);
    SubTask {
        subtask_id: SubTaskId::new(Uuid::from_u128(number)),
        success_criteria: vec![criterion],
        ..conformance::context(intent).subtask
    }
}

pub(crate) fn correction(number: u128, attempt_number: u32) -> CorrectionSignal {
    CorrectionSignal {
        subtask_id: SubTaskId::new(Uuid::from_u128(number)),
        attempt_number,
        failed_criterion: "The output is one number".to_owned(),
        failure_class: FailureClass::Logical,
        what_was_wrong: "the output has 2 numbers".to_owned(),
        what_to_do: "Print one number".to_owned(),
        unmet: vec!["The output is one number".to_owned()],
    }
}

pub(crate) fn arguments(command: &str) -> Arguments {
    Arguments::from_iter([("command".to_owned(), json!(command))])
}

pub(crate) fn recorded(
    tool: &str,
    command: &str,
    shown: &str,
    ending: CallEnding,
    failure: Option<FailureClass>,
) -> ToolCall {
    ToolCall {
        failure: failure.map(|class| CallFailure { class, reason: "it did not work".to_owned(), hint: None }),
        output: OutputRecord {
            shown: shown.to_owned(),
            bytes: shown.len() as u64,
            ..OutputRecord::default()
        },
        duration_ms: 1,
        ..ToolCall::new(CallId::new(Uuid::nil()), ToolName::new(tool), arguments(command), ending, now())
    }
}

/// A turn that calls the shell.
pub(crate) fn call(command: &str, output_is_answer: bool) -> Value {
    json!({"tool": "shell", "arguments": {"command": command}, "output_is_answer": output_is_answer})
}

/// The messages sent to a model, without the constant part.
pub(crate) fn changing(turns: &[Turn]) -> String {
    let speaker = |turn: &Turn| match turn.role {
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
    };
    turns.iter().map(|turn| format!("--- {}\n{}\n", speaker(turn), turn.content)).collect()
}

/// A fake shell: the first word of a command decides its result.
#[derive(Debug)]
struct Stage;

#[async_trait]
impl Tool for Stage {
    fn name(&self) -> ToolName {
        ToolName::new("shell")
    }

    fn summary(&self) -> &str {
        "runs a command"
    }

    fn arguments(&self) -> Value {
        Value::clone(&conformance::context("x").tools[0].arguments)
    }

    fn output_is_answer(&self) -> bool {
        true
    }

    fn can_be_tried(&self) -> bool {
        true
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        let command = arguments["command"].as_str().unwrap();
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let failed = |class, ending| {
            let failure = CallFailure { class, reason: format!("{word} is as it is"), hint: None };
            ToolReport { ending, failure: Some(failure), ..ToolReport::text("") }
        };
        match word {
            "trial" => ToolReport::text(cx.trial_only.to_string()),
            "hang" => std::future::pending().await,
            "wait" => {
                tokio::time::sleep(Duration::from_secs(rest.parse().unwrap())).await;
                ToolReport::text("waited")
            }
            // `ask deletes /a/b unknown`: effects, each with its target except the last.
            "ask" => match cx.consented(question(command, rest)).await {
                Ok(()) => ToolReport::text("done"),
                Err(error) => error.into(),
            },
            "deny" => failed(FailureClass::Denied, CallEnding::Refused),
            "forbid" => failed(FailureClass::Forbidden, CallEnding::Refused),
            "fail" => failed(FailureClass::Environmental, CallEnding::Exited { status: 2 }),
            // A name that no one has mentioned before.
            "find" => ToolReport::text("kept-8.txt"),
            "long" => ToolReport::text("行\r\n".repeat(rest.parse().unwrap()) + "\u{7}end"),
            _ => ToolReport::text(rest),
        }
    }
}

/// The stage, called as the runtime calls its tools.
struct OnStage {
    toolbox: Toolbox,
    context: ToolContext,
}

#[async_trait]
impl RunTools for OnStage {
    fn specs(&self) -> Vec<ToolSpec> {
        self.toolbox.tools().map(spec).collect()
    }

    async fn call(
        &self,
        call_id: CallId,
        tool: &ToolName,
        arguments: Arguments,
        terms: CallTerms,
    ) -> ToolCall {
        let CallTerms { consent, pauses, images, trial_only, on_output, cancel } = terms;
        let (on_output, context) = (Some(on_output), self.context.clone());
        let context = ToolContext { consent, pauses, images, trial_only, on_output, cancel, ..context };
        self.toolbox.call(call_id, tool, arguments, &context).await
    }

    async fn rehearse(
        &self,
        command: &str,
        world: &Perturbation,
        rules: Rules,
        within: Duration,
    ) -> Result<Rehearsed, NotRehearsed> {
        let rehearsal = Rehearsal::new(&self.toolbox, self.context.clone(), rules);
        rehearsal.run(&[command], world, within).await
    }

    fn watches_changes(&self) -> bool {
        false
    }

    fn goes_on(&self, _: &ToolCall) -> bool {
        false
    }

    fn kept(&self, evidence: &EvidenceId) -> Option<Vec<u8>> {
        self.context.evidence.get(evidence).ok()
    }

    fn now(&self) -> DateTime<FixedOffset> {
        self.context.time.now()
    }
}

/// What is told of a tool.
pub(crate) fn spec(tool: &dyn Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name(),
        summary: tool.summary().to_owned(),
        description: tool.description().to_owned(),
        in_this_run: tool.in_this_run(),
        arguments: Arc::new(tool.arguments()),
        output_is_answer: tool.output_is_answer(),
        only_looks: false,
    }
}

fn question(command: &str, effects: &str) -> Question {
    let words: Vec<&str> = effects.split_whitespace().collect();
    let effects = words.chunks(2).map(|pair| effect(pair[0], pair.get(1).unwrap_or(&"that"))).collect();
    Question {
        tool: ToolName::new("shell"),
        command: command.to_owned(),
        programs: Vec::new(),
        effects,
        free: Vec::new(),
        changes: Vec::new(),
        commit: None,
        moves: None,
        rule: "consent-to-change".to_owned(),
        reason: "what was there changes only with consent".to_owned(),
        beyond_undo: None,
        always: None,
    }
}

/// An effect of the kind with this name.
pub(crate) fn effect(kind: &str, what: &str) -> Effect {
    let what = what.to_owned();
    Effect { kind: kind.parse().unwrap(), word: what.clone(), what, why: "it says so".to_owned() }
}

/// What the memory of a test does.
pub(crate) enum Knows {
    /// It holds these against their calls.
    Guards(Vec<MemoryGuard>),
    /// It does not answer.
    Nothing,
}

async fn remember(mut port: Port, guards: Vec<MemoryGuard>) {
    while let Some(envelope) = port.recv().await {
        let Message::GuardQuery(query) = envelope.message.as_ref() else { continue };
        let guard = guards.iter().find(|guard| guard.target == query.call).cloned();
        port.publish(GuardReply { call_id: query.call_id, guard }).unwrap();
    }
}

/// The executor's actor in an open run, with all messages of the run.
pub(crate) struct House {
    pub(crate) dispatcher: Port,
    pub(crate) validator: Port,
    pub(crate) ggs: Port,
    pub(crate) user: Port,
    scene: Scene,
    actor: tokio::task::JoinHandle<()>,
    pub(crate) cancel: CancellationToken,
    _folders: [tempfile::TempDir; 2],
}

impl House {
    pub(crate) fn new(executor: Arc<dyn Executor>, model: &Arc<ScriptedModel>, parallel: usize) -> Self {
        Self::under(Terms::default(), executor, model, parallel)
    }

    /// A house with this consent policy.
    pub(crate) fn under(
        terms: Terms,
        executor: Arc<dyn Executor>,
        model: &Arc<ScriptedModel>,
        parallel: usize,
    ) -> Self {
        Self::beside(None, terms, executor, model, parallel)
    }

    /// A house with a memory that holds this against calls, or does not answer at all.
    pub(crate) fn beside(
        memory: Option<Knows>,
        terms: Terms,
        executor: Arc<dyn Executor>,
        model: &Arc<ScriptedModel>,
        parallel: usize,
    ) -> Self {
        let (folder, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = folder.path();
        let cancel = CancellationToken::new();
        let folders = RunFolders {
            working_folder: path.to_owned(),
            workspace: path.join("workspace"),
            home: path.to_owned(),
            private_tmp: path.join("tmp"),
        };
        let tool_context = ToolContext {
            layer_stores: vec![store.path().to_owned()],
            time: Arc::new(now()),
            // Longer than an attempt, so that a hanging call is ended by the attempt's deadline.
            limits: ToolLimits { call_time: Duration::from_secs(7200), ..ToolLimits::default() },
            cancel: cancel.clone(),
            ..ToolContext::new(folders, EvidenceStore::open(path.join("evidence")).unwrap())
        };
        let settings = Settings {
            surroundings: surroundings(path),
            cancel: tool_context.cancel.clone(),
            tools: Arc::new(OnStage { toolbox: Toolbox::new().with(Stage), context: tool_context }),
            terms,
            environment: artoo_executor::Environment::default(),
            programs: vec!["find".to_owned(), "python3".to_owned()],
            instructions: Arc::default(),
            samples: true,
            provenance: artoo_executor::Provenance::default(),
            attempt_deadline: Duration::from_secs(900),
            silence: artoo_llm_client::Silence::default(),
            parallel,
            memory_patience: memory.as_ref().map(|_| Duration::from_secs(2)),
            mint: Arc::new(|| CallId::new(Uuid::new_v4())),
            conversation: None,
        };
        let scene = Scene::new(now()).unwrap();
        let client: Arc<dyn LlmClient> = Arc::clone(model) as _;
        if let Some(Knows::Guards(guards)) = memory {
            tokio::spawn(remember(scene.bus.port(Role::SharedMemory).unwrap(), guards));
        }
        let actor = tokio::spawn(run(scene.bus.port(Role::Executor).unwrap(), executor, client, settings));
        let port = |role| scene.bus.port(role).unwrap();
        let (dispatcher, validator, ggs) =
            (port(Role::Dispatcher), port(Role::AgentValidator), port(Role::Ggs));
        let user = port(Role::User);
        Self { dispatcher, validator, ggs, user, scene, actor, cancel, _folders: [folder, store] }
    }

    /// Runs the actor until it is idle, at most for this long, and returns the messages it published.
    pub(crate) async fn said_within(&mut self, time: Duration) -> Vec<Message> {
        // Time is paused: it advances only when nothing else can run.
        tokio::time::sleep(time).await;
        self.scene.said_by(Role::Executor)
    }

    pub(crate) async fn said(&mut self) -> Vec<Message> {
        self.said_within(Duration::from_secs(3600)).await
    }

    pub(crate) async fn results(&mut self) -> Vec<ExecutionResult> {
        results(&self.said().await)
    }

    pub(crate) async fn close(self) {
        self.scene.bus.close();
        self.actor.await.unwrap();
    }
}

pub(crate) fn results(said: &[Message]) -> Vec<ExecutionResult> {
    let result = |message: &Message| {
        if let Message::ExecutionResult(result) = message { Some(result.clone()) } else { None }
    };
    said.iter().filter_map(result).collect()
}

pub(crate) fn finished(said: &[Message]) -> Vec<ToolCall> {
    let call = |message: &Message| {
        if let Message::ToolFinished(finished) = message { Some(finished.call.clone()) } else { None }
    };
    said.iter().filter_map(call).collect()
}

pub(crate) fn count(said: &[Message], kind: MessageKind) -> usize {
    said.iter().filter(|message| message.kind() == kind).count()
}
