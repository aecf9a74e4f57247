//! Why a server ended an answer: a closed list of reasons, since what is not known to be an end is none.

use artoo_llm_client::StopReason;
use serde_json::Value;

use crate::decode::Bad;

/// The reason for the end of an answer, as far as the server has given one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Finish {
    /// None yet.
    #[default]
    Open,
    /// A reason without a word. Some servers send one with every piece.
    Empty,
    /// A known one.
    Known(StopReason),
    /// A word that is not known to end an answer: an error, a pause, something new.
    Unknown(String),
}

/// The words that end a complete answer. Gateways translate one wire format into another and keep the words,
/// so both formats have one list.
const END: [&str; 12] = [
    "stop",
    "stop_sequence",
    "stop_token",
    "eos",
    "eos_token",
    "end",
    "end_turn",
    "end_of_turn",
    "endoftext",
    "complete",
    "completed",
    "done",
];

/// The words for an answer that reached a limit of tokens.
const LENGTH: [&str; 7] = [
    "length",
    "max_tokens",
    "max_output_tokens",
    "max_length",
    "model_length",
    "model_context_window_exceeded",
    "context_length_exceeded",
];

/// The words for an answer that a filter ended.
const REFUSED: [&str; 11] = [
    "content_filter",
    "content_filtered",
    "refusal",
    "safety",
    "image_safety",
    "sensitive",
    "recitation",
    "prohibited_content",
    "blocklist",
    "spii",
    "guardrail_intervened",
];

/// The words that end an answer and announce calls.
const CALLS: [&str; 5] = ["tool_calls", "tool_call", "tool_use", "function_call", "function_calls"];

impl Finish {
    /// Takes a reason. A cut or a refusal is not revoked by a later ordinary end, and an unknown word revokes
    /// any.
    pub(crate) fn take(&mut self, word: &str) {
        let word = word.trim().to_ascii_lowercase();
        let is_one_of = |words: &[&str]| words.contains(&word.as_str());
        let known = if is_one_of(&END) || is_one_of(&CALLS) {
            StopReason::End
        } else if is_one_of(&LENGTH) {
            StopReason::Length
        } else if is_one_of(&REFUSED) {
            StopReason::Refused
        } else {
            match word.as_str() {
                "" if *self == Self::Open => *self = Self::Empty,
                // `null` in words.
                "" | "null" | "none" => {}
                _ => *self = Self::Unknown(word),
            }
            return;
        };
        let is_worse = matches!(self, Self::Known(StopReason::Length | StopReason::Refused));
        if known != StopReason::End || !is_worse {
            *self = Self::Known(known);
        }
    }

    /// Takes the field with the reason. A value that is no word says that something ended the answer, and nobody knows
    /// what.
    pub(crate) fn take_field(&mut self, field: Option<&Value>) {
        match field {
            None | Some(Value::Null) => {}
            Some(Value::String(word)) => self.take(word),
            Some(value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
                *self = Self::Unknown(value.to_string());
            }
        }
    }

    /// Whether the word announces calls.
    pub(crate) fn announces_calls(word: &str) -> bool {
        CALLS.iter().any(|known| word.trim().eq_ignore_ascii_case(known))
    }

    /// Why generation ended. `done`: the server said that nothing follows. Without a reason that is an end,
    /// too.
    pub(crate) fn stop(&self, done: bool) -> Result<StopReason, Bad> {
        match self {
            Self::Known(stop) => Ok(*stop),
            Self::Open if done => Ok(StopReason::End),
            Self::Open => Err(Bad::Broken("the stream ended before the answer did".to_owned())),
            Self::Empty => {
                Err(Bad::Incomplete("the answer ended, and the server left the reason empty".to_owned()))
            }
            Self::Unknown(word) => {
                Err(Bad::Incomplete(format!("the server ended it with the reason {word:?}, which is no end")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(words: &[&str]) -> Result<StopReason, Bad> {
        let mut finish = Finish::default();
        words.iter().for_each(|word| finish.take(word));
        finish.stop(false)
    }

    #[test]
    fn reasons_as_servers_give_them() {
        for (words, expected) in [
            (&END[..], StopReason::End),
            (&CALLS[..], StopReason::End),
            (&LENGTH[..], StopReason::Length),
            (&REFUSED[..], StopReason::Refused),
        ] {
            for word in words {
                assert_eq!(after(&[word]), Ok(expected), "{word}");
                assert_eq!(after(&[&word.to_uppercase()]), Ok(expected), "{word}");
            }
        }
        for field in [json!(7), json!(false), json!({"type": "stop"}), json!(["stop"])] {
            let mut finish = Finish::default();
            finish.take_field(Some(&field));
            assert!(matches!(finish.stop(true), Err(Bad::Incomplete(_))), "{field}");
        }
        let mut open = Finish::default();
        open.take_field(Some(&Value::Null));
        assert_eq!(open, Finish::Open);
        for word in [
            "error",
            "pause_turn",
            "abort",
            "cancelled",
            "other",
            "network_error",
            "insufficient_system_resource",
            "malformed_function_call",
            "something new",
        ] {
            assert!(matches!(after(&[word]), Err(Bad::Incomplete(said)) if said.contains(word)), "{word}");
        }
        assert!(matches!(after(&[""]), Err(Bad::Incomplete(_))));
        assert!(matches!(after(&[]), Err(Bad::Broken(_))));
    }

    #[test]
    fn the_last_reason_counts_and_a_cut_stays_one() {
        assert_eq!(after(&["", "null", "stop", ""]), Ok(StopReason::End));
        assert_eq!(after(&["length", "stop"]), Ok(StopReason::Length));
        assert_eq!(after(&["stop", "content_filter", "stop"]), Ok(StopReason::Refused));
        assert_eq!(after(&["in_progress", "stop"]), Ok(StopReason::End));
        assert!(matches!(after(&["stop", "error"]), Err(Bad::Incomplete(_))));
        assert_eq!(Finish::Open.stop(true), Ok(StopReason::End), "an end mark is enough");
        assert!(Finish::Empty.stop(true).is_err(), "an empty reason is none");
    }
}
