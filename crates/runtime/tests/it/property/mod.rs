//! Property tests: whatever a model says, every run ends once, within its bounds, no role breaks its
//! contract, and what is accepted is true.
//!
//! Time is virtual, and the tools need no process. The only fact in their world is that there are 3 apples,
//! so that the truth of an answer can be told: of a number, always; of words, by a judge's pass. Every role
//! but the judge of the whole lies, so what is delivered must be what that judge was shown.
//!
//! By default each property runs a part of its cases;
//! `PROPTEST_CASES=2500 cargo nextest run -p artoo-runtime property` runs 10,000 in all, as the gate does.

mod apples;
mod model;
mod sayings;

use std::cell::RefCell;

use artoo_llm_client::ModelProfile;
use artoo_runtime::{Artoo, RunRequest, journal};
use artoo_types::{
    Basis, FinalResult, Finding, Judge, Limits, Message, MessageKind, OutcomeStatus, SubTaskOutcome,
    TerminalState, Turn,
};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{
    fixture::{House, Seen, guided},
    property::{model::Mad, sayings::Saying},
};

/// Default number of cases of each of the four properties.
const CASES: u32 = 250;
/// Runs that share an artoo. Building one costs as much as a run; but in virtual time its auditor reports
/// often, and reads its whole log each time.
const SHARED: u32 = 8;

/// A sequence of artoos, and a runtime with virtual time.
struct Orchard {
    runtime: Runtime,
    is_guided: bool,
    open: RefCell<Option<Open>>,
}

struct Open {
    house: House,
    artoo: Artoo,
    model: std::sync::Arc<Mad>,
    runs: u32,
}

impl Orchard {
    fn new(is_guided: bool) -> Self {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        Self { runtime, is_guided, open: RefCell::new(None) }
    }

    fn run(&self, script: Vec<Saying>, turns: bool) {
        self.runtime.block_on(async {
            let mut open = match self.open.take() {
                Some(open) => open,
                None => Open::new(self.is_guided),
            };
            open.model.says(script);
            let mut request = open.house.request("How many apples are there? Somebody said 7.");
            if turns {
                request.turns = vec![Turn::new("Hello", "Hello")];
            }
            check(&open.artoo, request).await;
            open.runs += 1;
            if open.runs < SHARED {
                self.open.replace(Some(open));
            } else {
                open.artoo.close().await;
            }
        });
    }
}

impl Open {
    fn new(is_guided: bool) -> Self {
        let house = House::in_memory();
        let profile = if is_guided { guided() } else { ModelProfile::default() };
        let model = std::sync::Arc::new(Mad::new(profile));
        let artoo = house
            .quiet(&std::sync::Arc::default())
            .model(std::sync::Arc::clone(&model) as _)
            .toolbox(apples::toolbox())
            .task_judge(std::sync::Arc::new(apples::Knows))
            .build()
            .unwrap();
        Self { house, artoo, model, runs: 0 }
    }
}

async fn check(artoo: &Artoo, request: RunRequest) {
    let limits = request.limits;
    let run = artoo.start(request).unwrap();
    let folder = run.folder().to_owned();
    let result = run.finished().await;
    // The journal is read back: exactly one result, in one order, and nothing that a contract forbids.
    let read = journal::read(&folder.join(journal::FILE_NAME)).unwrap();
    assert_eq!(read.damage, None);
    let seen = Seen { result, envelopes: read.envelopes, folder };
    assert_eq!(seen.count(MessageKind::FinalResult), 1);
    assert!(seen.messages().any(|message| *message == Message::FinalResult(seen.result.clone())));
    assert!(
        !seen.envelopes.iter().any(|envelope| artoo_bus::Refusal::of(envelope).is_some()),
        "a contract was broken"
    );
    bounded(&seen, &limits);
    truthful(&seen.result, &seen.outcomes());
    std::fs::remove_dir_all(&seen.folder).unwrap();
}

fn bounded(seen: &Seen, limits: &Limits) {
    assert!(seen.result.replans <= limits.max_replans);
    assert!(seen.count(MessageKind::Plan) <= limits.max_replans as usize + 1);
    assert!(seen.count(MessageKind::PlanDirective) <= limits.max_replans as usize);
    let attempts =
        seen.outcomes().iter().map(|outcome| outcome.gap_trajectory.len()).max().unwrap_or_default();
    assert!(attempts <= limits.max_retries as usize + 1);
    let subtasks = seen.count(MessageKind::SubTask);
    assert!(seen.count(MessageKind::ExecutionResult) <= subtasks * (limits.max_retries as usize + 1));
    assert!(seen.count(MessageKind::ToolFinished) <= subtasks * (limits.max_retries as usize + 1) * 10);
}

