//! The Dreamer's plan for one tag pair: which rules are demoted, which rule is created, what is forgotten.
//! Pure; the memory's owner carries it out.
//!
//! Everything in a plan is decided on the same state of the pair, with the same potentials.
//!
//! Source: specification v0.8, R5 "Dreamer"; `docs/deviations.md`, "Forgetting", "Trust bankruptcy has
//! polarity" and "Promotion".

use artoo_types::{Entity, Level, Megram, MegramId, MegramState, Origin, Polarity, Potentials, Space};
use chrono::{DateTime, FixedOffset};

use crate::revocation::{revoked, stands};
use crate::{Bankruptcy, Rules, compose, decay, matrix, polarity, potentials, rule_text};

/// A live entry of a pair, with its source experiences if it is, or was, a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The entry's current form: level, rate and last recall included.
    pub megram: Megram,
    /// The raw experiences behind a rule; empty for an experience.
    pub sources: Vec<Megram>,
}

/// The Dreamer's plan for one pair. Usually empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairPlan {
    /// Rules to demote to level K, with [`Rules::demoted_k`].
    pub demote: Vec<MegramId>,
    /// The rule to create; at most one in a cycle.
    pub promote: Option<Promotion>,
    /// Experiences to delete.
    pub forget: Vec<MegramId>,
}

/// A new rule from a pair's experience.
#[derive(Clone, Debug, PartialEq)]
pub struct Promotion {
    /// Practice or constraint.
    pub polarity: Polarity,
    /// Its text.
    pub content: String,
    /// Every raw experience behind it, including those of the rules that it absorbs. Consolidated from now
    /// on.
    pub sources: Vec<MegramId>,
    /// Rules of the same polarity, and demoted ones, that it replaces. Consolidated from now on.
    pub absorbed: Vec<MegramId>,
}

impl Promotion {
    /// The rule as a Megram of level C: timeless, with the strength of `success` for a practice ("Planner
    /// copies directly") and of `abandon` for a constraint ("generates hard Constraint").
    pub fn megram(&self, id: MegramId, at: DateTime<FixedOffset>, space: Space, entity: Entity) -> Megram {
        let state = match self.polarity {
            Polarity::Practice => MegramState::Success,
            Polarity::Constraint => MegramState::Abandon,
        };
        let raw = matrix::megram(id, state, at, space, entity, self.content.clone());
        Megram { level: Level::C, k: 0.0, origin: Some(Origin::Dreamer), ..raw }
    }
}

/// Plans one cycle for one pair, given its live entries: neither forgotten nor consolidated.
/// ```
/// # use artoo_mkct_memory::{Rules, dreamer::{Entry, plan}, matrix};
/// # use artoo_types::{Entity, MegramId, MegramState, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let made_at = now;
/// # let entry = |n: u8| Ok::<_, Box<dyn std::error::Error>>(Entry {
/// #     megram: matrix::megram(format!("01970000-0000-7000-8000-00000000000{n}").parse()?, MegramState::Accept, made_at,
/// #         Space::intent("count"), Entity::local(), "used glob".to_owned()),
/// #     sources: Vec::new(),
/// # });
/// let five = [entry(1)?, entry(2)?, entry(3)?, entry(4)?, entry(5)?];
/// assert_eq!(plan(&five, &Rules::default(), now).promote, None); // attention is 4.5
/// let six = [five.as_slice(), &[entry(6)?]].concat();
/// let rule = plan(&six, &Rules::default(), now).promote.ok_or("no rule")?;
/// assert_eq!(rule.content, "Prefer this (6 of 6 experiences, last 2026-03-09): used glob");
/// assert_eq!(rule.sources.len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan(entries: &[Entry], rules: &Rules, now: DateTime<FixedOffset>) -> PairPlan {
    let live = potentials::direct(entries.iter().map(|entry| &entry.megram), now);
    PairPlan {
        demote: bankrupt(entries, rules, live, now),
        promote: promotion(entries, rules, now),
        forget: garbage(entries, rules, live, now),
    }
}

/// Physical Forgetting: the experiences of a pair that no longer draws attention, except the young ones.
fn garbage(entries: &[Entry], rules: &Rules, live: Potentials, now: DateTime<FixedOffset>) -> Vec<MegramId> {
    if live.attention >= rules.forget_below {
        return Vec::new();
    }
    let old = |megram: &&Megram| decay::age_days(megram, now) >= rules.forget_min_age_days;
    entries
        .iter()
        .filter(|entry| is_experience(entry))
        .map(|entry| &entry.megram)
        .filter(old)
        .map(|megram| megram.id)
        .collect()
}

