//! Whether something is there after all, where an answer says that there is nothing.

use std::{collections::BTreeSet, fs, path::Path, path::PathBuf};

use artoo_text::{file_paths, is_unspaced, last_part, spaced_words, without_marks};
use artoo_types::ToolCall;

use crate::{Filesystem, answer::means_none, borne_out::reported_missing};

/// The most entries that are looked at.
const MAX_ENTRIES: usize = 5_000;
/// The most bytes that are read, of one file and of all of them.
const MAX_FILE: u64 = 1 << 20;
const MAX_TOTAL: u64 = 32 << 20;
/// The shortest word that is looked for: shorter ones stand everywhere. One that the step has in quotes may be shorter: 墨盒.
const MIN_TERM: usize = 3;
const MIN_QUOTED: usize = 2;

/// The quotation marks of a step: what opens, what closes.
const QUOTES: [(char, char); 6] =
    [('"', '"'), ('`', '`'), ('“', '”'), ('「', '」'), ('『', '』'), ('«', '»')];

/// Where the one word that a step and its calls look for stands after all, in words; `None` where it stands nowhere, where nobody
/// said that there is nothing, or where code cannot know what was looked for.
///
/// A search in the wrong way (names in place of contents, a filter that drops every hit) comes back with nothing, and two such
/// searches agree. So code looks itself: in the files and folders that the step names, or in the working folder, for a word that stands
/// in the step and was searched for in a call, before all one that the step has in quotes. It does not where there are several such
/// words. Hidden entries and links are left out, and so is what lies behind the limits of entries and bytes. Whoever asks for what lacks a
/// word is answered rightly all the same: so this is for a judge to weigh, and decides nothing.
///
/// ```
/// # use artoo_checks::{Filesystem, overlooked};
/// # let world = Filesystem::new("/nowhere", "/nowhere", Default::default());
/// assert_eq!(overlooked("3", "How many lines mention heron?", &[], &world), None);
/// ```
///
/// Source: `docs/deviations.md`, "Absence".
pub fn overlooked(answer: &str, intent: &str, calls: &[ToolCall], world: &Filesystem) -> Option<String> {
    if !means_none(answer) {
        return None;
    }
    let places = places(intent, world);
    let term = only_term(intent, calls, &places)?;
    let look = Look { term: &term, endings: endings(intent).collect() };
    let root = vec![world.resolve(Path::new("."))];
    let roots = if places.is_empty() {
        root
    } else {
        places.iter().map(|place| world.resolve(Path::new(place))).collect()
    };
    let Looked::Found(found) = look.first_below(roots) else { return None };
    let shown = found.strip_prefix(world.resolve(Path::new("."))).unwrap_or(&found).display().to_string();
    Some(format!("it says that there is nothing, but {shown} has the word {term:?}"))
}

/// The file that a request names and that is nowhere, so that no other plan finds it; `None` where it may be somewhere, or where
/// nothing shows that it is a file that was meant.
///
/// A call looked for it and was told so by the system; nothing lies where the request says; nothing below the working folder or the
/// workspace has its name, or mentions it; and the request names no file that is there.
///
/// ```
/// # use artoo_checks::{Filesystem, missing_file};
/// # let world = Filesystem::new("/nowhere", "/nowhere", Default::default());
/// // No call has looked yet.
/// assert_eq!(missing_file("How many lines does a.txt have?", &[], &world), None);
/// ```
///
/// Source: `docs/deviations.md`, "Absence".
pub fn missing_file<'a>(request: &'a str, calls: &[ToolCall], world: &Filesystem) -> Option<&'a str> {
    // What cannot be looked at is not known to be missing.
    let lacks = |path: &str| matches!(world.exists(Path::new(path)), Ok(false));
    if file_paths(request).any(|path| !lacks(path)) {
        return None;
    }
    file_paths(request).find(|path| {
        let name = last_part(path);
        let look = Look { term: name, endings: Vec::new() };
        reported_missing(name, calls) && matches!(look.first_below(world.roots()), Looked::Nowhere)
    })
}

/// What the step names that is there.
fn places<'a>(intent: &'a str, world: &Filesystem) -> Vec<&'a str> {
    intent
        .split_whitespace()
        .map(without_marks)
        .filter(|word| !word.is_empty() && !word.starts_with('/') && !word.contains(".."))
        .filter(|word| matches!(world.exists(Path::new(word)), Ok(true)))
        .collect()
}

/// The endings that the step restricts itself to, without their dots.
fn endings(intent: &str) -> impl Iterator<Item = &str> {
    intent.split_whitespace().filter_map(|word| {
        let ending = word.trim_matches(['"', '\'', ',', '*', '(', ')', '?']).strip_prefix('.')?;
        (!ending.is_empty() && ending.chars().all(char::is_alphanumeric)).then_some(ending)
    })
}