/// `accept` only with a true result, and what nobody checked never.
fn truthful(result: &FinalResult, outcomes: &[SubTaskOutcome]) {
    if result.basis == Basis::Model {
        assert_eq!((result.directive, outcomes.len()), (TerminalState::Success, 0), "{result:#?}");
        assert_eq!(artoo_runtime::exit_code(result), 3);
    }
    if result.directive != TerminalState::Accept {
        return;
    }
    assert!(result.unmet.is_empty() && result.fault.is_none(), "{result:#?}");
    assert!(!texts(&result.output).is_empty(), "nothing is no result: {result:#?}");
    assert!(counts_the_apples(&result.output), "there are 3 apples, not {}: {outcomes:#?}", result.output);
    let matched = || outcomes.iter().filter(|outcome| outcome.status == OutcomeStatus::Matched);
    assert!(
        matched().any(|outcome| !outcome.criteria_verdicts.is_empty()),
        "nothing is accepted around the pipeline: {result:#?}"
    );
    for outcome in matched() {
        let showed = |outcome: &SubTaskOutcome| outcome.tool_calls.iter().any(|call| call.succeeded());
        // A step may summarise another one's findings.
        let sums_up = || outcome.tool_calls.is_empty() && matched().any(showed);
        assert!(showed(outcome) || sums_up(), "nothing is believed that no tool showed: {outcomes:#?}");
        for verdict in &outcome.criteria_verdicts {
            let by_whom = match (&verdict.finding, verdict.judge) {
                (Finding::Pass { .. }, Judge::Check | Judge::Model) => true,
                (Finding::Pass { .. }, Judge::Rule) | (Finding::Fail { .. }, _) => false,
            };
            assert!(by_whom, "{outcome:#?}");
        }
    }
}

/// Whether every figure in an output is the number of apples.
fn counts_the_apples(output: &Value) -> bool {
    texts(output).into_iter().all(|text| {
        text.split(|c: char| !c.is_ascii_digit()).all(|figure| figure.is_empty() || figure == "3")
    })
}

/// The strings of an output of any shape.
fn texts(output: &Value) -> Vec<&str> {
    match output {
        Value::String(text) => vec![text],
        Value::Object(parts) => parts.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Vec::new(),
    }
}

/// Runs a property; more often if `PROPTEST_CASES` says so.
fn hold<S: Strategy>(strategy: &S, test: impl Fn(S::Value))
where
    S::Value: std::fmt::Debug,
{
    let asked = ProptestConfig::default();
    let cases = if asked.cases == ProptestConfig::with_cases(256).cases { CASES } else { asked.cases };
    let config = ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 300, ..asked };
    let held = TestRunner::new(config).run(strategy, |value| {
        test(value);
        Ok(())
    });
    if let Err(error) = held {
        panic!("{error}");
    }
}

#[test]
fn every_run_ends_once_whatever_its_model_says() {
    let orchard = Orchard::new(false);
    hold(&(prop::collection::vec(sayings::saying(), 0..30), any::<bool>()), |(script, turns)| {
        orchard.run(script, turns)
    });
}

#[test]
fn every_run_ends_once_however_its_model_strays() {
    let orchard = Orchard::new(false);
    hold(&sayings::nearly_sane(), |script| orchard.run(script, false));
}

#[test]
fn every_run_of_a_weak_model_ends_once_however_its_model_strays() {
    let orchard = Orchard::new(true);
    hold(&sayings::nearly_sane(), |script| orchard.run(script, false));
}

#[test]
fn every_liar_is_refused_or_tells_the_truth() {
    let orchard = Orchard::new(false);
    hold(&sayings::liar(), |script| orchard.run(script, false));
}

/// The properties are not vacuous: a well-behaved model is accepted.
#[test]
fn a_sane_model_is_accepted() {
    let orchard = Orchard::new(false);
    orchard.runtime.block_on(async {
        let open = Open::new(false);
        open.model.says(sayings::sane());
        let run = open.artoo.start(open.house.request("How many apples are there?")).unwrap();
        assert_eq!(run.finished().await.directive, TerminalState::Accept);
    });
}
