//! File format of one recorded call.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::cassette::Redaction;
use crate::{Completion, LlmError, ModelProfile, Request, Usage};

/// Version of the file format; a reader refuses others.
pub(super) const FORMAT: u32 = 1;

/// One recorded call, redacted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Recording {
    pub(super) format: u32,
    pub(super) model: String,
    pub(super) structured: bool,
    /// Older recordings have none; the default applies.
    #[serde(default)]
    pub(super) profile: ModelProfile,
    /// For human readers; calls are found by file name.
    pub(super) request: Value,
    pub(super) outcome: Outcome,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Completion(Value),
    Error(RecordedError),
}

impl Outcome {
    pub(super) fn of(
        result: &Result<Completion, LlmError>,
        redaction: &Redaction,
    ) -> Result<Self, serde_json::Error> {
        Ok(match result {
            Ok(completion) => Self::Completion(redacted(completion, redaction)?),
            Err(error) => {
                let recorded = serde_json::to_value(RecordedError::of(error))?;
                Self::Error(serde_json::from_value(redacted(&recorded, redaction)?)?)
            }
        })
    }
}

/// `value` as redacted JSON.
pub(super) fn redacted(value: &impl Serialize, redaction: &Redaction) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(value)?;
    redaction.apply_to(&mut value);
    Ok(value)
}

/// The name under which calls with this (redacted) request are filed: 16 hexadecimal digits of a SHA-256.
pub(super) fn key(redacted_request: &Value) -> String {
    let mut digest = hex::encode(Sha256::digest(redacted_request.to_string()));
    digest.truncate(16);
    digest
}

/// The name of the file of the `ordinal`th call (from 0) with this key.
pub(super) fn file_name(key: &str, ordinal: usize) -> String {
    format!("{key}-{ordinal:03}.json")
}

/// The redacted request and its key.
pub(super) fn redacted_request(
    request: &Request,
    redaction: &Redaction,
) -> Result<(Value, String), serde_json::Error> {
    let value = redacted(request, redaction)?;
    let key = key(&value);
    Ok((value, key))
}

/// [`LlmError`] as data. A separate type, so that the error can change without breaking old recordings.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum RecordedError {
    Unreachable {
        url: String,
        reason: String,
        #[serde(default)]
        usage: Usage,
    },
    TimedOut {
        url: String,
        phase: String,
        waited_ms: u64,
        #[serde(default)]
        usage: Usage,
    },
    Status {
        url: String,
        status: u16,
        message: String,
        #[serde(default)]
        usage: Usage,
    },
    NoCredit {
        url: String,
        status: u16,
        message: String,
        #[serde(default)]
        usage: Usage,
    },
    Protocol {
        url: String,
        reason: String,
        #[serde(default)]
        usage: Usage,
    },
    Unusable {
        model: String,
        schema: String,
        reason: String,
    },
    Engine {
        model: String,
        reason: String,
    },
    TooLong {
        model: String,
        tokens: Option<usize>,
        limit: Option<usize>,
        #[serde(default)]
        said: String,
    },
    Configuration {
        reason: String,
    },
    Unscripted {
        reason: String,
    },
}

impl RecordedError {
    fn of(error: &LlmError) -> Self {
        match error {
            LlmError::Unreachable { url, reason, usage } => {
                Self::Unreachable { url: url.clone(), reason: reason.clone(), usage: *usage }
            }
            LlmError::TimedOut { url, phase, waited, usage } => Self::TimedOut {
                url: url.clone(),
                phase: (*phase).to_owned(),
                waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
                usage: *usage,
            },
            LlmError::Status { url, status, message, usage } => {
                Self::Status { url: url.clone(), status: *status, message: message.clone(), usage: *usage }
            }
            LlmError::NoCredit { url, status, message, usage } => {
                Self::NoCredit { url: url.clone(), status: *status, message: message.clone(), usage: *usage }
            }
            LlmError::Protocol { url, reason, usage } => {
                Self::Protocol { url: url.clone(), reason: reason.clone(), usage: *usage }
            }
            LlmError::Unusable { model, schema, reason } => {
                Self::Unusable { model: model.clone(), schema: schema.clone(), reason: reason.clone() }
            }
            LlmError::Engine { model, reason } => {
                Self::Engine { model: model.clone(), reason: reason.clone() }
            }
            LlmError::TooLong { model, tokens, limit, said } => {
                Self::TooLong { model: model.clone(), tokens: *tokens, limit: *limit, said: said.clone() }
            }
            LlmError::Configuration { reason } => Self::Configuration { reason: reason.clone() },
            LlmError::Unscripted { reason } => Self::Unscripted { reason: reason.clone() },
        }
    }

    pub(super) fn into_error(self) -> LlmError {
        match self {
            Self::Unreachable { url, reason, usage } => LlmError::Unreachable { url, reason, usage },
            Self::TimedOut { url, phase, waited_ms, usage } => LlmError::TimedOut {
                url,
                phase: known_phase(&phase),
                waited: Duration::from_millis(waited_ms),
                usage,
            },
            Self::Status { url, status, message, usage } => LlmError::Status { url, status, message, usage },
            Self::NoCredit { url, status, message, usage } => {
                LlmError::NoCredit { url, status, message, usage }
            }
            Self::Protocol { url, reason, usage } => LlmError::Protocol { url, reason, usage },
            Self::Unusable { model, schema, reason } => LlmError::Unusable { model, schema, reason },
            Self::Engine { model, reason } => LlmError::Engine { model, reason },
            Self::TooLong { model, tokens, limit, said } => LlmError::TooLong { model, tokens, limit, said },
            Self::Configuration { reason } => LlmError::Configuration { reason },
            Self::Unscripted { reason } => LlmError::Unscripted { reason },
        }
    }
}

/// Maps a timeout phase to its constant; unknown ones are not restored.
fn known_phase(phase: &str) -> &'static str {
    const PHASES: [&str; 2] = ["sent no first byte", "stopped sending"];
    PHASES.into_iter().find(|known| *known == phase).unwrap_or("was silent")
}
