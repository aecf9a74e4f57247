//! Decisions about a command, and the rules behind them.

/// Whether a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Runs without a question.
    Allow,
    /// The user is asked. Without a user the answer is no.
    Ask,
    /// Does not run, even with consent.
    Deny,
}

/// The rule behind a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// Protected places are never touched.
    ProtectedPlace,
    /// The user allows no changes.
    ReadOnlyMode,
    /// Changing, deleting and sending data off the machine needs consent.
    ConsentToChange,
    /// Unknown effects need consent.
    ConsentToTheUnknown,
}

impl Permission {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl DecidedBy {
    /// The name in `--json`.
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
