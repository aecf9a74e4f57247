//! What memory holds against one exact call.
//!
//! Source: specification v0.8, R5 "Action selection"; `docs/deviations.md`, "Blocked sets" and "Caution".

use artoo_types::{
    BlockedTarget, GuardAction, MegramId, MemoryAction, MemoryGuard, Origin, PairMemory, Polarity, RunId,
    SopRecord,
};

use crate::potentials;

/// Maximum characters of a lesson in a refusal or a question.
const LESSON: usize = 300;

/// The guard on a call, from everything that is known of its pairs together; `None` if memory has nothing
/// against it.
///
/// Experience for a call and experience against it meet in one sum, whichever of its pairs they are filed
/// under. A rule that experience refutes forbids nothing: the Dreamer will demote it.
pub fn guard(call: &BlockedTarget, known: &[PairMemory]) -> Option<MemoryGuard> {
    let sum = |of: fn(&PairMemory) -> f64| known.iter().map(of).sum::<f64>();
    let potentials =
        potentials::advise(sum(|pair| pair.potentials.attention), sum(|pair| pair.potentials.decision));
    let rules = || known.iter().flat_map(|pair| &pair.sops).filter(|rule| is_constraint(rule));
    let by_rule = rules().next().is_some();
    let action = match (potentials.action, by_rule) {
        (MemoryAction::Exploit, _) | (MemoryAction::Ignore, false) => return None,
        (MemoryAction::Avoid, _) | (MemoryAction::Caution | MemoryAction::Ignore, true) => {
            GuardAction::Refuse
        }
        (MemoryAction::Caution, false) => GuardAction::Confirm,
    };
    // What does not speak for the call: an experience of valence 0 advises caution.
    let against = known.iter().flat_map(|pair| &pair.experiences).filter(|told| told.sigma <= 0.0);
    let behind: Vec<(MegramId, &String)> = rules()
        .map(|rule| (rule.id, &rule.content))
        .chain(against.map(|told| (told.id, &told.content)))
        .collect();
    let lesson = behind.iter().map(|(_, lesson)| lesson).find(|lesson| !lesson.is_empty());
    Some(MemoryGuard {
        target: call.clone(),
        action,
        potentials,
        by_rule,
        because: behind.iter().map(|(id, _)| *id).collect(),
        lesson: lesson.map(|lesson| lesson.chars().take(LESSON).collect()).unwrap_or_default(),
    })
}

/// Whether experience of another run speaks against the call. What this run learned binds it by the controller's
/// directive, and a call that gave a wrong answer may be needed again to find the right one.
pub fn speaks_from_other_runs(known: &[PairMemory], run: RunId) -> bool {
    let mut against = known.iter().flat_map(|pair| &pair.experiences).filter(|told| told.sigma <= 0.0);
    against.any(|told| told.origin != Some(Origin::Run(run)))
}

fn is_constraint(rule: &SopRecord) -> bool {
    match rule.polarity {
        Polarity::Constraint => true,
        Polarity::Practice => false,
    }
}
