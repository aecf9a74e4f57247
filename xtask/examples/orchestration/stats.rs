//! Medians, quantiles, and the processor time of this process.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The middle of the values; 0 of none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match (sorted.len() % 2, sorted.get(middle), middle.checked_sub(1).and_then(|before| sorted.get(before)))
    {
        (0, Some(right), Some(left)) => (left + right) / 2.0,
        (_, Some(value), _) => *value,
        _ => 0.0,
    }
}

/// The value that this share of the values does not exceed; 0 of none.
pub(crate) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

/// The median of the ratios within the rounds: a busy moment slows both sides of a round.
pub(crate) fn ratio(ours: &[f64], floor: &[f64]) -> f64 {
    median(&ours.iter().zip(floor).map(|(ours, floor)| ours / floor).collect::<Vec<_>>())
}

/// Processor time that this process has used, children aside.
pub(crate) fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// A duration in milliseconds.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
