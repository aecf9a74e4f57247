//! Tests of the call rules.

use artoo_executor::{Blocked, CallStopped, Ledger, Ruling};
use artoo_types::{BlockedApproach, BlockedProgram, BlockedTarget, CallEnding, FailureClass, ToolName};
use proptest::prelude::*;

use crate::fixtures::recorded;

fn shell(command: &str) -> BlockedTarget {
    BlockedTarget { tool: ToolName::new("shell"), target: command.to_owned() }
}

fn glob(pattern: &str) -> BlockedTarget {
    BlockedTarget { tool: ToolName::new("glob"), target: pattern.to_owned() }
}

fn ledger(blocked: Blocked) -> Ledger {
    Ledger::new("Count the files", &[], blocked).guided(true)
}

/// The ruling on a call with this target, without changes.
fn rule(ledger: &mut Ledger, call: &BlockedTarget) -> Ruling {
    let name = if call.tool.as_str() == "shell" { "command" } else { "pattern" };
    let arguments = [(name.to_owned(), call.target.as_str().into())].into_iter().collect();
    ledger.rule(&call.tool, &arguments, 0)
}

fn is_refused(ruling: &Ruling) -> bool {
    matches!(ruling, Ruling::Refused(_) | Ruling::Known(_))
}

/// Lesson 58: ten identical searches in a row; lesson 90: nine turns were wasted on them; fact 5: the guard
/// compared records that could not be equal.
#[test]
fn lessons_58_and_90_the_second_duplicate_ends_the_attempt() {
    let mut ledger = ledger(Blocked::default());
    let call =
        recorded("shell", "grep -r x .", "", CallEnding::Exited { status: 1 }, Some(FailureClass::Unknown));
    let target = BlockedTarget::of(&call.tool, &call.arguments);
    assert_eq!(rule(&mut ledger, &target), Ruling::Allowed);
    // The record has its output by now: fact 5's guard no longer recognised it.
    ledger.record(call);
    assert!(is_refused(&rule(&mut ledger, &target)));
    let Ruling::Stopped(stopped) = rule(&mut ledger, &target) else { panic!("not stopped") };
    assert_eq!(
        stopped,
        CallStopped::Repeated { tool: target.tool.clone(), target: target.target.clone(), times: 2 }
    );
    // The attempt stays over, for other calls too.
    assert_eq!(rule(&mut ledger, &shell("ls")), Ruling::Stopped(stopped));
    // A new attempt starts fresh, but the call is still known.
    ledger.begin_attempt();
    assert!(is_refused(&rule(&mut ledger, &target)));
    assert_eq!(rule(&mut ledger, &shell("ls")), Ruling::Allowed);
}

/// Review 056114a, trap 1: a test could not be run again after its bug was fixed, and a script with corrected
/// indentation was "the same call".
#[test]
fn again_is_another_question_once_something_changed() {
    let mut ledger = Ledger::new("Mend the bug", &[], Blocked::default());
    let call = recorded(
        "shell",
        "make test",
        "1 failed",
        CallEnding::Exited { status: 1 },
        Some(FailureClass::Unknown),
    );
    let again = |ledger: &mut Ledger, changes| ledger.rule(&call.tool, &call.arguments, changes);
    assert_eq!(again(&mut ledger, 0), Ruling::Allowed);
    ledger.record(call.clone());
    // Nothing changed: the earlier result is shown again, however often it is requested.
    for _ in 0..5 {
        assert_eq!(again(&mut ledger, 0), Ruling::Known(Box::new(call.clone())));
    }
    assert_eq!(again(&mut ledger, 1), Ruling::Allowed);
    let script = |text: &str| shell(&format!("python3 - <<'E'\n{text}\nE"));
    assert_eq!(rule(&mut ledger, &script("if x:\nprint(1)")), Ruling::Allowed);
    assert_eq!(rule(&mut ledger, &script("if x:\n    print(1)")), Ruling::Allowed);
}

/// Two different calls, each requested twice, are two duplicates.
#[test]
fn duplicates_are_counted_together() {
    let mut ledger = ledger(Blocked::default());
    for call in [shell("a"), shell("b")] {
        assert_eq!(rule(&mut ledger, &call), Ruling::Allowed);
    }
    assert!(is_refused(&rule(&mut ledger, &shell("a"))));
    assert!(matches!(rule(&mut ledger, &shell("b")), Ruling::Stopped(_)));
}

