//! How long a server may be silent: as configured, or as fits its place.

use std::time::Duration;

use artoo_llm_client::ModelProfile;
use reqwest::Url;

use crate::Timeouts;
use crate::base_url::is_near;

/// The time-outs of one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// For a connection.
    pub(crate) connect: Duration,
    /// Until the first byte of a response.
    pub(crate) first_byte: Duration,
    /// Between two pieces of it.
    pub(crate) idle: Duration,
}

impl Patience {
    /// For a model at `url`. What is said of the model counts before what is said of all models, and that
    /// before the default for the server's place.
    pub(crate) fn with_model(timeouts: Timeouts, profile: &ModelProfile, url: &Url) -> Self {
        let of_model = profile.silence_seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let Self { connect, first_byte, idle } = Self::with_server(timeouts, url);
        Self { connect, first_byte: of_model.unwrap_or(first_byte), idle: of_model.unwrap_or(idle) }
    }

    /// For a server at `url`.
    pub(crate) fn with_server(timeouts: Timeouts, url: &Url) -> Self {
        let usual = if is_near(url) { ModelProfile::LOCAL_SILENCE } else { ModelProfile::DEFAULT_SILENCE };
        Self {
            connect: timeouts.connect,
            first_byte: timeouts.first_byte.unwrap_or(usual),
            idle: timeouts.idle.unwrap_or(usual),
        }
    }

    /// The longest silence, in whole seconds.
    pub(crate) fn silence_seconds(&self) -> u32 {
        let longest = self.first_byte.max(self.idle);
        let seconds = longest.as_secs().saturating_add(u64::from(longest.subsec_nanos() > 0));
        u32::try_from(seconds.max(1)).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTED: &str = "https://api.example.com/v1";

    fn silence(timeouts: Timeouts, seconds: Option<u32>, url: &str) -> (u64, u64, u32) {
        let profile = ModelProfile { silence_seconds: seconds, ..ModelProfile::default() };
        let patience = Patience::with_model(timeouts, &profile, &Url::parse(url).unwrap());
        (patience.first_byte.as_secs(), patience.idle.as_secs(), patience.silence_seconds())
    }

    #[test]
    fn a_model_that_thinks_is_waited_for() {
        let usual = Timeouts::default();
        assert_eq!(silence(usual, None, HOSTED), (300, 300, 300));
        for near in
            ["http://localhost:1234/v1", "http://127.0.0.1", "http://192.168.1.7:8000", "http://ollama:11434"]
        {
            assert_eq!(silence(usual, None, near), (1800, 1800, 1800), "{near}");
        }
        assert_eq!(silence(usual, Some(900), HOSTED), (900, 900, 900));
        let said = Timeouts { first_byte: Some(Duration::from_millis(400)), ..usual };
        assert_eq!(silence(said, None, HOSTED), (0, 300, 300));
        assert_eq!(silence(said, Some(900), HOSTED), (900, 900, 900), "what is said of the model counts");
        let short = Some(Duration::from_millis(400));
        let said = Timeouts { first_byte: short, idle: short, ..usual };
        assert_eq!(silence(said, None, HOSTED).2, 1, "a silence of no time would end every call");
    }
}
