//! Graders: they compare what a run delivered with the truth that code computed from the home.

mod created;
mod number;
mod summary;

use std::{collections::BTreeMap, fs, path::Path};

use super::{
    answer,
    task::{Content, Grade, Place, Quantity, Task},
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
    Number { number: f64, unit: Unit },
    Names(Names),
    Whether(Names),
    File { name: String, place: Place, holds: Held },
    Summary(summary::Source),
    None,
}

/// What a number counts: sizes are ignored beside a count, and they are what is asked for in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Things,
    Bytes,
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
    let held = contents(home)?;
    let fact = |grade: &Grade| {
        Ok(match grade {
            Grade::Number { of } => Fact::Number { number: truth::measure(home, of)?, unit: unit(of) },
            Grade::Names { of } => Fact::Names(truth::select(home, of)?),
            Grade::Whether { of } => Fact::Whether(truth::select(home, of)?),
            Grade::File { name, place, holds } => {
                let holds = match holds {
                    Content::Text(text) => Held::Text(text.clone()),
                    Content::LinesNaming(of) => Held::LinesNaming(truth::select(home, of)?.chosen),
                    Content::LinesOf(of) => Held::Text(truth::lines(home, of)?),
                };
                Fact::File { name: name.clone(), place: *place, holds }
            }
            Grade::Summary { of, most_words } => {
                Fact::Summary(summary::source(&held, of, *most_words, &task.request)?)
            }
            Grade::None { .. } => Fact::None,
        })
    };
    Ok(Before { facts: task.grade.iter().map(fact).collect::<Result<_>>()?, held })
}

#[cfg(test)]
impl Before {
    /// The facts, for people.
    pub(super) fn truths(&self) -> impl Iterator<Item = String> {
        self.facts.iter().map(|fact| match fact {
            Fact::Number { number, unit: Unit::Things } => format!("{number}"),
            Fact::Number { number, unit: Unit::Bytes } => format!("{number} bytes"),
            Fact::Names(names) => names.chosen.join(" | "),
            Fact::Whether(names) => if names.chosen.is_empty() { "no" } else { "yes" }.to_owned(),
            Fact::File { name, holds: Held::Text(text), .. } => {
                format!("{name} with {} lines", text.lines().count())
            }
            Fact::File { name, holds: Held::LinesNaming(names), .. } => {
                format!("{name}: {}", names.join(" | "))
            }
            Fact::Summary(source) => format!("a summary: {source}"),
            Fact::None => "nothing".to_owned(),
        })
    }
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
            Fact::Number { number, unit } => {
                number::objection(&task.request, before, *number, *unit, delivered.answer)
            }
            Fact::Names(names) => names_objection(names, delivered.answer),
            Fact::Whether(names) => whether_objection(names, delivered.answer),
            Fact::File { name, place, holds } => created::objection(name, *place, holds, delivered),
            Fact::Summary(source) => summary::objection(source, delivered.answer),
            Fact::None => Some("there is no right answer".to_owned()),
        });
    }
    Ok(objections)
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

fn unit(quantity: &Quantity) -> Unit {
    match quantity {
        Quantity::Bytes { .. } => Unit::Bytes,
        Quantity::Files { .. }
        | Quantity::Lines { .. }
        | Quantity::Words { .. }
        | Quantity::Column { .. }
        | Quantity::Labelled { .. } => Unit::Things,
    }
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