/// Fact 7: after `shell` was blocked, `shell` ran again twice.
#[test]
fn fact_7_what_is_blocked_is_refused_at_the_call() {
    let mut blocked = Blocked::default();
    blocked.tools.insert(ToolName::new("glob"));
    blocked.targets.insert(shell("cat secret"));
    let mut ledger = ledger(blocked);
    let Ruling::Refused(first) = rule(&mut ledger, &glob("*")) else { panic!("allowed") };
    assert!(first.contains("glob"), "{first}");
    assert!(is_refused(&rule(&mut ledger, &shell("cat secret"))));
    assert_eq!(rule(&mut ledger, &shell("cat other")), Ruling::Allowed);
    // A second request is refused for the same reason, not as a duplicate.
    assert_eq!(rule(&mut ledger, &glob("*")), Ruling::Refused(first));
}

#[test]
fn a_blocked_approach_blocks_the_means_for_its_intent_only() {
    let mut blocked = Blocked::default();
    blocked
        .approaches
        .insert(BlockedApproach { tool: ToolName::new("shell"), approach: "Count the files".to_owned() });
    let used = [shell("find docs")];
    let mut same = Ledger::new("Count the files", &used, blocked.clone());
    assert!(is_refused(&rule(&mut same, &shell("cd docs; find . -type f"))));
    assert_eq!(rule(&mut same, &shell("ls docs")), Ruling::Allowed);
    // A different word order, case or punctuation is the same intent.
    let mut reworded = Ledger::new("the files: COUNT.", &used, blocked.clone());
    assert!(is_refused(&rule(&mut reworded, &shell("find docs"))));
    // Different words are a different intent: the code has no list of stop words in any language.
    for other in ["Sum the sizes", "Count files"] {
        let mut other = Ledger::new(other, &used, blocked.clone());
        assert_eq!(rule(&mut other, &shell("find docs")), Ruling::Allowed);
    }
}

/// Fact 8: after a refusal the loop looked for a bypass, and found one.
#[test]
fn fact_8_nothing_is_allowed_after_a_denial() {
    let mut ledger = ledger(Blocked::default());
    ledger.record(recorded("shell", "rm x", "", CallEnding::Refused, Some(FailureClass::Denied)));
    for _ in 0..2 {
        let ruling = rule(&mut ledger, &shell("/bin/rm x"));
        assert!(matches!(ruling, Ruling::Stopped(CallStopped::Denied { .. })), "{ruling:?}");
        ledger.begin_attempt();
    }
}

/// Every program that does work in a command counts, also behind a pipe; a program that only launches another
/// does not.
#[test]
fn fact_7_a_blocked_program_is_refused_wherever_it_works() {
    let blocked = || Blocked {
        programs: [BlockedProgram { tool: ToolName::new("shell"), program: "python3".to_owned() }].into(),
        ..Blocked::default()
    };
    for same in ["python3 -c 1", "cat a.csv | python3 -c 1", "find . -exec python3 {} +", "sh -c 'python3 x'"]
    {
        let Ruling::Refused(why) = rule(&mut ledger(blocked()), &shell(same)) else {
            panic!("allowed: {same}")
        };
        assert_eq!(why, "python3 failed at this in an earlier round and is blocked; use another program");
    }
    for other in ["awk '{print python3}' a.csv", "cat python3", "grep -c python3 x | sort"] {
        assert_eq!(rule(&mut ledger(blocked()), &shell(other)), Ruling::Allowed, "{other}");
    }
}

proptest! {
    /// For any requests: an attempt makes no call twice, and is over at the second duplicate.
    #[test]
    fn no_call_is_allowed_twice(calls in prop::collection::vec(0u8..4, 0..12)) {
        let mut ledger = ledger(Blocked::default());
        let mut allowed = std::collections::BTreeSet::new();
        let mut duplicates = 0;
        for number in calls {
            let ruling = rule(&mut ledger, &shell(&format!("do {number}")));
            if duplicates >= 2 {
                prop_assert!(matches!(ruling, Ruling::Stopped(_)));
            } else if allowed.insert(number) {
                prop_assert_eq!(ruling, Ruling::Allowed);
            } else {
                duplicates += 1;
                prop_assert_eq!(matches!(ruling, Ruling::Stopped(_)), duplicates == 2);
            }
        }
    }
}
