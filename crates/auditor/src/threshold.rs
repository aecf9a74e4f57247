//! Where the watches draw their lines. A report is only worth something where its reader can know why it speaks.

use std::time::Duration;

/// How often the auditor reports by itself. Source: specification v0.8, R6: a five-minute timer.
pub const PERIOD: Duration = Duration::from_secs(300);

/// A run without a final result counts as lost when nothing was heard of it for so long. Source: ours; longer than any silence
/// that the runtime allows, also for a model on this machine's CPU (`Deadlines::patient`: an attempt of 75 minutes), so that a slow run
/// is not called lost. A test of the runtime compares the two.
pub const SILENCE: Duration = Duration::from_secs(90 * 60);

/// A change of `alpha * D + beta * P` of no more than this is no change. Source: specification v0.8, plateau threshold epsilon.
pub const PLATEAU: f64 = 0.1;

/// A run oscillates when it turned at least once and kept less than this part of the way that it went. Source: ours; with at
/// most four rounds a run has three steps, so a count of turns alone would call one bad round an oscillation.
pub const KEPT_WAY: f64 = 0.5;

/// So many rounds whose loss did not fall are no improvement. Source: specification v0.6, R6, "repeated replanning without
/// improvement": two replans.
pub const FRUITLESS_ROUNDS: usize = 3;

/// So many `break_symmetry` directives in a row without D falling are thrashing. Source: specification v0.8, R6.
pub const THRASHING_DIRECTIVES: usize = 2;

/// Below so many calls a rate of failures says nothing. Source: ours.
pub const ENOUGH_CALLS: u64 = 5;

/// A tool or a model that fails in this share of its calls is failing. Source: ours.
pub const FAILING_SHARE: f64 = 0.5;

/// A model of whose answers this share lacks the shape that was asked for costs a repair in every fourth call. Source: ours;
/// lesson 87 wants the rate seen at all.
pub const UNUSABLE_SHARE: f64 = 0.25;

/// A role is compared with its history where that has so many cases. Source: ours; lesson N21: an alarm from five cases was
/// noise.
pub const DRIFT_HISTORY: u64 = 30;

/// And where there are so many cases to compare with it.
pub const DRIFT_CASES: u64 = 10;

/// Without a window, so many of a role's last cases are compared with those before.
pub const DRIFT_RECENT: usize = 20;

/// The two shares must differ by this much.
pub const DRIFT_SHIFT: f64 = 0.2;

/// And by so many standard errors of their difference. Source: ours; at three, chance alone gives one alarm in 370 comparisons.
pub const DRIFT_ERRORS: f64 = 3.0;

/// So many findings of a kind are listed; more are counted. Source: ours; a report is a message and must stay one.
pub const LISTED: usize = 100;

/// So many tools and so many models are counted by name; a model can invent names without end. Source: ours.
pub const NAMES: usize = 64;
