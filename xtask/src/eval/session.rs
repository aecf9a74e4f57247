//! One graded run: a copy of the home, the binary over it, the verdict.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{
    grade::{self, Delivered, Objections},
    outcome::{self, Outcome},
    task::{Setup, Task},
};
use crate::{Error, Result, command::Program, files};

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Graded {
    /// The task.
    pub id: String,
    /// What kind of request it was.
    pub kind: String,
    /// What the run said.
    pub outcome: Outcome,
    /// What the grader has against it.
    pub objections: Objections,
    /// Whether the right end was not to be accepted.
    pub impossible: bool,
    /// What the grader has against the answer of the first of two derivations, where there is one.
    #[serde(default)]
    pub first_objections: Option<Objections>,
}

impl Graded {
    /// Accepted and right, or not accepted where there is no right answer.
    pub(crate) fn solved(&self) -> bool {
        if self.impossible {
            !self.outcome.directive.is_empty() && !self.outcome.accepted()
        } else {
            self.outcome.accepted() && self.objections.is_empty()
        }
    }

    /// The one thing that may never happen: the user was told that all is well, and it is not.
    pub(crate) fn claimed_but_wrong(&self) -> bool {
        self.outcome.accepted() && !self.objections.is_empty()
    }

    /// The grader agrees, but the run did not say that all is well.
    pub(crate) fn right_but_unclaimed(&self) -> bool {
        !self.impossible && !self.outcome.accepted() && self.objections.is_empty()
    }
}

/// The program under test and where it may work.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    /// The binary.
    pub artoo: PathBuf,
    /// Options for `artoo run`.
    pub options: Vec<String>,
    /// Where runs are recorded.
    pub data: PathBuf,
    /// Variables that its environment has besides.
    pub environment: Vec<(OsString, OsString)>,
}

/// Runs and grades one task in a fresh folder.
///
/// # Errors
/// The copy cannot be made or the binary not be started. What the binary does after that is an outcome.
pub(crate) fn run(bench: &Bench, task: &Task, place: &Path) -> Result<Graded> {
    let home = place.join("home");
    prepare(task, &home)?;
    over(bench, task, &home, place)
}

/// Runs and grades one task over a home that is there already; what is recorded of it goes into `place`.
///
/// # Errors
/// The binary cannot be started, or the home does not have what the task asks about.
pub(crate) fn over(bench: &Bench, task: &Task, home: &Path, place: &Path) -> Result<Graded> {
    let workspace = place.join("workspace");
    fs::create_dir_all(&workspace).map_err(Error::file("create", &workspace))?;
    let before = grade::before(task, home)?;
    let program = Program::new(&bench.artoo, ["run", "--json"])
        .args(["--cwd".as_ref(), home.as_os_str(), "--workspace".as_ref(), workspace.as_os_str()])
        .args(["--data-dir".as_ref(), bench.data.as_os_str()])
        .args(&bench.options)
        .args(["--", task.request.as_str()])
        .folder(home);
    let program = bench.environment.iter().fold(program, |program, (name, value)| program.env(name, value));
    let output = program.output()?;
    files::write(place.join("events.jsonl"), &output.stdout)?;
    files::write(place.join("stderr.txt"), &output.stderr)?;
    let mut outcome = outcome::fold(&output.stdout);
    if outcome.directive.is_empty() {
        outcome.directive = format!("none ({})", output.status);
    }
    let delivered = Delivered { answer: &outcome.answer, home, workspace: &workspace };
    let objections = grade::judge(task, &before, delivered)?;
    let first = outcome.first_answer.as_deref();
    let first_objections = first
        .map(|answer| grade::judge(task, &before, Delivered { answer, home, workspace: &workspace }))
        .transpose()?;
    let impossible = grade::is_impossible(&before);
    let (id, kind) = (task.id.clone(), task.kind.clone());
    Ok(Graded { id, kind, outcome, objections, impossible, first_objections })
}

/// Copies the home of a task and sets the times of change: a month ago, where the task says nothing else.
pub(crate) fn prepare(task: &Task, home: &Path) -> Result<()> {
    const MONTH: Duration = Duration::from_secs(30 * 24 * 3600);
    files::copy_folder(&files::root().join("fixtures/homes").join(&task.home), home)?;
    for path in files::walk(home, |_| true)? {
        age(&path, MONTH)?;
    }
    for step in &task.setup {
        match step {
            Setup::Modified(step) => {
                age(&home.join(&step.modified), Duration::from_secs(step.minutes_ago.saturating_mul(60)))?;
            }
            Setup::Empty(step) => {
                let folder = home.join(&step.empty_folder);
                fs::create_dir(&folder).map_err(Error::file("create", folder))?;
            }
        }
    }
    Ok(())
}

