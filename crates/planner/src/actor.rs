//! The planner's actor: connects the bus port to the behaviour.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use artoo_bus::{Port, Sender};
use artoo_case_file::CaseFile;
use artoo_llm_client::{LlmClient, ModelProfile, Silence, inline, metered};
use artoo_types::{
    ClarificationAnswered, ClarificationRequested, DirectAnswer, FailureReport, FailureReportRequest, Fault,
    FaultKind, GaveUp, GiveUpKind, Instruction, MemoryReply, Message, Plan, PlanDirective, Role,
    SubTaskOutcome, Surroundings, UserStatement, Workplace,
};
use futures_util::FutureExt as _;

use crate::{
    Asking, FailureContext, Inventory, ListFolder, PlanContext, PlanError, Planner, Previous, Recalled,
    Shortcuts, validate,
};

/// How often the planner may ask the user in one run.
const MAX_QUESTIONS: usize = 2;

/// How many model calls of one plan start its deadline anew. No plan needs as many; without a bound, a planner could ask
/// for ever.
const RENEWALS: u32 = 8;

/// The actor's inputs besides its port.
#[derive(Clone)]
pub struct Settings {
    /// Environment of the run: time, folders, platform.
    pub surroundings: Surroundings,
    /// The available tools and programs.
    pub inventory: Inventory,
    /// Lists the working folder, anew before each plan.
    pub folder: Arc<dyn ListFolder>,
    /// What the workers may do on this machine.
    pub workplace: Workplace,
    /// Whether a person is present whom the planner and a step may ask.
    pub person_present: bool,
    /// What a short request may be spared.
    pub shortcuts: Shortcuts,
    /// The person's standing instructions for work in this project.
    pub instructions: Arc<[Instruction]>,
    /// Results of an earlier, interrupted run of the same request.
    pub resumed: Vec<SubTaskOutcome>,
    /// How much is asked of memory.
    pub asking: Asking,
    /// How long planning may be silent: the limit starts anew with each of its first eight model calls.
    pub plan_deadline: Duration,
    /// The run's silence. Limits of silence rest while it rests, as when the run waits for a person.
    pub silence: Silence,
    /// Time limit for the behaviour's failure report; after that the template is used.
    pub report_deadline: Duration,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("surroundings", &self.surroundings).finish_non_exhaustive()
    }
}

/// Plans the run's task, and plans again after each directive. A question that only the user can answer is
/// put to them at once, if they are there. Returns when the run is closed. A panic of the behaviour during
/// planning is not caught: the supervisor reports it.
///
/// All facts come from the run's case file; the actor keeps only what it has been asked for.
pub async fn run(mut port: Port, planner: Arc<dyn Planner>, model: Arc<dyn LlmClient>, settings: Settings) {
    let settings = Settings { silence: settings.silence.below(), ..settings };
    let calls = Arc::new(AtomicU32::new(0));
    let model = {
        let (sender, heard, calls) = (port.sender(), settings.silence.clone(), Arc::clone(&calls));
        metered(model, Role::Planner, None, move |call| {
            if calls.fetch_add(1, Ordering::Relaxed) < RENEWALS {
                heard.heard();
            }
            if let Err(error) = sender.publish(call) {
                tracing::debug!(%error, "a model call was not recorded");
            }
        })
    };
    let sender = port.sender();
    let mut actor = Actor { sender, planner, model, calls, settings, state: State::default() };
    while let Some(envelope) = port.recv().await {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the port delivers only this role's kinds")]
        match envelope.message.as_ref() {
            Message::TaskSpec(_) => actor.on_task(),
            Message::MemoryReply(reply) => actor.on_memory(reply).await,
            Message::ClarificationAnswered(answer) => actor.on_answer(answer).await,
            Message::PlanDirective(directive) => actor.on_directive(directive),
            Message::FailureReportRequest(request) => actor.on_report(request).await,
            _ => {}
        }
    }
}

#[derive(Default)]
struct State {
    /// Whether a task has come: a duplicate of it asks nothing.
    has_task: bool,
    /// Whether a memory query is pending: an unexpected reply does not trigger a plan.
    asked_memory: bool,
    /// The round of the last directive, so that a duplicate directive makes one plan.
    directed: u32,
    round: u32,
    /// The question to the user that a plan waits for, by its round, and what memory said before that plan.
    open_question: Option<(u32, MemoryReply)>,
}

struct Actor {
    sender: Sender,
    planner: Arc<dyn Planner>,
    model: Arc<dyn LlmClient>,
    /// Model calls since the plan was begun.
    calls: Arc<AtomicU32>,
    settings: Settings,
    state: State,
}

impl Actor {
    fn on_task(&mut self) {
        if !std::mem::replace(&mut self.state.has_task, true) {
            self.ask_memory();
        }
    }

