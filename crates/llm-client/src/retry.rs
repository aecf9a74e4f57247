//! The only retry policy. Nothing else in artoo repeats a model call: hidden retry layers multiply.

use std::time::Duration;

use artoo_types::RetryReason;

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
    /// Upper bound of all waits between requests together.
    ///
    /// The requests themselves do not count: a model may think for minutes before a gateway gives up on it,
    /// and that call is to be made again. What they may take in vain is bounded by [`SILENCES`](Self::SILENCES)
    /// and [`attempts`](Self::attempts).
    pub budget: Duration,
}

impl RetryPolicy {
    /// Never retries.
    pub const NONE: Self =
        Self { attempts: 1, base: Duration::ZERO, max_delay: Duration::ZERO, budget: Duration::ZERO };

    /// How many requests of one call may end in silence. A silence is minutes long, and a server that was
    /// silent twice is stuck.
    pub const SILENCES: u32 = 2;
}

/// Four requests, waits of up to 0.5, 1 and 2 seconds; a server may ask for waits of 90 seconds together.
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
    /// Silence after the first byte.
    Idle,
    /// An answer in the protocol with something in it that is not: a torn event, an error without a reason, or
    /// nothing where an answer should be.
    ///
    /// Retried: servers and the gateways before them produce it in passing.
    Garbled,
    /// The server could not use what its model wrote (a call that is no call, JSON that is none).
    ///
    /// Retried: the next answer may be better.
    Generation,
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
    /// A response of another protocol, such as an HTML page, or one without an end. Not retried: the address
    /// is wrong, or the server is.
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
            Self::Garbled => f.write_str("a garbled answer"),
            Self::Generation => f.write_str("the server could not use what the model wrote"),
            Self::Status { status, .. } => write!(f, "status {status}"),
            Self::Protocol => f.write_str("no answer of the protocol"),
        }
    }
}

impl From<Failure> for RetryReason {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Connection => Self::NoConnection,
            Failure::FirstByte | Failure::Idle => Self::Silence,
            Failure::Broken => Self::BrokenOff,
            Failure::Garbled | Failure::Generation | Failure::Protocol => Self::Unusable,
            Failure::Status { status, .. } => Self::Status(status),
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
    /// The server was silent too often.
    Silence,
    /// The waits together would exceed the budget.
    Budget,
}

/// What a call has used up so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryState {
    /// Requests that failed.
    pub attempts: u32,
    /// Those of them that ended in silence.
    pub silences: u32,
    /// The waits between them.
    pub waited: Duration,
}

impl RetryState {
    /// Counts a failed request.
    pub fn failed(&mut self, failure: Failure) {
        self.attempts = self.attempts.saturating_add(1);
        if is_silence(failure) {
            self.silences = self.silences.saturating_add(1);
        }
    }

    /// Counts a wait.
    pub fn waited(&mut self, delay: Duration) {
        self.waited = self.waited.saturating_add(delay);
    }
}

/// Decides what follows a failure, after which the call has `spent` this much; the failure is counted in it.
///
/// The wait grows exponentially; `jitter` (a random number in `0.0..=1.0`, clamped) spreads it over its upper
/// half, so that callers that failed together do not return together. A `Retry-After` of the server is
/// respected: it is waited in full, or, if it exceeds the budget, not at all.
/// ```
/// use std::time::Duration;
/// use artoo_llm_client::{next_delay, RetryDecision, Failure, GiveUp, RetryPolicy, RetryState};
///
/// let policy = RetryPolicy::default();
/// let busy = Failure::Status { status: 503, retry_after: None, verdict: None };
/// let after = |attempts| RetryState { attempts, ..RetryState::default() };
/// assert_eq!(next_delay(&policy, busy, after(2), 1.0), RetryDecision::Retry(Duration::from_secs(1)));
/// assert_eq!(next_delay(&policy, busy, after(4), 1.0), RetryDecision::Stop(GiveUp::Attempts));
/// let denied = Failure::Status { status: 401, retry_after: None, verdict: None };
/// assert_eq!(next_delay(&policy, denied, after(1), 1.0), RetryDecision::Stop(GiveUp::Permanent));
/// ```
pub fn next_delay(policy: &RetryPolicy, failure: Failure, spent: RetryState, jitter: f64) -> RetryDecision {
    let Some(asked) = passing(failure) else {
        return RetryDecision::Stop(GiveUp::Permanent);
    };
    if spent.attempts >= policy.attempts.max(1) {
        return RetryDecision::Stop(GiveUp::Attempts);
    }
    if is_silence(failure) && spent.silences >= RetryPolicy::SILENCES {
        return RetryDecision::Stop(GiveUp::Silence);
    }
    let own = backoff(policy, spent.attempts, jitter);
    // Jitter on top of the requested wait would only make it longer than requested.
    let delay = asked.map_or(own, |asked| asked.max(own.min(policy.base)));
    if spent.waited.saturating_add(delay) > policy.budget {
        return RetryDecision::Stop(GiveUp::Budget);
    }
    RetryDecision::Retry(delay)
}

/// `None` if the failure is permanent; otherwise the wait that the server asked for, if any.
fn passing(failure: Failure) -> Option<Option<Duration>> {
    match failure {
        Failure::Connection
        | Failure::FirstByte
        | Failure::Broken
        | Failure::Idle
        | Failure::Garbled
        | Failure::Generation => Some(None),
        Failure::Protocol => None,
        Failure::Status { status, retry_after, verdict } => {
            verdict.unwrap_or_else(|| passing_status(status)).then_some(retry_after)
        }
    }
}

