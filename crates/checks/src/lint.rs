//! Lints criteria: whether a check can be evaluated, and whether a criterion can turn out false.

use std::collections::BTreeSet;

use artoo_types::Check;

use crate::{json_file, print_only::always_succeeds};

/// The longest pattern that is compiled, in bytes: patterns are written by a model.
pub(crate) const MAX_PATTERN: usize = 1024;
/// The maximum memory of a compiled pattern, in bytes.
pub(crate) const MAX_COMPILED: usize = 1 << 20;

/// A defect of a criterion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The regular expression does not compile.
    #[error("the pattern {pattern:?} is not a regular expression: {reason}")]
    Pattern {
        /// The expression.
        pattern: String,
        /// The compiler's message.
        reason: String,
    },
    /// The glob does not compile.
    #[error("the pattern {pattern:?} is not a glob: {reason}")]
    Glob {
        /// The pattern.
        pattern: String,
        /// The compiler's message.
        reason: String,
    },
    /// The text is not a hash.
    #[error("{text:?} is not a SHA-256: it must be 64 hexadecimal digits")]
    Hash {
        /// The text.
        text: String,
    },
    /// The check passes for every output.
    #[error("the check {check} is true of every output")]
    Vacuous {
        /// Its kind.
        check: &'static str,
    },
    /// The range contains no number.
    #[error("the range of {check} is empty")]
    EmptyRange {
        /// Its kind.
        check: &'static str,
    },
    /// The JSON pointer is invalid.
    #[error("{pointer:?} is not a JSON pointer: it must be empty or begin with a slash")]
    Pointer {
        /// The pointer.
        pointer: String,
    },
    /// The JSON Schema is unusable.
    #[error("the schema cannot be used: {reason}")]
    Schema {
        /// The reason.
        reason: String,
    },
    /// The command is empty.
    #[error("a check names no command")]
    NoCommand,
    /// The path is empty.
    #[error("a check names no path")]
    NoPath,
    /// The criterion repeats the intent.
    #[error("the criterion {text:?} only repeats the intent")]
    Echo {
        /// The criterion.
        text: String,
    },
    /// The criterion has no words.
    #[error("a criterion is empty")]
    Empty,
}

/// Checks a check for defects.
///
/// ```
/// use artoo_checks::lint;
/// use artoo_types::Check;
/// assert!(lint(&Check::OutputMatches { pattern: "(".into() }).is_err());
/// assert!(lint(&Check::OutputContains { value: String::new() }).is_err());
/// assert!(lint(&Check::ExitStatus { equals: 0 }).is_ok());
/// ```
///
/// # Errors
/// The first [`Flaw`] found.
pub fn lint(check: &Check) -> Result<(), Flaw> {
    match check {
        Check::ExitStatus { .. } => Ok(()),
        Check::OutputEquals { value } if value.trim().is_empty() => {
            Err(Flaw::Vacuous { check: "output_equals" })
        }
        Check::OutputContains { value } if value.trim().is_empty() => {
            Err(Flaw::Vacuous { check: "output_contains" })
        }
        Check::OutputEquals { .. } | Check::OutputContains { .. } => Ok(()),
        Check::OutputMatches { pattern } => {
            let compiled = compile(pattern)?;
            if compiled.is_match("") { Err(Flaw::Vacuous { check: "output_matches" }) } else { Ok(()) }
        }
        Check::OutputNumber { min: Some(min), max: Some(max) } if min > max => {
            Err(Flaw::EmptyRange { check: "output_number" })
        }
        Check::OutputNumber { .. } => Ok(()),
        Check::OutputLines { min: None | Some(0), max: None } => Err(Flaw::Vacuous { check: "output_lines" }),
        Check::OutputLines { min: Some(min), max: Some(max) } if min > max => {
            Err(Flaw::EmptyRange { check: "output_lines" })
        }
        Check::OutputLines { .. } => Ok(()),
        Check::OutputLists { folder, .. } if folder.as_os_str().is_empty() => Err(Flaw::NoPath),
        Check::OutputLists { pattern, .. } => crate::path_list::glob(pattern).map(drop),
        Check::JsonPointer { pointer, .. } => {
            if pointer.is_empty() || pointer.starts_with('/') {
                Ok(())
            } else {
                Err(Flaw::Pointer { pointer: pointer.clone() })
            }
        }
        Check::FileContains { path, value } => {
            if path.as_os_str().is_empty() {
                Err(Flaw::NoPath)
            } else if value.trim().is_empty() {
                Err(Flaw::Vacuous { check: "file_contains" })
            } else {
                Ok(())
            }
        }
        Check::FileHash { path, .. } if path.as_os_str().is_empty() => Err(Flaw::NoPath),
        Check::FileHash { sha256, .. } => {
            if sha256.len() == 64 && sha256.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                Ok(())
            } else {
                Err(Flaw::Hash { text: sha256.chars().take(80).collect() })
            }
        }
        Check::FileJson { path, .. } if path.as_os_str().is_empty() => Err(Flaw::NoPath),
        Check::FileJson { schema, .. } => {
            let is_vacuous = json_file::takes_anything(&json_file::compile(schema)?);
            if is_vacuous { Err(Flaw::Vacuous { check: "file_json" }) } else { Ok(()) }
        }
        Check::Table { path, .. } if path.as_os_str().is_empty() => Err(Flaw::NoPath),
        Check::Table { min_rows: Some(min), max_rows: Some(max), .. } if min > max => {
            Err(Flaw::EmptyRange { check: "table" })
        }
        Check::Table { columns, min_rows: None | Some(0), max_rows: None, .. }
            if columns.as_ref().is_none_or(Vec::is_empty) =>
        {
            Err(Flaw::Vacuous { check: "table" })
        }
        Check::Table { .. } => Ok(()),
        Check::SameLines { path, other } => {
            if path.as_os_str().is_empty() || other.as_os_str().is_empty() {
                Err(Flaw::NoPath)
            } else if path == other {
                Err(Flaw::Vacuous { check: "same_lines" })
            } else {
                Ok(())
            }
        }
        Check::CommandSucceeds { command } if command.trim().is_empty() => Err(Flaw::NoCommand),
        Check::CommandSucceeds { command } if always_succeeds(command) => {
            Err(Flaw::Vacuous { check: "command_succeeds" })
        }
        Check::CommandSucceeds { .. } => Ok(()),
        Check::FileExists { path }
        | Check::FileAbsent { path }
        | Check::FileNewer { path }
        | Check::FileUnchanged { path } => {
            if path.as_os_str().is_empty() {
                Err(Flaw::NoPath)
            } else {
                Ok(())
            }
        }
    }
}

