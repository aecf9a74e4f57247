//! What a model is offered beside its tools: to ask the user, and to give up. Only what code accepts is offered: nobody
//! is asked who is not there.

use artoo_types::{Arguments, GaveUp, GiveUpKind};
use serde_json::{Value, json};

/// The tool with which a model asks the user.
pub(crate) const ASK_USER: &str = "ask_user";
/// The tool with which a model gives up.
pub(crate) const GIVE_UP: &str = "give_up";

/// What [`ASK_USER`] does.
pub(crate) const ASKING: &str = "Ask the user a question, wait for the answer, and go on with it. Ask only for what you cannot find out: \
     a decision, a fact or a file that only they have. A question in an answer is not put to them.";
/// What [`GIVE_UP`] does.
pub(crate) const GIVING_UP: &str =
    "End the step without a result, after what you saw showed why there can be none.";

/// The longest question or reason in characters, where a model writes turns in JSON.
const MAX_WORDS: usize = 300;

/// Whether a question of the model reaches somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// The user is there and can be asked.
    Present,
    /// Nobody is asked in this run.
    Absent,
}

/// A kind of giving up, its name in a turn, and what it means.
type Kind = (GiveUpKind, &'static str, &'static str);

/// A user who is there is asked instead of giving up with the last one.
const KINDS: [Kind; 3] = [
    (GiveUpKind::Impossible, "impossible", "it cannot be done here, whoever does it"),
    (GiveUpKind::NeedsConsent, "needs_consent", "it takes a permission that this run does not have"),
    (GiveUpKind::NeedsPerson, "needs_person", "only the user can decide or supply it"),
];

impl User {
    /// The kinds that are offered.
    fn kinds(self) -> impl Iterator<Item = Kind> {
        let is_offered = move |(kind, ..): &Kind| match kind {
            GiveUpKind::Impossible | GiveUpKind::NeedsConsent => true,
            GiveUpKind::NeedsPerson => self == Self::Absent,
        };
        KINDS.into_iter().filter(is_offered)
    }

    /// The kinds in words, for a prompt.
    pub(crate) fn kinds_in_words(self) -> String {
        let words = self.kinds().map(|(_, name, means)| format!("{name}: {means}"));
        words.collect::<Vec<_>>().join("; ")
    }

    /// The parameters of [`GIVE_UP`], with the name that the reason has.
    pub(crate) fn giving_up(self, reason: &str) -> Value {
        let names: Vec<&str> = self.kinds().map(|(_, name, _)| name).collect();
        let mut properties = json!({
            reason: {"type": "string", "minLength": 1, "maxLength": MAX_WORDS, "description": "one sentence for the user"},
            "kind": {"enum": names, "description": self.kinds_in_words()},
        });
        if self == Self::Absent
            && let Some(properties) = properties.as_object_mut()
        {
            let question = "for needs_person: what the user has to answer";
            let question = json!({"type": "string", "maxLength": MAX_WORDS, "description": question});
            properties.insert("question".to_owned(), question);
        }
        json!({"type": "object", "properties": properties, "required": [reason], "additionalProperties": false})
    }
}

/// The parameters of [`ASK_USER`], with the name that the question has.
pub(crate) fn asking(question: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            question: {"type": "string", "minLength": 1, "maxLength": MAX_WORDS, "description": "in the user's language"},
        },
        "required": [question],
        "additionalProperties": false,
    })
}

/// What a model gives up with, where the reason has this name. Without a kind it is impossible; a kind that is
/// none is no reason.
pub(crate) fn gave_up(turn: &Arguments, reason: &str) -> Option<GaveUp> {
    let text =
        |name: &str| turn.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let kind = match turn.get("kind") {
        None | Some(Value::Null) => GiveUpKind::Impossible,
        Some(kind) => KINDS.into_iter().find(|(_, name, _)| kind == name).map(|(kind, ..)| kind)?,
    };
    Some(GaveUp { kind, reason: text(reason)?.to_owned(), question: text("question").map(str::to_owned) })
}

/// What a question becomes if nobody answers it.
pub(crate) fn unanswered(question: &str) -> GaveUp {
    GaveUp {
        kind: GiveUpKind::NeedsPerson,
        reason: "it needs an answer of the user".to_owned(),
        question: Some(question.to_owned()),
    }
}
