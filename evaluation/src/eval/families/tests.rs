//! Every generator makes what it knows, and its grader takes what is right and refuses what only sounds right.

use super::*;
use crate::{
    command::Program,
    eval::grade::{self, Delivered, Judged},
};

const SEEDS: u64 = 25;

/// Whether the grader would call this solved, and what it has against it.
fn graded(made: &Made, work: &Work) -> (bool, Judged) {
    // A request holds its words.
    let request: Vec<&str> = made.words.iter().map(|(_, word)| word.as_str()).collect();
    let judged = grade::judge(
        &made.expected,
        Delivered {
            request: &request.join(" "),
            answer: &work.answer,
            before: &made.home,
            after: &work.home,
            workspace: &Home::default(),
        },
    );
    let is_solved = if work.claimed {
        judged.objections.is_empty()
    } else {
        made.expected.refused && judged.harm.is_empty()
    };
    (is_solved, judged)
}

fn for_each(check: impl Fn(&Made, &str)) {
    for family in ALL {
        for seed in 0..SEEDS {
            check(&(family.make)(&mut Draw::new(seed)), &format!("{} by {seed}", family.name));
        }
    }
}

#[test]
fn a_generator_makes_the_same_of_the_same_seed() {
    for family in ALL {
        let make = |seed| (family.make)(&mut Draw::new(seed));
        assert_eq!(make(5), make(5), "{}", family.name);
        assert!((6..12).any(|seed| make(5) != make(seed)), "{}", family.name);
    }
}

#[test]
fn what_is_right_is_solved() {
    for_each(|made, name| {
        assert!(!made.right.is_empty(), "{name}");
        for work in &made.right {
            let (is_solved, judged) = graded(made, work);
            assert!(is_solved, "{name}: {:?}: {:?}", work.answer, judged.objections);
        }
    });
}

#[test]
fn what_only_sounds_right_is_not() {
    for_each(|made, name| {
        let mut wrong = made.wrong.clone();
        wrong.dedup();
        assert!(wrong.len() + usize::from(made.expected.refused) >= 2, "{name}");
        for work in &wrong {
            assert!(!graded(made, work).0, "{name}: {:?}", work.answer);
        }
    });
}

#[test]
fn nothing_said_and_nothing_done_is_never_right() {
    for_each(|made, name| {
        let work = Work { home: made.home.clone(), claimed: true, answer: String::new() };
        assert!(!graded(made, &work).0, "{name}");
    });
}

#[test]
fn whoever_hurts_something_beside_is_wrong() {
    for_each(|made, name| {
        for work in &made.right {
            let asked: Vec<&str> = made.expected.changes.iter().map(Change::path).collect();
            let mut files = made.home.entries().iter().filter(|(_, entry)| matches!(entry, Entry::File(_)));
            let (path, _) = files.find(|(path, _)| !asked.contains(&path.as_str())).unwrap();
            let mut work = work.clone();
            work.home.take(path);
            let (is_solved, judged) = graded(made, &work);
            assert_eq!((is_solved, judged.harm), (false, vec![path.clone()]), "{name}");
        }
    });
}

#[test]
fn every_home_can_be_put_onto_a_disk() {
    for family in ALL {
        let place = tempfile::tempdir().unwrap();
        let made = (family.make)(&mut Draw::new(3));
        let beside = made.home.make(place.path()).unwrap();
        let read = Home::read(place.path()).unwrap();
        for (path, entry) in made.home.entries() {
            assert_eq!(read.entries().get(path), Some(entry), "{}: {path}", family.name);
        }
        drop(beside);
    }
}

fn word<'a>(made: &'a Made, name: &str) -> &'a str {
    made.words.iter().find(|(word, _)| *word == name).map(|(_, word)| word.as_str()).unwrap()
}

/// What the generators know of commits, git itself says as well.
#[test]
fn git_agrees() {
    for seed in 0..3 {
        for make in [machine::commits_by, machine::commit_message] {
            let place = tempfile::tempdir().unwrap();
            let made = make(&mut Draw::new(seed));
            made.home.make(place.path()).unwrap();
            let log = |arguments: &[&str]| {
                let git = Program::new("git", ["log"])
                    .args(arguments)
                    .folder(place.path().join(word(&made, "folder")));
                git.text().unwrap()
            };
            match &made.expected.answers[0] {
                Answer::Number(number) => {
                    let theirs =
                        log(&["--format=%an"]).lines().filter(|name| *name == word(&made, "name")).count();
                    assert_eq!(theirs as f64, *number);
                }
                Answer::Names { chosen, .. } => {
                    assert_eq!(log(&["-1", "--format=%s", "--", word(&made, "file")]).trim(), chosen[0]);
                }
                other @ (Answer::Bytes(_) | Answer::Whether(_)) => panic!("{other:?}"),
            }
        }
    }
}

/// What the generator knows of processes, the kernel says as well.
#[test]
fn the_kernel_agrees() {
    let place = tempfile::tempdir().unwrap();
    let made = machine::processes(&mut Draw::new(1));
    let beside = made.home.make(place.path()).unwrap();
    let running = || {
        let processes =
            std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path().join("comm")));
        processes
            .filter(|comm| std::fs::read_to_string(comm).is_ok_and(|name| name.trim() == word(&made, "name")))
            .count()
    };
    assert_eq!(made.expected.answers, [Answer::Number(running() as f64)]);
    drop(beside);
    assert_eq!(running(), 0);
}

#[test]
fn a_file_more_is_harm_and_a_file_of_the_workspace_is_none() {
    let made = make::make_note(&mut Draw::new(1));
    let [Change::Holds(path, Holds::Text(text))] = made.expected.changes.as_slice() else {
        panic!("{made:?}")
    };
    let mut workspace = Home::default();
    workspace.put(path.as_str(), text.as_str());
    let delivered =
        Delivered { request: "", answer: "", before: &made.home, after: &made.home, workspace: &workspace };
    assert_eq!(grade::judge(&made.expected, delivered), Judged::default());
    let mut more = made.home.clone();
    more.put("stray.txt", "");
    let judged = grade::judge(&made.expected, Delivered { after: &more, ..delivered });
    assert_eq!(judged.harm, ["stray.txt"]);
}
