//! The sequential depth of a run: the longest chain of model calls that followed one another.

/// The model calls of a run so far, by when they ended. Pure.
#[derive(Clone, Debug, Default)]
pub(super) struct Depth {
    /// When calls ended, in milliseconds of the run, with the longest chain up to then. Both only grow.
    ends: Vec<(u64, u32)>,
}

impl Depth {
    /// Takes the next call that ended: when, and how long it took, in milliseconds. It follows every call that
    /// ended before it began.
    pub(super) fn on(&mut self, ended_ms: u64, took_ms: u64) {
        let began_ms = ended_ms.saturating_sub(took_ms);
        let before = self.ends.partition_point(|(end, _)| *end <= began_ms);
        let chain = before.checked_sub(1).and_then(|last| self.ends.get(last)).map_or(0, |(_, chain)| *chain);
        let longest = self.longest().max(chain.saturating_add(1));
        let ended_ms = self.ends.last().map_or(ended_ms, |(last, _)| ended_ms.max(*last));
        self.ends.push((ended_ms, longest));
    }

    /// The number of calls in the longest chain.
    pub(super) fn longest(&self) -> u32 {
        self.ends.last().map_or(0, |(_, longest)| *longest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn depth(calls: &[(u64, u64)]) -> u32 {
        let mut depth = Depth::default();
        calls.iter().for_each(|(end, took)| depth.on(*end, *took));
        depth.longest()
    }

    #[test]
    fn calls_at_the_same_time_count_once() {
        assert_eq!(depth(&[]), 0);
        assert_eq!(depth(&[(10, 10), (20, 10), (35, 15)]), 3, "one after the other");
        assert_eq!(depth(&[(10, 10), (20, 12), (22, 10)]), 2, "the second began before the first ended");
        assert_eq!(depth(&[(10, 10), (30, 20), (31, 20), (32, 22), (40, 8)]), 3, "three at a time");
        assert_eq!(depth(&[(10, 10), (12, 1), (14, 1), (30, 30)]), 3, "a long call beside a chain");
        assert_eq!(depth(&[(5, 900)]), 1, "a clock that does not agree");
    }

    proptest! {
        /// The chain is the longest that there is: the same as by looking at all pairs.
        #[test]
        fn it_is_the_longest_chain(mut calls in prop::collection::vec((0..60_u64, 1..20_u64), 0..20)) {
            calls.sort_unstable();
            let mut chains: Vec<u32> = Vec::new();
            for (n, (end, took)) in calls.iter().enumerate() {
                let began = end.saturating_sub(*took);
                let before = (0..n).filter(|m| calls[*m].0 <= began).map(|m| chains[m]).max();
                chains.push(before.unwrap_or(0) + 1);
            }
            prop_assert_eq!(depth(&calls), chains.into_iter().max().unwrap_or(0));
        }
    }
}
