//! The only retry policy. Nothing else in artoo repeats a model call: hidden retry layers multiply.

use std::time::Duration;

/// How often and how long a failed call is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Total requests, including the first. 1 means no retries; 0 counts as 1.
    pub attempts: u32,
    /// Upper bound of the first wait. Each later wait may be twice as long as the one before.
    pub base: Duration,
    /// Upper bound of the waits that this policy chooses by itself. A server's `Retry-After` may ask for
    /// more.
    pub max_delay: Duration,
    /// Time from the start of the first request after which no further one starts, including waits.
    pub budget: Duration,
}

impl RetryPolicy {
    /// Never retries.
    pub const NONE: Self =
        Self { attempts: 1, base: Duration::ZERO, max_delay: Duration::ZERO, budget: Duration::ZERO };
}

/// Four requests, waits of up to 0.5, 1 and 2 seconds, all within 90 seconds.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            base: Duration::from_millis(500),
            max_delay: Duration::from_secs(20),
            budget: Duration::from_secs(90),
        }
    }
}

/// How an attempt failed, as far as the decision depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No connection, or it broke before the first byte of an answer.
    Connection,
    /// No first byte within the timeout.
    FirstByte,
    /// The connection broke, or the stream ended early, after the first byte.
    ///
    /// Retried: nothing of a broken answer reached the caller, so asking again only costs tokens.
    Broken,
    /// Silence after the first byte. Not retried: a stuck server stays stuck, and the user has waited enough.
    Idle,
    /// An error status.
    Status {
        /// The HTTP status code.
        status: u16,
        /// The wait requested by `Retry-After`.
        retry_after: Option<Duration>,
        /// The server's own statement about retrying (`x-should-retry`, or an error code such as
        /// `insufficient_quota`). It overrides the status.
        verdict: Option<bool>,
    },
    /// A response that violates the protocol. Not retried: the address is wrong, or the server is.
    Protocol,
}

/// In artoo's words: a server's message may repeat the request.
impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Connection => f.write_str("no connection"),
            Self::FirstByte => f.write_str("no first byte in time"),
            Self::Broken => f.write_str("the answer broke off"),
            Self::Idle => f.write_str("the answer stopped"),
            Self::Status { status, .. } => write!(f, "status {status}"),
            Self::Protocol => f.write_str("no answer of the protocol"),
        }
    }
}

/// What to do after a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryDecision {
    /// Retry after this wait.
    Retry(Duration),
    /// Return the error to the caller.
    Stop(GiveUp),
}

/// Why there is no further attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiveUp {
    /// Failures of this kind are permanent.
    Permanent,
    /// All attempts are used.
    Attempts,
    /// The next attempt would start after the budget's end.
    Budget,
}

/// Decides what follows the failure of attempt number `made` (1 is the first), `spent` after the start of the
/// first one.
///
/// The wait grows exponentially; `jitter` (a random number in `0.0..=1.0`, clamped) spreads it over its upper
/// half, so that callers that failed together do not return together. A `Retry-After` of the server is
/// respected: it is waited in full, or, if it exceeds the budget, not at all.
/// ```
/// use std::time::Duration;
/// use artoo_llm_client::{next_delay, RetryDecision, Failure, GiveUp, RetryPolicy};
///
/// let policy = RetryPolicy::default();
/// let busy = Failure::Status { status: 503, retry_after: None, verdict: None };
/// assert_eq!(next_delay(&policy, busy, 2, Duration::ZERO, 1.0), RetryDecision::Retry(Duration::from_secs(1)));
/// assert_eq!(next_delay(&policy, busy, 4, Duration::ZERO, 1.0), RetryDecision::Stop(GiveUp::Attempts));
/// let denied = Failure::Status { status: 401, retry_after: None, verdict: None };
/// assert_eq!(next_delay(&policy, denied, 1, Duration::ZERO, 1.0), RetryDecision::Stop(GiveUp::Permanent));
/// ```
pub fn next_delay(
    policy: &RetryPolicy,
    failure: Failure,
    made: u32,
    spent: Duration,
    jitter: f64,
) -> RetryDecision {
    let Some(asked) = passing(failure) else {
        return RetryDecision::Stop(GiveUp::Permanent);
    };
    if made >= policy.attempts.max(1) {
        return RetryDecision::Stop(GiveUp::Attempts);
    }
    let own = backoff(policy, made, jitter);
    // Jitter on top of the requested wait would only make it longer than requested.
    let delay = asked.map_or(own, |asked| asked.max(own.min(policy.base)));
    if spent.saturating_add(delay) >= policy.budget {
        return RetryDecision::Stop(GiveUp::Budget);
    }
    RetryDecision::Retry(delay)
}

