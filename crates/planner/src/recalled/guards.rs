//! Memory guards: the calls that memory advises against. They name exact tools and inputs only, so they never
//! disable a tool.

use artoo_types::{
    GuardAction, MegramId, MemoryAction, MemoryGuard, MemoryReply, PairMemory, Polarity, SopRecord, TagPair,
};

/// The maximum length of a lesson in a refusal or a question, in characters.
const LESSON: usize = 300;

/// The guards on a plan's calls, in the order of the reply.
pub(crate) fn guards(reply: &MemoryReply) -> Vec<MemoryGuard> {
    reply.recalled.iter().filter_map(guard).collect()
}

fn guard(known: &PairMemory) -> Option<MemoryGuard> {
    let target = TagPair::call(&known.pair)?;
    let is_constraint = |rule: &&SopRecord| rule.polarity == Polarity::Constraint;
    let forbids = known.sops.iter().any(|rule| is_constraint(&rule));
    let action = match (known.potentials.action, forbids) {
        // The rule is refuted, and the Dreamer will drop it.
        (MemoryAction::Exploit, _) | (MemoryAction::Ignore, false) => return None,
        (MemoryAction::Avoid, _) | (MemoryAction::Caution | MemoryAction::Ignore, true) => {
            GuardAction::Refuse
        }
        (MemoryAction::Caution, false) => GuardAction::Confirm,
    };
    let rules = known.sops.iter().filter(is_constraint).map(|rule| (rule.id, &rule.content));
    let against = known.experiences.iter().filter(|told| told.sigma < 0.0);
    let behind: Vec<(MegramId, &String)> =
        rules.chain(against.map(|told| (told.id, &told.content))).collect();
    Some(MemoryGuard {
        target,
        action,
        potentials: known.potentials,
        because: behind.iter().map(|(id, _)| *id).collect(),
        lesson: behind.first().map(|(_, lesson)| lesson.chars().take(LESSON).collect()).unwrap_or_default(),
    })
}
