//! Paired comparison of two conditions for the same requests.

/// The same requests under two conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Paired {
    /// The number of requests.
    pub pairs: usize,
    /// The sum under the first condition.
    pub first: f64,
    /// The sum under the second.
    pub second: f64,
    /// The number of requests that cost less under the first.
    pub less: usize,
    /// The number that cost more.
    pub more: usize,
    /// The change from second to first in percent of the second, with its 95 % confidence interval; `None` if
    /// the second is 0.
    pub change: Option<Change>,
    /// The probability of a split at least as uneven as `less` and `more` under a fair coin (exact,
    /// two-sided).
    pub p: f64,
}

/// A change in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    /// The estimate.
    pub percent: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Compares pairs of figures.
pub(super) fn paired(pairs: &[(f64, f64)]) -> Paired {
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
    let (first, second) = (sum(&|pair| pair.0), sum(&|pair| pair.1));
    let less = pairs.iter().filter(|(first, second)| first < second).count();
    let more = pairs.iter().filter(|(first, second)| first > second).count();
    Paired { pairs: pairs.len(), first, second, less, more, change: change(pairs), p: sign_test(less, more) }
}

/// By the normal approximation of the mean difference, in percent of the mean of the second.
fn change(pairs: &[(f64, f64)]) -> Option<Change> {
    const NORMAL_95: f64 = 1.96;
    let n = pairs.len() as f64;
    let base = pairs.iter().map(|(_, second)| second).sum::<f64>() / n;
    if pairs.len() < 2 || base == 0.0 {
        return None;
    }
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| first - second).collect();
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let reach = NORMAL_95 * (variance / n).sqrt();
    let percent = |difference: f64| 100.0 * difference / base;
    // A non-negative value cannot fall by more than 100 %.
    let low = percent(mean - reach).max(-100.0);
    Some(Change { percent: percent(mean), low, high: percent(mean + reach) })
}

/// The exact two-sided sign test: the probability of `a` and `b`, or of a more uneven split, under a fair
/// coin.
fn sign_test(a: usize, b: usize) -> f64 {
    let (n, fewer) = (a.saturating_add(b), a.min(b));
    let mut ways = 1.0;
    let mut tail = 0.0;
    for k in 0..=fewer {
        tail += ways;
        ways *= n.saturating_sub(k) as f64 / k.saturating_add(1) as f64;
    }
    (2.0 * tail / 2.0_f64.powi(i32::try_from(n).unwrap_or(i32::MAX))).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_test_is_exact() {
        for ((a, b), p) in [
            ((0, 0), 1.0),
            ((1, 0), 1.0),
            ((6, 0), 0.03125),
            ((0, 6), 0.03125),
            ((9, 1), 22.0 / 1024.0),
            ((5, 5), 1.0),
        ] {
            assert!((sign_test(a, b) - p).abs() < 1e-12, "{a} and {b}: {}", sign_test(a, b));
        }
        assert!(sign_test(114, 0) < 1e-30);
    }

    #[test]
    fn a_change_has_its_bounds() {
        let same = paired(&[(3.0, 3.0), (4.0, 4.0)]);
        assert_eq!(same.change, Some(Change { percent: 0.0, low: 0.0, high: 0.0 }));
        assert_eq!((same.less, same.more, same.p), (0, 0, 1.0));
        let halved = paired(&[(2.0, 4.0), (1.0, 2.0), (3.0, 6.0)]);
        let change = halved.change.unwrap();
        assert!(
            (change.percent + 50.0).abs() < 1e-9 && change.low < -50.0 && change.high < 0.0,
            "{change:?}"
        );
        assert_eq!((halved.first, halved.second, halved.less, halved.more), (6.0, 12.0, 3, 0));
        assert_eq!(paired(&[(1.0, 0.0), (2.0, 0.0)]).change, None, "of nothing there is no percentage");
        assert_eq!(paired(&[]).change, None);
    }
}
