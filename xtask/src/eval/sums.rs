//! What some runs of the suite add up to.

use std::collections::BTreeMap;

use super::{outcome::DecidedBy, session::Graded};

/// The sums of some runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// How many runs.
    pub runs: u64,
    /// Accepted and right, or rightly not accepted.
    pub solved: u64,
    /// Right, but not claimed as accept.
    pub unclaimed: u64,
    /// Claims of which code decided every criterion.
    pub checked: Claims,
    /// Claims of which a model judged at least one criterion.
    pub judged: Claims,
    /// Claims without any criterion.
    pub unjudged: Claims,
    /// What would have been claimed, had the first of two derivations been enough.
    pub alone: Claims,
    /// What the solved ones cost.
    pub cost: Cost,
    /// What all of them cost.
    pub spent: Cost,
}

/// Runs that claimed that all is well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Claims {
    /// All of them.
    pub accepted: u64,
    /// Those that a grader disagrees with.
    pub wrong: u64,
}

/// Model calls and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Model calls.
    pub calls: u64,
    /// Tokens, read and written.
    pub tokens: u64,
}

/// What a request costs, on average over several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mean {
    /// Model calls.
    pub calls: f64,
    /// Tokens, read and written.
    pub tokens: f64,
}

impl Cost {
    /// What a run cost.
    pub(super) fn of(run: &Graded) -> Self {
        let outcome = &run.outcome;
        Self { calls: outcome.calls, tokens: outcome.prompt_tokens.saturating_add(outcome.completion_tokens) }
    }

    fn add(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens = self.tokens.saturating_add(other.tokens);
    }
}

impl Claims {
    fn add(&mut self, run: &Graded) {
        self.accepted += u64::from(run.outcome.accepted());
        self.wrong += u64::from(run.claimed_but_wrong());
    }
}

impl Sums {
    /// Adds up runs.
    pub(super) fn of<'a>(runs: impl IntoIterator<Item = &'a Graded>) -> Self {
        let mut sums = Self::default();
        for run in runs {
            sums.runs += 1;
            sums.spent.add(Cost::of(run));
            sums.unclaimed += u64::from(run.right_but_unclaimed());
            if let Some(objections) = &run.first_objections {
                sums.alone.accepted += 1;
                sums.alone.wrong += u64::from(!objections.is_empty());
            }
            match run.outcome.judged.decided_by() {
                DecidedBy::Checks => sums.checked.add(run),
                DecidedBy::Model => sums.judged.add(run),
                DecidedBy::Nobody => sums.unjudged.add(run),
            }
            if run.solved() {
                sums.solved += 1;
                sums.cost.add(Cost::of(run));
            }
        }
        sums
    }

    /// Claimed as accept but wrong, whoever decided.
    pub(super) fn wrong(&self) -> u64 {
        self.checked.wrong + self.judged.wrong + self.unjudged.wrong
    }

    /// What a solved request costs; `None` where none was solved.
    pub(super) fn per_solved(&self) -> Option<Mean> {
        mean(self.cost, self.solved)
    }

    /// What all the requests cost, the unsolved ones too, for each that was solved.
    pub(super) fn spent_per_solved(&self) -> Option<Mean> {
        mean(self.spent, self.solved)
    }
}

/// What the requests that were solved in both evaluations cost on average, before and after, and how many there are. Requests that only
/// one of them solved say nothing about whether the same work became dearer.
pub(super) fn solved_both_times(before: &[Graded], after: &[Graded]) -> Option<(Mean, Mean, usize)> {
    let (before, after) = (by_request(before), by_request(after));
    let pairs: Vec<(Mean, Mean)> =
        before.iter().filter_map(|(id, before)| Some((*before, *after.get(id)?))).collect();
    let over = |side: fn(&(Mean, Mean)) -> Mean| Mean {
        calls: pairs.iter().map(|pair| side(pair).calls).sum::<f64>() / pairs.len() as f64,
        tokens: pairs.iter().map(|pair| side(pair).tokens).sum::<f64>() / pairs.len() as f64,
    };
    (!pairs.is_empty()).then(|| (over(|pair| pair.0), over(|pair| pair.1), pairs.len()))
}

