//! Results of the professional tasks, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{plain::Plain, task::Verdict};
use crate::by_hand::{Asked, Match, Tokens};

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Played {
    /// The task.
    pub name: String,
    /// The kind of work.
    pub about: String,
    /// Whether it was sabotaged on purpose.
    pub sabotaged: bool,
    /// The run's directive.
    pub directive: String,
    /// Its exit code; `None` if it was killed by a signal.
    pub exit: Option<i32>,
    /// The verdict.
    pub verdict: Verdict,
    /// The grader's objections.
    pub objections: Vec<String>,
    /// The final text for the person.
    pub answer: String,
    /// Model calls.
    pub calls: u64,
    /// The longest chain of dependent calls.
    pub depth: u32,
    /// Tokens by role.
    pub roles: BTreeMap<String, Tokens>,
    /// Questions to the person: for consent, for words, for a plan.
    pub questions: u64,
    /// Seconds of artoo's own: the model took no time.
    pub seconds: f64,
    /// Questions worded differently than when they were answered.
    pub reworded: u64,
    /// Unanswered questions.
    pub open: u64,
    /// Structured questions that were asked again because the answer could not be used.
    pub repairs: u64,
    /// The estimate for a plain loop.
    pub plain: Plain,
}

impl Played {
    /// Whether the run claimed that the work is done.
    pub(crate) fn accepted(directive: &str) -> bool {
        matches!(directive, "accept" | "success")
    }

    /// Whether a replay may pass: the work is right or honestly not done, sabotaged work is not accepted, and
    /// every question had an answer.
    pub(crate) fn passes(&self) -> bool {
        let is_fair = match self.sabotaged {
            // A run that ends as close enough names what is unmet, and has its own exit code.
            true => self.directive != "accept",
            false => self.verdict != Verdict::Wrong,
        };
        is_fair && self.open == 0 && !self.directive.is_empty()
    }

    /// The sum of its tokens.
    pub(crate) fn tokens(&self) -> Tokens {
        sum(self.roles.values())
    }

    /// Its cost relative to that of a plain loop; `None` without a question of the executor, whose rules and tools the plain
    /// loop would have read.
    pub(crate) fn cost(&self) -> Option<f64> {
        let is_known = self.roles.contains_key("executor");
        is_known.then(|| cost(self.tokens()) / cost(self.plain.tokens).max(1.0))
    }
}

/// The cost of tokens, in the price of one that is read: a cached one costs a tenth, a written one five times as
/// much. These are the relations of the price lists of 2026, rounded.
pub(crate) fn cost(tokens: Tokens) -> f64 {
    let fresh = tokens.prompt.saturating_sub(tokens.cached);
    fresh as f64 + 0.1 * tokens.cached as f64 + 5.0 * tokens.completion as f64
}

/// The median of figures; the mean of the two in the middle if their number is even.
pub(crate) fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let upper = *figures.get(middle)?;
    if figures.len().is_multiple_of(2) {
        let lower = *figures.get(middle.checked_sub(1)?)?;
        return Some(f64::midpoint(lower, upper));
    }
    Some(upper)
}

/// The sum of several token counts.
pub(crate) fn sum<'a>(tokens: impl IntoIterator<Item = &'a Tokens>) -> Tokens {
    tokens.into_iter().fold(Tokens::default(), |sum, one| Tokens {
        prompt: sum.prompt.saturating_add(one.prompt),
        cached: sum.cached.saturating_add(one.cached),
        completion: sum.completion.saturating_add(one.completion),
    })
}

/// The tokens of each role.
pub(crate) fn by_role(asked: &[Asked]) -> BTreeMap<String, Tokens> {
    let mut roles: BTreeMap<String, Tokens> = BTreeMap::new();
    for one in asked {
        let role = roles.entry(one.role.clone()).or_default();
        *role = sum([&*role, &one.tokens]);
    }
    roles
}

/// The number of questions matched like this.
pub(crate) fn found(asked: &[Asked], found: Match) -> u64 {
    asked.iter().filter(|one| one.found == found).map(|_| 1).sum()
}

/// All games, and the conditions of the measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Games {
    /// The command.
    pub command: String,
    /// The date.
    pub date: String,
    /// The machine.
    pub machine: String,
    /// The games.
    pub played: Vec<Played>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_figure_in_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn a_cached_token_costs_a_tenth_and_a_written_one_five() {
        assert_eq!(cost(Tokens { prompt: 110, cached: 100, completion: 4 }), 10.0 + 10.0 + 20.0);
    }
}
