//! Majority vote over several commands for one step. Two commands agree if their outputs are equal in
//! every rehearsed world or, where something is to be changed, if they change the same.
//!
//! An equal output may be chance; an equal output both on the files as they are and on perturbed copies shows
//! that the commands mean the same. A command whose output does not change when its subject cannot be read
//! says nothing about the subject, however many other commands agree with it.

use std::cmp::Reverse;

use artoo_types::{BlockedProgram, BlockedTarget, Rehearsed, RehearsedChanges, Samples, ToolKind};

use super::absence::finds_nothing;
use super::bearing_out::{bears_out, is_number_of};
use super::code_block::Language;
use super::compared::{Compared, Without, is_number, said, text, told, without_subject, words, written};

/// What the commands are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// An answer, by a command that changes nothing.
    Answer,
    /// A change; what is printed beside it does not count.
    Change,
}

/// A rehearsed command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The number of the sample that produced it, from 0.
    pub(crate) sample: u32,
    pub(crate) language: Language,
    pub(crate) command: String,
    /// The programs that do its work.
    pub(crate) programs: Vec<String>,
    pub(crate) came: Came,
}

/// The results of a command in each world; `None` if it was not rehearsed in that world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Came {
    pub(crate) as_is: Rehearsed,
    pub(crate) hidden: Option<Rehearsed>,
    pub(crate) doubled: Option<Rehearsed>,
    /// Where a line with what it looks for stands in its subject; only of what may have found nothing.
    pub(crate) planted: Option<Rehearsed>,
    /// Whether it does the same with another number in place of one that the request names, or has none there; or where another
    /// value stands in what it reads in place of one that the request names.
    pub(crate) ignores: bool,
}

/// The rank of a group, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Worth {
    /// The output does not depend on the subject; or something is changed for an answer, or nothing where
    /// something is to be changed.
    Independent,
    /// The command failed, which at least tells the model something.
    Failed,
    /// A number or a value that the request names makes no difference to it.
    Ignores,
    /// Whether the output depends on the subject is unknown.
    Unknown,
    /// The output depends on the subject.
    Depends,
}

/// The winning group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Winner {
    /// The sample with the most exact numbers; among these the one that writes least, and the shortest command, which a person
    /// has to read.
    pub(crate) sample: u32,
    pub(crate) samples: Samples,
}

