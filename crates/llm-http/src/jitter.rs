//! Random source for retry waits.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A source of numbers in `0.0..1.0` that spread retries in time.
#[derive(Clone)]
pub struct Jitter(Arc<dyn Fn() -> f64 + Send + Sync>);

impl Jitter {
    /// Numbers that differ from process to process. Not for secrets.
    pub fn random() -> Self {
        // The standard library seeds its hashers from the system, which is random enough for a wait.
        let (seed, count) = (RandomState::new(), AtomicU64::new(0));
        Self(Arc::new(move || {
            let bits = seed.hash_one(count.fetch_add(1, Ordering::Relaxed)) >> 11;
            bits as f64 / (1_u64 << 53) as f64
        }))
    }

    /// Always `value`: for tests.
    pub fn fixed(value: f64) -> Self {
        Self(Arc::new(move || value))
    }

    pub(crate) fn next(&self) -> f64 {
        (self.0)()
    }
}

impl fmt::Debug for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Jitter")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_in_range_and_differ() {
        let jitter = Jitter::random();
        let numbers: Vec<f64> = (0..1000).map(|_| jitter.next()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        let mean = numbers.iter().sum::<f64>() / 1000.0;
        assert!((0.4..0.6).contains(&mean), "{mean}");
    }
}
