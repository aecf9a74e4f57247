//! The decisions about a command, and the rules that they follow.

/// Whether a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// It runs without a question.
    Allow,
    /// A person is asked. Without one the answer is no.
    Ask,
    /// It does not run, whoever says yes.
    Deny,
}

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// What is protected is not touched.
    ProtectedPlace,
    /// The user allows no changes.
    ReadOnlyMode,
    /// What changes, goes or leaves the machine needs consent.
    ConsentToChange,
    /// What cannot be known needs consent.
    ConsentToTheUnknown,
}

impl Permission {
    /// Its name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl DecidedBy {
    /// Its name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ProtectedPlace => "protected-place",
            Self::ReadOnlyMode => "read-only-mode",
            Self::ConsentToChange => "consent-to-change",
            Self::ConsentToTheUnknown => "consent-to-the-unknown",
        }
    }

    /// The rule in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ProtectedPlace => "nobody's yes opens a protected place",
            Self::ReadOnlyMode => "the sandbox mode allows no changes",
            Self::ConsentToChange => {
                "what was there before the run, and what is outside the machine, changes only with consent"
            }
            Self::ConsentToTheUnknown => "what cannot be known needs consent",
        }
    }
}
