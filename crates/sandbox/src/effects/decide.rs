//! From effects to a decision.

use crate::SandboxMode;

use super::found::{Class, Effects, Kind};

/// Whether a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
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
    /// Reading is free.
    ReadingIsFree,
    /// New files where creating is free.
    NewFilesAreFree,
    /// What changes, goes or leaves the machine needs consent.
    ConsentToChange,
    /// What cannot be known needs consent.
    ConsentToTheUnknown,
}

/// A decision and its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruling {
    /// Whether the command may run.
    pub decision: Decision,
    /// Why.
    pub by: DecidedBy,
}

impl Decision {
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
            Self::ReadingIsFree => "reading-is-free",
            Self::NewFilesAreFree => "new-files-are-free",
            Self::ConsentToChange => "consent-to-change",
            Self::ConsentToTheUnknown => "consent-to-the-unknown",
        }
    }

    /// The rule in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ProtectedPlace => "nobody's yes opens a protected place",
            Self::ReadOnlyMode => "the sandbox mode allows no changes",
            Self::ReadingIsFree => "reading is free",
            Self::NewFilesAreFree => "new files in the workspace or the working folder are free",
            Self::ConsentToChange => {
                "what was there before the run, and what is outside the machine, changes only with consent"
            }
            Self::ConsentToTheUnknown => "what cannot be known needs consent",
        }
    }
}

/// Decides by effects alone: not by the name of a program, not by who wrote the command. The strictest rule wins.
///
/// ```
/// use artoo_sandbox::{DecidedBy, Decision, Effects, Ruling, SandboxMode, decide};
///
/// let nothing = Effects::default();
/// let ruling = decide(&nothing, SandboxMode::WorkspaceWrite);
/// assert_eq!(ruling, Ruling { decision: Decision::Allow, by: DecidedBy::ReadingIsFree });
/// ```
pub fn decide(effects: &Effects, mode: SandboxMode) -> Ruling {
    let ruling = |decision, by| Ruling { decision, by };
    if !effects.protected.is_empty() {
        return ruling(Decision::Deny, DecidedBy::ProtectedPlace);
    }
    let changes =
        [Kind::Creates, Kind::Overwrites, Kind::Deletes].iter().any(|kind| !effects.of(*kind).is_empty());
    if changes && mode == SandboxMode::ReadOnly {
        return ruling(Decision::Deny, DecidedBy::ReadOnlyMode);
    }
    match effects.class() {
        Class::ReadOnly => ruling(Decision::Allow, DecidedBy::ReadingIsFree),
        Class::Reversible => ruling(Decision::Allow, DecidedBy::NewFilesAreFree),
        Class::Irreversible => ruling(Decision::Ask, DecidedBy::ConsentToChange),
        Class::Unknown => ruling(Decision::Ask, DecidedBy::ConsentToTheUnknown),
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::Cause;
    use super::*;

    fn one(kind: Kind) -> Effects {
        let mut effects = Effects { creates_only_where_free: true, ..Effects::default() };
        effects.of_mut(kind).push(Cause { what: "x".into(), word: "x".into(), why: "x".into() });
        effects
    }

    #[test]
    fn each_kind_of_effect_has_its_rule() {
        use DecidedBy::{ConsentToChange, ConsentToTheUnknown, NewFilesAreFree, ReadOnlyMode, ReadingIsFree};
        let table = [
            (Kind::Reads, ReadingIsFree, ReadingIsFree),
            (Kind::Runs, ReadingIsFree, ReadingIsFree),
            (Kind::Creates, NewFilesAreFree, ReadOnlyMode),
            (Kind::Overwrites, ConsentToChange, ReadOnlyMode),
            (Kind::Deletes, ConsentToChange, ReadOnlyMode),
            (Kind::OutsideMachine, ConsentToChange, ConsentToChange),
            (Kind::Privilege, ConsentToChange, ConsentToChange),
            (Kind::Network, ConsentToTheUnknown, ConsentToTheUnknown),
            (Kind::Unknown, ConsentToTheUnknown, ConsentToTheUnknown),
        ];
        for (kind, usual, read_only) in table {
            assert_eq!(decide(&one(kind), SandboxMode::WorkspaceWrite).by, usual, "{kind:?}");
            assert_eq!(decide(&one(kind), SandboxMode::FullAccess).by, usual, "{kind:?}");
            assert_eq!(decide(&one(kind), SandboxMode::ReadOnly).by, read_only, "{kind:?}");
        }
    }

    #[test]
    fn what_is_protected_outweighs_all() {
        let mut effects = one(Kind::Unknown);
        effects.protected.push(Cause { what: "x".into(), word: "x".into(), why: "x".into() });
        let ruling = decide(&effects, SandboxMode::FullAccess);
        assert_eq!(ruling, Ruling { decision: Decision::Deny, by: DecidedBy::ProtectedPlace });
    }

    #[test]
    fn what_is_made_elsewhere_needs_consent() {
        let effects = Effects { creates_only_where_free: false, ..one(Kind::Creates) };
        assert_eq!(decide(&effects, SandboxMode::WorkspaceWrite).by, DecidedBy::ConsentToChange);
    }
}
