//! Why a host did not do what it was asked.

/// What kind of problem it is. A front end maps it to an error of its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostErrorKind {
    /// The request names something that does not exist or cannot be used: a folder, a session, a run.
    Invalid,
    /// No model is configured.
    NoModel,
    /// The configuration, a disk or a server failed.
    Failed,
    /// The host has ended.
    Gone,
}

/// A host did not do what it was asked.
///
/// ```
/// use artoo_front_end::{HostError, HostErrorKind};
///
/// let error = HostError::new(HostErrorKind::Invalid, "no session is named 7").hint("list the sessions");
/// assert_eq!(error.to_string(), "no session is named 7 (list the sessions)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", in_brackets(.hint.as_deref()))]
pub struct HostError {
    /// The kind.
    pub kind: HostErrorKind,
    /// What failed, on what, and why.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl HostError {
    /// An error without a hint.
    pub fn new(kind: HostErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

fn in_brackets(hint: Option<&str>) -> String {
    hint.map(|hint| format!(" ({hint})")).unwrap_or_default()
}
