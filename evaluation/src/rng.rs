//! Seeded random numbers, so that generated files are reproducible.

/// A random number generator (splitmix64).
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    state: u64,
}

impl Draw {
    /// The generator with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut drawn = self.state;
        drawn = (drawn ^ (drawn >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        drawn = (drawn ^ (drawn >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        drawn ^= drawn >> 31;
        drawn.checked_rem(bound).unwrap_or_default()
    }

    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// One of these items; the default if there are none.
    pub(crate) fn one_of<T: Copy + Default>(&mut self, items: &[T]) -> T {
        let at = usize::try_from(self.below(items.len() as u64)).unwrap_or_default();
        items.get(at).copied().unwrap_or_default()
    }

    /// Shuffles the items (Fisher-Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = usize::try_from(self.below((at as u64).saturating_add(1))).unwrap_or_default();
            items.swap(at, other);
        }
    }
}