/// Whether the server said nothing for as long as it may.
fn is_silence(failure: Failure) -> bool {
    match failure {
        Failure::FirstByte | Failure::Idle => true,
        Failure::Connection
        | Failure::Broken
        | Failure::Garbled
        | Failure::Generation
        | Failure::Status { .. }
        | Failure::Protocol => false,
    }
}

/// The statuses that both vendors' own clients retry: timeouts, lock conflicts, too early, rate limits, and
/// every failure of a server or of a gateway before it (529 is Anthropic's "overloaded", 520 to 530 are
/// Cloudflare's). 501 says that the server will never do it.
fn passing_status(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429) || (status >= 500 && status != 501)
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

    fn after(attempts: u32) -> RetryState {
        RetryState { attempts, ..RetryState::default() }
    }

    #[test]
    fn which_statuses_pass() {
        let policy = RetryPolicy::default();
        let retried: Vec<u16> = (100..600)
            .filter(|code| {
                matches!(next_delay(&policy, status(*code), after(1), 0.5), RetryDecision::Retry(_))
            })
            .collect();
        let expected: Vec<u16> = [408, 409, 425, 429, 500].into_iter().chain(502..600).collect();
        assert_eq!(retried, expected);
    }

    #[test]
    fn the_kinds_of_failure() {
        let policy = RetryPolicy::default();
        let check = |failure: Failure, retried: bool| {
            let mut spent = RetryState::default();
            spent.failed(failure);
            let decision = next_delay(&policy, failure, spent, 1.0);
            assert_eq!(matches!(decision, RetryDecision::Retry(_)), retried, "{failure:?}");
        };
        check(Failure::Connection, true);
        check(Failure::FirstByte, true);
        check(Failure::Broken, true);
        check(Failure::Idle, true);
        check(Failure::Garbled, true);
        check(Failure::Generation, true);
        check(Failure::Protocol, false);
        check(Failure::Status { status: 429, retry_after: None, verdict: Some(false) }, false);
        check(Failure::Status { status: 400, retry_after: None, verdict: Some(true) }, true);
    }

    #[test]
    fn a_server_is_obeyed_or_left() {
        let policy = RetryPolicy::default();
        let asked = |seconds| Failure::Status {
            status: 429,
            retry_after: Some(Duration::from_secs(seconds)),
            verdict: None,
        };
        let decide = |failure, waited| {
            next_delay(&policy, failure, RetryState { waited: Duration::from_secs(waited), ..after(1) }, 0.0)
        };
        assert_eq!(
            decide(asked(30), 0),
            RetryDecision::Retry(Duration::from_secs(30)),
            "longer than max_delay"
        );
        assert_eq!(
            decide(asked(0), 0),
            RetryDecision::Retry(Duration::from_millis(250)),
            "but never a busy loop"
        );
        assert_eq!(decide(asked(30), 60), RetryDecision::Retry(Duration::from_secs(30)), "all of the budget");
        assert_eq!(decide(asked(31), 60), RetryDecision::Stop(GiveUp::Budget));
        assert_eq!(decide(asked(3600), 0), RetryDecision::Stop(GiveUp::Budget));
    }

    #[test]
    fn a_silent_server_is_asked_once_more_and_no_more() {
        for silence in [Failure::FirstByte, Failure::Idle] {
            let mut spent = RetryState::default();
            spent.failed(silence);
            let decision = next_delay(&RetryPolicy::default(), silence, spent, 0.0);
            assert!(matches!(decision, RetryDecision::Retry(_)), "{decision:?}");
            spent.failed(Failure::Status { status: 503, retry_after: None, verdict: None });
            spent.failed(silence);
            let decision = next_delay(&RetryPolicy::default(), silence, spent, 0.0);
            assert_eq!(decision, RetryDecision::Stop(GiveUp::Silence));
        }
    }

    proptest! {
        #[test]
        fn never_beyond_the_policy(
            attempts in 0_u32..6, base in 0_u64..5_000, max in 0_u64..10_000, budget in 0_u64..60_000,
            jitter in any::<f64>(), silent in prop::collection::vec(any::<bool>(), 10),
            asked in prop::option::of(0_u64..40_000),
        ) {
            let ms = Duration::from_millis;
            let policy = RetryPolicy { attempts, base: ms(base), max_delay: ms(max), budget: ms(budget) };
            let busy = Failure::Status { status: 503, retry_after: asked.map(ms), verdict: None };
            let mut spent = RetryState::default();
            for silent in silent {
                let failure = if silent { Failure::Idle } else { busy };
                spent.failed(failure);
                match next_delay(&policy, failure, spent, jitter) {
                    RetryDecision::Retry(delay) => {
                        let asked = asked.filter(|_| !silent);
                        prop_assert!(asked.is_some() || delay <= policy.max_delay);
                        prop_assert!(asked.is_none_or(|asked| delay >= ms(asked)));
                        spent.waited(delay);
                    }
                    RetryDecision::Stop(_) => break,
                }
            }
            prop_assert!(spent.waited <= policy.budget, "{spent:?}");
            prop_assert!(spent.attempts <= attempts.max(1));
            prop_assert!(spent.silences <= RetryPolicy::SILENCES);
        }
    }
}
