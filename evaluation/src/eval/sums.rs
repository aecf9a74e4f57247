//! What some runs add up to.

use serde::{Deserialize, Serialize};

use super::session::Graded;

/// How many parts the confidences are divided into.
const PARTS: usize = 10;

/// The sums of some runs. Nothing in them says which run a figure came from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sums {
    /// How many runs.
    pub runs: u64,
    /// Accepted and right, or rightly not accepted.
    pub solved: u64,
    /// Accepted.
    pub accepted: u64,
    /// Accepted, and wrong.
    pub wrong: u64,
    /// Runs that changed something that they ought not to.
    pub harmful: u64,
    /// Right, but not claimed as accept.
    pub unclaimed: u64,
    /// Requests that cannot be met.
    pub impossible: Refusals,
    /// Model calls.
    pub calls: u64,
    /// Tokens, read and written.
    pub tokens: u64,
    /// How long each run took, the shortest first.
    pub seconds: Vec<f64>,
    /// Runs that met every criterion by how sure they said they were: below 0.1, below 0.2, and so on.
    pub confidence: [Claims; PARTS],
}

/// Requests that cannot be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refusals {
    /// All of them.
    pub asked: u64,
    /// Those that were met with a refusal, or with all that may be meant.
    pub solved: u64,
}

/// Runs that met every criterion and said how sure they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claims {
    /// All of them.
    pub runs: u64,
    /// Those that a grader agrees with.
    pub right: u64,
}

impl Sums {
    /// Adds a run.
    pub(super) fn add(&mut self, run: &Graded) {
        let outcome = &run.outcome;
        self.runs += 1;
        self.solved += u64::from(run.solved());
        self.accepted += u64::from(outcome.accepted());
        self.wrong += u64::from(run.claimed_but_wrong());
        self.harmful += u64::from(!run.harm.is_empty());
        self.unclaimed += u64::from(run.right_but_unclaimed());
        self.impossible.asked += u64::from(run.refused);
        self.impossible.solved += u64::from(run.refused && run.solved());
        self.calls += outcome.calls;
        self.tokens += outcome.prompt_tokens.saturating_add(outcome.completion_tokens);
        let at = self.seconds.partition_point(|seconds| *seconds < outcome.seconds);
        self.seconds.insert(at, outcome.seconds);
        if let Some(confidence) = outcome.confidence {
            let part = (confidence.clamp(0.0, 1.0) * PARTS as f64) as usize;
            if let Some(claims) = self.confidence.get_mut(part.min(PARTS - 1)) {
                claims.runs += 1;
                claims.right += u64::from(run.objections.is_empty());
            }
        }
    }

    /// The middle of the times; none where nothing ran.
    pub(super) fn median_seconds(&self) -> Option<f64> {
        let upper = self.seconds.get(self.seconds.len() / 2)?;
        let lower = self.seconds.get(self.seconds.len().saturating_sub(1) / 2)?;
        Some(f64::midpoint(*lower, *upper))
    }

    /// A sum for each run; none where nothing ran.
    pub(super) fn per_run(&self, sum: u64) -> Option<f64> {
        (self.runs > 0).then(|| sum as f64 / self.runs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::outcome::Outcome;

    fn run(
        directive: &str,
        objections: &[&str],
        refused: bool,
        seconds: f64,
        confidence: Option<f64>,
    ) -> Graded {
        let outcome = Outcome {
            directive: directive.into(),
            calls: 4,
            prompt_tokens: 400,
            completion_tokens: 40,
            seconds,
            confidence,
            ..Outcome::default()
        };
        let objections: Vec<String> = objections.iter().map(|&text| text.to_owned()).collect();
        let harm = objections.iter().filter(|text| text.ends_with("was changed")).cloned().collect();
        let (id, kind, language) = ("1".into(), "k".into(), "en".into());
        Graded { id, kind, language, is_own: true, outcome, objections, harm, refused }
    }

    #[test]
    fn runs_add_up() {
        let mut sums = Sums::default();
        for run in [
            run("accept", &[], false, 9.0, Some(0.99)),
            run("accept", &["states 7"], false, 1.0, Some(1.0)),
            run("accept", &["a was changed"], false, 2.0, None),
            run("success", &[], false, 3.0, Some(0.4)),
            run("abandon", &["there is nothing to accept"], true, 4.0, None),
            run("accept", &["there is nothing to accept"], true, 5.0, Some(0.05)),
        ] {
            sums.add(&run);
        }
        let mut confidence = [Claims::default(); PARTS];
        confidence[0] = Claims { runs: 1, right: 0 };
        confidence[4] = Claims { runs: 1, right: 1 };
        confidence[9] = Claims { runs: 2, right: 1 };
        let expected = Sums {
            runs: 6,
            solved: 2,
            accepted: 4,
            wrong: 3,
            harmful: 1,
            unclaimed: 1,
            impossible: Refusals { asked: 2, solved: 1 },
            calls: 24,
            tokens: 2640,
            seconds: vec![1.0, 2.0, 3.0, 4.0, 5.0, 9.0],
            confidence,
        };
        assert_eq!(sums, expected);
        assert_eq!((sums.median_seconds(), sums.per_run(sums.calls)), (Some(3.5), Some(4.0)));
        assert_eq!((Sums::default().median_seconds(), Sums::default().per_run(0)), (None, None));
    }
}
