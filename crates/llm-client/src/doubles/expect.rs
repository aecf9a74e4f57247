//! `Expect`: the request that a scripted model expects.

use std::fmt;
use std::sync::Arc;

use crate::{MessageRole, Request};

/// A condition on a request.
///
/// ```
/// use artoo_llm_client::doubles::Expect;
///
/// let second_attempt = Expect::purpose("executor").user_contains("docs").user_lacks("notes").schema("tool_call");
/// ```
#[derive(Clone)]
pub struct Expect {
    pub(super) purpose: Option<String>,
    conditions: Vec<Condition>,
}

#[derive(Clone)]
enum Condition {
    SystemContains(String),
    UserContains(String),
    UserLacks(String),
    Schema(String),
    NoSchema,
    When(&'static str, Arc<dyn Fn(&Request) -> bool + Send + Sync>),
}

impl Expect {
    /// A request of this purpose, compared whole. The roles ask as `perceiver`, `planner`, `executor`,
    /// `agent_validator` (criteria of a step) and `meta_validator` (the whole).
    pub fn purpose(purpose: impl Into<String>) -> Self {
        Self { purpose: Some(purpose.into()), conditions: Vec::new() }
    }

    /// A request of any purpose. It is considered after those with a purpose.
    pub fn any() -> Self {
        Self { purpose: None, conditions: Vec::new() }
    }

    /// The constant part of the prompt contains `text`.
    #[must_use]
    pub fn system_contains(self, text: impl Into<String>) -> Self {
        self.and(Condition::SystemContains(text.into()))
    }

    /// One of the user's turns, or a result of a call, contains `text`.
    #[must_use]
    pub fn user_contains(self, text: impl Into<String>) -> Self {
        self.and(Condition::UserContains(text.into()))
    }

    /// None of the user's turns contains `text`.
    #[must_use]
    pub fn user_lacks(self, text: impl Into<String>) -> Self {
        self.and(Condition::UserLacks(text.into()))
    }

    /// The request asks for an answer of the schema with this name.
    #[must_use]
    pub fn schema(self, name: impl Into<String>) -> Self {
        self.and(Condition::Schema(name.into()))
    }

    /// The request asks for free text.
    #[must_use]
    pub fn no_schema(self) -> Self {
        self.and(Condition::NoSchema)
    }

    /// The request satisfies `test`; `what` names it in messages.
    #[must_use]
    pub fn when(self, what: &'static str, test: impl Fn(&Request) -> bool + Send + Sync + 'static) -> Self {
        self.and(Condition::When(what, Arc::new(test)))
    }

    fn and(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// The first condition, apart from the purpose, that `request` does not meet.
    pub(super) fn unmet(&self, request: &Request) -> Option<String> {
        self.conditions.iter().find(|condition| !condition.holds(request)).map(ToString::to_string)
    }
}

impl Condition {
    fn holds(&self, request: &Request) -> bool {
        let user_has = |text: &str| {
            let users = request.messages.iter().filter(|message| message.role == MessageRole::User);
            let mut texts = users.flat_map(|message| {
                std::iter::once(&message.content).chain(message.results.iter().map(|result| &result.content))
            });
            texts.any(|content| content.contains(text))
        };
        match self {
            Self::SystemContains(text) => request.system.contains(text.as_str()),
            Self::UserContains(text) => user_has(text),
            Self::UserLacks(text) => !user_has(text),
            Self::Schema(name) => request.schema.as_ref().is_some_and(|schema| schema.name == *name),
            Self::NoSchema => request.schema.is_none(),
            Self::When(_, test) => test(request),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SystemContains(text) => write!(f, "system contains {text:?}"),
            Self::UserContains(text) => write!(f, "user contains {text:?}"),
            Self::UserLacks(text) => write!(f, "user lacks {text:?}"),
            Self::Schema(name) => write!(f, "schema {name:?}"),
            Self::NoSchema => write!(f, "no schema"),
            Self::When(what, _) => write!(f, "{what}"),
        }
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.purpose {
            Some(purpose) => write!(f, "{purpose}")?,
            None => write!(f, "any purpose")?,
        }
        self.conditions.iter().try_for_each(|condition| write!(f, ", {condition}"))
    }
}

impl fmt::Debug for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expect({self})")
    }
}