/// Checks whether a criterion's words can turn out false: they must not be empty, and must not repeat the
/// intent (lesson 38), in any order. Whether they are meaningful is for the judge of the whole.
///
/// # Errors
/// [`Flaw::Empty`] or [`Flaw::Echo`].
pub fn lint_text(text: &str, intent: &str) -> Result<(), Flaw> {
    let words = |s: &str| -> BTreeSet<String> {
        s.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
    };
    let said = words(text);
    if said.is_empty() {
        Err(Flaw::Empty)
    } else if said == words(intent) {
        Err(Flaw::Echo { text: text.to_owned() })
    } else {
        Ok(())
    }
}

/// Texts that have nothing in common except being text, including an error message and one with many
/// sentences: a limit on their number is a valid criterion.
const ANY_TEXT: [&str; 5] = [
    "x",
    "7",
    "no idea",
    "cat: x: No such file or directory",
    "One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten. Eleven. Twelve.",
];

/// Whether a pattern matches any text that is not blank: as a model's criterion it decides nothing.
///
/// ```
/// use artoo_checks::matches_any_text;
/// assert!(matches_any_text(".") && matches_any_text("(?s)^.+$") && matches_any_text(r"\w+"));
/// assert!(!matches_any_text(r"\.txt$") && !matches_any_text("^[0-9]+$"));
/// ```
pub fn matches_any_text(pattern: &str) -> bool {
    compile(pattern).is_ok_and(|regex| ANY_TEXT.iter().all(|text| regex.is_match(text)))
}

/// Whether a text matches a pattern; `false` for an unusable pattern.
///
/// ```
/// assert!(artoo_checks::met_by("heron.*", "Which file mentions the heron?"));
/// assert!(!artoo_checks::met_by(r"\.md$", "Which .md file mentions the heron?"));
/// ```
pub fn met_by(pattern: &str, text: &str) -> bool {
    compile(pattern).is_ok_and(|regex| regex.is_match(text))
}

