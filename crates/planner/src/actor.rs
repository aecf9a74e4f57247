//! The planner's actor: connects the bus port to the behaviour.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use artoo_bus::{Port, Sender};
use artoo_llm_client::{LlmClient, metered};
use artoo_types::{
    DispatchManifest, FailureReport, FailureReportRequest, Fault, FaultKind, Instruction, MemoryReply,
    Message, Plan, PlanDirective, Role, SubTaskId, SubTaskOutcome, Surroundings, TaskSpec,
};
use futures_util::FutureExt as _;

use crate::{
    Asking, FailureContext, FolderListing, Inventory, PlanContext, PlanError, Planner, Previous, Recalled,
    validate,
};

/// The actor's inputs besides its port.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// The available tools and programs.
    pub inventory: Inventory,
    /// Listing of the working folder at the start of the run.
    pub listing: FolderListing,
    /// Whether a person is present whom a step may ask.
    pub person_present: bool,
    /// The person's standing instructions for work in this project.
    pub instructions: Arc<[Instruction]>,
    /// Results of an earlier, interrupted run of the same request.
    pub resumed: Vec<SubTaskOutcome>,
    /// How much is asked of memory.
    pub asking: Asking,
    /// Time limit for planning, all model calls together. The supervisor allows the same time for each call.
    pub plan_deadline: Duration,
    /// Time limit for the behaviour's failure report; after that the template is used.
    pub report_deadline: Duration,
}

/// Plans the run's task, and plans again after each directive. Returns when the run is closed. A panic of the
/// behaviour during planning is not caught: the supervisor reports it.
pub async fn run(mut port: Port, planner: Arc<dyn Planner>, model: Arc<dyn LlmClient>, settings: Settings) {
    let model = {
        let sender = port.sender();
        metered(model, Role::Planner, None, move |call| {
            if let Err(error) = sender.publish(call) {
                tracing::debug!(%error, "a model call was not recorded");
            }
        })
    };
    let resumed = settings.resumed.iter().map(|outcome| (outcome.subtask_id, outcome.clone())).collect();
    let state = State { outcomes: resumed, ..State::default() };
    let mut actor = Actor { sender: port.sender(), planner, model, settings, state };
    while let Some(envelope) = port.recv().await {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the port delivers only this role's kinds")]
        match envelope.message.as_ref() {
            Message::TaskSpec(spec) => actor.on_task(spec),
            Message::PersonNote(note) => actor.state.notes.push(note.text.clone()),
            Message::MemoryReply(reply) => actor.on_memory(reply).await,
            Message::DispatchManifest(manifest) => actor.on_manifest(manifest),
            Message::SubTaskOutcome(outcome) => {
                // The first outcome counts, as at the gate.
                actor.state.outcomes.entry(outcome.subtask_id).or_insert_with(|| outcome.clone());
            }
            Message::PlanDirective(directive) => actor.on_directive(directive),
            Message::FailureReportRequest(request) => actor.on_report(request).await,
            _ => {}
        }
    }
}

#[derive(Default)]
struct State {
    spec: Option<TaskSpec>,
    /// What the person has added since.
    notes: Vec<String>,
    /// Whether a memory query is pending: an unexpected reply does not trigger a plan.
    asked_memory: bool,
    /// The round of the last directive, so that a duplicate directive makes one plan.
    directed: u32,
    plan: Option<Plan>,
    /// The number of notes that the plan was made with.
    noted: usize,
    subtask_ids: Vec<SubTaskId>,
    outcomes: BTreeMap<SubTaskId, SubTaskOutcome>,
    directive: Option<PlanDirective>,
    round: u32,
}

struct Actor {
    sender: Sender,
    planner: Arc<dyn Planner>,
    model: Arc<dyn LlmClient>,
    settings: Settings,
    state: State,
}

impl Actor {
    fn on_task(&mut self, spec: &TaskSpec) {
        if self.state.spec.is_none() {
            self.state.spec = Some(spec.clone());
            self.ask_memory();
        }
    }

    fn on_directive(&mut self, directive: &PlanDirective) {
        if self.state.plan.is_some() && directive.round > self.state.directed {
            self.state.directed = directive.round;
            self.state.directive = Some(directive.clone());
            self.ask_memory();
        } else if !self.state.asked_memory {
            // R7 waits for a plan that will not come. A duplicate of a directive that is being planned needs
            // no answer of its own.
            self.publish(Fault {
                role: Role::Planner,
                kind: FaultKind::Request,
                message: if self.state.plan.is_some() {
                    format!("the directive of round {} came again, after it was planned", directive.round)
                } else {
                    "a directive came before there was a plan".to_owned()
                },
                hint: None,
                remedy: None,
            });
        }
    }

