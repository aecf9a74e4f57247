//! Majority vote over several commands for one step. Two commands agree if their outputs are equal in
//! every rehearsed world or, where something is to be changed, if they change the same.
//!
//! An equal output may be chance; an equal output both on the files as they are and on perturbed copies shows
//! that the commands mean the same. A command whose output does not change when its subject cannot be read
//! says nothing about the subject, however many other commands agree with it.

use std::cmp::Reverse;

use artoo_types::{BlockedProgram, BlockedTarget, Rehearsed, Samples, ToolName};

use super::absence::finds_nothing;
use super::bearing_out::{bears_out, is_number_of};
use super::compared::{Compared, Without, is_number, said, text, without_subject, words};

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
    /// Whether it does the same with another number in place of one that the request names, or has none there.
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
    /// A number that the request names makes no difference to it.
    Ignores,
    /// Whether the output depends on the subject is unknown.
    Unknown,
    /// The output depends on the subject.
    Depends,
}

/// The winning group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Winner {
    /// Its lowest sample number: the sample at temperature 0, if that one is in the group.
    pub(crate) sample: u32,
    pub(crate) samples: Samples,
    /// Whether more samples would hardly change the result: two different methods agree on something that
    /// worked and may depend on its subject.
    pub(crate) is_settled: bool,
}

/// The group of highest rank; among these the one by the most ways, the largest, and the one with the lowest
/// sample number. `None` without candidates. `asked` is the number of samples that were requested.
pub(crate) fn winner(candidates: &[Candidate], asked: u32, goal: Goal) -> Option<Winner> {
    let of = Compared::of(candidates);
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
            let worth = worth(&own.came, goal);
            let is_another = |other: &&Candidate| group.iter().all(|one| one.sample != other.sample);
            // What is asked for, the number or the list, is known where it is said twice.
            let is_twice = group.len() >= 2;
            let says_more = candidates.iter().filter(is_another).filter(|other| {
                bears_out(other, own, goal) || (is_twice && is_number_of(&other.came, &own.came, goal))
            });
            let all: Vec<&Candidate> = group.iter().copied().chain(says_more).collect();
            // Most mistakes find nothing, so that finding nothing twice bears nothing out, unless both have looked.
            let is_chance = is_nothing(&own.came.as_is) && !finds_nothing(&own.came);
            let ways = if goal == Goal::Answer && is_chance { 1 } else { ways(&all) };
            Some(((worth, ways, all.len(), Reverse(first(group)?)), group))
        })
        .max_by_key(|(rank, _)| *rank);
    let ((worth, ways, size, _), group) = best?;
    let sample = group.iter().min_by_key(|one| (Reverse(exactness(one, of)), one.sample))?.sample;
    let depends = match worth {
        Worth::Depends => Some(true),
        Worth::Independent | Worth::Ignores => Some(false),
        Worth::Unknown | Worth::Failed => None,
    };
    let samples = Samples { asked, agreed: count(size), ways, depends };
    let is_settled = ways >= 2 && worth >= Worth::Unknown && samples.is_majority();
    Some(Winner { sample, samples, is_settled })
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

/// The programs that do the work of a command; the command itself if it names none.
pub(super) fn programs(command: &str) -> Vec<String> {
    let call = BlockedTarget { tool: ToolName::new("shell"), target: command.to_owned() };
    let named: Vec<String> = BlockedProgram::all_in(&call).into_iter().map(|pair| pair.program).collect();
    if named.is_empty() { vec![command.to_owned()] } else { named }
}

