//! Thresholds of the auditor's checks. They are public, since a reader of a report must be able to see why it
//! alerts.

use std::time::Duration;

/// Interval of periodic reports. Source: specification v0.8, R6: a five-minute timer.
pub const PERIOD: Duration = Duration::from_secs(300);

/// A run without a final result counts as lost after this time without messages. Source: ours; longer than
/// any silence that the runtime allows, also for a model on this machine's CPU (`Deadlines::patient`: an
/// attempt of 75 minutes), so that a slow run is not called lost. A test of the runtime compares the two.
pub const SILENCE: Duration = Duration::from_secs(90 * 60);

/// How long a message may be on its way to the log: what a killed process had published in its last moment may
/// be missing there. Source: ours; messages gather for 5 ms, and a busy machine takes its time.
pub const IN_FLIGHT: Duration = Duration::from_secs(1);

/// A smaller change of `alpha * D + beta * P` counts as no change. Source: specification v0.8, plateau
/// threshold epsilon.
pub const PLATEAU: f64 = 0.1;

/// A run oscillates if it reversed direction at least once and its net change is less than this part of its
/// path length. Source: ours; with at most four rounds a run has three steps, so a count of reversals alone
/// would call one bad round an oscillation.
pub const KEPT_WAY: f64 = 0.5;

/// This many rounds without a fall of the loss are no improvement. Source: specification v0.6, R6, "repeated
/// replanning without improvement": two replans.
pub const FRUITLESS_ROUNDS: usize = 3;

/// This many consecutive `break_symmetry` directives without a fall of D are thrashing. Source: specification
/// v0.8, R6.
pub const THRASHING_DIRECTIVES: usize = 2;

/// Minimum number of calls for a meaningful failure rate. Source: ours.
pub const ENOUGH_CALLS: u64 = 5;

/// A tool or a model with at least this failure rate is failing. Source: ours.
pub const FAILING_SHARE: f64 = 0.5;

/// Threshold of a model's rate of answers in the wrong shape; at this rate every fourth call costs a repair.
/// Source: ours; lesson 87 wants the rate seen at all.
pub const UNUSABLE_SHARE: f64 = 0.25;

/// Minimum number of cases in a role's history for a comparison. Source: ours; lesson N21: an alarm from five
/// cases was noise.
pub const DRIFT_HISTORY: u64 = 30;

/// Minimum number of cases to compare with the history.
pub const DRIFT_CASES: u64 = 10;

/// Without a window, this many of a role's last cases are compared with those before.
pub const DRIFT_RECENT: usize = 20;

/// Minimum difference of the two rates.
pub const DRIFT_SHIFT: f64 = 0.2;

/// Minimum difference in standard errors. Source: ours; at three, chance alone gives one alarm in 370
/// comparisons.
pub const DRIFT_ERRORS: f64 = 3.0;

/// Maximum number of listed findings of a kind; the rest is counted. Source: ours; a report is a message and
/// must stay one.
pub const LISTED: usize = 100;

/// Maximum number of tools and of models counted by name; a model can invent any number of names. Source:
/// ours.
pub const NAMES: usize = 64;