/// Trust Bankruptcy: the rules that the pair's decision contradicts.
fn bankrupt(entries: &[Entry], rules: &Rules, live: Potentials, now: DateTime<FixedOffset>) -> Vec<MegramId> {
    let by_chance = against(entries).filter(|megram| still_speaks(megram, now)).nth(1).is_none();
    let falls = |megram: &Megram| match (rules.bankruptcy, polarity(megram.sigma)) {
        (Bankruptcy::Contradicted, Polarity::Constraint) => live.decision > 0.0,
        (Bankruptcy::Contradicted, Polarity::Practice) => live.decision < 0.0 && !by_chance,
        (Bankruptcy::Negative, _) => live.decision < 0.0,
    };
    entries
        .iter()
        .map(|entry| &entry.megram)
        .filter(|m| m.level == Level::C && falls(m))
        .map(|m| m.id)
        .collect()
}

/// The experiences against the practices of a pair. A constraint, demoted or not, stands for more than one:
/// it is yielded twice.
pub(crate) fn against(entries: &[Entry]) -> impl Iterator<Item = &Megram> {
    let speaking = entries.iter().filter(|entry| {
        potentials::counts(entry.megram.level) && rule_text::speaks_for(&entry.megram, Polarity::Constraint)
    });
    speaking.flat_map(|entry| {
        let is_rule = entry.megram.level == Level::C || !entry.sources.is_empty();
        std::iter::repeat_n(&entry.megram, if is_rule { 2 } else { 1 })
    })
}

/// Whether an experience against a practice would by itself decide a pair.
fn still_speaks(megram: &Megram, now: DateTime<FixedOffset>) -> bool {
    let left = megram.f * decay::weight(megram.k, decay::age_days(megram, now));
    -megram.sigma * left > potentials::DECISION_MIN
}

/// The upward flow: one rule if attention and decision both exceed their thresholds and an experience that is
/// not part of a rule yet supports it. Only what may be behind a rule counts: see [`behind_rules`].
fn promotion(entries: &[Entry], rules: &Rules, now: DateTime<FixedOffset>) -> Option<Promotion> {
    let own = behind_rules(entries);
    let live = potentials::direct(own.iter().map(|entry| &entry.megram), now);
    if live.attention < rules.promote_attention || live.decision.abs() < rules.promote_decision {
        return None;
    }
    let polarity = polarity(live.decision);
    let speaks = |entry: &Entry| entry.sources.is_empty() && rule_text::speaks_for(&entry.megram, polarity);
    if !own.iter().any(|entry| is_experience(entry) && speaks(entry)) {
        return None;
    }
    let merged = |entry: &&Entry| match entry.megram.level {
        Level::M | Level::K => true,
        Level::C => crate::polarity(entry.megram.sigma) == polarity,
        Level::T => false,
    };
    let mut sources: Vec<&Megram> = Vec::new();
    let mut absorbed = Vec::new();
    for entry in own.into_iter().filter(merged) {
        if entry.megram.level == Level::C || !entry.sources.is_empty() {
            absorbed.push(entry.megram.id);
        }
        if entry.sources.is_empty() {
            // An experience; or a rule of unknown origin, which then is its own source.
            sources.push(&entry.megram);
        } else {
            sources.extend(&entry.sources);
        }
    }
    sources.sort_by_key(|source| source.id);
    sources.dedup_by_key(|source| source.id);
    let content = compose(polarity, &sources);
    let sources = sources.iter().map(|source| source.id).collect();
    Some(Promotion { polarity, content, sources, absorbed })
}

/// The entries of which a rule may be made: neither imported experience, which was not observed here, nor what the
/// person rejected, nor that they rejected it.
pub(crate) fn behind_rules(entries: &[Entry]) -> Vec<&Entry> {
    let revoked = revoked(entries);
    let may_be = |entry: &&Entry| match entry.megram.origin {
        Some(Origin::Import | Origin::Revoked(_)) => false,
        Some(Origin::Run(_) | Origin::Person | Origin::Dreamer) | None => stands(&entry.megram, &revoked),
    };
    entries.iter().filter(may_be).collect()
}

/// Whether an entry is of a decaying level.
fn is_experience(entry: &Entry) -> bool {
    match entry.megram.level {
        Level::M | Level::K => true,
        Level::C | Level::T => false,
    }
}
