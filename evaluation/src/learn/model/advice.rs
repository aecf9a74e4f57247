//! Extracts from a prompt what speaks for and against the simulated model's ways.
//!
//! It recognises a command by building it itself: a text that names `config/north.yaml` and contains the
//! command that it would build for that name is about this manner. The nearest cue word before or after the
//! command decides whether for or against.

use std::collections::{BTreeMap, BTreeSet};

use super::ways::{Manner, Subject, bare, parted};

/// Cue words against the adjacent command.
const AGAINST: [&str; 12] = [
    "must not",
    "should avoid",
    "failed",
    "refused",
    "blocked",
    "not met",
    "not finished",
    "not on this machine",
    "fell short",
    "missed",
    "in vain",
    "did not",
];

/// Cue words for it.
const FOR: [&str; 5] = ["should prefer", "worked", "done", "succeeded", "solved"];

/// Maximum distance in bytes of a cue word before a command: a heading precedes a whole list.
const REACH: usize = 900;

/// For each manner mentioned in the text: the number of mentions for it minus those against it.
pub(super) fn votes(told: &str, subject: &Subject) -> BTreeMap<Manner, i32> {
    let mut said: BTreeMap<usize, (usize, Manner)> = BTreeMap::new();
    let folders = folders(told, subject);
    for other in others(told, subject) {
        for way in other.ways_with(&folders) {
            for (at, end) in occurrences(told, &way.command) {
                // A more specific manner overrides a less specific one: `wc -l < kunden/mueller.txt` beside
                // "Müller.txt" is about the spelling.
                match said.get(&at) {
                    Some((_, known)) if *known >= way.manner => {}
                    _ => _ = said.insert(at, (end, way.manner.clone())),
                }
            }
        }
    }
    let mut votes = BTreeMap::new();
    for (at, (end, manner)) in said {
        *votes.entry(manner).or_default() += leaning(told, at, end);
    }
    votes
}

/// The folders of the files named in the text, if the subject could be among them.
pub(super) fn folders(told: &str, subject: &Subject) -> Vec<String> {
    let words = words(told);
    let meant = words.iter().filter(|word| !subject.about(word, &words).is_empty());
    let folders: BTreeSet<&str> =
        meant.map(|word| parted(word).0).filter(|folder| !folder.is_empty()).collect();
    folders.into_iter().map(str::to_owned).collect()
}

/// The same question about each thing that the text names.
fn others(told: &str, subject: &Subject) -> Vec<Subject> {
    let words = words(told);
    let each: BTreeSet<&str> = words.iter().copied().collect();
    each.into_iter().flat_map(|word| subject.about(word, &words)).collect()
}

fn words(told: &str) -> Vec<&str> {
    let words = told.split(|c: char| c.is_whitespace() || "`\"'()".contains(c)).map(bare);
    words.filter(|word| !word.is_empty()).collect()
}

/// The occurrences of a command as a whole, not as a prefix of another.
fn occurrences<'a>(told: &'a str, command: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    told.match_indices(command).filter_map(move |(at, _)| {
        let end = at.saturating_add(command.len());
        let next = told.get(end..)?.chars().next();
        (!next.is_some_and(|c| c.is_alphanumeric() || "/_-".contains(c))).then_some((at, end))
    })
}

/// 1 if the words beside a command speak for it, -1 if against, 0 if neither.
fn leaning(told: &str, at: usize, end: usize) -> i32 {
    let told = told.to_ascii_lowercase();
    let behind = told.get(end..).unwrap_or_default();
    let clause = behind.split(['\n', ';']).next().unwrap_or_default().split(". ").next().unwrap_or_default();
    let first = cues(clause).min_by_key(|(at, _)| *at);
    let start = (at.saturating_sub(REACH)..at).find(|start| told.is_char_boundary(*start)).unwrap_or(at);
    let before = told.get(start..at).unwrap_or_default();
    let last = cues(before).max_by_key(|(at, _)| *at);
    first.or(last).map_or(0, |(_, leaning)| leaning)
}

/// The cue words with their leanings.
fn cues(text: &str) -> impl Iterator<Item = (usize, i32)> + '_ {
    let of = |words: &'static [&'static str], leaning: i32| {
        let found = words.iter().flat_map(move |word| text.match_indices(word));
        // "abandoned" is not "done".
        let begins =
            |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
        found.filter(move |(at, _)| begins(*at)).map(move |(at, _)| (at, leaning))
    };
    of(&AGAINST, -1).chain(of(&FOR, 1))
}
