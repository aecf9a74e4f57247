//! Addition of usage.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use crate::Usage;

/// Adds every count. A sum with an estimated part is estimated.
impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.estimated = self.estimated || other.estimated;
        self.elapsed_ms = self.elapsed_ms.saturating_add(other.elapsed_ms);
        self.requests = self.requests.saturating_add(other.requests);
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_adds_all_counts_and_stays_estimated() {
        let known = Usage {
            prompt_tokens: 10,
            cached_tokens: 4,
            completion_tokens: 3,
            estimated: false,
            elapsed_ms: 7,
            requests: 1,
        };
        let guessed = Usage { estimated: true, ..known };
        let expected = Usage {
            prompt_tokens: 20,
            cached_tokens: 8,
            completion_tokens: 6,
            estimated: true,
            elapsed_ms: 14,
            requests: 2,
        };
        assert_eq!([known, guessed].into_iter().sum::<Usage>(), expected);
        assert_eq!(known + guessed, expected);
    }

    #[test]
    fn a_lying_server_cannot_overflow_a_sum() {
        let huge = Usage { prompt_tokens: u64::MAX, ..Usage::default() };
        assert_eq!((huge + huge).prompt_tokens, u64::MAX);
    }
}