pub(crate) fn compile(pattern: &str) -> Result<regex::Regex, Flaw> {
    let flaw = |reason: String| Flaw::Pattern { pattern: pattern.chars().take(80).collect(), reason };
    if pattern.len() > MAX_PATTERN {
        return Err(flaw(format!("longer than {MAX_PATTERN} bytes")));
    }
    regex::RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED)
        .build()
        .map_err(|error| flaw(error.to_string().lines().last().unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn lesson_38_an_echo_of_the_intent_is_no_criterion() {
        assert!(matches!(lint_text("Count the files!", "count the files"), Err(Flaw::Echo { .. })));
        assert_eq!(lint_text("The output is one number", "count the files"), Ok(()));
        assert_eq!(lint_text(" … ", "x"), Err(Flaw::Empty));
        let found = lint_text("Files: count them, and the...", "Count the files, and count them");
        assert!(matches!(found, Err(Flaw::Echo { .. })), "{found:?}");
        assert_eq!(lint_text("The files of docs are counted", "count the files"), Ok(()));
    }

    #[test]
    fn vacuous_and_impossible_checks_are_flaws() {
        let flawed = [
            Check::OutputMatches { pattern: ".*".into() },
            Check::OutputMatches { pattern: "a{9999}{9999}".into() },
            Check::OutputNumber { min: Some(2.0), max: Some(1.0) },
            Check::OutputLines { min: None, max: None },
            Check::OutputLines { min: Some(3), max: Some(2) },
            Check::JsonPointer { pointer: "a/b".into(), equals: serde_json::Value::Null },
            Check::FileExists { path: "".into() },
            Check::FileContains { path: "a".into(), value: String::new() },
            Check::FileContains { path: "a".into(), value: "\n".into() },
            Check::FileContains { path: "".into(), value: "a".into() },
            Check::OutputEquals { value: " ".into() },
            Check::OutputContains { value: " ".into() },
            Check::OutputLists { folder: "".into(), pattern: "*".into() },
            Check::OutputLists { folder: "docs".into(), pattern: " ".into() },
            Check::OutputLists { folder: "docs".into(), pattern: "[z-a]".into() },
            Check::FileHash { path: "".into(), sha256: "0".repeat(64) },
            Check::FileHash { path: "a".into(), sha256: "0".repeat(63) },
            Check::FileHash { path: "a".into(), sha256: "g".repeat(64) },
            Check::FileJson { path: "".into(), schema: json!({"type": "object"}) },
            Check::FileJson { path: "a".into(), schema: json!({}) },
            Check::FileJson { path: "a".into(), schema: json!(true) },
            Check::FileJson { path: "a".into(), schema: json!({"description": "a list of names"}) },
            Check::FileJson { path: "a".into(), schema: json!({"$ref": "#"}) },
            Check::Table { path: "".into(), columns: None, min_rows: Some(1), max_rows: None },
            Check::Table { path: "a".into(), columns: None, min_rows: Some(0), max_rows: None },
            Check::Table { path: "a".into(), columns: Some(vec![]), min_rows: None, max_rows: None },
            Check::Table { path: "a".into(), columns: None, min_rows: Some(2), max_rows: Some(1) },
            Check::SameLines { path: "b/a".into(), other: "b//a".into() },
            Check::SameLines { path: "a".into(), other: "".into() },
            Check::CommandSucceeds { command: " ".into() },
            Check::CommandSucceeds { command: "echo ok".into() },
            Check::CommandSucceeds { command: "cargo test || true".into() },
        ];
        for check in flawed {
            assert!(lint(&check).is_err(), "{check:?}");
        }
    }

    #[test]
    fn sound_checks_have_no_flaw() {
        let sound = [
            Check::ExitStatus { equals: 1 },
            Check::OutputMatches { pattern: r"\S".into() },
            Check::OutputNumber { min: None, max: None },
            Check::OutputNumber { min: Some(1.0), max: Some(1.0) },
            Check::OutputLines { min: None, max: Some(0) },
            Check::OutputLines { min: Some(1), max: None },
            Check::JsonPointer { pointer: String::new(), equals: serde_json::Value::Null },
            Check::FileAbsent { path: "a".into() },
            Check::OutputLists { folder: "docs".into(), pattern: "**/*.md".into() },
            Check::FileHash { path: "a".into(), sha256: "0aF".repeat(22)[..64].into() },
            Check::FileJson { path: "a".into(), schema: json!({"type": "object"}) },
            Check::Table { path: "a".into(), columns: None, min_rows: None, max_rows: Some(0) },
            Check::Table {
                path: "a".into(),
                columns: Some(vec!["a".into()]),
                min_rows: None,
                max_rows: None,
            },
            Check::SameLines { path: "a".into(), other: "b/a".into() },
            Check::CommandSucceeds { command: "cargo test".into() },
        ];
        for check in sound {
            assert_eq!(lint(&check), Ok(()), "{check:?}");
        }
    }

    proptest! {
        #[test]
        fn any_pattern_is_compiled_or_refused(pattern in ".{0,200}") {
            let _ = lint(&Check::OutputMatches { pattern });
        }
    }
}
