//! Tests of the majority vote, and candidates for those of its neighbours.

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
    Candidate {
        sample,
        language: Language::Shell,
        command: command.to_owned(),
        programs: programs(command),
        came,
    }
}

pub(in crate::guided) fn samples(asked: u32, agreed: u32, ways: u32, depends: Option<bool>) -> Samples {
    Samples { asked, agreed, ways, languages: 1, depends, against: 0 }
}

/// Observed with the embedded model: a program and jq counted the same in a JSON, and as one died where a line of it stood twice and the
/// other counted 0 with a complaint, they did not agree.
#[test]
fn lesson_what_fails_on_a_perturbed_file_does_so_in_any_words() {
    let of = |sample, command, doubled| {
        let one = candidate(sample, command, "13", complaint("", "no", 1), "");
        Candidate { came: Came { doubled: Some(doubled), ..one.came }, ..one }
    };
    let all = [
        of(0, "python3 -c 'count()'", complaint("", "Traceback", 1)),
        of(1, "jq .n a.json | wc -l", complaint("0", "parse error", 0)),
    ];
    assert_eq!(
        winner(&all, 2, Goal::Answer),
        Some(Winner { sample: 0, samples: samples(2, 2, 2, Some(true)) })
    );
}

/// Observed with the embedded model: two programs wrote the same sum, one as a bare number and the other within a sentence, and
/// did not agree.
#[test]
fn lesson_a_number_that_is_written_is_one_in_any_words() {
    let of = |sample, rest, written: &[&str]| {
        let one = candidate(sample, &format!("python3 -c 'p{sample}()'"), "", complaint("", "", 0), "");
        let written = written.iter().map(|line| (*line).to_owned()).collect();
        let as_is = Rehearsed { changes: Some(RehearsedChanges { rest: [rest; 32], written }), ..out("") };
        Candidate { came: Came { as_is, ..one.came }, ..one }
    };
    let agreed = |all: &[Candidate]| {
        let Winner { sample, samples } = winner(all, 3, Goal::Change).unwrap();
        (sample, samples.agreed)
    };
    let (bare, told, exact) = (of(0, 1, &["35"]), of(1, 1, &["Sum: 35.0 pieces"]), of(2, 1, &["35.25"]));
    assert_eq!(agreed(&[told.clone(), bare.clone(), exact.clone()]), (0, 2));
    assert_eq!(agreed(&[told.clone(), exact.clone(), of(3, 1, &["It is 35.25"])]), (2, 2));
    for apart in [of(3, 2, &["35"]), of(3, 1, &["35", ""]), of(3, 1, &["5 of 35"]), of(3, 1, &["36"])] {
        assert_eq!(agreed(&[told.clone(), apart.clone()]).1, 1, "{apart:?}");
    }
    assert_eq!(agreed(&[of(0, 1, &["docs/a.txt"]), of(1, 1, &["a.txt"])]), (1, 2), "a path by its last name");
    for (one, other) in [("80 km/h", "90 km/h"), ("1/2/2024", "2/1/2024"), ("docs/a.txt", "docs/b.txt")] {
        assert_eq!(agreed(&[of(0, 1, &[one]), of(1, 1, &[other])]).1, 1, "{one}, {other}");
    }
    // Where nothing is a bare number, the words count.
    assert_eq!(agreed(&[told, of(3, 1, &["35 pieces"])]).1, 1);
    assert_eq!(agreed(&[of(0, 1, &["b", "a"]), of(1, 1, &["a", "b"])]).1, 1, "their order counts");
}

/// Observed with the embedded model: asked to write the sum of one city, two programs wrote that of all. What is written is compared where
/// lines are doubled, too, and what is written without the subject is made up.
#[test]
fn lesson_a_deed_is_compared_in_each_world() {
    let writes = |line: &str| {
        let written = vec![line.to_owned()];
        Rehearsed { changes: Some(RehearsedChanges { rest: [1; 32], written }), ..out("") }
    };
    let of = |sample, hidden: Rehearsed, doubled: &str| {
        let one = candidate(sample, &format!("python3 -c 'p{sample}()'"), "", hidden, "");
        let doubled = Some(writes(doubled));
        Candidate { came: Came { as_is: writes("35"), doubled, ..one.came }, ..one }
    };
    let gone = || complaint("", "no such file", 1);
    let won = |all: &[Candidate]| winner(all, 2, Goal::Change).unwrap().samples;
    assert_eq!(won(&[of(0, gone(), "58"), of(1, gone(), "58")]), samples(2, 2, 1, Some(true)));
    let apart = won(&[of(0, gone(), "58"), of(1, gone(), "35")]);
    assert_eq!((apart.agreed, apart.against), (1, 1));
    assert_eq!(won(&[of(0, writes("35"), "35"), of(1, writes("35"), "35")]).depends, Some(false));
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
        Some(Winner { sample: 0, samples: Samples { against: 1, ..samples(3, 2, 2, Some(true)) } })
    );
}

