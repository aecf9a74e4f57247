//! Graders: they compare what a run delivered with the truth that code computed from the home.

use std::{collections::BTreeMap, fs, path::Path};

use super::{
    answer,
    task::{Content, Grade, Place, Task},
    truth::{self, Names},
};
use crate::{Error, Result, files};

/// The home before the run, as far as the graders need it.
#[derive(Clone, Debug)]
pub(super) struct Before {
    facts: Vec<Fact>,
    /// Every file with what it held.
    held: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, Debug)]
enum Fact {
    Number(f64),
    Names(Names),
    Whether(Names),
    File { name: String, place: Place, holds: Held },
    None,
}

#[derive(Clone, Debug)]
enum Held {
    Text(String),
    LinesNaming(Vec<String>),
}

/// What a run delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered<'a> {
    /// Its answer, as the user reads it.
    pub answer: &'a str,
    /// The working folder, after the run.
    pub home: &'a Path,
    /// The workspace, after the run.
    pub workspace: &'a Path,
}

/// What is wrong with an answer; empty where the grader agrees.
pub(super) type Objections = Vec<String>;

/// Computes the truth for a task, before the run.
///
/// # Errors
/// The home does not have what the task asks about.
pub(super) fn before(task: &Task, home: &Path) -> Result<Before> {
    let fact = |grade: &Grade| {
        Ok(match grade {
            Grade::Number { of } => Fact::Number(truth::measure(home, of)?),
            Grade::Names { of } => Fact::Names(truth::select(home, of)?),
            Grade::Whether { of } => Fact::Whether(truth::select(home, of)?),
            Grade::File { name, place, holds } => {
                let holds = match holds {
                    Content::Text(text) => Held::Text(text.clone()),
                    Content::LinesNaming(of) => Held::LinesNaming(truth::select(home, of)?.chosen),
                };
                Fact::File { name: name.clone(), place: *place, holds }
            }
            Grade::None { .. } => Fact::None,
        })
    };
    Ok(Before { facts: task.grade.iter().map(fact).collect::<Result<_>>()?, held: contents(home)? })
}

/// Whether the truth is that nothing can be answered.
pub(super) fn is_impossible(before: &Before) -> bool {
    before.facts.iter().any(|fact| matches!(fact, Fact::None))
}

/// Judges what a run delivered.
///
/// # Errors
/// The home cannot be read.
pub(super) fn judge(task: &Task, before: &Before, delivered: Delivered<'_>) -> Result<Objections> {
    let mut objections = Objections::new();
    let after = contents(delivered.home)?;
    for (path, held) in &before.held {
        if after.get(path) != Some(held) {
            objections.push(format!("{path} was changed or deleted"));
        }
    }
    for fact in &before.facts {
        objections.extend(match fact {
            Fact::Number(number) => number_objection(task, before, *number, delivered.answer),
            Fact::Names(names) => names_objection(names, delivered.answer),
            Fact::Whether(names) => whether_objection(names, delivered.answer),
            Fact::File { name, place, holds } => file_objection(name, *place, holds, delivered),
            Fact::None => Some("there is no right answer".to_owned()),
        });
    }
    Ok(objections)
}

/// The number must be stated, and no other that could be taken for it: numbers of the request, of the other questions,
/// sizes and names of files aside.
fn number_objection(task: &Task, before: &Before, number: f64, given: &str) -> Option<String> {
    let plain = without_names(before, given);
    let same = |a: f64, b: f64| (a - b).abs() < 0.005;
    let stated = answer::numbers(&plain);
    if !stated.iter().chain(&answer::numbers_in_words(&plain)).any(|found| same(*found, number)) {
        return Some(format!("does not state {number}"));
    }
    let asked = answer::numbers(&task.request);
    let known = before
        .facts
        .iter()
        .filter_map(|fact| if let Fact::Number(known) = fact { Some(*known) } else { None });
    let known: Vec<f64> =
        known.chain(asked).chain(before.held.values().map(|held| held.len() as f64)).collect();
    let rival = stated.iter().find(|found| !known.iter().any(|known| same(**found, *known)))?;
    Some(format!("states {rival} beside {number}"))
}

fn names_objection(names: &Names, given: &str) -> Option<String> {
    if let Some(missing) = names.chosen.iter().find(|name| !given.contains(name.as_str())) {
        return Some(format!("does not name {missing}"));
    }
    let mut left = given.to_owned();
    for name in longest_first(&names.chosen) {
        left = left.replace(name, " ");
    }
    let wrong = longest_first(&names.rest).into_iter().find(|name| left.contains(name))?;
    Some(format!("names {wrong}"))
}

fn whether_objection(names: &Names, given: &str) -> Option<String> {
    let truth = !names.chosen.is_empty();
    let naming = names.chosen.iter().any(|name| given.contains(name.as_str()));
    match answer::says_yes(given, naming) {
        Some(said) if said == truth => None,
        Some(_) => Some(format!("says {}", if truth { "no" } else { "yes" })),
        None => Some("says neither yes nor no".to_owned()),
    }
}

fn file_objection(name: &str, place: Place, holds: &Held, delivered: Delivered<'_>) -> Option<String> {
    let places: &[&Path] = match place {
        Place::Workspace => &[delivered.workspace],
        Place::Anywhere => &[delivered.workspace, delivered.home],
    };
    let Some(path) = places.iter().map(|place| place.join(name)).find(|path| path.is_file()) else {
        return Some(format!("{name} was not created where it should be"));
    };
    let Ok(text) = files::read(&path) else { return Some(format!("{name} is not text")) };
    let right = match holds {
        Held::Text(wanted) => text.trim() == wanted.trim(),
        Held::LinesNaming(names) => {
            let mut lines: Vec<&str> = text.lines().map(last_part).filter(|line| !line.is_empty()).collect();
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            lines.sort_unstable();
            names.sort_unstable();
            lines == names
        }
    };
    (!right).then(|| format!("{name} holds something else"))
}

/// A line's file name: without a list mark, quotes and folders.
fn last_part(line: &str) -> &str {
    let line = line.trim().trim_start_matches("- ").trim_start_matches("* ").trim_matches(['`', '"', '\'']);
    line.rsplit('/').next().unwrap_or(line)
}

/// The answer without the names and paths of the home's files, which may hold digits.
fn without_names(before: &Before, given: &str) -> String {
    let mut paths: Vec<String> = before.held.keys().cloned().collect();
    paths.extend(before.held.keys().filter_map(|path| path.rsplit('/').next()).map(str::to_owned));
    let mut left = given.to_owned();
    for name in longest_first(&paths) {
        left = left.replace(name, " ");
    }
    left
}

fn longest_first(names: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names
}

fn contents(home: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut contents = BTreeMap::new();
    for path in files::walk(home, |_| true)? {
        let held = fs::read(&path).map_err(Error::file("read", &path))?;
        contents.insert(path.strip_prefix(home).unwrap_or(&path).to_string_lossy().into_owned(), held);
    }
    Ok(contents)
}

#[cfg(test)]
mod tests;
