//! Which kinds of effects a run was refused for lack of consent, for the hint at its end.

use std::collections::{BTreeMap, BTreeSet};

use artoo_types::{CallId, EffectKind, Message};

/// The kinds that were asked about and refused.
#[derive(Debug, Default)]
pub(super) struct MissingConsent {
    asked: BTreeMap<CallId, BTreeSet<EffectKind>>,
    refused: BTreeSet<EffectKind>,
}

impl MissingConsent {
    /// Takes note of a question or an answer.
    pub(super) fn on(&mut self, message: &Message) {
        if let Message::ApprovalRequested(asked) = message {
            self.asked.insert(asked.call_id, asked.effects.iter().map(|effect| effect.kind).collect());
        } else if let Message::ApprovalDecided(decided) = message {
            let kinds = self.asked.remove(&decided.call_id).unwrap_or_default();
            if !decided.granted {
                self.refused.extend(kinds);
            }
        }
    }

    /// Whether nothing was asked about in vain: what was refused needs no consent.
    pub(super) fn is_empty(&self) -> bool {
        self.refused.is_empty()
    }

    /// How consent is given where nobody could be asked.
    pub(super) fn hint(&self) -> String {
        let options: Vec<String> = self.refused.iter().map(|kind| format!("--yes {}", kind.name())).collect();
        match options.as_slice() {
            [] => "at a terminal you are asked; `--yes KIND` grants a kind of effect in advance".to_owned(),
            options => {
                format!("at a terminal you are asked; in advance it is granted by `{}`", options.join(" "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use artoo_types::{ApprovalDecided, ApprovalRequested, ApprovalScope, Effect, SubTaskId, ToolName};

    use super::*;

    #[test]
    fn only_what_was_refused_is_named() {
        let call = |number: u128| CallId::new(uuid::Uuid::from_u128(number));
        let asked = |number, kinds: &[EffectKind]| {
            let effect = |kind: &EffectKind| Effect {
                kind: *kind,
                what: String::new(),
                word: String::new(),
                why: String::new(),
            };
            Message::ApprovalRequested(ApprovalRequested {
                subtask_id: SubTaskId::new(uuid::Uuid::nil()),
                call_id: call(number),
                tool: ToolName::new("shell"),
                command: String::new(),
                effects: kinds.iter().map(effect).collect(),
                changes: Vec::new(),
                rule: String::new(),
                reason: String::new(),
                person: false,
                always: None,
                because: Vec::new(),
                commit: None,
                moves: None,
            })
        };
        let decided = |number, granted| {
            Message::ApprovalDecided(ApprovalDecided {
                call_id: call(number),
                granted,
                scope: ApprovalScope::Once,
                reason: String::new(),
                instead: None,
                rule: None,
            })
        };
        let mut missing = MissingConsent::default();
        assert!(missing.hint().contains("--yes KIND") && missing.is_empty());
        missing.on(&asked(1, &[EffectKind::Network]));
        missing.on(&decided(1, true));
        missing.on(&asked(2, &[EffectKind::Unknown, EffectKind::Deletes]));
        missing.on(&decided(2, false));
        assert!(!missing.is_empty());
        assert!(missing.hint().ends_with("`--yes deletes --yes unknown`"), "{}", missing.hint());
    }
}