#[test]
fn lists_agree_in_any_order_and_numbers_in_any_form() {
    let hidden = || complaint("", "no", 2);
    let lists =
        [candidate(0, "ls", "b\na\n", hidden(), "a\nb"), candidate(1, "find", "./a \nb", hidden(), "b\n./a")];
    assert_eq!(winner(&lists, 2, Goal::Answer).unwrap().samples, samples(2, 2, 2, Some(true)));
    let numbers = [candidate(0, "x", "7.50", hidden(), "8"), candidate(1, "y", "7.5", hidden(), "8.0")];
    assert_eq!(winner(&numbers, 2, Goal::Answer).unwrap().samples.agreed, 2);
    let twice = [candidate(0, "x", "a\na", hidden(), ""), candidate(1, "y", "a", hidden(), "")];
    assert_eq!(winner(&twice, 2, Goal::Answer).unwrap().samples.agreed, 1);
}

#[test]
fn what_worked_and_says_something_else_is_against() {
    let gone = || complaint("", "no", 1);
    let agreed = [candidate(0, "wc -l a", "3", gone(), "4"), candidate(1, "grep -c '' a", "3", gone(), "4")];
    let against = |other: Candidate| {
        let all = [agreed.clone().to_vec(), vec![other]].concat();
        winner(&all, 3, Goal::Answer).unwrap().samples.against
    };
    assert_eq!(against(candidate(2, "wc -c a", "7", gone(), "9")), 1);
    assert_eq!(against(candidate(2, "echo 7", "7", out("7"), "7")), 1, "it did not look");
    assert_eq!(against(candidate(2, "grep -c x a", "0", out("0"), "0")), 1, "nothing is something else");
    assert_eq!(against(candidate(2, "awk a", "Lines: 3", gone(), "Lines: 4")), 0, "it says the same");
    let mut broken = candidate(2, "jq a", "", gone(), "");
    broken.came.as_is = gone();
    assert_eq!(against(broken), 0, "it failed");
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
    let nothing = Winner { sample: 0, samples: samples(2, 2, 1, None) };
    assert_eq!(winner(&all[..2], 2, Goal::Answer), Some(nothing));
    let found = Winner { sample: 2, samples: Samples { against: 2, ..samples(3, 1, 1, Some(true)) } };
    assert_eq!(winner(&all, 3, Goal::Answer), Some(found));
}

/// Observed with the embedded model: where a folder is not there, `find` complains, and Python finds nothing in it.
#[test]
fn lesson_without_the_subject_one_way_complains_and_the_other_finds_nothing() {
    let all = [
        candidate(0, "find docs | wc -l", "12\n", complaint("0\n", "No such file or directory", 0), "13"),
        candidate(1, "python3 -c 'count()'", "12\n", out("0\n"), "13\n"),
    ];
    let settled = Winner { sample: 0, samples: samples(2, 2, 2, Some(true)) };
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
    assert_eq!((winner.sample, winner.samples.agreed, winner.samples.ways), (0, 1, 1));
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
    let failed = Candidate {
        sample: 0,
        language: Language::Shell,
        command: "x".to_owned(),
        programs: vec!["x".to_owned()],
        came: failed,
    };
    let literal = candidate(1, "echo 3", "3", out("3"), "3");
    let pair = [failed.clone(), literal];
    assert_eq!(
        winner(&pair, 2, Goal::Answer).unwrap().sample,
        0,
        "an error teaches something, a literal nothing"
    );
    let both = [failed.clone(), Candidate { sample: 1, ..failed }];
    assert_eq!(winner(&both, 2, Goal::Answer).unwrap().samples.depends, None);
    let quiet = [candidate(0, "grep x a", "", out(""), ""), candidate(1, "awk /x/ a", "", out(""), "")];
    assert_eq!(winner(&quiet, 2, Goal::Answer), Some(Winner { sample: 0, samples: samples(2, 2, 1, None) }));
    assert_eq!(winner(&[], 2, Goal::Answer), None);
}

fn some_candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let one = ("[xyz]", "[123]", prop_oneof![Just("1"), Just("2"), Just("")], "[123]");
    prop::collection::vec(one, 1..5).prop_map(|all| {
        let with = |(sample, (command, as_is, hidden, doubled)): (u32, (String, String, &str, String))| {
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
