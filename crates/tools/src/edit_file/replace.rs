//! Exact text replacement.

use serde_json::Value;

use super::Misfit;
use super::closest::{closest, line_of, lines_in_words};
use crate::ToolError;
use crate::arguments::Given;
use crate::line_endings::Lines;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replacement {
    pub(super) old: String,
    pub(super) new: String,
    /// Replace every occurrence; otherwise there must be exactly one.
    pub(super) all: bool,
}

impl Replacement {
    /// Parses one element of the argument; the error describes the problem.
    pub(super) fn read(edit: &Value) -> Result<Self, String> {
        let fields = edit.as_object().ok_or("must be an object with `old` and `new`")?;
        let read = || {
            let given = Given::new(fields, &["old", "new", "all"])?;
            let text = |name| {
                let text = given.any_text(name)?.ok_or_else(|| ToolError::argument(name, "is missing"))?;
                Ok::<_, ToolError>(text.to_owned())
            };
            Ok(Self { old: text("old")?, new: text("new")?, all: given.flag("all")? })
        };
        let edit: Self = read().map_err(|error: ToolError| format!("is wrong: {error}"))?;
        if edit.old.is_empty() {
            return Err("has an empty `old`; write_file makes a new file".to_owned());
        }
        Ok(edit)
    }

    /// With the line endings of this text.
    pub(super) fn taken(&self, text: &Lines) -> Self {
        Self { old: text.taken(&self.old), new: text.taken(&self.new), all: self.all }
    }
}

/// Applies all replacements, one after the other.
pub(super) fn replace(text: &mut Lines, edits: impl Iterator<Item = Replacement>) -> Result<(), Misfit> {
    for (at, edit) in edits.enumerate() {
        let Replacement { old, new, all } = &edit;
        let now = text.text();
        let Some(first) = now.find(old.as_str()) else {
            return Err(Misfit {
                problem: format!("`old` of edits[{at}] does not stand in it"),
                closest: closest(now, old),
            });
        };
        // Overlapping matches count as two.
        let step = now.get(first..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        let is_unique = !now.get(first + step..).is_some_and(|rest| rest.contains(old.as_str()));
        if !*all && !is_unique {
            let lines: Vec<usize> =
                now.match_indices(old.as_str()).map(|(place, _)| line_of(now, place)).collect();
            return Err(Misfit {
                problem: format!(
                    "`old` of edits[{at}] stands in it {} times{}; give more of the lines around it, or all: true",
                    lines.len().max(2),
                    lines_in_words(&lines)
                ),
                closest: String::new(),
            });
        }
        let places: Vec<usize> = now.match_indices(old.as_str()).map(|(place, _)| place).collect();
        text.replace_each(&places, old.len(), new);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(old: &str, new: &str, all: bool) -> Replacement {
        Replacement { old: old.to_owned(), new: new.to_owned(), all }
    }

    fn of(text: &str, edits: &[Replacement]) -> Result<String, String> {
        let mut lines = Lines::of(text);
        replace(&mut lines, edits.iter().cloned()).map_err(|misfit| misfit.problem)?;
        Ok(lines.written())
    }

    #[test]
    fn the_whole_table() {
        let changed = [
            ("a b c", vec![edit("b", "x", false)], "a x c"),
            ("a b c", vec![edit("a ", "", false), edit("b", "a", false), edit("a", "y", false)], "y c"),
            ("a a", vec![edit("a", "aa", true)], "aa aa"),
            ("é中", vec![edit("é", "e", false), edit("中", "", false)], "e"),
            ("x\n\ty\n", vec![edit("x\n\ty", "x\n\tz", false)], "x\n\tz\n"),
        ];
        for (text, edits, after) in changed {
            assert_eq!(of(text, &edits).as_deref(), Ok(after), "{text}");
        }
        let refused = [
            ("a b", vec![edit("c", "x", false)], "`old` of edits[0] does not stand in it"),
            ("a b", vec![edit("a", "x", false), edit("a", "y", false)], "edits[1] does not stand"),
            ("a\nb\na\n", vec![edit("a", "x", false)], "2 times, on lines 1 and 3; give more"),
            ("aaa", vec![edit("aa", "x", false)], "2 times"),
            ("中中中", vec![edit("中中", "x", false)], "2 times"),
            ("", vec![edit("a", "x", true)], "does not stand"),
        ];
        for (text, edits, problem) in refused {
            let refusal = of(text, &edits).unwrap_err();
            assert!(refusal.contains(problem), "{refusal}");
        }
    }

    proptest! {
        /// Words made unique by a number: the edits, in any order, equal replacing word by word.
        #[test]
        fn all_edits_give_what_the_model_of_words_gives(
            words in prop::collection::vec("[a-c é中\n]{0,4}", 1..12),
            chosen in prop::collection::vec((any::<prop::sample::Index>(), "[x-z\n]{0,3}"), 0..6),
        ) {
            let unique = |at: usize, word: &str| format!("<{at}:{word}>");
            let mut model: Vec<String> = words.iter().enumerate().map(|(at, word)| unique(at, word)).collect();
            let text = model.concat();
            let mut edits = Vec::new();
            for (index, new) in chosen {
                let at = index.index(words.len());
                let new = format!("<{at}:{new}>");
                edits.push(edit(&model[at], &new, false));
                model[at] = new;
            }
            prop_assert_eq!(of(&text, &edits), Ok(model.concat()));
        }

        #[test]
        fn no_texts_break_it(text in "[ab\n]{0,20}", old in "[ab\n]{1,4}", new in "\\PC{0,4}", all: bool) {
            let count = text.matches(&old).count();
            match of(&text, &[edit(&old, &new, all)]) {
                Ok(after) => prop_assert_eq!(after, text.replace(&old, &new)),
                Err(_) => prop_assert!(count == 0 || !all),
            }
        }
    }
}
