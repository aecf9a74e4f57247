//! Verifies negative answers: searches for what an answer says does not exist.

use std::{collections::BTreeSet, fs, io::Read as _, path::Path, path::PathBuf};

use artoo_text::{file_paths, is_unspaced, last_part, spaced_words, without_marks};
use artoo_types::ToolCall;

use crate::{
    ClosedFiles, Filesystem, claim_support::reported_missing, named_paths::named_paths,
    named_paths::without_spaced_names, same_answer::means_none,
};

/// The maximum number of entries examined.
const MAX_ENTRIES: usize = 5_000;
/// The maximum number of bytes read, of one file and in total.
const MAX_FILE: u64 = 1 << 20;
const MAX_TOTAL: u64 = 32 << 20;
/// The shortest word searched for: shorter ones occur everywhere. A word that the step quotes may be shorter:
/// 墨盒.
const MIN_TERM: usize = 3;
const MIN_QUOTED: usize = 2;

/// The quotation marks of a step, opening and closing.
const QUOTES: [(char, char); 6] =
    [('"', '"'), ('`', '`'), ('“', '”'), ('「', '」'), ('『', '』'), ('«', '»')];

/// The place where the one word that a step and its calls search for occurs after all, in words; `None` if it
/// occurs nowhere, if the answer is not negative, or if code cannot tell what was searched for.
///
/// A wrong search (names instead of contents, a filter that drops every hit) finds nothing, and two such
/// searches agree. So code searches itself: in the files and folders that the step names, or in the working
/// folder, for a word that is in the step and was searched for by a call, with preference for one that the
/// step quotes. It does not if there are several such words. Hidden entries and links are left out, and so is
/// everything beyond the limits of entries and bytes. The answer to a question about what lacks a word is
/// still right, so this is a hint for a judge and decides nothing.
///
/// ```
/// # use artoo_checks::{Filesystem, contradicting_hit};
/// # let world = Filesystem::new("/nowhere", "/nowhere", Default::default());
/// assert_eq!(contradicting_hit("3", "How many lines mention heron?", &[], &world), None);
/// ```
///
/// Source: `docs/deviations.md`, "Absence".
pub fn contradicting_hit(
    answer: &str,
    intent: &str,
    calls: &[ToolCall],
    world: &Filesystem,
) -> Option<String> {
    if !means_none(answer) {
        return None;
    }
    let places = places(intent, world);
    let term = only_term(intent, calls, &places)?;
    let look = Look { term: &term, endings: endings(intent).collect(), closed: world.closed() };
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

/// The file that a request names and that does not exist, so that no other plan can find it; `None` if it may
/// exist somewhere, or if nothing shows that a file was meant.
///
/// All of these must hold: a call looked for it and the system reported it missing; nothing is at the path in
/// the request; nothing below the working folder or the workspace has its name or mentions it; and the
/// request names no existing file.
///
/// ```
/// # use artoo_checks::{Filesystem, missing_file};
/// # let world = Filesystem::new("/nowhere", "/nowhere", Default::default());
/// // No call has looked yet.
/// assert_eq!(missing_file("How many lines does a.txt have?", &[], &world), None);
/// ```
///
/// Source: `docs/deviations.md`, "Absence".
pub fn missing_file(request: &str, calls: &[ToolCall], world: &Filesystem) -> Option<String> {
    // Most requests name no file that a call missed, and the folders are not walked for them.
    if !file_paths(request).any(|path| reported_missing(last_part(path), calls)) {
        return None;
    }
    let request = &without_spaced_names(request, world);
    // A path that cannot be examined is not known to be missing.
    let lacks = |path: &str| matches!(world.exists(Path::new(path)), Ok(false));
    if file_paths(request).any(|path| !lacks(path)) {
        return None;
    }
    let mut missing = file_paths(request).filter(|path| {
        let name = last_part(path);
        let look = Look { term: name, endings: Vec::new(), closed: world.closed() };
        reported_missing(name, calls) && matches!(look.first_below(world.roots()), Looked::Nowhere)
    });
    missing.next().map(str::to_owned)
}

/// The first file that the request names and that is nowhere, at its path or by its name below the working folder or the
/// workspace, besides those that are `gone`: removed or moved by the run. It was to be made, or was looked for in vain.
///
/// ```
/// # use artoo_checks::{Filesystem, unmade_file};
/// # let world = Filesystem::new("/nowhere", "/nowhere", Default::default());
/// assert_eq!(unmade_file("Write the names into list.txt", &[], &world), Some("list.txt".to_owned()));
/// assert_eq!(unmade_file("Rename a.txt to b.txt", &["/nowhere/a.txt".into()], &world), Some("b.txt".to_owned()));
/// assert_eq!(unmade_file("Write the names", &[], &world), None);
/// ```
///
/// Source: `docs/deviations.md`, "Confidence".
pub fn unmade_file(request: &str, gone: &[PathBuf], world: &Filesystem) -> Option<String> {
    let named = named_paths(request, world);
    // In a script without blanks a name stands among other characters.
    let ends_in = |path: &str, name: &str| {
        let before = path.strip_suffix(name).map(|before| before.chars().next_back());
        before.is_some_and(|before| before.is_none_or(|before| before == '/' || is_unspaced(before)))
    };
    let is_known = |path: &str| {
        let names = named.iter().filter_map(|one| one.file_name()?.to_str());
        gone.iter().any(|gone| gone.ends_with(path)) || names.into_iter().any(|name| ends_in(path, name))
    };
    let text = without_spaced_names(request, world);
    let is_nowhere = |path: &&str| {
        let look = Look { term: last_part(path), endings: Vec::new(), closed: world.closed() };
        matches!(world.exists(Path::new(path)), Ok(false))
            && matches!(look.first_below(world.roots()), Looked::Nowhere)
    };
    file_paths(&text).filter(|path| !is_known(path)).find(is_nowhere).map(str::to_owned)
}

/// The existing paths that the step names.
fn places<'a>(intent: &'a str, world: &Filesystem) -> Vec<&'a str> {
    intent
        .split_whitespace()
        .map(without_marks)
        .filter(|word| !word.is_empty() && !word.starts_with('/') && !word.contains(".."))
        .filter(|word| matches!(world.exists(Path::new(word)), Ok(true)))
        .collect()
}