/// `None` if the failure is permanent; otherwise the wait that the server asked for, if any.
fn passing(failure: Failure) -> Option<Option<Duration>> {
    match failure {
        Failure::Connection | Failure::FirstByte | Failure::Broken => Some(None),
        Failure::Idle | Failure::Protocol => None,
        Failure::Status { status, retry_after, verdict } => {
            verdict.unwrap_or_else(|| passing_status(status)).then_some(retry_after)
        }
    }
}

/// The statuses that both vendors' own clients retry: timeouts, lock conflicts, too early, rate limits, and
/// failing servers or gateways (529 is Anthropic's "overloaded").
fn passing_status(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
}

fn backoff(policy: &RetryPolicy, made: u32, jitter: f64) -> Duration {
    let doublings = made.saturating_sub(1).min(31);
    let full = policy.base.saturating_mul(1 << doublings).min(policy.max_delay);
    let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 1.0 };
    full.mul_f64(0.5 + jitter / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn status(status: u16) -> Failure {
        Failure::Status { status, retry_after: None, verdict: None }
    }

    #[test]
    fn which_statuses_pass() {
        let policy = RetryPolicy::default();
        let retried: Vec<u16> = (100..600)
            .filter(|code| {
                matches!(next_delay(&policy, status(*code), 1, Duration::ZERO, 0.5), RetryDecision::Retry(_))
            })
            .collect();
        assert_eq!(retried, [408, 409, 425, 429, 500, 502, 503, 504, 529]);
    }

    #[test]
    fn the_kinds_of_failure() {
        let policy = RetryPolicy::default();
        let check = |failure: Failure, retried: bool| {
            let decision = next_delay(&policy, failure, 1, Duration::ZERO, 1.0);
            assert_eq!(matches!(decision, RetryDecision::Retry(_)), retried, "{failure:?}");
        };
        check(Failure::Connection, true);
        check(Failure::FirstByte, true);
        check(Failure::Broken, true);
        check(Failure::Idle, false);
        check(Failure::Protocol, false);
        check(Failure::Status { status: 429, retry_after: None, verdict: Some(false) }, false);
        check(Failure::Status { status: 400, retry_after: None, verdict: Some(true) }, true);
    }

    #[test]
    fn a_server_is_obeyed_or_left() {
        let policy = RetryPolicy::default();
        let after = |seconds| Failure::Status {
            status: 429,
            retry_after: Some(Duration::from_secs(seconds)),
            verdict: None,
        };
        let decide = |failure, spent| next_delay(&policy, failure, 1, Duration::from_secs(spent), 0.0);
        assert_eq!(
            decide(after(30), 0),
            RetryDecision::Retry(Duration::from_secs(30)),
            "longer than max_delay"
        );
        assert_eq!(
            decide(after(0), 0),
            RetryDecision::Retry(Duration::from_millis(250)),
            "but never a busy loop"
        );
        assert_eq!(decide(after(30), 60), RetryDecision::Stop(GiveUp::Budget));
        assert_eq!(decide(after(3600), 0), RetryDecision::Stop(GiveUp::Budget));
    }

    #[test]
    fn a_slow_server_is_not_waited_for_twice() {
        let spent = Duration::from_secs(120);
        let decision = next_delay(&RetryPolicy::default(), Failure::FirstByte, 1, spent, 0.0);
        assert_eq!(decision, RetryDecision::Stop(GiveUp::Budget));
    }

    proptest! {
        #[test]
        fn never_beyond_the_policy(
            attempts in 0_u32..6, base in 0_u64..5_000, max in 0_u64..10_000, budget in 0_u64..60_000,
            jitter in any::<f64>(), takes in prop::collection::vec(0_u64..20_000, 10), asked in prop::option::of(0_u64..40_000),
        ) {
            let ms = Duration::from_millis;
            let policy = RetryPolicy { attempts, base: ms(base), max_delay: ms(max), budget: ms(budget) };
            let failure = Failure::Status { status: 503, retry_after: asked.map(ms), verdict: None };
            let (mut spent, mut made) = (Duration::ZERO, 0);
            loop {
                prop_assert!(made == 0 || spent < policy.budget, "an attempt started beyond the budget");
                spent += ms(takes.get(made as usize).copied().unwrap_or(0));
                made += 1;
                match next_delay(&policy, failure, made, spent, jitter) {
                    RetryDecision::Retry(delay) => {
                        prop_assert!(asked.is_some() || delay <= policy.max_delay);
                        prop_assert!(asked.is_none_or(|asked| delay >= ms(asked)));
                        spent += delay;
                    }
                    RetryDecision::Stop(_) => break,
                }
            }
            prop_assert!(made <= attempts.max(1));
        }
    }
}