/// The word that the calls search for and the step names, where there is exactly one: of those in quotes, or else of all.
fn only_term(intent: &str, calls: &[ToolCall], places: &[&str]) -> Option<String> {
    let is_place = |word: &str| places.iter().any(|place| place.split('/').any(|part| part == word));
    let searched: Vec<String> =
        calls.iter().filter(|call| call.ran()).flat_map(|call| searched_for(&call.target())).collect();
    let is_searched =
        |word: &str| !is_place(word) && searched.iter().any(|searched| searched.eq_ignore_ascii_case(word));
    let is_term = |word: &&str| {
        word.chars().count() >= MIN_TERM && word.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let quoted: BTreeSet<&str> = quoted(intent).filter(|text| is_searched(text)).collect();
    let named = || spaced_words(intent).filter(is_term).filter(|word| is_searched(word)).collect();
    let mut terms = if quoted.is_empty() { named() } else { quoted }.into_iter();
    match (terms.next(), terms.next()) {
        (Some(only), None) => Some(only.to_owned()),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

/// What a step has in quotation marks.
fn quoted(intent: &str) -> impl Iterator<Item = &str> {
    QUOTES.iter().flat_map(move |(open, close)| {
        let mut rest = intent;
        std::iter::from_fn(move || {
            let (text, after) = rest.split_once(*open)?.1.split_once(*close)?;
            rest = after;
            Some(text.trim())
        })
        .filter(|text| text.chars().count() >= MIN_QUOTED)
    })
}

/// What a command searches for: what it quotes, and the word after `grep` or `-name`, without the signs of patterns around it.
fn searched_for(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = command;
    while let Some((_, after)) = rest.split_once(['"', '\'']) {
        let Some((quoted, after)) = after.split_once(['"', '\'']) else { break };
        found.push(quoted.to_owned());
        rest = after;
    }
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        if matches!(word, "grep" | "egrep" | "fgrep" | "rg" | "-name" | "-iname") {
            found.extend(words.by_ref().find(|word| !word.starts_with('-')).map(str::to_owned));
        }
    }
    let signs = |c: char| !c.is_alphanumeric();
    found
        .iter()
        .map(|text| text.trim_start_matches("\\b").trim_end_matches("\\b").trim_matches(signs).to_owned())
        .collect()
}

/// What is looked for, and in what.
struct Look<'a> {
    term: &'a str,
    endings: Vec<&'a str>,
}

/// What a look came to.
enum Looked {
    Found(PathBuf),
    Nowhere,
    /// Not where it could be seen; there is more beyond the limits, behind a link, or in a folder that cannot be read.
    NotAll,
}

impl Look<'_> {
    /// The first file that has it: breadth first, in order of name.
    fn first_below(&self, roots: Vec<PathBuf>) -> Looked {
        let mut folders: std::collections::VecDeque<PathBuf> = roots.into();
        let (mut entries, mut bytes, mut saw_all) = (0, 0, true);
        while let Some(path) = folders.pop_front() {
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            entries += 1;
            if entries > MAX_ENTRIES || bytes > MAX_TOTAL {
                return Looked::NotAll;
            }
            if metadata.is_dir() {
                let Ok(listed) = fs::read_dir(&path) else {
                    saw_all = false;
                    continue;
                };
                let below = listed.flatten().map(|entry| entry.path()).filter(|path| !is_hidden(path));
                let mut below: Vec<PathBuf> = below.take(MAX_ENTRIES).collect();
                below.sort_unstable();
                folders.extend(below);
            } else if metadata.is_file() && self.has_ending(&path) {
                let in_name =
                    path.file_name().is_some_and(|name| has_word(&name.to_string_lossy(), self.term));
                if in_name || (metadata.len() <= MAX_FILE && self.reads(&path, &mut bytes)) {
                    return Looked::Found(path);
                }
            } else if metadata.is_symlink() && path.is_dir() {
                saw_all = false;
            }
        }
        if saw_all { Looked::Nowhere } else { Looked::NotAll }
    }

    fn has_ending(&self, path: &Path) -> bool {
        let ending = path.extension().map(|ending| ending.to_string_lossy());
        self.endings.is_empty() || ending.is_some_and(|ending| self.endings.contains(&ending.as_ref()))
    }

    fn reads(&self, path: &Path, bytes: &mut u64) -> bool {
        let Ok(content) = fs::read(path) else { return false };
        *bytes += content.len() as u64;
        has_word(&String::from_utf8_lossy(&content), self.term)
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Whether a text has a word, spelt as it is and not as a part of a longer one. Scripts without blanks have no such parts.
fn has_word(text: &str, word: &str) -> bool {
    let is_within = |beside: Option<char>, edge: Option<char>| {
        beside.is_some_and(char::is_alphanumeric) && edge.is_none_or(|edge| !is_unspaced(edge))
    };
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text.get(start + word.len()..).and_then(|text| text.chars().next());
        !is_within(before, word.chars().next()) && !is_within(after, word.chars().next_back())
    })
}

#[cfg(test)]
#[path = "absence_tests.rs"]
mod tests;
