//! What memory holds against a call.

use artoo_mkct_memory::{guard, potentials};
use artoo_types::{
    BlockedTarget, Experience, GuardAction, MegramState, PairMemory, Polarity, RecallReason, SopRecord,
    TagPair, ToolName,
};

use crate::fixtures::{day, id};

fn call() -> BlockedTarget {
    BlockedTarget { tool: ToolName::new("shell"), target: "make".to_owned() }
}

/// A pair with one experience of this strength and valence.
fn known(number: u128, attention: f64, decision: f64) -> PairMemory {
    let experience = Experience {
        id: id(number),
        created_at: day(0.0),
        origin: None,
        state: MegramState::ChangeApproach,
        content: "it broke".to_owned(),
        strength: attention,
        sigma: decision.signum() * f64::from(u8::from(decision != 0.0)),
    };
    PairMemory {
        pair: TagPair::of_call(&call()),
        reason: RecallReason::Asked,
        potentials: potentials::advise(attention, decision),
        sops: Vec::new(),
        experiences: vec![experience],
    }
}

fn ruled(pair: PairMemory) -> PairMemory {
    let rule = SopRecord {
        id: id(100),
        space: pair.pair.space.clone(),
        entity: pair.pair.entity.clone(),
        content: "do not run make".to_owned(),
        polarity: Polarity::Constraint,
        sources: Vec::new(),
    };
    PairMemory { sops: vec![rule], ..pair }
}

fn action(known: &[PairMemory]) -> Option<GuardAction> {
    guard(&call(), known).map(|guard| guard.action)
}

#[test]
fn the_pairs_of_a_call_are_one_sum() {
    let (against, in_favour) = (known(1, 0.85, -0.85), known(2, 0.75, 0.75));
    assert_eq!(action(&[]), None);
    assert_eq!(action(std::slice::from_ref(&in_favour)), None);
    assert_eq!(action(std::slice::from_ref(&against)), Some(GuardAction::Refuse));
    assert_eq!(action(&[against.clone(), in_favour.clone()]), Some(GuardAction::Confirm));
    assert_eq!(action(&[against, in_favour.clone(), in_favour]), None);
}

/// What failed twice because of the world advises caution, and names the experiences (`e14.py`).
#[test]
fn lesson_caution_names_what_is_behind_it() {
    assert_eq!(action(&[known(1, 0.3, 0.0)]), None, "once may be chance");
    let twice = guard(&call(), &[known(1, 0.3, 0.0), known(2, 0.3, 0.0)]).unwrap();
    assert_eq!((twice.action, twice.because), (GuardAction::Confirm, vec![id(1), id(2)]));
    assert_eq!((twice.lesson.as_str(), twice.by_rule), ("it broke", false));
}

#[test]
fn a_rule_against_a_call_holds_until_it_is_refuted() {
    let with = |decision| guard(&call(), &[ruled(known(1, 0.9, decision))]);
    let refused = with(-0.9).unwrap();
    assert_eq!((refused.action, refused.by_rule), (GuardAction::Refuse, true));
    assert_eq!((refused.because, refused.lesson.as_str()), (vec![id(100), id(1)], "do not run make"));
    assert_eq!(with(0.0).map(|guard| guard.action), Some(GuardAction::Refuse));
    assert_eq!(with(0.9), None);
}

/// A call that gave a wrong answer may be needed again in the same run.
#[test]
fn what_a_run_learned_itself_holds_none_of_its_calls_back() {
    let run = |number| artoo_types::RunId::new(uuid::Uuid::from_u128(number));
    let of = |origin| {
        let mut pair = known(1, 0.85, -0.85);
        pair.experiences[0].origin = origin;
        pair
    };
    let own = of(Some(artoo_types::Origin::Run(run(1))));
    let other = of(Some(artoo_types::Origin::Run(run(2))));
    assert!(!artoo_mkct_memory::speaks_from_other_runs(std::slice::from_ref(&own), run(1)));
    assert!(artoo_mkct_memory::speaks_from_other_runs(&[own, other], run(1)));
    assert!(artoo_mkct_memory::speaks_from_other_runs(&[of(None)], run(1)));
}
