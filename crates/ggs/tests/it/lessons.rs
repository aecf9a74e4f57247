//! What becomes a Megram.

use artoo_ggs::{Draft, GgsRole, Lessons, MegramRule, Round, observe};
use artoo_ggs_core::{GoalGradientSolver, Profile};
use artoo_types::{
    FailureClass, FaultKind, Level, Megram, MegramState, Message, OutcomeStatus, ReplanRequest, Role,
    SubTaskOutcome, ToolCall,
};

use crate::support::{
    ENVIRONMENTAL, LOGICAL, all_met, call, envelope, fail, failed, failed_call, fault, kinds, matched,
    outcome, pass, pass_by, replan, role, role_of, task,
};

fn megrams(role: &mut GgsRole, message: impl Into<Message>) -> Vec<Megram> {
    let out = role.on(&envelope(message));
    let writes = out.into_iter().filter_map(|message| {
        let Message::MegramWrite(write) = message else { return None };
        Some(write.megram)
    });
    writes.collect()
}

fn tags(megrams: &[Megram]) -> Vec<(&str, &str, MegramState)> {
    megrams.iter().map(|m| (m.space.as_str(), m.entity.as_str(), m.state)).collect()
}

fn with_calls(outcome: SubTaskOutcome, calls: Vec<ToolCall>) -> SubTaskOutcome {
    SubTaskOutcome { tool_calls: calls, ..outcome }
}

#[test]
fn an_ending_writes_one_megram_before_the_result() {
    let mut role = role();
    role.on(&envelope(task()));
    let out = role.on(&envelope(all_met(vec![with_calls(matched(1, &["a"]), vec![call(1, "glob", "*")])])));
    assert_eq!(kinds(&out), ["megram_write", "final_result"]);
    let Message::MegramWrite(write) = &out[0] else { panic!() };
    let megram = &write.megram;
    assert_eq!((megram.space.as_str(), megram.entity.as_str()), ("intent:count_the_txt", "env:local"));
    assert_eq!((megram.state, megram.level), (MegramState::Accept, Level::M));
    assert_eq!((megram.f, megram.sigma, megram.k), (0.90, 1.0, 0.05));
    assert_eq!(megram.created_at, envelope(task()).at);
    assert_eq!(megram.content, "Done: Count the .txt files in docs. Tools: glob.");
}

/// Fact 4: no action state of the ancestor ever wrote a Megram. All four do.
#[test]
fn fact_4_every_action_state_writes_its_failed_pairs() {
    use MegramState::{ChangeApproach, ChangePath, Refine};
    let far = |class| replan(vec![failed(1, &["a", "b"], class), failed(2, &["c", "d"], class)]);
    let nearer = |class| replan(vec![matched(3, &["a", "b"]), failed(4, &["c", "d"], class)]);
    let both = |state| vec![("tool:shell", "path:find 1", state), ("tool:shell", "path:find 2", state)];
    let one = |state| vec![("tool:shell", "path:find 4", state)];

    let mut environmental = role();
    assert_eq!(tags(&megrams(&mut environmental, far(ENVIRONMENTAL))), both(ChangePath));
    assert_eq!(tags(&megrams(&mut environmental, nearer(ENVIRONMENTAL))), one(Refine));

    // break_symmetry, then change_approach. The pair that failed is negative in both.
    let mut logical = role();
    assert_eq!(tags(&megrams(&mut logical, far(LOGICAL))), both(ChangeApproach));
    assert_eq!(tags(&megrams(&mut logical, nearer(LOGICAL))), one(ChangeApproach));
}

#[test]
fn a_breakthrough_is_written_for_what_newly_passes_after_break_symmetry() {
    let mut role = role();
    role.on(&envelope(replan(vec![matched(1, &["kept"]), failed(2, &["a", "b", "c"], LOGICAL)])));
    let good = call(7, "glob", "docs/*.txt");
    let better = with_calls(
        outcome(3, OutcomeStatus::Failed, vec![pass_by("a", Some(&good)), pass("b"), fail("c", LOGICAL)]),
        vec![good.clone(), call(8, "read_file", "docs/a.txt")],
    );
    let mut kept = matched(1, &["kept"]);
    kept.tool_calls = vec![call(9, "shell", "ls")];
    let got = megrams(&mut role, replan(vec![kept, better, failed(4, &["d"], LOGICAL)]));
    assert_eq!(
        tags(&got),
        [
            ("tool:glob", "path:docs/*.txt", MegramState::BreakSymmetry),
            ("tool:read_file", "path:docs/a.txt", MegramState::BreakSymmetry),
            ("tool:shell", "path:find 4", MegramState::ChangeApproach),
        ]
    );
    assert_eq!(got[0].sigma, 1.0);
    assert_eq!(got[0].content, "glob with docs/*.txt worked where other tools had failed. It met: a.");
}

