//! What of memory's answer a plan is made with: the strongest of it, as data within a bound, and an account of all of it. Pure.
//!
//! Source: `docs/deviations.md`, "What R2 hears".

mod guards;
mod told;

use std::collections::BTreeSet;

use artoo_types::{
    Experience, Law, MegramId, MemoryAction, MemoryReply, Origin, PairMemory, Plan, PlanMemory, Polarity,
    RunId, SopRecord,
};

pub(crate) use guards::guards;

/// The most characters of memory in R2's prompt, without the user's laws.
const FOR_THE_PLAN: usize = 2400;
/// The most characters of it in the context of a step, without the user's laws.
const FOR_A_STEP: usize = 800;

/// What a plan is made with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// What R2 is told; empty where nothing is known.
    pub for_the_plan: String,
    /// The user's laws as each step is told them; empty where there are none.
    pub laws: String,
    /// What else each step is told; empty where nothing is known.
    pub for_a_step: String,
    /// Which Megrams of the answer are used, which are not, and what the calls of the plan are held to.
    pub memory: PlanMemory,
}

impl Recalled {
    /// Selects. Rules come first, then experiences, the strongest first; what memory advises to ignore is left out, and so is what this
    /// very run has experienced, of which the planner knows more. The user's laws are always told.
    ///
    /// ```
    /// use artoo_planner::{Recalled, conformance};
    /// use artoo_types::RunId;
    ///
    /// let nothing_is_known = conformance::context("Count the files").memory;
    /// assert_eq!(Recalled::of(&nothing_is_known, RunId::OPERATOR), Recalled::default());
    /// ```
    pub fn of(reply: &MemoryReply, run_id: RunId) -> Self {
        let selected = select(reply, run_id);
        let guards = guards(reply);
        let behind = guards.iter().flat_map(|guard| &guard.because).copied();
        let told = selected.iter().map(|item| item.what.id());
        let used: BTreeSet<MegramId> =
            reply.laws.iter().map(|law| law.id).chain(told).chain(behind).collect();
        let mut seen = BTreeSet::new();
        let (used, ignored) = all(reply).filter(|id| seen.insert(*id)).partition(|id| used.contains(id));
        let laws = laws(&reply.laws);
        Self {
            for_the_plan: format!("{laws}{}", told::to_the_planner(reply, &selected)),
            laws,
            for_a_step: told::to_a_step(&selected),
            memory: PlanMemory { used, ignored, guards },
        }
    }

    /// Whether nothing was recalled that anybody is told.
    pub fn is_empty(&self) -> bool {
        self.for_the_plan.is_empty()
    }

    /// Puts into a plan what its steps are told, and the account. A further derivation of an answer hears the laws alone: it is to be
    /// independent of what worked before.
    pub fn hand_on(self, plan: &mut Plan) {
        for subtask in &mut plan.subtasks {
            let lessons = if subtask.independent_of.is_empty() { self.for_a_step.as_str() } else { "" };
            let parts = [subtask.context.trim_end(), self.laws.trim_end(), lessons];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            subtask.context = parts.join("\n");
        }
        plan.memory = self.memory;
    }
}

/// One thing that may be told.
#[derive(Clone, Debug)]
struct Item<'a> {
    /// Where its pair stands in the answer.
    at: usize,
    pair: &'a PairMemory,
    what: What<'a>,
    /// As the planner is told.
    text: String,
}

#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Rule(&'a SopRecord),
    Experience(&'a Experience),
}

impl What<'_> {
    fn id(self) -> MegramId {
        match self {
            Self::Rule(rule) => rule.id,
            Self::Experience(experience) => experience.id,
        }
    }

    /// What must not be done before what should, and both before what was experienced; then the strongest.
    fn rank(self) -> (u8, f64) {
        match self {
            Self::Rule(SopRecord { polarity: Polarity::Constraint, .. }) => (0, 0.0),
            Self::Rule(SopRecord { polarity: Polarity::Practice, .. }) => (1, 0.0),
            Self::Experience(experience) => (2, -experience.strength),
        }
    }
}

/// What is told, in the order of the answer.
fn select(reply: &MemoryReply, run_id: RunId) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    for (at, pair) in reply.recalled.iter().enumerate() {
        if pair.potentials.action == MemoryAction::Ignore {
            continue;
        }
        let is_elsewhere = |told: &&Experience| told.origin != Some(Origin::Run(run_id));
        let rules = pair.sops.iter().map(What::Rule);
        let experiences = pair.experiences.iter().filter(is_elsewhere).map(What::Experience);
        items.extend(rules.chain(experiences).map(|what| Item { at, pair, what, text: told::item(what) }));
    }
    items.sort_by(|one, other| {
        let ((one_kind, one_strength), (kind, strength)) = (one.what.rank(), other.what.rank());
        one_kind.cmp(&kind).then(one_strength.total_cmp(&strength)).then(one.at.cmp(&other.at))
    });
    let mut left = FOR_THE_PLAN;
    let mut opened: BTreeSet<usize> = BTreeSet::new();
    let mut known: BTreeSet<MegramId> = BTreeSet::new();
    items.retain(|item| {
        let head = if opened.contains(&item.at) { 0 } else { told::head(item.at, item.pair).chars().count() };
        let cost = head + item.text.chars().count();
        if cost > left || !known.insert(item.what.id()) {
            return false;
        }
        left -= cost;
        opened.insert(item.at);
        true
    });
    items
}

/// Every Megram of an answer.
fn all(reply: &MemoryReply) -> impl Iterator<Item = MegramId> + '_ {
    let of_pair = |pair: &'_ PairMemory| {
        let rules = pair.sops.iter().map(|rule| rule.id);
        rules.chain(pair.experiences.iter().map(|told| told.id)).collect::<Vec<_>>()
    };
    reply.laws.iter().map(|law| law.id).chain(reply.recalled.iter().flat_map(of_pair))
}

/// The laws in the user's words: no data of a stranger, and no consent to anything.
fn laws(laws: &[Law]) -> String {
    if laws.is_empty() {
        return String::new();
    }
    let lines = laws.iter().map(|law| format!("- {}\n", artoo_llm_client::inline(law.content.trim())));
    format!("The user's own laws, which hold in every run:\n{}", lines.collect::<String>())
}
