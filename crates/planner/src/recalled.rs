//! Selection of the memory reply for a plan: the strongest entries, as data within a size limit, and an
//! account of all entries. Pure.
//!
//! Source: `docs/deviations.md`, "What R2 hears".

use std::collections::BTreeSet;

use artoo_llm_client::{ModelProfile, fitting_lessons, laws, lessons};
use artoo_types::{
    Briefing, Experience, Law, Lesson, MegramId, MemoryAction, MemoryReply, Origin, PairMemory, Plan,
    PlanMemory, Polarity, RunId, SopRecord,
};

/// Size limit of memory in R2's prompt, without the user's laws, in characters.
const FOR_THE_PLAN: usize = 1200;
/// Size limit of memory in the prompt of a step, without the user's laws, in characters.
const FOR_A_STEP: usize = 600;

/// The part of memory that goes into a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// The text for R2; empty if memory has nothing.
    pub for_the_plan: String,
    /// The user's laws, for each step and each judge.
    pub laws: Vec<Law>,
    /// What else each step is told, the most important first.
    pub lessons: Vec<Lesson>,
    /// Which Megrams of the reply are in the text for R2, and which are not.
    pub memory: PlanMemory,
}

impl Recalled {
    /// Selects from a reply. Rules come first, then experiences, the strongest first; each lesson once. Entries
    /// that memory advises to ignore are left out, and so are experiences of this very run, of which the planner
    /// knows more. The user's laws are always included.
    ///
    /// ```
    /// use artoo_planner::{Recalled, conformance};
    /// use artoo_types::RunId;
    ///
    /// let nothing_is_known = conformance::context("Count the files").memory;
    /// assert_eq!(Recalled::of(&nothing_is_known, RunId::OPERATOR), Recalled::default());
    /// ```
    pub fn of(reply: &MemoryReply, run_id: RunId) -> Self {
        let for_the_plan = fitting_lessons(select(reply, run_id), FOR_THE_PLAN);
        let told = for_the_plan.iter().map(Lesson::id);
        let used: BTreeSet<MegramId> = reply.laws.iter().map(|law| law.id).chain(told).collect();
        let mut seen = BTreeSet::new();
        let (used, ignored) = all(reply).filter(|id| seen.insert(*id)).partition(|id| used.contains(id));
        Self {
            for_the_plan: format!("{}{}", laws(&reply.laws), lessons(&for_the_plan)),
            laws: reply.laws.clone(),
            lessons: fitting_lessons(for_the_plan, FOR_A_STEP),
            memory: PlanMemory { used, ignored },
        }
    }

    /// Whether there is no text for R2.
    pub fn is_empty(&self) -> bool {
        self.for_the_plan.is_empty()
    }

    /// Adds what everybody is told of this request, and the account, to a plan. The plan of a guided model is
    /// one step whatever memory says, so nothing of it was used: what a step is told is in its own account.
    pub fn hand_on(self, request: &str, profile: &ModelProfile, plan: &mut Plan) {
        plan.briefing = Briefing { request: request.to_owned(), laws: self.laws, lessons: self.lessons };
        let PlanMemory { used, ignored } = self.memory;
        plan.memory = if profile.guided {
            PlanMemory { ignored: used.into_iter().chain(ignored).collect(), used: Vec::new() }
        } else {
            PlanMemory { used, ignored }
        };
    }
}

/// The lessons of a reply, the most important first: constraints, practices, then experiences by strength.
fn select(reply: &MemoryReply, run_id: RunId) -> Vec<Lesson> {
    let heeded = reply.recalled.iter().filter(|pair| match pair.potentials.action {
        MemoryAction::Ignore => false,
        MemoryAction::Exploit | MemoryAction::Avoid | MemoryAction::Caution => true,
    });
    let is_elsewhere = |told: &&Experience| told.origin != Some(Origin::Run(run_id));
    let of_pair = |pair: &PairMemory| -> Vec<Lesson> {
        let rules = pair.sops.iter().cloned().map(Lesson::Rule);
        let experiences = pair.experiences.iter().filter(is_elsewhere).cloned().map(Lesson::Experience);
        rules.chain(experiences).collect()
    };
    let mut lessons: Vec<Lesson> = heeded.flat_map(of_pair).collect();
    lessons.sort_by(|one, other| {
        let ((one_kind, one_strength), (kind, strength)) = (rank(one), rank(other));
        one_kind.cmp(&kind).then(one_strength.total_cmp(&strength))
    });
    let mut known = BTreeSet::new();
    lessons.retain(|lesson| known.insert(words(lesson).to_owned()));
    lessons
}

fn rank(lesson: &Lesson) -> (u8, f64) {
    match lesson {
        Lesson::Rule(SopRecord { polarity: Polarity::Constraint, .. }) => (0, 0.0),
        Lesson::Rule(SopRecord { polarity: Polarity::Practice, .. }) => (1, 0.0),
        Lesson::Experience(experience) => (2, -experience.strength),
    }
}

fn words(lesson: &Lesson) -> &str {
    match lesson {
        Lesson::Rule(rule) => &rule.content,
        Lesson::Experience(experience) => &experience.content,
    }
}

/// Every Megram of a reply.
fn all(reply: &MemoryReply) -> impl Iterator<Item = MegramId> + '_ {
    let of_pair = |pair: &'_ PairMemory| {
        let rules = pair.sops.iter().map(|rule| rule.id);
        rules.chain(pair.experiences.iter().map(|told| told.id)).collect::<Vec<_>>()
    };
    reply.laws.iter().map(|law| law.id).chain(reply.recalled.iter().flat_map(of_pair))
}