    /// Every plan, the first included, is calibrated by memory; the plan follows when memory answers.
    fn ask_memory(&mut self) {
        if let Some(spec) = &self.state.spec {
            self.state.asked_memory = true;
            let question = self.settings.asking.question(spec, &self.settings.surroundings, &self.outcomes());
            self.publish(question);
        }
    }

    async fn on_memory(&mut self, memory: &MemoryReply) {
        let Some(spec) = self.task() else { return };
        if !std::mem::take(&mut self.state.asked_memory) {
            return;
        }
        self.state.round += 1;
        let cx = PlanContext {
            spec,
            notes: self.state.notes.clone(),
            surroundings: self.settings.surroundings.clone(),
            inventory: self.settings.inventory.clone(),
            listing: self.settings.listing.clone(),
            person_present: self.settings.person_present,
            instructions: Arc::clone(&self.settings.instructions),
            memory: memory.clone(),
            run_id: self.sender.run_id(),
            round: self.state.round,
            resumed: self.settings.resumed.clone(),
            previous: self.previous(),
        };
        let allowed = self.settings.plan_deadline;
        let planning = tokio::time::timeout(allowed, self.planner.plan(&cx, &self.model)).await;
        let planned = planning.unwrap_or(Err(PlanError::Late { allowed })).and_then(|plan| {
            // A third-party planner is held to the same rules.
            let violations = validate(&plan, &cx);
            if violations.is_empty() { Ok(plan) } else { Err(PlanError::Refused(violations)) }
        });
        match planned {
            Ok(mut plan) => {
                // Applied to the plan of any planner: everybody who works on it receives what was recalled, and
                // its calls are guarded by it.
                Recalled::of(memory, cx.run_id).hand_on(&cx.spec.intent, &mut plan);
                (self.state.plan, self.state.noted) = (Some(plan.clone()), cx.notes.len());
                self.publish(plan);
            }
            Err(error) => self.publish(error.fault()),
        }
    }

    /// The task with the person's later notes.
    fn task(&self) -> Option<TaskSpec> {
        self.state.spec.as_ref().map(|spec| spec.with_notes(&self.state.notes))
    }

    fn previous(&mut self) -> Option<Previous> {
        let plan = self.state.plan.take()?;
        let directive = self.state.directive.take()?;
        let subtask_ids = self.state.subtask_ids.clone();
        let outcomes = self.outcomes();
        Some(Previous { plan, notes: self.state.noted, subtask_ids, outcomes, directive })
    }

    /// The outcomes of the previous plan, by position.
    fn outcomes(&self) -> Vec<SubTaskOutcome> {
        let ids = self.state.subtask_ids.iter();
        ids.filter_map(|id| self.state.outcomes.get(id).cloned()).collect()
    }

    fn on_manifest(&mut self, manifest: &DispatchManifest) {
        self.state.subtask_ids = manifest.kept.iter().chain(&manifest.subtask_ids).copied().collect();
    }

    async fn on_report(&mut self, request: &FailureReportRequest) {
        let Some(spec) = self.task() else {
            self.publish(Fault {
                role: Role::Planner,
                kind: FaultKind::Request,
                message: "a failure report was asked for before there was a task".to_owned(),
                hint: None,
                remedy: None,
            });
            return;
        };
        let surroundings = self.settings.surroundings.clone();
        let cx = FailureContext { spec, surroundings, request: request.clone() };
        // The person is waiting: no behaviour may withhold the result from them.
        let writing =
            AssertUnwindSafe(async { self.planner.failure_report(&cx, &self.model).await }).catch_unwind();
        let text = match tokio::time::timeout(self.settings.report_deadline, writing).await {
            Ok(Ok(Ok(text))) => text,
            Ok(Ok(Err(_)) | Err(_)) | Err(_) => String::new(),
        };
        self.publish(FailureReport { task_id: request.task_id.clone(), text });
    }

    fn publish(&self, message: impl Into<Message>) {
        if let Err(error) = self.sender.publish(message) {
            // A closed run needs no plan; the bus itself reports an overflow.
            tracing::debug!(%error, "the planner could not publish");
        }
    }
}