/// The extensions to which the step is restricted, without their dots.
fn endings(intent: &str) -> impl Iterator<Item = &str> {
    intent.split_whitespace().filter_map(|word| {
        let ending = word.trim_matches(['"', '\'', ',', '*', '(', ')', '?']).strip_prefix('.')?;
        (!ending.is_empty() && ending.chars().all(char::is_alphanumeric)).then_some(ending)
    })
}

/// The word that the calls search for and the step names, if there is exactly one: among the quoted words, or
/// else among all.
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

/// The texts in quotation marks in a step.
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

/// The words that a command searches for: quoted ones, and the word after `grep` or `-name`, without
/// surrounding wildcards.
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

/// A search: the term, and the extensions of the files.
struct Look<'a> {
    term: &'a str,
    endings: Vec<&'a str>,
    closed: &'a ClosedFiles,
}

/// The result of a search.
enum Looked {
    Found(PathBuf),
    Nowhere,
    /// Not found, but the search was incomplete: there is more beyond the limits, behind a link, or in an
    /// unreadable folder.
    NotAll,
}

impl Look<'_> {
    /// The first file that contains the term: breadth first, in order of name.
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
        let Ok(mut file) = fs::File::open(path) else { return false };
        let mut content = Vec::new();
        if self.closed.hold(&file, path) || file.read_to_end(&mut content).is_err() {
            return false;
        }
        *bytes += content.len() as u64;
        has_word(&String::from_utf8_lossy(&content), self.term)
    }
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Whether a text contains a word, with the same spelling and not as part of a longer word. Scripts without
/// blanks have no word boundaries.
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
#[path = "negative_answer_tests.rs"]
mod tests;
