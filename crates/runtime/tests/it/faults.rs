//! Failing models and roles: each ends the run with a typed result, or costs a verdict, and nothing hangs.

use std::{sync::Arc, time::Duration};

use artoo_agent_validator::{Judge, JudgeContext, JudgeError};
use artoo_executor::{Attempt, AttemptContext, CallTool, ExecuteError, Executor};
use artoo_ggs::Solver;
use artoo_ggs_core::{Decision, GoalGradientSolver, Observation};
use artoo_llm_client::{
    LlmClient,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_meta_validator::{TaskContext, TaskJudge};
use artoo_perceiver::{Dialogue, PerceiveError, Perceived, Perceiver};
use artoo_planner::{FailureContext, PlanContext, PlanError, Planner};
use artoo_runtime::{Builder, Deadlines};
use artoo_types::{
    Criterion, FaultKind, Finding, Message, MessageKind, OutcomeStatus, Plan, PrevDirective, Role,
    TerminalState, Turn, UserRequest,
};
use async_trait::async_trait;
use serde_json::json;

use crate::{
    doubles::{Fixed, judged, subtask},
    fixture::{House, Seen, open_question, say, unreachable, verdict, watched},
};

/// A model that answers correctly, except for one purpose.
fn but_for(purpose: &str, answer: &Answer) -> Arc<ScriptedModel> {
    let good = [
        ("perceiver", json!({"intent": "Name a colour"})),
        ("planner", open_question("Name a colour")),
        ("executor", say("Dear friend: blue")),
        ("agent_validator", verdict(true)),
        ("meta_validator", verdict(true)),
    ];
    let mut model = ScriptedModel::new();
    for (of, value) in good {
        let answer = if of == purpose { answer.clone() } else { Answer::json(value) };
        model = model.always(Expect::purpose(of), answer);
    }
    Arc::new(model)
}

/// A run in which every role with a model asks it.
async fn run_but_for(purpose: &str, answer: Answer) -> Seen {
    let house = House::new();
    let model = but_for(purpose, &answer);
    let mut builder = house.quiet(&model);
    if purpose == "agent_validator" {
        // For a single planned step, the judge of the whole decides everything.
        builder = builder.planner(Arc::new(Fixed::judged_step()));
    } else if purpose == "meta_validator" {
        let planner = Fixed {
            subtasks: vec![subtask(1, "Name a colour", &["blue"])],
            task_criteria: vec![judged("It is nice")],
        };
        builder = builder.planner(Arc::new(planner));
    }
    let artoo = builder.build().unwrap();
    let mut request = house.request("And another");
    if purpose == "perceiver" {
        request.turns = vec![Turn::new("Name a colour", "red")];
    }
    watched(artoo.start(request).unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn nothing_fails_where_nothing_fails() {
    for purpose in ["perceiver", "planner", "executor", "agent_validator", "meta_validator"] {
        let seen = run_but_for(
            purpose,
            Answer::with(move |_| match purpose {
                "perceiver" => json!({"intent": "Name a colour"}).to_string(),
                "planner" => open_question("Name a colour").to_string(),
                "executor" => say("Dear friend: blue").to_string(),
                _ => verdict(true).to_string(),
            }),
        )
        .await;
        assert_eq!(seen.exit_code(), 0, "{purpose}: {:#?}", seen.result);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_model_is_a_provider_fault_where_nothing_goes_on_without_it() {
    for (purpose, role) in [("perceiver", Role::Perceiver), ("planner", Role::Planner)] {
        let seen = run_but_for(purpose, Answer::error(unreachable)).await;
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!((fault.role, fault.kind, seen.exit_code()), (role, FaultKind::Provider, 1));
        assert!(fault.message.contains("model.test"), "{}", fault.message);
        assert_eq!(seen.count(MessageKind::ToolStarted), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn lesson_n1_a_validator_without_a_model_never_passes_and_never_hangs() {
    for purpose in ["agent_validator", "meta_validator", "executor"] {
        for answer in [
            Answer::error(unreachable),
            Answer::text("certainly!"),
            Answer::hang(),
            Answer::panic("as scripted"),
        ] {
            let seen = run_but_for(purpose, answer.clone()).await;
            assert_ne!(seen.result.directive, TerminalState::Accept, "{purpose}, {answer:?}");
            assert_ne!(seen.exit_code(), 0, "{purpose}, {answer:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_from_r1_and_r2_is_a_typed_fault() {
    for purpose in ["perceiver", "planner"] {
        for text in
            ["", "certainly!", "{\"subtasks\": []}", "{\"intent\": 7}", "null", "{\"subtasks\": [{}]}\u{0}"]
        {
            let seen = run_but_for(purpose, Answer::text(text)).await;
            assert_eq!(seen.fault(), Some(FaultKind::Answer), "{purpose} said {text:?}");
            assert_eq!(seen.exit_code(), 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn silence_is_a_deadline_fault_that_names_the_role() {
    for (purpose, role) in [("perceiver", Role::Perceiver), ("planner", Role::Planner)] {
        let seen = run_but_for(purpose, Answer::hang()).await;
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!((fault.role, fault.kind, seen.exit_code()), (role, FaultKind::Deadline, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn panics_of_r1_and_r2_are_faults_that_say_what_was_said() {
    for (purpose, role) in [("perceiver", Role::Perceiver), ("planner", Role::Planner)] {
        let seen = run_but_for(purpose, Answer::panic("as scripted")).await;
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!((fault.role, fault.kind), (role, FaultKind::Panic));
        assert!(fault.message.contains("as scripted"), "{}", fault.message);
    }
}

/// A behaviour that panics, or blocks its task for a while, for every role.
#[derive(Clone, Copy)]
enum Rogue {
    Panics,
    Blocks(Duration),
}

impl Rogue {
    fn act(self) {
        match self {
            Self::Panics => panic!("rogue"),
            Self::Blocks(time) => std::thread::sleep(time),
        }
    }
}

#[async_trait]
impl Perceiver for Rogue {
    async fn perceive(
        &self,
        _request: &UserRequest,
        _dialogue: &Dialogue,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError> {
        self.act();
        Err(PerceiveError::Empty)
    }
}

#[async_trait]
impl Planner for Rogue {
    async fn plan(&self, _cx: &PlanContext, _model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        self.act();
        Err(PlanError::Refused(Vec::new()))
    }

    async fn failure_report(
        &self,
        _cx: &FailureContext,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        self.act();
        Ok(String::new())
    }
}

#[async_trait]
impl Executor for Rogue {
    async fn attempt(
        &self,
        _cx: &AttemptContext,
        _tools: &dyn CallTool,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Attempt, ExecuteError> {
        self.act();
        Err(ExecuteError::Panic { message: "rogue".to_owned() })
    }
}

#[async_trait]
impl Judge for Rogue {
    async fn judge(
        &self,
        _criteria: &[Criterion],
        _cx: &JudgeContext<'_>,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        self.act();
        Err(JudgeError::Model(unreachable()))
    }
}

#[async_trait]
impl TaskJudge for Rogue {
    async fn judge(
        &self,
        _criteria: &[Criterion],
        _cx: &TaskContext<'_>,
        _model: &Arc<dyn LlmClient>,
    ) -> Result<Vec<Finding>, JudgeError> {
        self.act();
        Err(JudgeError::Model(unreachable()))
    }
}

impl Solver for Rogue {
    fn step(&mut self, observation: &Observation) -> Decision {
        self.act();
        GoalGradientSolver::new(artoo_ggs_core::Profile::Default.parameters()).step(observation)
    }
}

async fn run_with(swap: impl FnOnce(Builder) -> Builder) -> Seen {
    let house = House::new();
    let model = but_for("", &Answer::hang());
    let artoo = swap(house.quiet(&model)).build().unwrap();
    house.run(&artoo, "Name a colour").await
}

#[tokio::test(start_paused = true)]
async fn a_panicking_behaviour_in_any_role_ends_in_one_result() {
    let rogue = Rogue::Panics;
    let fixed = || {
        Arc::new(Fixed {
            subtasks: vec![subtask(1, "Name", &["blue"])],
            task_criteria: vec![judged("It is nice")],
        })
    };
    let seen = [
        run_with(|artoo| artoo.perceiver(Arc::new(rogue))).await,
        run_with(|artoo| artoo.planner(Arc::new(rogue))).await,
        run_with(|artoo| artoo.executor(Arc::new(rogue))).await,
        run_with(|artoo| artoo.planner(Arc::new(Fixed::judged_step())).judge(Arc::new(rogue))).await,
        run_with(|artoo| artoo.planner(fixed()).task_judge(Arc::new(rogue))).await,
        run_with(|artoo| artoo.solver(move |_| Box::new(rogue))).await,
    ];
    for seen in seen {
        assert_ne!(seen.exit_code(), 0, "{:#?}", seen.result);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panicking_solver_costs_no_output() {
    let seen = run_with(|artoo| artoo.solver(|_| Box::new(Rogue::Panics))).await;
    let fault = seen.result.fault.clone().unwrap();
    assert_eq!((fault.role, fault.kind), (Role::Ggs, FaultKind::Panic));
    assert!(fault.message.contains("rogue"));
    let partial: Vec<_> =
        seen.result.partial.iter().map(|partial| (partial.status, partial.output.clone())).collect();
    assert_eq!(partial, [(OutcomeStatus::Matched, json!("Dear friend: blue"))]);
}

/// Requests one more plan, then does this.
struct SecondStep {
    default: GoalGradientSolver,
    steps: u32,
    second: fn(&mut Decision),
}

impl Solver for SecondStep {
    fn step(&mut self, observation: &Observation) -> Decision {
        let mut decision = self.default.step(observation);
        self.steps += 1;
        if self.steps == 2 {
            (self.second)(&mut decision);
        }
        decision
    }
}

/// A run whose steps all fail, with the default solver except for its second step.
async fn run_with_second_step(second: fn(&mut Decision)) -> Seen {
    let house = House::new();
    let planner = Fixed { subtasks: vec![subtask(1, "Say it", &["blue"])], task_criteria: Vec::new() };
    let mut model = ScriptedModel::new();
    for number in 0..40 {
        model = model.expect(Expect::purpose("executor"), Answer::json(say(&format!("red {number}"))));
    }
    let model = Arc::new(model);
    let solver = move |parameters| -> Box<dyn Solver> {
        Box::new(SecondStep { default: GoalGradientSolver::new(parameters), steps: 0, second })
    };
    let artoo = house.quiet(&model).planner(Arc::new(planner)).solver(solver).build().unwrap();
    house.run(&artoo, "Say blue").await
}

/// R7's successor learns the earlier directives from the bus: it reported 0 replans.
#[tokio::test(start_paused = true)]
async fn the_successor_of_a_dead_solver_counts_its_replans() {
    let seen = run_with_second_step(|_| panic!("rogue")).await;
    assert_eq!((seen.fault(), seen.count(MessageKind::PlanDirective)), (Some(FaultKind::Panic), 1));
    let directive = seen.messages().find_map(|message| {
        if let Message::PlanDirective(directive) = message { Some(directive.directive) } else { None }
    });
    assert_eq!(seen.result.replans, 1);
    assert_eq!(seen.result.prev_directive, PrevDirective::Action(directive.unwrap()));
    let unmet: Vec<_> = seen.result.unmet.iter().map(|unmet| unmet.criterion.as_str()).collect();
    assert_eq!(unmet, ["The output contains blue"]);
}

/// JSON has no NaN: a directive with one was written as `null`, which damaged the run's journal that
/// `watched` reads.
#[tokio::test(start_paused = true)]
async fn a_number_that_is_none_never_reaches_the_journal() {
    let breaks: [fn(&mut Decision); 3] =
        [|d| d.grad_l = f64::NAN, |d| d.loss.l = f64::INFINITY, |d| d.grad_goal = f64::NEG_INFINITY];
    for second in breaks {
        let seen = run_with_second_step(second).await;
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!((fault.role, fault.kind), (Role::Ggs, FaultKind::Bus));
        assert!(fault.message.contains("the controller's solver broke its contract"), "{}", fault.message);
        assert_eq!((seen.count(MessageKind::PlanDirective), seen.result.replans), (1, 1));
    }
}

/// Refused in the first round: the output so far is delivered, as for a solver that panics.
#[tokio::test(start_paused = true)]
async fn a_refused_decision_costs_no_output() {
    let broken = |parameters| -> Box<dyn Solver> {
        Box::new(SecondStep {
            default: GoalGradientSolver::new(parameters),
            steps: 1,
            second: |decision| decision.grad_l = f64::NAN,
        })
    };
    let seen = run_with(|artoo| artoo.solver(broken)).await;
    assert_eq!((seen.fault(), seen.count(MessageKind::PlanDirective)), (Some(FaultKind::Bus), 0));
    assert_eq!(seen.result.partial.len(), 1);
    assert_eq!(seen.result.directive, TerminalState::Abandon);
}

/// On a real clock and several threads: a solver that does not return is synchronous code, which paused time
/// cannot skip.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_solver_that_does_not_return_cannot_hold_the_run() {
    let hour = Rogue::Blocks(Duration::from_secs(3600));
    let deadlines = Deadlines { step: Duration::from_millis(200), ..Deadlines::default() };
    let seen = run_with(|artoo| artoo.deadlines(deadlines).solver(move |_| Box::new(hour))).await;
    let fault = seen.result.fault.clone().unwrap();
    assert_eq!((fault.role, fault.kind), (Role::Ggs, FaultKind::Deadline));
    assert_eq!(seen.result.partial.len(), 1);
}

/// A role that blocks its thread cannot be stopped; the run ends without it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_role_that_blocks_its_thread_is_left_behind() {
    let house = House::new();
    let model = but_for("", &Answer::hang());
    let blocks = Arc::new(Rogue::Blocks(Duration::from_secs(5)));
    let artoo = house.quiet(&model).planner(blocks).build().unwrap();
    let run = artoo.start(house.request("Name a colour")).unwrap();
    let canceller = run.canceller();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        canceller.cancel();
    });
    let ended = tokio::time::timeout(Duration::from_secs(4), watched(run)).await;
    assert_eq!(ended.expect("before the role returns").fault(), Some(FaultKind::Cancelled));
}

/// A solver that never ends a run, against its contract; the supervisor ends it.
struct Endless {
    parameters: artoo_ggs_core::Parameters,
    steps: u32,
}

impl Solver for Endless {
    fn step(&mut self, observation: &Observation) -> Decision {
        let decision = GoalGradientSolver::new(self.parameters).step(observation);
        self.steps += 1;
        Decision { replans_used: self.steps - 1, ..decision }
    }
}

#[tokio::test(start_paused = true)]
async fn a_solver_that_never_ends_is_stopped_at_the_bound() {
    let house = House::new();
    let planner = Fixed { subtasks: vec![subtask(1, "Say it", &["blue"])], task_criteria: Vec::new() };
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::json(say("red"))));
    let endless = |parameters| -> Box<dyn Solver> { Box::new(Endless { parameters, steps: 0 }) };
    let artoo = house.quiet(&model).planner(Arc::new(planner)).solver(endless).build().unwrap();
    let seen = house.run(&artoo, "Say blue").await;
    assert_eq!((seen.fault(), seen.exit_code()), (None, 4), "{:#?}", seen.result.fault);
    assert!(seen.result.summary.contains("The replan budget is spent"), "{}", seen.result.summary);
    assert_eq!(seen.count(MessageKind::PlanDirective), 4, "three are allowed; the fourth ends it");
}