/// What each request cost where it was solved, on average over its solved runs.
fn by_request(runs: &[Graded]) -> BTreeMap<&str, Mean> {
    let mut costs: BTreeMap<&str, (Cost, u64)> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.solved()) {
        let (cost, count) = costs.entry(run.id.as_str()).or_default();
        cost.add(Cost::of(run));
        *count += 1;
    }
    costs.into_iter().filter_map(|(id, (cost, count))| Some((id, mean(cost, count)?))).collect()
}

fn mean(cost: Cost, count: u64) -> Option<Mean> {
    let count = (count > 0).then_some(count as f64)?;
    Some(Mean { calls: cost.calls as f64 / count, tokens: cost.tokens as f64 / count })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::outcome::{Judged, Outcome};

    fn run(id: &str, directive: &str, right: bool, judged: (u64, u64), calls: u64) -> Graded {
        let outcome = Outcome {
            directive: directive.into(),
            calls,
            prompt_tokens: calls * 100,
            completion_tokens: calls * 10,
            judged: Judged { by_code: judged.0, by_model: judged.1 },
            ..Outcome::default()
        };
        let objections = if right { Vec::new() } else { vec!["wrong".to_owned()] };
        let first_objections = (judged.0 == 3).then(|| objections.clone());
        Graded { id: id.into(), kind: "k".into(), outcome, objections, impossible: false, first_objections }
    }

    #[test]
    fn a_wrong_claim_counts_for_whoever_decided_it() {
        let runs = [
            run("a", "accept", true, (3, 0), 4),
            run("b", "accept", false, (3, 0), 9),
            run("c", "accept", false, (3, 1), 9),
            run("d", "accept", false, (0, 0), 1),
            run("e", "success", true, (3, 0), 9),
            run("f", "accept", true, (0, 2), 6),
        ];
        let expected = Sums {
            runs: 6,
            solved: 2,
            unclaimed: 1,
            checked: Claims { accepted: 2, wrong: 1 },
            judged: Claims { accepted: 2, wrong: 1 },
            unjudged: Claims { accepted: 1, wrong: 1 },
            alone: Claims { accepted: 4, wrong: 2 },
            cost: Cost { calls: 10, tokens: 1100 },
            spent: Cost { calls: 38, tokens: 4180 },
        };
        let sums = Sums::of(&runs);
        assert_eq!(sums, expected);
        assert_eq!(sums.wrong(), 3);
        assert_eq!(sums.per_solved(), Some(Mean { calls: 5.0, tokens: 550.0 }));
        assert_eq!(sums.spent_per_solved(), Some(Mean { calls: 19.0, tokens: 2090.0 }));
    }

    #[test]
    fn nothing_solved_has_no_cost() {
        assert_eq!(Sums::of(&[run("a", "accept", false, (1, 0), 4)]).per_solved(), None);
    }

    #[test]
    fn only_what_was_solved_both_times_is_compared() {
        let before = [
            run("a", "accept", true, (1, 0), 4),
            run("a", "accept", true, (1, 0), 6),
            run("a", "accept", false, (1, 0), 90),
            run("b", "accept", true, (1, 0), 10),
            run("c", "abandon", false, (1, 0), 50),
        ];
        let after = [
            run("a", "accept", true, (1, 0), 6),
            run("b", "abandon", false, (1, 0), 70),
            run("c", "accept", true, (1, 0), 70),
        ];
        let expected = (Mean { calls: 5.0, tokens: 550.0 }, Mean { calls: 6.0, tokens: 660.0 }, 1);
        assert_eq!(solved_both_times(&before, &after), Some(expected));
        assert_eq!(solved_both_times(&before[4..], &after), None);
    }
}
