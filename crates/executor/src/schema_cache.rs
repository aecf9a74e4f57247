//! Cache of turn schemas.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use artoo_llm_client::JsonSchema;

use crate::{Action, ToolSpec, User};

/// Capacity, enough for one run: schemas with and without an answer, for the tools of several steps.
const KEPT: usize = 16;

/// The most recently built schemas. Building one takes longer than everything else in a turn except the
/// model; and a caller that gets the same `Arc` again compares a pointer instead of compiling the schema
/// anew.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    kept: Mutex<VecDeque<Kept>>,
}

/// The turns that a schema permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Any turn, with this user.
    Any(User),
    /// A turn of a guided model, which may answer or give up only at certain times.
    Guided { may_answer: bool, may_give_up: bool },
}

#[derive(Debug)]
struct Kept {
    tools: Vec<ToolSpec>,
    turn: Turn,
    schema: JsonSchema,
}

impl Schemas {
    /// The schema of [`Action::any`] or [`Action::schema`].
    pub(crate) fn of(&self, tools: &[ToolSpec], turn: Turn) -> JsonSchema {
        // Entries are always complete, so a panic elsewhere corrupts nothing.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|kept| kept.turn == turn && kept.tools == tools) {
            return found.schema.clone();
        }
        let schema = match turn {
            Turn::Any(user) => Action::any(tools, user),
            Turn::Guided { may_answer, may_give_up } => Action::schema(tools, may_answer, may_give_up),
        };
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(Kept { tools: tools.to_vec(), turn, schema: schema.clone() });
        schema
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use artoo_types::ToolName;
    use serde_json::json;

    use super::*;

    fn spec(name: &str) -> ToolSpec {
        ToolSpec {
            name: ToolName::new(name),
            summary: String::new(),
            description: String::new(),
            in_this_run: None,
            arguments: Arc::new(json!({"properties": {"path": {"type": "string"}}})),
            output_is_answer: true,
            only_looks: false,
        }
    }

    #[test]
    fn the_same_schema_is_made_once_and_is_what_the_action_says() {
        let schemas = Schemas::default();
        let (one, two) = ([spec("shell")], [spec("shell"), spec("glob")]);
        let guided = |may_answer, may_give_up| Turn::Guided { may_answer, may_give_up };
        let first = schemas.of(&one, guided(false, true));
        assert_eq!(first, Action::schema(&one, false, true));
        assert!(Arc::ptr_eq(&first.schema, &schemas.of(&one, guided(false, true)).schema));
        for (tools, may_answer, may_give_up) in
            [(&two[..], false, true), (&one, true, true), (&one, false, false)]
        {
            assert_eq!(
                schemas.of(tools, guided(may_answer, may_give_up)),
                Action::schema(tools, may_answer, may_give_up)
            );
        }
        for user in [User::Present, User::Absent] {
            assert_eq!(schemas.of(&one, Turn::Any(user)), Action::any(&one, user));
        }
    }

    #[test]
    fn the_oldest_make_room() {
        let schemas = Schemas::default();
        for number in 0..3 * KEPT {
            schemas.of(&[spec(&number.to_string())], Turn::Any(User::Present));
        }
        assert_eq!(schemas.kept.lock().unwrap().len(), KEPT);
    }
}
