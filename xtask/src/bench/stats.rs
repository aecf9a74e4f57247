//! Medians, quantiles and ratios of measurements.

use std::time::Duration;

/// The median of the values; 0 without values.
pub fn median(values: &[f64]) -> f64 {
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

/// The value that this share of the values does not exceed; 0 without values.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

/// The median of the ratios within the rounds: a busy moment slows both sides of a round.
pub fn ratio(ours: &[f64], floor: &[f64]) -> f64 {
    median(&ours.iter().zip(floor).map(|(ours, floor)| ours / floor).collect::<Vec<_>>())
}

/// A duration in milliseconds.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_the_slow_ones_and_what_there_is_none_of() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!((median(&values), median(&[7.0]), median(&[])), (2.5, 7.0, 0.0));
        assert_eq!((quantile(&values, 0.5), quantile(&values, 0.95), quantile(&[], 0.95)), (2.0, 4.0, 0.0));
        assert_eq!(quantile(&values, 1.0), 4.0);
        assert_eq!(ratio(&[2.0, 9.0, 4.0], &[1.0, 3.0, 4.0]), 2.0);
        assert_eq!(ms(Duration::from_micros(1500)), 1.5);
    }
}
