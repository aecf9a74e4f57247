//! The loop between the port and the behaviour.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use artoo_bus::{Port, Sender};
use artoo_llm_client::{LlmClient, metered};
use artoo_types::{
    DispatchManifest, FailureReport, FailureReportRequest, Fault, FaultKind, Instruction, MemoryReply,
    Message, Plan, PlanDirective, Role, SubTaskId, SubTaskOutcome, Surroundings, TaskSpec,
};
use futures::FutureExt as _;

use crate::{
    Asking, FailureContext, FolderListing, Inventory, PlanContext, PlanError, Planner, Previous, Recalled,
    validate,
};

/// What the actor is given besides its port.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where and when the run happens.
    pub surroundings: Surroundings,
    /// What exists to work with.
    pub inventory: Inventory,
    /// What lies in the working folder when the run begins.
    pub listing: FolderListing,
    /// Whether a person is there, whom a step may ask.
    pub person_present: bool,
    /// What the person wants of all work here.
    pub instructions: Arc<[Instruction]>,
    /// What an earlier run of the same request had done.
    pub resumed: Vec<SubTaskOutcome>,
    /// What memory is asked.
    pub asking: Asking,
    /// How long the behaviour may plan, all calls of its model together. The supervisor waits as long for each of them.
    pub plan_deadline: Duration,
    /// How long the behaviour may write at a failure report before the template is used.
    pub report_deadline: Duration,
}

/// Plans the run's task, and again after each directive. Returns when the run is closed. A panic of the behaviour while it plans
/// is not caught: the supervisor reports it.
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
                // The first word counts, as at the gate.
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
    /// What the person has said since.
    notes: Vec<String>,
    /// Whether memory was asked and has not answered: a reply that nobody waits for makes no plan.
    asked_memory: bool,
    /// The round of the last directive, so that one that comes twice makes one plan.
    directed: u32,
    plan: Option<Plan>,
    /// How many notes that was made with.
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
            // R7 waits for a plan that will not come. A copy of a directive that is being planned needs no answer of its own.
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

    /// Every plan, the first and each later one, is calibrated by memory; the plan follows when memory answers.
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
            // A foreign planner is held to the same rules.
            let violations = validate(&plan, &cx);
            if violations.is_empty() { Ok(plan) } else { Err(PlanError::Refused(violations)) }
        });
        match planned {
            Ok(mut plan) => {
                // Whoever made the plan: its steps hear what is known, and its calls are held to it.
                Recalled::of(memory, cx.run_id).hand_on(&mut plan);
                (self.state.plan, self.state.noted) = (Some(plan.clone()), cx.notes.len());
                self.publish(plan);
            }
            Err(error) => self.publish(error.fault()),
        }
    }

    /// The task with what the person has said since.
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

    /// Those of the plan before, by position.
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
        // A person waits for this: nothing that the behaviour does may keep the result from them.
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
            // A closed run needs no plan; an overflow is reported by the bus itself.
            tracing::debug!(%error, "the planner could not publish");
        }
    }
}
