//! Criteria: assertions that can turn out false, and the checks by which code decides them.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// An assertion about an output. Source: specification v0.7 (`criterion`, `mode`), `docs/deviations.md` (`check`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// The assertion in words.
    pub text: String,
    /// How a failure weighs in D.
    pub mode: Mode,
    /// How code decides it. Without one a model judges it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "recorded_check")]
    #[schemars(with = "Option<Check>")]
    pub check: Option<Check>,
    /// Whether a criterion of the task was set for the last step of its plan, which ends with that step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_last_step: bool,
}

/// Kinds of checks that nothing evaluates any more, and that journals of earlier versions still hold.
const RETIRED: [&str; 1] = ["same_answer"];

/// Reads a check. A retired one is read as none, so that the rest of its journal stays readable.
fn recorded_check<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Check>, D::Error> {
    let Some(recorded) = Option::<serde_json::Value>::deserialize(deserializer)? else { return Ok(None) };
    let kind = recorded.get("kind").and_then(serde_json::Value::as_str);
    if kind.is_some_and(|kind| RETIRED.contains(&kind)) {
        return Ok(None);
    }
    Check::deserialize(recorded).map(Some).map_err(D::Error::custom)
}

impl Criterion {
    /// One that a model judges.
    pub fn new(text: impl Into<String>, mode: Mode) -> Self {
        Self { text: text.into(), mode, check: None, of_last_step: false }
    }

    /// One that code decides.
    pub fn checked(text: impl Into<String>, check: Check) -> Self {
        Self { check: Some(check), ..Self::new(text, Mode::Verifiable) }
    }

    /// Whether it is about something made or changed, as far as code can tell: see [`Check::is_about_a_deed`].
    ///
    /// ```
    /// use artoo_types::{Check, Criterion};
    ///
    /// let made = Criterion::checked("list.txt is there", Check::FileExists { path: "list.txt".into() });
    /// assert!(made.is_about_a_deed());
    /// assert!(!Criterion { check: None, ..made }.is_about_a_deed());
    /// ```
    pub fn is_about_a_deed(&self) -> bool {
        self.check.as_ref().is_some_and(Check::is_about_a_deed)
    }
}

/// How a failed criterion weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Decidable; a failure weighs 1.
    Verifiable,
    /// A matter of judgement; a failure weighs k/N, its share of the attempts.
    Plausible,
}

/// A check: data that code evaluates without a model.
///
/// "Output" is the subtask's output at subtask level and the merged output at task level, with blanks at both ends
/// removed. Paths may be relative to the working folder or begin with `~`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Check {
    /// The last tool call ended with this exit status.
    ExitStatus {
        /// The status; 0 is success.
        equals: i32,
    },
    /// The output is exactly this.
    OutputEquals {
        /// The expected text.
        value: String,
    },
    /// The output contains this.
    OutputContains {
        /// The expected part.
        value: String,
    },
    /// A regular expression matches somewhere in the output.
    OutputMatches {
        /// The expression, in the syntax of the `regex` crate, which has no backtracking.
        pattern: String,
    },
    /// The output holds exactly one number, and it lies in a range.
    OutputNumber {
        /// The least allowed value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        /// The greatest allowed value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
    /// The output has a number of lines within a range.
    OutputLines {
        /// The fewest lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u64>,
        /// The most lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
    },
    /// The output is JSON and has this value at this pointer (RFC 6901).
    JsonPointer {
        /// The pointer, for example `/items/0/name`.
        pointer: String,
        /// The expected value.
        equals: serde_json::Value,
    },
    /// The lines of the output, as paths, are exactly the files that are there: none is missing, none is too much.
    OutputLists {
        /// The folder in which they lie. Lines are paths from the working folder or from here.
        folder: PathBuf,
        /// Which files of it, as a glob: `*.md` lie in it, `**/*.md` in it and below.
        pattern: String,
    },
    /// A file or folder is there.
    FileExists {
        /// The path.
        path: PathBuf,
    },
    /// Nothing is there.
    FileAbsent {
        /// The path.
        path: PathBuf,
    },
    /// A text file contains this.
    FileContains {
        /// The path.
        path: PathBuf,
        /// The expected part.
        value: String,
    },
    /// A file has this content.
    FileHash {
        /// The path.
        path: PathBuf,
        /// The SHA-256 of its bytes in hexadecimal digits.
        sha256: String,
    },
    /// A file was changed after the run began.
    FileNewer {
        /// The path.
        path: PathBuf,
    },
    /// A file is as it was when the run began.
    FileUnchanged {
        /// The path.
        path: PathBuf,
    },
    /// A JSON file meets a JSON Schema.
    FileJson {
        /// The path.
        path: PathBuf,
        /// The schema, Draft 2020-12 unless it names another. It refers to nothing outside of itself.
        schema: serde_json::Value,
    },
    /// A file is a table with a header row: CSV, or TSV where its name ends in `.tsv` or `.tab`.
    Table {
        /// The path.
        path: PathBuf,
        /// The names in the header row, all of them, in this order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        columns: Option<Vec<String>>,
        /// The fewest rows below the header.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_rows: Option<u64>,
        /// The most rows below the header.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_rows: Option<u64>,
    },
    /// Two text files have the same set of lines. Order, repetitions, blank lines and blanks at the ends of lines do not count.
    SameLines {
        /// The path.
        path: PathBuf,
        /// The path of the other file.
        other: PathBuf,
    },
    /// A command ends with exit status 0 when code runs it to judge: in the working folder, without the network, where nothing that it
    /// writes lasts. Subtask level only.
    CommandSucceeds {
        /// The command, as for `shell`.
        command: String,
    },
}