    fn on_directive(&mut self, directive: &PlanDirective) {
        let has_plan = self.state.round > 0;
        if has_plan && directive.round > self.state.directed {
            self.state.directed = directive.round;
            self.ask_memory();
        } else if !self.state.asked_memory && self.state.open_question.is_none() {
            // R7 waits for a plan that will not come. A duplicate of a directive that is being planned needs
            // no answer of its own.
            self.publish(Fault {
                role: Role::Planner,
                kind: FaultKind::Request,
                message: if has_plan {
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
        let case = self.sender.case_file();
        if let Some(spec) = case.task() {
            self.state.asked_memory = true;
            let question = self.settings.asking.question(&spec, &self.settings.surroundings);
            self.publish(question);
        }
    }

    async fn on_memory(&mut self, memory: &MemoryReply) {
        if std::mem::take(&mut self.state.asked_memory) {
            self.state.round += 1;
            self.plan(memory).await;
        }
    }

    /// The user has answered the question that the plan waits for: the plan is made with the answer.
    async fn on_answer(&mut self, answer: &ClarificationAnswered) {
        let is_awaited =
            |(round, _): &mut (u32, MemoryReply)| answer.subtask_id.is_none() && answer.round == *round;
        if let Some((_, memory)) = self.state.open_question.take_if(is_awaited) {
            self.plan(&memory).await;
        }
    }

    async fn plan(&mut self, memory: &MemoryReply) {
        let case = self.sender.case_file();
        let Some(spec) = case.task() else { return };
        let mut before: Vec<Previous> =
            case.plans_before(self.state.round).filter_map(|record| Previous::of(record, &case)).collect();
        let previous = before.pop();
        let cx = PlanContext {
            spec,
            notes: case.notes().to_vec(),
            surroundings: self.settings.surroundings.clone(),
            inventory: self.settings.inventory.clone(),
            listing: self.settings.folder.list().await,
            workplace: self.settings.workplace.clone(),
            person_present: self.settings.person_present,
            turns: case.request().map(|request| request.recent_turns().to_vec()).unwrap_or_default(),
            shortcuts: self.settings.shortcuts,
            instructions: Arc::clone(&self.settings.instructions),
            memory: memory.clone(),
            run_id: self.sender.run_id(),
            round: self.state.round,
            resumed: self.settings.resumed.clone(),
            statements: case.statements().to_vec(),
            before,
            previous,
        };
        let allowed = self.settings.plan_deadline;
        self.calls.store(0, Ordering::Relaxed);
        let planning = self.settings.silence.at_most(allowed, self.planner.plan(&cx, &self.model)).await;
        let planned = planning.unwrap_or(Err(PlanError::Late { allowed })).and_then(|plan| {
            // A third-party planner is held to the same rules.
            let violations = validate(&plan, &cx);
            if violations.is_empty() { Ok(plan) } else { Err(PlanError::Refused(violations)) }
        });
        match planned {
            Ok(plan) => self.publish(handed_on(plan, memory, &cx, &self.model.profile())),
            // Which requests are never answered without work holds for every planner.
            Err(PlanError::Answered(text)) if cx.may_answer() => {
                self.publish(DirectAnswer { task_id: cx.spec.task_id.clone(), text });
            }
            Err(PlanError::GaveUp(given_up)) if self.may_ask(&given_up, &case) => {
                self.ask_the_user(&given_up, &case, memory);
            }
            Err(error) => self.publish(error.fault()),
        }
    }

    fn may_ask(&self, given_up: &GaveUp, case: &CaseFile) -> bool {
        let asked = case
            .statements()
            .iter()
            .filter(|statement| matches!(statement, UserStatement::Answer { asked_by: Role::Planner, .. }));
        given_up.kind == GiveUpKind::NeedsPerson
            && self.settings.person_present
            && asked.count() < MAX_QUESTIONS
    }

    fn ask_the_user(&mut self, given_up: &GaveUp, case: &CaseFile, memory: &MemoryReply) {
        let round = case.rounds_asked() + 1;
        let question = given_up.question.as_deref().unwrap_or(&given_up.reason);
        self.state.open_question = Some((round, memory.clone()));
        let questions = vec![inline(question)];
        self.publish(ClarificationRequested { round, subtask_id: None, questions });
    }

    async fn on_report(&mut self, request: &FailureReportRequest) {
        let Some(spec) = self.sender.case_file().task() else {
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

/// The plan with the laws and lessons for everybody who works on it. Applied to the plan of any planner.
fn handed_on(mut plan: Plan, memory: &MemoryReply, cx: &PlanContext, profile: &ModelProfile) -> Plan {
    Recalled::of(memory, cx.run_id).hand_on(&cx.spec.intent, profile, &mut plan);
    plan
}
