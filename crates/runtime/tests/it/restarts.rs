//! A role whose behaviour panics is restarted with its earlier knowledge, and the run continues; a second
//! panic ends it.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use artoo_ggs::Solver;
use artoo_ggs_core::{Decision, GoalGradientSolver, Observation};
use artoo_llm_client::{
    LlmClient,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_mkct_memory::{Distiller, InMemory, MemoryError, MemoryService, Rules};
use artoo_perceiver::{DefaultPerceiver, Dialogue, PerceiveError, Perceived, Perceiver};
use artoo_planner::{FailureContext, PlanContext, PlanError, Planner};
use artoo_runtime::Builder;
use artoo_types::{
    DreamReport, Entity, FaultKind, Megram, MegramId, MemoryQuery, MemoryReply, Message, MessageKind, Plan,
    Potentials, Role, RunId, SopRecord, Space, TerminalState, UserRequest,
};
use async_trait::async_trait;
use chrono::DateTime;
use uuid::Uuid;

use crate::{
    doubles::{Fixed, Series, subtask},
    fixture::{House, Seen, say},
    scripted_plans::Course,
};

/// Which calls of a behaviour panic, counted from 1 over all its instances.
type Deadly = fn(u32) -> bool;

const THE_FIRST: Deadly = |call| call == 1;
const THE_SECOND: Deadly = |call| call == 2;
const EACH: Deadly = |_| true;

/// A behaviour that panics.
struct Dies<T> {
    inner: T,
    calls: AtomicU32,
    of: Deadly,
}

impl<T> Dies<T> {
    fn of(of: Deadly, inner: T) -> Arc<Self> {
        Arc::new(Self { inner, calls: AtomicU32::new(0), of })
    }

    fn call(&self) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        assert!(!(self.of)(call), "as scripted");
    }
}

#[async_trait]
impl Perceiver for Dies<DefaultPerceiver> {
    async fn perceive(
        &self,
        request: &UserRequest,
        dialogue: &Dialogue,
        model: &Arc<dyn LlmClient>,
    ) -> Result<Perceived, PerceiveError> {
        self.call();
        self.inner.perceive(request, dialogue, model).await
    }
}

#[async_trait]
impl Planner for Dies<Arc<dyn Planner>> {
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        self.call();
        self.inner.plan(cx, model).await
    }

    async fn failure_report(
        &self,
        cx: &FailureContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        self.inner.failure_report(cx, model).await
    }
}

#[async_trait]
impl MemoryService for Dies<InMemory> {
    fn write(&self, megram: Megram) -> Result<(), MemoryError> {
        self.inner.write(megram)
    }

    async fn query_c(&self, space: &Space, entity: &Entity) -> Result<Vec<SopRecord>, MemoryError> {
        self.inner.query_c(space, entity).await
    }

    async fn query_mk(&self, space: &Space, entity: &Entity) -> Result<Potentials, MemoryError> {
        self.inner.query_mk(space, entity).await
    }

    async fn record_negative_feedback(&self, rule: MegramId, content: &str) -> Result<(), MemoryError> {
        self.inner.record_negative_feedback(rule, content).await
    }

    async fn revoke(&self, run: RunId, reason: &str) -> Result<Vec<MegramId>, MemoryError> {
        self.inner.revoke(run, reason).await
    }

    async fn recall(&self, query: &MemoryQuery) -> Result<MemoryReply, MemoryError> {
        self.call();
        self.inner.recall(query).await
    }

    async fn dream(&self, distiller: &dyn Distiller) -> Result<DreamReport, MemoryError> {
        self.inner.dream(distiller).await
    }

    async fn flush(&self) -> Result<(), MemoryError> {
        self.inner.flush().await
    }

    async fn close(&self) -> Result<(), MemoryError> {
        self.inner.close().await
    }
}

/// A new solver in each life; only the count of its calls continues.
struct DyingSolver {
    head: GoalGradientSolver,
    calls: Arc<Dies<()>>,
}

impl Solver for DyingSolver {
    fn step(&mut self, observation: &Observation) -> Decision {
        self.calls.call();
        self.head.step(observation)
    }
}

fn with_perceiver(of: Deadly) -> impl FnOnce(Builder) -> Builder {
    move |artoo| artoo.perceiver(Dies::of(of, DefaultPerceiver))
}

fn with_planner(of: Deadly, planner: Arc<dyn Planner>) -> impl FnOnce(Builder) -> Builder {
    move |artoo| artoo.planner(Dies::of(of, planner))
}

fn with_memory(of: Deadly) -> impl FnOnce(Builder) -> Builder {
    let now = || DateTime::UNIX_EPOCH.fixed_offset();
    let memory = InMemory::new(Rules::default(), now, || MegramId::new(Uuid::now_v7()));
    move |artoo| artoo.memory(Dies::of(of, memory))
}