fn age(path: &Path, age: Duration) -> Result<()> {
    let changed = std::time::SystemTime::from(chrono::Local::now()) - age;
    let file = File::options().write(true).open(path).map_err(Error::file("open", path))?;
    file.set_modified(changed).map_err(Error::file("date", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::task;

    fn graded(directive: &str, objections: &[&str], impossible: bool) -> Graded {
        Graded {
            id: "t".into(),
            kind: "k".into(),
            outcome: Outcome { directive: directive.into(), ..Outcome::default() },
            objections: objections.iter().map(|&text| text.to_owned()).collect(),
            impossible,
            first_objections: None,
        }
    }

    #[test]
    fn only_a_right_claim_is_solved() {
        assert!(graded("accept", &[], false).solved());
        assert!(!graded("success", &[], false).solved());
        assert!(!graded("accept", &["wrong"], false).solved());
        assert!(graded("accept", &["wrong"], false).claimed_but_wrong());
        assert!(!graded("abandon", &["wrong"], false).claimed_but_wrong());
    }

    #[test]
    fn the_impossible_is_solved_by_not_accepting() {
        let objection = &["there is no right answer"];
        assert!(graded("abandon", objection, true).solved());
        assert!(!graded("accept", objection, true).solved());
        assert!(graded("accept", objection, true).claimed_but_wrong());
        assert!(!graded("", objection, true).solved(), "a crash is no refusal");
    }

    /// A stand-in for the binary that says what a run would, whatever it is asked.
    fn pretend(place: &Path, directive: &str, output: &str) -> Bench {
        use std::os::unix::fs::PermissionsExt;
        let artoo = place.join("artoo.sh");
        let plan = serde_json::json!({"type": "plan.proposed", "subtasks": [{}, {"independent_of": [0]}]});
        let first =
            serde_json::json!({"type": "subtask.finished", "status": "matched", "output": "ideas.md"});
        let line = serde_json::json!({"v": 1, "type": "run.finished", "run_id": "r", "directive": directive,
            "output": output, "summary": "s", "elapsed_ms": 10, "usage": {"calls": 3}});
        files::write(&artoo, format!("#!/bin/sh\ncat <<'END'\n{plan}\n{first}\n{line}\nEND\n")).unwrap();
        fs::set_permissions(&artoo, fs::Permissions::from_mode(0o755)).unwrap();
        Bench { artoo, options: Vec::new(), data: place.join("data"), environment: Vec::new() }
    }

    /// What the graders find in the home of every task: a file that goes away or a word that comes in shows here.
    #[test]
    fn the_suite_has_a_truth_for_every_task() {
        let place = tempfile::tempdir().unwrap();
        let mut truths = String::new();
        for task in task::load(&files::root().join("fixtures/tasks"), &[]).unwrap() {
            let home = place.path().join(&task.id);
            prepare(&task, &home).unwrap();
            for fact in grade::before(&task, &home).unwrap().truths() {
                truths.push_str(&format!("{}: {fact}\n", task.id));
            }
            for grade in &task.grade {
                if let task::Grade::None { missing } = grade {
                    assert!(!home.join(missing).exists(), "{}", task.id);
                }
            }
        }
        insta::assert_snapshot!("truths", truths);
    }

    #[test]
    fn a_run_is_prepared_and_graded() {
        let place = tempfile::tempdir().unwrap();
        let folder = files::root().join("fixtures/tasks");
        let task = task::load(&folder, &["newest-note".to_owned()]).unwrap().remove(0);
        let check = |name: &str, directive: &str, output: &str| {
            let bench = pretend(place.path(), directive, output);
            run(&bench, &task, &place.path().join(name)).unwrap()
        };
        let right = check("right", "accept", "2025-11-10 standup.txt");
        assert_eq!((right.objections.as_slice(), right.outcome.calls), (&[][..], 3));
        assert!(right.solved());
        assert_eq!(right.first_objections.map(|objections| objections.is_empty()), Some(false));
        assert!(check("wrong", "accept", "ideas.md").claimed_but_wrong());
    }
}
