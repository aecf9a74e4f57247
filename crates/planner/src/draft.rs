//! Plan draft: the JSON that a model writes, read tolerantly. What is not known is dropped, what is missing counts as not
//! said, and code converts the rest to bus messages.

use artoo_types::StepKind;
use serde::{Deserialize, Deserializer, Serialize};

/// A plan in the model's words: subtasks, or that there can be none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanDraft {
    /// The request in English. Only a weak model is asked for it: a restatement keeps more than an order in its own
    /// words does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub english: Option<String>,
    /// The subtasks; none if the person is asked or it is given up.
    #[serde(deserialize_with = "unless_null")]
    pub subtasks: Vec<SubTaskDraft>,
    /// What only the person can decide or supply, as a question to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// Why nobody could do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub give_up: Option<String>,
}

impl PlanDraft {
    /// A draft of these subtasks.
    pub fn of(subtasks: Vec<SubTaskDraft>) -> Self {
        Self { subtasks, ..Self::default() }
    }
}

/// A subtask in the model's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubTaskDraft {
    /// What to do. A weak model is not asked for it: its one step is the request.
    #[serde(default, deserialize_with = "unless_null")]
    pub intent: String,
    /// Its group. A weak model has one.
    #[serde(default, deserialize_with = "unless_null")]
    pub sequence: u32,
    /// What it is for.
    pub kind: StepKind,
    /// What must be true of its output. A weak model is not asked for it.
    #[serde(default, deserialize_with = "unless_null")]
    pub criteria: Vec<CriterionDraft>,
}

// A part of `Check`: a kind of it is asked for once it stands here, in `schema.rs` and in `prompts/system.md`.
/// A criterion in the model's words, by how it can be decided. The checks are those that need no knowledge of the answer.
/// One that lacks what its check needs, or names no check that is known, is for a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "check", rename_all = "snake_case", from = "Written")]
pub enum CriterionDraft {
    /// The output is one number.
    OutputNumber {
        /// The assertion.
        text: String,
    },
    /// The output contains words of the request. It is read, but not asked for: `file_contains` says it better.
    OutputContains {
        /// The assertion.
        text: String,
        /// The words.
        value: String,
    },
    /// The output has a shape.
    OutputMatches {
        /// The assertion.
        text: String,
        /// A regular expression.
        value: String,
    },
    /// A file is there afterwards.
    FileExists {
        /// The assertion.
        text: String,
        /// Its path.
        path: String,
    },
    /// A file is gone afterwards.
    FileAbsent {
        /// The assertion.
        text: String,
        /// Its path.
        path: String,
    },
    /// A file is as it was.
    FileUnchanged {
        /// The assertion.
        text: String,
        /// Its path.
        path: String,
    },
    /// A file contains words of the request.
    FileContains {
        /// The assertion.
        text: String,
        /// Its path.
        path: String,
        /// The words.
        value: String,
    },
    /// A JSON file meets a schema.
    FileJson {
        /// The assertion.
        text: String,
        /// Its path.
        path: String,
        /// The JSON Schema, as text: no provider takes any object at all.
        #[serde(rename = "value")]
        schema: String,
    },
    /// A file is a table with a header row.
    Table {
        /// The assertion.
        text: String,
        /// Its path.
        path: String,
        /// The names of its columns, in order.
        columns: Option<Vec<String>>,
        /// The fewest rows below the header.
        min_rows: Option<u64>,
        /// The most.
        max_rows: Option<u64>,
    },
    /// Two files have the same set of lines.
    SameLines {
        /// The assertion.
        text: String,
        /// Its path.
        path: String,
        /// The path of the other.
        #[serde(rename = "value")]
        other: String,
    },
    /// A command succeeds.
    CommandSucceeds {
        /// The assertion.
        text: String,
        /// The command.
        #[serde(rename = "value")]
        command: String,
    },
    /// Only a reader can tell.
    None {
        /// The assertion.
        text: String,
    },
}

impl CriterionDraft {
    /// The assertion in words.
    pub fn text(&self) -> &str {
        match self {
            Self::OutputNumber { text }
            | Self::OutputContains { text, .. }
            | Self::OutputMatches { text, .. }
            | Self::FileExists { text, .. }
            | Self::FileAbsent { text, .. }
            | Self::FileUnchanged { text, .. }
            | Self::FileContains { text, .. }
            | Self::FileJson { text, .. }
            | Self::Table { text, .. }
            | Self::SameLines { text, .. }
            | Self::CommandSucceeds { text, .. }
            | Self::None { text } => text,
        }
    }
}