fn with_solver(of: Deadly) -> impl FnOnce(Builder) -> Builder {
    let calls = Dies::of(of, ());
    move |artoo| {
        artoo.solver(move |parameters| {
            Box::new(DyingSolver { head: GoalGradientSolver::new(parameters), calls: Arc::clone(&calls) })
        })
    }
}

fn blue() -> Arc<dyn Planner> {
    Arc::new(Fixed { subtasks: vec![subtask(1, "Say blue", &["blue"])], task_criteria: Vec::new() })
}

/// A run of one step.
async fn one_step(swap: impl FnOnce(Builder) -> Builder) -> Seen {
    let house = House::new();
    let model = Arc::new(ScriptedModel::new().always(Expect::purpose("executor"), Answer::json(say("blue"))));
    let artoo = swap(house.quiet(&model).planner(blue())).build().unwrap();
    house.run(&artoo, "Say blue").await
}

/// A run whose first plan is half done, and whose second does the rest.
async fn two_plans(swap: impl FnOnce(Builder) -> Builder) -> Seen {
    Course::new(&["say a; say b wrongly", "whisper b"]).run_with(swap).await
}

fn series() -> Arc<dyn Planner> {
    Series::new([
        vec![subtask(1, "say a", &["a"]), subtask(1, "say b wrongly", &["b"])],
        vec![subtask(1, "whisper b", &["b"])],
    ])
}

/// The roles reported as restarted.
fn restarted(seen: &Seen) -> Vec<Role> {
    let warning = |message: &Message| {
        if let Message::Warning(warning) = message { Some(warning.clone()) } else { None }
    };
    let warnings = seen.messages().filter_map(warning);
    warnings
        .filter(|warning| warning.message.contains("it was started again"))
        .map(|warning| warning.role)
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_role_that_dies_on_its_first_message_costs_nothing() {
    let runs = [
        (Role::Perceiver, one_step(with_perceiver(THE_FIRST)).await),
        (Role::Planner, one_step(with_planner(THE_FIRST, blue())).await),
        (Role::SharedMemory, one_step(with_memory(THE_FIRST)).await),
        (Role::Ggs, one_step(with_solver(THE_FIRST)).await),
    ];
    for (role, seen) in runs {
        assert_eq!((seen.exit_code(), seen.fault()), (0, None), "{role}: {:#?}", seen.result);
        assert_eq!(restarted(&seen), [role]);
        let once = [
            MessageKind::TaskSpec,
            MessageKind::MemoryQuery,
            MessageKind::MemoryReply,
            MessageKind::Plan,
            MessageKind::SubTask,
            MessageKind::ToolStarted,
            MessageKind::OutcomeSummary,
        ];
        for kind in once {
            assert_eq!(seen.count(kind), 1, "{role}: {kind:?}");
        }
    }
}

/// The successor knows the earlier plans and decisions, and repeats none of them.
#[tokio::test(start_paused = true)]
async fn a_role_that_dies_in_a_later_round_knows_the_ones_before() {
    let undisturbed = two_plans(|artoo| artoo).await;
    assert_eq!((undisturbed.result.directive, undisturbed.result.replans), (TerminalState::Accept, 1));
    let runs = [
        (Role::Planner, two_plans(with_planner(THE_SECOND, series())).await),
        (Role::SharedMemory, two_plans(with_memory(THE_SECOND)).await),
        (Role::Ggs, two_plans(with_solver(THE_SECOND)).await),
    ];
    for (role, seen) in runs {
        assert_eq!(restarted(&seen), [role]);
        let (was, is) = (&undisturbed.result, &seen.result);
        assert_eq!((is.directive, is.replans), (was.directive, was.replans), "{role}: {is:#?}");
        assert_eq!((&is.output, &is.unmet, is.prev_directive), (&was.output, &was.unmet, was.prev_directive));
        for kind in MessageKind::ALL.iter().copied().filter(|kind| *kind != MessageKind::Warning) {
            assert_eq!(seen.count(kind), undisturbed.count(kind), "{role}: {kind:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_role_that_dies_again_ends_the_run() {
    let runs = [
        (Role::Perceiver, one_step(with_perceiver(EACH)).await),
        (Role::Planner, one_step(with_planner(EACH, blue())).await),
        (Role::SharedMemory, one_step(with_memory(EACH)).await),
        (Role::Ggs, one_step(with_solver(EACH)).await),
    ];
    for (role, seen) in runs {
        let fault = seen.result.fault.clone().unwrap();
        assert_eq!((fault.role, fault.kind, seen.exit_code()), (role, FaultKind::Panic, 1));
        assert!(fault.message.contains("as scripted"), "{}", fault.message);
        assert_eq!(restarted(&seen), [role], "once, and no more");
    }
}