/// The group of highest rank; among these the one in the most languages, by the most ways, the largest, and the one with the
/// lowest sample number. `None` without candidates. `asked` is the number of samples that were requested.
pub(crate) fn winner(candidates: &[Candidate], asked: u32, goal: Goal) -> Option<Winner> {
    let of = Compared::of(candidates, goal);
    let mut groups: Vec<Vec<&Candidate>> = Vec::new();
    for candidate in candidates {
        let is_same = |group: &&mut Vec<&Candidate>| {
            group
                .first()
                .is_some_and(|first| meaning(&first.came, of, goal) == meaning(&candidate.came, of, goal))
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    let first = |group: &[&Candidate]| group.iter().map(|candidate| candidate.sample).min();
    let best = groups
        .iter()
        .filter_map(|group| {
            let own = group.first()?;
            let own_worth = worth(&own.came, goal);
            let is_another = |other: &&Candidate| group.iter().all(|one| one.sample != other.sample);
            // What is asked for, the number or the list, is known where it is said twice.
            let is_twice = group.len() >= 2;
            let says_more = candidates.iter().filter(is_another).filter(|other| {
                bears_out(other, own, goal) || (is_twice && is_number_of(&other.came, &own.came, goal))
            });
            let all: Vec<&Candidate> = group.iter().copied().chain(says_more).collect();
            let is_against = |other: &&Candidate| {
                all.iter().all(|one| one.sample != other.sample) && worth(&other.came, goal) != Worth::Failed
            };
            // Who says the same in the same words is one voice.
            let against = ways(&candidates.iter().filter(is_against).collect::<Vec<_>>());
            // Most mistakes find nothing, so that finding nothing twice bears nothing out, unless both have looked.
            let is_chance = is_nothing(&own.came.as_is) && !finds_nothing(&own.came);
            let ways = if goal == Goal::Answer && is_chance { 1 } else { ways(&all) };
            let languages = languages(&all);
            let rank = (own_worth, languages.min(ways), ways, all.len(), Reverse(first(group)?));
            Some((rank, group, languages, against))
        })
        .max_by_key(|(rank, _, _, _)| *rank);
    let ((worth, _, ways, size, _), group, languages, against) = best?;
    let writes = |one: &Candidate| if goal == Goal::Change { told(&one.came.as_is, goal).len() } else { 0 };
    let simple =
        |one: &&&Candidate| (Reverse(exactness(one, of, goal)), writes(one), one.command.len(), one.sample);
    let sample = group.iter().min_by_key(simple)?.sample;
    let depends = match worth {
        Worth::Depends => Some(true),
        Worth::Independent | Worth::Ignores => Some(false),
        Worth::Unknown | Worth::Failed => None,
    };
    let samples = Samples { asked, agreed: count(size), ways, languages, depends, against };
    Some(Winner { sample, samples })
}

/// The number of commands in the group of which no two share a program. One command with another option makes
/// the same mistake.
fn ways(group: &[&Candidate]) -> u32 {
    let mut apart: Vec<&[String]> = Vec::new();
    for candidate in group {
        if apart.iter().all(|other| !other.iter().any(|program| candidate.programs.contains(program))) {
            apart.push(&candidate.programs);
        }
    }
    count(apart.len())
}

/// The number of languages that the commands of the group are written in.
fn languages(group: &[&Candidate]) -> u32 {
    let mut apart: Vec<Language> = Vec::new();
    for candidate in group {
        if !apart.contains(&candidate.language) {
            apart.push(candidate.language);
        }
    }
    count(apart.len())
}

/// The programs that do the work of a command; the command itself if it names none.
pub(super) fn programs(command: &str) -> Vec<String> {
    let call = BlockedTarget { tool: ToolKind::Shell.into(), target: command.to_owned() };
    let named: Vec<String> = BlockedProgram::all_in(&call).into_iter().map(|pair| pair.program).collect();
    if named.is_empty() { vec![command.to_owned()] } else { named }
}

/// How exact the numbers are that a command prints or writes, in digits behind the point: one has all of them, another
/// rounds.
fn exactness(candidate: &Candidate, of: Compared, goal: Goal) -> usize {
    let told = told(&candidate.came.as_is, goal);
    let numbers = words(&told).filter(|word| of.keeps(word) && is_number(word));
    numbers.filter_map(|number| Some(number.split_once('.')?.1.trim_end_matches('0').len())).sum()
}

/// Whether the command failed with a message on stderr: by its status or, at the beginning of a pipe, with
/// nothing or a zero as what came out at its end. A search without a hit exits with status 1 and writes nothing.
pub(crate) fn failed(rehearsed: &Rehearsed) -> bool {
    !text(&rehearsed.stderr).trim().is_empty() && (rehearsed.status != 0 || is_nothing(rehearsed))
}

/// Whether nothing was found: no output, or zeros. The command looked nowhere, or there is nothing.
pub(super) fn is_nothing(rehearsed: &Rehearsed) -> bool {
    words(&text(&rehearsed.stdout)).all(|word| word.parse() == Ok(0.0))
}

/// Whether two results are not the same: what they changed or, of an answer, what they say.
pub(super) fn differs(one: &Rehearsed, other: &Rehearsed, goal: Goal) -> bool {
    let says = |rehearsed| said(rehearsed, Compared::All);
    one.changes != other.changes || (goal == Goal::Answer && says(one) != says(other))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn worth(came: &Came, goal: Goal) -> Worth {
    if failed(&came.as_is) {
        return Worth::Failed;
    }
    match (goal, &came.as_is.changes) {
        (Goal::Answer, Some(_)) | (Goal::Change, None) => return Worth::Independent,
        (Goal::Change | Goal::Answer, _) if came.ignores => return Worth::Ignores,
        (Goal::Change, changes) if is_same_without(came, changes.as_ref()) => return Worth::Independent,
        (Goal::Change, Some(_)) => return Worth::Depends,
        (Goal::Answer, None) => {}
    }
    let all = Compared::All;
    let as_is = said(&came.as_is, all);
    let hidden = came.hidden.as_ref().map(|hidden| without_subject(hidden, all));
    let differs = hidden.as_ref().is_some_and(|hidden| *hidden != Without::Says(as_is.clone()))
        || came.doubled.as_ref().is_some_and(|doubled| said(doubled, all) != as_is);
    match hidden {
        _ if finds_nothing(came) => Worth::Depends,
        _ if is_nothing(&came.as_is) => Worth::Unknown,
        _ if differs => Worth::Depends,
        Some(_) => Worth::Independent,
        None => Worth::Unknown,
    }
}

/// Whether a command changes the same where it cannot read its subject: what it writes is made up.
fn is_same_without(came: &Came, changes: Option<&RehearsedChanges>) -> bool {
    came.hidden.as_ref().is_some_and(|hidden| !failed(hidden) && hidden.changes.as_ref() == changes)
}

/// The meaning of a command: its results in each world, or what it changes. Of the world without the subject only
/// counts whether the result is another one there: one program complains that there is nothing, and another
/// counts 0.
#[derive(PartialEq, Eq)]
enum Meaning {
    Answer(bool, Vec<String>, Option<bool>, Option<Option<Vec<String>>>),
    /// It looked, and there is nothing, in whichever words.
    Nothing,
    Change(bool, Option<([u8; 32], Vec<String>)>, Option<Option<([u8; 32], Vec<String>)>>),
}

fn meaning(came: &Came, of: Compared, goal: Goal) -> Meaning {
    match goal {
        Goal::Answer if finds_nothing(came) => return Meaning::Nothing,
        Goal::Answer => {}
        Goal::Change => {
            let changed = |rehearsed: &Rehearsed| {
                rehearsed.changes.as_ref().map(|changes| (changes.rest, written(changes, of)))
            };
            let doubled = came.doubled.as_ref().filter(|doubled| !failed(doubled)).map(changed);
            return Meaning::Change(failed(&came.as_is), changed(&came.as_is), doubled);
        }
    }
    // What fails on a file that is no longer well-formed says nothing, in whichever words.
    let doubled = came.doubled.as_ref().map(|doubled| (!failed(doubled)).then(|| said(doubled, of)));
    let as_is = said(&came.as_is, of);
    let hidden =
        came.hidden.as_ref().map(|hidden| without_subject(hidden, of) != Without::Says(as_is.clone()));
    Meaning::Answer(failed(&came.as_is), as_is, hidden, doubled)
}

#[cfg(test)]
pub(super) mod tests;