/// A criterion as it is written: one flat object for every check. The keys that older plans had for some values are
/// read as well.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    check: Option<String>,
    text: Option<String>,
    path: Option<String>,
    #[serde(alias = "command", alias = "schema", alias = "other")]
    value: Option<String>,
    columns: Option<Vec<String>>,
    min_rows: Option<u64>,
    max_rows: Option<u64>,
}

impl From<Written> for CriterionDraft {
    fn from(written: Written) -> Self {
        let Written { check, text, path, value, columns, min_rows, max_rows } = written;
        let text = text.unwrap_or_default();
        match (check.as_deref().unwrap_or_default(), path, value) {
            ("output_number", ..) => Self::OutputNumber { text },
            ("output_contains", _, Some(value)) => Self::OutputContains { text, value },
            ("output_matches", _, Some(value)) => Self::OutputMatches { text, value },
            ("file_exists", Some(path), _) => Self::FileExists { text, path },
            ("file_absent", Some(path), _) => Self::FileAbsent { text, path },
            ("file_unchanged", Some(path), _) => Self::FileUnchanged { text, path },
            ("file_contains", Some(path), Some(value)) => Self::FileContains { text, path, value },
            ("file_json", Some(path), Some(schema)) => Self::FileJson { text, path, schema },
            ("table", Some(path), _) => Self::Table { text, path, columns, min_rows, max_rows },
            ("same_lines", Some(path), Some(other)) => Self::SameLines { text, path, other },
            ("command_succeeds", _, Some(command)) => Self::CommandSucceeds { text, command },
            _ => Self::None { text },
        }
    }
}

/// The value, or nothing where it is null.
pub(crate) fn unless_null<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(criterion: serde_json::Value) -> CriterionDraft {
        serde_json::from_value(criterion).unwrap()
    }

    /// Keys that a check does not use are null, or hold anything: none of it costs a repair.
    #[test]
    fn a_criterion_is_what_its_check_uses() {
        let text = || "It is so".to_owned();
        let flat = |check: &str, path: Option<&str>, value: Option<&str>| json!({"check": check, "text": text(), "path": path, "value": value, "columns": null, "min_rows": null, "max_rows": null});
        let reader = CriterionDraft::None { text: text() };
        let exists = CriterionDraft::FileExists { text: text(), path: "a".to_owned() };
        let runs = CriterionDraft::CommandSucceeds { text: text(), command: "make".to_owned() };
        for (written, expected) in [
            (flat("file_exists", Some("a"), None), exists.clone()),
            (flat("file_exists", Some("a"), Some("left over")), exists),
            (flat("file_exists", None, None), reader.clone()),
            (flat("command_succeeds", None, Some("make")), runs.clone()),
            (json!({"check": "command_succeeds", "text": text(), "command": "make", "why": 3}), runs),
            (flat("is_beautiful", None, None), reader.clone()),
            (json!({"text": text()}), reader.clone()),
            (json!({"check": null, "text": text(), "path": "a"}), reader),
            (json!({}), CriterionDraft::None { text: String::new() }),
        ] {
            assert_eq!(read(written.clone()), expected, "{written}");
        }
    }

    #[test]
    fn a_plan_may_leave_out_what_it_does_not_say() {
        let plan = json!({"subtasks": [{"intent": null, "sequence": null, "kind": "create", "criteria": null, "id": 7}], "ask": null, "give_up": null, "note": "x"});
        let draft: PlanDraft = serde_json::from_value(plan).unwrap();
        let step =
            SubTaskDraft { intent: String::new(), sequence: 0, kind: StepKind::Create, criteria: Vec::new() };
        assert_eq!(draft, PlanDraft::of(vec![step]));
        assert!(serde_json::from_value::<PlanDraft>(json!({"subtasks": [{"intent": "x"}]})).is_err());
        assert!(serde_json::from_value::<PlanDraft>(json!({"subtasks": [{"kind": "guess"}]})).is_err());
    }

    proptest! {
        /// The model is shown its own plan again, in this form.
        #[test]
        fn what_is_written_is_read_again(check in 0..12usize, text in ".{0,9}", path in ".{0,9}", value in ".{0,9}") {
            const WORDS: [&str; 12] = ["output_number", "output_contains", "output_matches", "file_exists", "file_absent",
                "file_unchanged", "file_contains", "file_json", "table", "same_lines", "command_succeeds", "none"];
            let draft = read(json!({"check": WORDS[check], "text": text, "path": path, "value": value, "columns": [value], "min_rows": 1}));
            prop_assert_eq!(read(serde_json::to_value(&draft).unwrap()), draft);
        }
    }
}