/// How exact the numbers are that a command prints, in digits behind the point: one prints all of them, another
/// rounds.
fn exactness(candidate: &Candidate, of: Compared) -> usize {
    let told = text(&candidate.came.as_is.stdout);
    let numbers = words(&told).filter(|word| of.keeps(word) && is_number(word));
    numbers.filter_map(|number| Some(number.split_once('.')?.1.len())).sum()
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
    match (goal, came.as_is.changes) {
        (Goal::Answer, Some(_)) | (Goal::Change, None) => return Worth::Independent,
        (Goal::Change | Goal::Answer, _) if came.ignores => return Worth::Ignores,
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

/// The meaning of a command: its results in each world, or what it changes. Of the world without the subject only
/// counts whether the result is another one there: one program complains that there is nothing, and another
/// counts 0.
#[derive(PartialEq, Eq)]
enum Meaning {
    Answer(bool, Vec<String>, Option<bool>, Option<(bool, Vec<String>)>),
    /// It looked, and there is nothing, in whichever words.
    Nothing,
    Change(bool, Option<[u8; 32]>),
}

fn meaning(came: &Came, of: Compared, goal: Goal) -> Meaning {
    match goal {
        Goal::Answer if finds_nothing(came) => return Meaning::Nothing,
        Goal::Answer => {}
        Goal::Change => return Meaning::Change(failed(&came.as_is), came.as_is.changes),
    }
    let doubled = came.doubled.as_ref().map(|doubled| (failed(doubled), said(doubled, of)));
    let as_is = said(&came.as_is, of);
    let hidden =
        came.hidden.as_ref().map(|hidden| without_subject(hidden, of) != Without::Says(as_is.clone()));
    Meaning::Answer(failed(&came.as_is), as_is, hidden, doubled)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use artoo_types::Said;

    use super::*;

    fn out(stdout: &str) -> Rehearsed {
        complaint(stdout, "", 0)
    }

    pub(in crate::guided) fn complaint(stdout: &str, stderr: &str, status: i32) -> Rehearsed {
        let said = |text: &str| Said::Whole(text.as_bytes().to_vec());
        Rehearsed { stdout: said(stdout), stderr: said(stderr), status, changes: None }
    }

    pub(in crate::guided) fn candidate(
        sample: u32,
        command: &str,
        as_is: &str,
        hidden: Rehearsed,
        doubled: &str,
    ) -> Candidate {
        let came = Came {
            as_is: out(as_is),
            hidden: Some(hidden),
            doubled: Some(out(doubled)),
            planted: None,
            ignores: false,
        };
        Candidate { sample, command: command.to_owned(), programs: programs(command), came }
    }

    pub(in crate::guided) fn samples(asked: u32, agreed: u32, ways: u32, depends: Option<bool>) -> Samples {
        Samples { asked, agreed, ways, depends }
    }

    #[test]
    fn the_same_by_different_commands_is_one_meaning() {
        let failed = complaint("", "cannot open", 1);
        let piped = complaint("0\n", "Permission denied", 0);
        let all = [
            candidate(0, "wc -l < a", "3\n", failed, "4"),
            candidate(1, "grep -c '' a | cat", " 3", piped, "4\n"),
            candidate(2, "wc -c < a", "3", complaint("", "no", 1), "9"),
        ];
        assert_eq!(
            winner(&all, 3, Goal::Answer),
            Some(Winner { sample: 0, samples: samples(3, 2, 2, Some(true)), is_settled: true })
        );
    }

    #[test]
    fn lists_agree_in_any_order_and_numbers_in_any_form() {
        let hidden = || complaint("", "no", 2);
        let lists = [
            candidate(0, "ls", "b\na\n", hidden(), "a\nb"),
            candidate(1, "find", "./a \nb", hidden(), "b\n./a"),
        ];
        assert_eq!(winner(&lists, 2, Goal::Answer).unwrap().samples, samples(2, 2, 2, Some(true)));
        let numbers = [candidate(0, "x", "7.50", hidden(), "8"), candidate(1, "y", "7.5", hidden(), "8.0")];
        assert_eq!(winner(&numbers, 2, Goal::Answer).unwrap().samples.agreed, 2);
        let twice = [candidate(0, "x", "a\na", hidden(), ""), candidate(1, "y", "a", hidden(), "")];
        assert_eq!(winner(&twice, 2, Goal::Answer).unwrap().samples.agreed, 1);
    }

    /// Observed with the embedded model: two filters that take nothing agree on 0, and one of them complains where the
    /// file is not there.
    #[test]
    fn lesson_nothing_that_is_found_twice_is_borne_out_by_nothing() {
        let gone = || complaint("0", "No such file or directory", 0);
        let all = [
            candidate(0, "grep -c ERROR log", "0", gone(), "0"),
            candidate(1, "python3 -c 'count()'", "0", gone(), "0"),
            candidate(2, "awk '/ERROR/' log | wc -l", "59", gone(), "60"),
        ];
        let nothing = Winner { sample: 0, samples: samples(2, 2, 1, None), is_settled: false };
        assert_eq!(winner(&all[..2], 2, Goal::Answer), Some(nothing));
        let found = Winner { sample: 2, samples: samples(3, 1, 1, Some(true)), is_settled: false };
        assert_eq!(winner(&all, 3, Goal::Answer), Some(found));
    }

    /// Observed with the embedded model: where a folder is not there, `find` complains, and Python finds nothing in it.
    #[test]
    fn lesson_without_the_subject_one_way_complains_and_the_other_finds_nothing() {
        let all = [
            candidate(0, "find docs | wc -l", "12\n", complaint("0\n", "No such file or directory", 0), "13"),
            candidate(1, "python3 -c 'count()'", "12\n", out("0\n"), "13\n"),
        ];
        let settled = Winner { sample: 0, samples: samples(2, 2, 2, Some(true)), is_settled: true };
        assert_eq!(winner(&all, 2, Goal::Answer), Some(settled));
        // A literal is the same in both worlds.
        let literal = candidate(2, "echo 12", "12", out("12"), "13");
        assert_eq!(winner(&[all[0].clone(), literal], 2, Goal::Answer).unwrap().samples.agreed, 1);
    }

    /// Observed with the embedded model: the largest file with and without its size.
    #[test]
    fn lesson_what_one_of_them_leaves_out_is_not_compared() {
        let hidden = || complaint("", "no", 1);
        let agreed = |one: &str, other: &str| {
            let all = [candidate(0, "find", one, hidden(), one), candidate(1, "ls", other, hidden(), other)];
            winner(&all, 2, Goal::Answer).unwrap().samples.agreed == 2
        };
        assert!(agreed("4151 docs/a.txt\n", "./docs/a.txt"));
        assert!(agreed("48 app.log", "48\n"));
        assert!(!agreed("4151 docs/a.txt", "docs/b.txt"));
        assert!(!agreed("48 app.log", "47"));
        assert!(!agreed("48 app.log", "47 app.log"), "both say both");
        assert!(!agreed("48", "app.log"), "they have nothing in common");
    }

    /// Observed with the embedded model: a search prints names with their folder and the lines, a program the names, or a list of them.
    #[test]
    fn lesson_names_agree_with_their_folder_and_in_any_list() {
        let gone = || complaint("", "no", 1);
        let agreed = |one: &str, other: &str| {
            let all = [candidate(0, "grep", one, gone(), one), candidate(1, "python3", other, gone(), other)];
            let winner = winner(&all, 2, Goal::Answer).unwrap();
            (winner.samples.agreed, winner.sample)
        };
        assert_eq!(
            agreed("docs/a.txt:one word\ndocs/plan.md:word", "a.txt\nplan.md"),
            (2, 1),
            "the bare answer is taken"
        );
        assert_eq!(agreed("docs/a.txt\ndocs/plan.md", "['plan.md', 'a.txt']"), (2, 0));
        assert_eq!(agreed("docs/a.txt\ndocs/plan.md", "['plan.md', 'b.txt']"), (1, 0));
        assert_eq!(agreed("docs/a.txt:3", "3"), (2, 0));
    }

    #[test]
    fn one_output_by_chance_is_no_agreement() {
        let hidden = || complaint("", "no", 1);
        let all = [candidate(0, "x", "3", hidden(), "4"), candidate(1, "y", "3", hidden(), "6")];
        let winner = winner(&all, 2, Goal::Answer).unwrap();
        assert_eq!((winner.sample, winner.samples.agreed, winner.is_settled), (0, 1, false));
    }

    #[test]
    fn what_failed_or_found_nothing_is_told_apart() {
        let failed = Came {
            as_is: complaint("", "no such command", 127),
            hidden: None,
            doubled: None,
            planted: None,
            ignores: false,
        };
        let failed =
            Candidate { sample: 0, command: "x".to_owned(), programs: vec!["x".to_owned()], came: failed };
        let literal = candidate(1, "echo 3", "3", out("3"), "3");
        let pair = [failed.clone(), literal];
        assert_eq!(
            winner(&pair, 2, Goal::Answer).unwrap().sample,
            0,
            "an error teaches something, a literal nothing"
        );
        let both = [failed.clone(), Candidate { sample: 1, ..failed }];
        assert!(!winner(&both, 2, Goal::Answer).unwrap().is_settled);
        let quiet = [candidate(0, "grep x a", "", out(""), ""), candidate(1, "awk /x/ a", "", out(""), "")];
        assert_eq!(
            winner(&quiet, 2, Goal::Answer),
            Some(Winner { sample: 0, samples: samples(2, 2, 1, None), is_settled: false })
        );
        assert_eq!(winner(&[], 2, Goal::Answer), None);
    }

    fn some_candidates() -> impl Strategy<Value = Vec<Candidate>> {
        let one = ("[xyz]", "[123]", prop_oneof![Just("1"), Just("2"), Just("")], "[123]");
        prop::collection::vec(one, 1..5).prop_map(|all| {
            let with =
                |(sample, (command, as_is, hidden, doubled)): (u32, (String, String, &str, String))| {
                    candidate(sample, &command, &as_is, out(hidden), &doubled)
                };
            (0..).zip(all).map(with).collect()
        })
    }

    proptest! {
        #[test]
        fn the_order_of_candidates_does_not_matter(mut all in some_candidates(), turn in 0usize..5) {
            let expected = winner(&all, 4, Goal::Answer);
            let turn = turn % all.len();
            all.rotate_left(turn);
            prop_assert_eq!(&winner(&all, 4, Goal::Answer), &expected);
            all.reverse();
            prop_assert_eq!(winner(&all, 4, Goal::Answer), expected);
        }

        #[test]
        fn a_literal_never_wins_over_what_depends(mut all in some_candidates(), literals in 1usize..6) {
            all.push(candidate(9, "wc -l < a", "3", complaint("", "no", 1), "4"));
            for number in 0..literals {
                all.push(candidate(10 + number as u32, "echo 5", "5", out("5"), "5"));
            }
            let winner = winner(&all, 12, Goal::Answer).unwrap();
            prop_assert_eq!(winner.samples.depends, Some(true));
            prop_assert!(winner.sample < 10);
        }

        #[test]
        fn what_is_told_is_of_what_was_asked(all in some_candidates()) {
            let winner = winner(&all, 4, Goal::Answer).unwrap();
            let samples = winner.samples;
            prop_assert!(1 <= samples.ways);
            prop_assert!(samples.ways <= samples.agreed && samples.agreed <= samples.asked);
            prop_assert!(all.iter().any(|candidate| candidate.sample == winner.sample));
        }
    }
}
