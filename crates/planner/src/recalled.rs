//! Selection of the memory reply for a plan: the strongest entries, as data within a size limit, and an
//! account of all entries. Pure.
//!
//! Source: `docs/deviations.md`, "What R2 hears".

mod guards;
mod render;

use std::collections::BTreeSet;

use artoo_llm_client::{fitting_lessons, laws};
use artoo_types::{
    Briefing, Experience, Law, Lesson, MegramId, MemoryAction, MemoryReply, Origin, PairMemory, Plan,
    PlanMemory, Polarity, RunId, SopRecord,
};

pub(crate) use guards::guards;

/// Size limit of memory in R2's prompt, without the user's laws, in characters.
const FOR_THE_PLAN: usize = 2400;
/// Size limit of memory in the prompt of a step, without the user's laws, in characters.
const FOR_A_STEP: usize = 800;

/// The part of memory that goes into a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// The text for R2; empty if memory has nothing.
    pub for_the_plan: String,
    /// The user's laws, for each step and each judge.
    pub laws: Vec<Law>,
    /// What else each step is told, the most important first.
    pub lessons: Vec<Lesson>,
    /// Which Megrams of the reply are used, which are not, and the guards on the plan's calls.
    pub memory: PlanMemory,
}

impl Recalled {
    /// Selects from a reply. Rules come first, then experiences, the strongest first; entries that memory
    /// advises to ignore are left out, and so are experiences of this very run, of which the planner knows
    /// more. The user's laws are always included.
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
        let lessons = selected.iter().map(|item| item.what.to_lesson());
        Self {
            for_the_plan: format!("{}{}", laws(&reply.laws), render::to_the_planner(reply, &selected)),
            laws: reply.laws.clone(),
            lessons: fitting_lessons(lessons, FOR_A_STEP),
            memory: PlanMemory { used, ignored, guards },
        }
    }

    /// Whether there is no text for R2.
    pub fn is_empty(&self) -> bool {
        self.for_the_plan.is_empty()
    }

    /// Adds what everybody is told of this request, and the account, to a plan.
    pub fn hand_on(self, request: &str, plan: &mut Plan) {
        plan.briefing = Briefing { request: request.to_owned(), laws: self.laws, lessons: self.lessons };
        plan.memory = self.memory;
    }
}

/// A selectable entry.
#[derive(Clone, Debug)]
struct Item<'a> {
    /// The position of its pair in the reply.
    at: usize,
    pair: &'a PairMemory,
    what: What<'a>,
    /// The text for the planner.
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

    fn to_lesson(self) -> Lesson {
        match self {
            Self::Rule(rule) => Lesson::Rule(rule.clone()),
            Self::Experience(experience) => Lesson::Experience(experience.clone()),
        }
    }

    /// Constraints come before practices, and both before experiences; experiences are ordered by strength.
    fn rank(self) -> (u8, f64) {
        match self {
            Self::Rule(SopRecord { polarity: Polarity::Constraint, .. }) => (0, 0.0),
            Self::Rule(SopRecord { polarity: Polarity::Practice, .. }) => (1, 0.0),
            Self::Experience(experience) => (2, -experience.strength),
        }
    }
}

/// The selected entries, in the order of the reply.
fn select(reply: &MemoryReply, run_id: RunId) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    for (at, pair) in reply.recalled.iter().enumerate() {
        if pair.potentials.action == MemoryAction::Ignore {
            continue;
        }
        let is_elsewhere = |told: &&Experience| told.origin != Some(Origin::Run(run_id));
        let rules = pair.sops.iter().map(What::Rule);
        let experiences = pair.experiences.iter().filter(is_elsewhere).map(What::Experience);
        items.extend(rules.chain(experiences).map(|what| Item { at, pair, what, text: render::item(what) }));
    }
    items.sort_by(|one, other| {
        let ((one_kind, one_strength), (kind, strength)) = (one.what.rank(), other.what.rank());
        one_kind.cmp(&kind).then(one_strength.total_cmp(&strength)).then(one.at.cmp(&other.at))
    });
    let mut left = FOR_THE_PLAN;
    let mut opened: BTreeSet<usize> = BTreeSet::new();
    let mut known: BTreeSet<MegramId> = BTreeSet::new();
    items.retain(|item| {
        let head =
            if opened.contains(&item.at) { 0 } else { render::head(item.at, item.pair).chars().count() };
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

/// Every Megram of a reply.
fn all(reply: &MemoryReply) -> impl Iterator<Item = MegramId> + '_ {
    let of_pair = |pair: &'_ PairMemory| {
        let rules = pair.sops.iter().map(|rule| rule.id);
        rules.chain(pair.experiences.iter().map(|told| told.id)).collect::<Vec<_>>()
    };
    reply.laws.iter().map(|law| law.id).chain(reply.recalled.iter().flat_map(of_pair))
}