/// A regular expression that every text with a visible character matches.
const ANY_OUTPUT: &str = r"\S";

impl Check {
    /// The check that every answer with a visible character passes.
    ///
    /// ```
    /// use artoo_types::Check;
    /// assert!(Check::any_output().is_any_output());
    /// ```
    pub fn any_output() -> Self {
        Self::OutputMatches { pattern: ANY_OUTPUT.to_owned() }
    }

    /// Whether this is [`any_output`](Self::any_output).
    pub fn is_any_output(&self) -> bool {
        matches!(self, Self::OutputMatches { pattern } if pattern == ANY_OUTPUT)
    }

    /// Whether its pass says nothing of what was asked: any run could have met it, whatever the request was. Its failure still tells.
    /// R7 asks this when it computes D.
    ///
    /// ```
    /// use artoo_types::Check;
    /// assert!(Check::ExitStatus { equals: 0 }.says_nothing_of_the_request());
    /// assert!(!Check::FileExists { path: "list.txt".into() }.says_nothing_of_the_request());
    /// ```
    pub fn says_nothing_of_the_request(&self) -> bool {
        match self {
            Self::ExitStatus { .. } | Self::FileNewer { .. } => true,
            Self::OutputEquals { .. }
            | Self::OutputContains { .. }
            | Self::OutputMatches { .. }
            | Self::OutputNumber { .. }
            | Self::OutputLines { .. }
            | Self::OutputLists { .. }
            | Self::JsonPointer { .. }
            | Self::FileExists { .. }
            | Self::FileAbsent { .. }
            | Self::FileContains { .. }
            | Self::FileHash { .. }
            | Self::FileUnchanged { .. }
            | Self::FileJson { .. }
            | Self::Table { .. }
            | Self::SameLines { .. }
            | Self::CommandSucceeds { .. } => false,
        }
    }

    /// Whether it looks at something made or changed, rather than at what is said. A step with such a check
    /// counts as a deed, whatever its kind.
    ///
    /// ```
    /// use artoo_types::Check;
    /// assert!(Check::FileExists { path: "list.txt".into() }.is_about_a_deed());
    /// assert!(!Check::OutputContains { value: "alpha".into() }.is_about_a_deed());
    /// ```
    pub fn is_about_a_deed(&self) -> bool {
        match self {
            Self::ExitStatus { .. }
            | Self::FileExists { .. }
            | Self::FileAbsent { .. }
            | Self::FileContains { .. }
            | Self::FileHash { .. }
            | Self::FileNewer { .. }
            | Self::FileUnchanged { .. }
            | Self::FileJson { .. }
            | Self::Table { .. }
            | Self::SameLines { .. }
            | Self::CommandSucceeds { .. } => true,
            Self::OutputEquals { .. }
            | Self::OutputContains { .. }
            | Self::OutputMatches { .. }
            | Self::OutputNumber { .. }
            | Self::OutputLines { .. }
            | Self::OutputLists { .. }
            | Self::JsonPointer { .. } => false,
        }
    }
}