#[test]
fn no_breakthrough_where_d_did_not_fall() {
    let other = || {
        let verdicts = vec![pass("x"), fail("y", LOGICAL), fail("z", LOGICAL)];
        with_calls(outcome(2, OutcomeStatus::Failed, verdicts), vec![call(1, "glob", "*")])
    };
    let broke_through = |before: ReplanRequest| {
        let mut role = role();
        role.on(&envelope(before));
        let got = megrams(&mut role, replan(vec![other()]));
        got.iter().any(|megram| megram.state == MegramState::BreakSymmetry)
    };
    // D goes from 1 to 2/3, and from 2/3 to 2/3.
    assert!(broke_through(replan(vec![failed(1, &["a", "b"], LOGICAL)])));
    assert!(!broke_through(replan(vec![matched(9, &["m"]), failed(1, &["a", "b"], LOGICAL)])));
}

#[test]
fn a_breakthrough_may_come_with_the_ending() {
    let mut role = role();
    role.on(&envelope(replan(vec![failed(1, &["a", "b"], LOGICAL)])));
    let good = with_calls(matched(2, &["a", "b"]), vec![call(1, "glob", "*")]);
    let got = megrams(&mut role, all_met(vec![good]));
    let states: Vec<_> = got.iter().map(|megram| megram.state).collect();
    assert_eq!(states, [MegramState::BreakSymmetry, MegramState::Accept]);
}

#[test]
fn what_was_refused_or_cannot_be_known_teaches_nothing() {
    for class in [FailureClass::Denied, FailureClass::Unknown] {
        // The call failed for a known reason, but the subtask did not; and the other way round.
        let call_known = with_calls(failed(1, &["a"], class), vec![failed_call(1, "shell", "x", LOGICAL)]);
        let subtask_known = with_calls(failed(2, &["b"], LOGICAL), vec![failed_call(2, "shell", "y", class)]);
        assert_eq!(megrams(&mut role(), replan(vec![call_known])), []);
        assert_eq!(megrams(&mut role(), replan(vec![subtask_known])), []);
    }
    let refused =
        ToolCall { ending: artoo_types::CallEnding::Refused, ..failed_call(1, "shell", "x", LOGICAL) };
    assert_eq!(megrams(&mut role(), replan(vec![with_calls(failed(1, &["a"], LOGICAL), vec![refused])])), []);
}

#[test]
fn an_abandon_of_unknown_cause_writes_nothing_and_one_with_a_cause_does() {
    let last = |class| {
        let mut role = role();
        (0..4).map(|_| megrams(&mut role, replan(vec![failed(1, &["a", "b"], class)]))).last().unwrap()
    };
    assert_eq!(last(FailureClass::Unknown), []);
    assert_eq!(last(ENVIRONMENTAL).iter().map(|m| m.state).collect::<Vec<_>>(), [MegramState::Abandon]);
    assert_eq!(megrams(&mut role(), fault(Role::Supervisor, FaultKind::Cancelled)), []);
}

#[test]
fn the_literal_rule_writes_one_per_blocked_target_and_per_ending() {
    let mut role = role_of(Profile::SpecV08);
    let round = || replan(vec![failed(1, &["a", "b"], ENVIRONMENTAL), failed(2, &["c"], ENVIRONMENTAL)]);
    assert_eq!(
        tags(&megrams(&mut role, round())),
        [
            ("tool:shell", "path:find 1", MegramState::ChangePath),
            ("tool:shell", "path:find 2", MegramState::ChangePath)
        ]
    );
    let mut role = role_of(Profile::SpecV08);
    assert_eq!(megrams(&mut role, replan(vec![failed(1, &["a"], LOGICAL)])), []);
    let ending = megrams(&mut role, fault(Role::Supervisor, FaultKind::Cancelled));
    assert_eq!(ending.iter().map(|m| m.state).collect::<Vec<_>>(), [MegramState::Abandon]);
}

#[test]
fn the_words_are_one_bounded_line() {
    let long = "x ".repeat(5_000);
    let mut outcome = failed(1, &["a"], LOGICAL);
    outcome.intent = format!("first\nsecond {long}");
    let drafts = learn(&replan(vec![outcome]));
    assert!(
        drafts[0]
            .content
            .starts_with("shell with find 1 failed: it ended with status 1. It was to: first second x")
    );
    assert!(drafts[0].content.chars().count() < 400 && !drafts[0].content.contains('\n'));
}

fn learn(request: &ReplanRequest) -> Vec<Draft> {
    let round = Round::from(request);
    let observation = observe(&round, 0, &Default::default(), &Default::default());
    let decision = GoalGradientSolver::new(Profile::Default.parameters()).step(&observation);
    Lessons::new(MegramRule::FailedCalls).learn("an intent", &round, &observation, &decision)
}
