//! Tab completion: slash commands, their arguments, and file paths after `@`.

use std::path::{Path, PathBuf};

use artoo_llm_local::store::CATALOGUE;
use artoo_redaction::Redactor;
use artoo_runtime::runs;
use artoo_runtime::sessions::Sessions;
use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::slash::TABLE;
use crate::terminal::neutral_line;
use crate::view::short_id;

/// Maximum number of suggestions.
const MOST: usize = 50;

/// Completer of the prompt: completes the word at the cursor.
pub(super) struct Words {
    /// Folder that relative paths are resolved against.
    pub(super) folder: PathBuf,
    /// Data folder with the runs and sessions.
    pub(super) data_folder: PathBuf,
}

impl Completer for Words {
    fn complete(&mut self, line: &str, at: usize) -> CompletionResult {
        let before = line.get(..at).unwrap_or_default();
        let start = open_quote(before).unwrap_or_else(|| {
            before.rfind(char::is_whitespace).map_or(0, |blank| {
                blank + before.get(blank..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
            })
        });
        let word = before.get(start..).unwrap_or_default();
        let command = before.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        let found = match command {
            _ if start == 0 && word.starts_with('/') => names(word),
            Some("show" | "explain" | "undo") => self.runs(word),
            Some("resume") => self.sessions(word),
            Some("model") => known(CATALOGUE.iter().map(|entry| entry.name), word),
            Some("plan") => known(["on", "off"].into_iter(), word),
            Some("approval") => known(["auto", "ask", "never"].into_iter(), word),
            Some("cwd" | "save") => paths(&self.folder, word).filter(|found| !found.has_blank()).collect(),
            _ => word.strip_prefix('@').map(|path| named(&self.folder, path)).unwrap_or_default(),
        };
        let suggestions: Vec<Suggestion> = found
            .into_iter()
            .take(MOST)
            .map(|Found { value, about, goes_on }| Suggestion {
                value,
                description: about,
                span: Span { start, end: at },
                append_whitespace: !goes_on,
                ..Suggestion::default()
            })
            .collect();
        CompletionResult::fresh(suggestions)
    }
}

/// One completion candidate.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    value: String,
    about: Option<String>,
    /// Whether the candidate is a prefix only, such as a folder.
    goes_on: bool,
}

impl Found {
    fn has_blank(&self) -> bool {
        self.value.contains(char::is_whitespace)
    }
}

fn names(word: &str) -> Vec<Found> {
    let fits = |(name, _, does): &(&str, &str, &str)| {
        let value = format!("/{name}");
        value.starts_with(word).then(|| Found { value, about: Some((*does).to_owned()), goes_on: false })
    };
    TABLE.iter().filter_map(fits).collect()
}

fn known<'a>(words: impl Iterator<Item = &'a str>, word: &str) -> Vec<Found> {
    let found = |value: &str| Found { value: value.to_owned(), about: None, goes_on: false };
    words.filter(|known| known.starts_with(word)).map(found).collect()
}

impl Words {
    /// Runs by the short form of their id, as lists show it; newest first.
    fn runs(&self, word: &str) -> Vec<Found> {
        let listed = runs::newest(&self.data_folder, MOST).unwrap_or_default();
        let found = |run: runs::Summary| {
            let value = short_id(run.run_id);
            value.starts_with(word).then(|| Found {
                value,
                about: Some(neutral_line(&run.request)),
                goes_on: false,
            })
        };
        listed.into_iter().filter_map(found).collect()
    }

    fn sessions(&self, word: &str) -> Vec<Found> {
        let listed = Sessions::new(&self.data_folder, Redactor::new()).list(MOST).unwrap_or_default();
        let found = |session: artoo_runtime::sessions::Session| {
            let value = short_id(session.id);
            value.starts_with(word).then(|| Found {
                value,
                about: Some(neutral_line(session.title())),
                goes_on: false,
            })
        };
        listed.into_iter().flatten().filter_map(found).collect()
    }
}

/// Byte offset of the `@"` of a quoted path that is not closed yet.
fn open_quote(before: &str) -> Option<usize> {
    let start = before.rfind("@\"")?;
    (!before.get(start + 2..)?.contains('"')).then_some(start)
}

/// Candidates after `@`. A name with a blank is quoted; unquoted it would split the path.
fn named(folder: &Path, typed: &str) -> Vec<Found> {
    let path = typed.strip_prefix('"').unwrap_or(typed);
    let of = |found: Found| {
        let end = if found.goes_on { "" } else { "\"" };
        let quoted = path.len() < typed.len() || found.has_blank();
        let value = if quoted { format!("@\"{}{end}", found.value) } else { format!("@{}", found.value) };
        Found { value, ..found }
    };
    paths(folder, path).map(of).collect()
}

/// Files and folders whose path starts with `typed`. Hidden files are listed only if the dot is typed.
fn paths(folder: &Path, typed: &str) -> std::vec::IntoIter<Found> {
    let (parent, name) = typed.rfind('/').map_or(("", typed), |slash| typed.split_at(slash + 1));
    let entries = std::fs::read_dir(folder.join(parent)).into_iter().flatten();
    let mut found: Vec<Found> = entries
        .flatten()
        .filter_map(|entry| {
            let file = entry.file_name().into_string().ok()?;
            let shown = file.starts_with(name) && (name.starts_with('.') || !file.starts_with('.'));
            let is_line = !file.chars().any(|c| c.is_control() || c == '"');
            let goes_on = entry.path().is_dir();
            let end = if goes_on { "/" } else { "" };
            (shown && is_line).then(|| Found { value: format!("{parent}{file}{end}"), about: None, goes_on })
        })
        .collect();
    found.sort_unstable_by(|a, b| a.value.cmp(&b.value));
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed_by_what_stands_before_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("docs")).unwrap();
        for name in ["docs/数.txt", "docs/a.txt", "docs/.hidden", "data.csv", "two words"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let mut words = Words { folder: folder.path().to_owned(), data_folder: folder.path().to_owned() };
        let mut check = |line: &str, expected: &[&str]| {
            let found = words.complete(line, line.len());
            let values: Vec<&str> = found.suggestions().iter().map(|found| found.value.as_str()).collect();
            assert_eq!(values, expected, "{line}");
        };
        check("/ex", &["/explain", "/exit"]);
        check("/plan o", &["on", "off"]);
        check("sum @d", &["@data.csv", "@docs/"]);
        check("数 @docs/", &["@docs/a.txt", "@docs/数.txt"]);
        check("@docs/.", &["@docs/.hidden"]);
        check("/cwd do", &["docs/"]);
        check("read @t", &["@\"two words\""]);
        check("read @\"two w", &["@\"two words\""]);
        check("read @\"two words\" and @da", &["@data.csv"]);
        check("a word", &[]);
        check("/show x", &[]);
        check("@gone/", &[]);
    }
}
