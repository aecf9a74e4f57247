//! Outputs of commands in a form in which they can be compared: two programs that mean the same print it differently.

use std::borrow::Cow;

use artoo_text::last_part;
use artoo_types::{Rehearsed, RehearsedChanges, Said};

use super::majority::{Candidate, Goal, failed};

/// Digits behind the first one that two programs share: awk prints six in all.
const SHARED_DIGITS: usize = 5;

/// The output as text; the hash of a long output.
pub(super) fn text(said: &Said) -> Cow<'_, str> {
    match said {
        Said::Whole(bytes) => String::from_utf8_lossy(bytes),
        Said::Hash(hash) => Cow::Owned(format!("{hash:?}")),
    }
}

/// Whether each of these lines stands within one of the others, word by word.
pub(super) fn stands_in(lines: &[String], others: &[String]) -> bool {
    let within = |line: &String, other: &String| {
        let (words, others): (Vec<&str>, Vec<&str>) = (line.split(' ').collect(), other.split(' ').collect());
        others.windows(words.len()).any(|part| part == words)
    };
    !lines.is_empty() && lines.iter().all(|line| others.iter().any(|other| within(line, other)))
}

/// The part of the outputs that is compared. One command prints a name, another the name after its size: the
/// name is what both have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    All,
    /// One of the outputs consists of numbers only.
    Numbers,
    /// One of the outputs contains no number.
    Words,
}

impl Compared {
    pub(super) fn of(candidates: &[Candidate], goal: Goal) -> Self {
        let worked =
            || candidates.iter().map(|candidate| &candidate.came.as_is).filter(|as_is| !failed(as_is));
        let consists = |of: fn(&str) -> bool| {
            worked().any(|as_is| {
                let told = told(as_is, goal);
                let mut words = words(&told).peekable();
                words.peek().is_some() && words.all(of)
            })
        };
        match (consists(is_number), consists(|word| !is_number(word))) {
            (true, false) => Self::Numbers,
            (false, true) => Self::Words,
            (true, true) | (false, false) => Self::All,
        }
    }

    pub(super) fn keeps(self, word: &str) -> bool {
        match self {
            Self::All => true,
            Self::Numbers => is_number(word),
            Self::Words => !is_number(word),
        }
    }
}

/// What a command says or, where something is to be changed, the lines that it writes.
pub(super) fn told(rehearsed: &Rehearsed, goal: Goal) -> Cow<'_, str> {
    match (goal, &rehearsed.changes) {
        (Goal::Answer, _) => text(&rehearsed.stdout),
        (Goal::Change, Some(changes)) => Cow::Owned(changes.written.join("\n")),
        (Goal::Change, None) => Cow::Borrowed(""),
    }
}

/// The compared parts of the lines that were written, in their order. One program writes a number, and another a sentence with it; one
/// a name, and another the path that leads to it.
pub(super) fn written(changes: &RehearsedChanges, of: Compared) -> Vec<String> {
    let line = |line: &String| {
        words(line).filter(|word| of.keeps(word)).map(one_notation).collect::<Vec<_>>().join(" ")
    };
    match of {
        Compared::Numbers => changes.written.iter().map(line).collect(),
        Compared::Words | Compared::All => {
            changes.written.iter().map(|line| last_name(line).to_owned()).collect()
        }
    }
}

/// The file name that a line ends with, if it is a path; else the line. `80 km/h` and `1/2/2024` are none.
fn last_name(line: &str) -> &str {
    let name = last_part(line);
    if name.contains('.') && name.contains(char::is_alphabetic) { name } else { line }
}

/// The words of an output. One program prints a list with commas and brackets, another puts a colon behind a name.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| {
        c.is_whitespace()
            || matches!(c, ':' | ';' | ',' | '|' | '=' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}')
    };
    text.split(is_between).filter(|word| !word.is_empty())
}

pub(super) fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The result of a command that cannot read its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Without {
    /// It reports an error. The wording, and any other output, depends on the program: a pipe still counts no
    /// lines.
    Complains,
    /// It reports nothing unusual.
    Says(Vec<String>),
}

pub(super) fn without_subject(rehearsed: &Rehearsed, of: Compared) -> Without {
    if text(&rehearsed.stderr).trim().is_empty() {
        Without::Says(said(rehearsed, of))
    } else {
        Without::Complains
    }
}

/// The compared parts of each line, with the lines sorted, numbers in one notation, and paths by their last name. A line
/// of which no part is compared counts as a line all the same: it answers another question.
pub(super) fn said(rehearsed: &Rehearsed, of: Compared) -> Vec<String> {
    let told = text(&rehearsed.stdout);
    let mut lines: Vec<String> = told
        .lines()
        .filter(|line| words(line).next().is_some())
        .map(|line| words(line).filter(|word| of.keeps(word)).map(plain).collect::<Vec<_>>().join(" "))
        .collect();
    lines.sort_unstable();
    lines
}

/// A word in one notation: a fraction with the digits that every program prints, a path by its last name, since one
/// program prints the folder with it and another does not.
pub(super) fn plain(word: &str) -> String {
    if is_number(word) {
        return one_notation(word);
    }
    let last = word.rsplit('/').find(|name| !name.is_empty());
    last.filter(|name| name.contains(char::is_alphabetic)).unwrap_or(word).to_owned()
}

/// A number with the digits that every program prints; any other word as it is.
fn one_notation(word: &str) -> String {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() && number.fract() == 0.0 => number.to_string(),
        Ok(number) if number.is_finite() => format!("{number:.*e}", SHARED_DIGITS),
        Ok(_) | Err(_) => word.to_owned(),
    }
}
