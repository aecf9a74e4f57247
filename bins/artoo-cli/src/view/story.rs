//! What a run did and what was checked of it, as far as its end tells it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use artoo_runtime::events::{Event, Line};
use artoo_types::{Judge, SubTaskId};

use super::changed_files::{Rename, renames};
use super::steps::Steps;

/// A fold over the lines of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story {
    folder: Option<PathBuf>,
    steps: Steps,
    /// The last verdict on each criterion of the steps that still count.
    verdicts: BTreeMap<(Option<SubTaskId>, String), (bool, Judge)>,
    /// The name before the run of what was renamed, by its name now.
    origins: BTreeMap<PathBuf, PathBuf>,
}

/// How many criteria are met, by who decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Met {
    /// Decided by code.
    pub(super) code: u64,
    /// Decided by a model.
    pub(super) model: u64,
}

impl Story {
    /// Takes note of a line.
    pub(super) fn on(&mut self, line: &Line) {
        self.steps.on(line);
        #[expect(clippy::wildcard_enum_match_arm, reason = "four of many events are told at the end")]
        match &line.event {
            Event::RunStarted { working_folder, .. } => self.folder = Some(working_folder.clone()),
            Event::PlanProposed { kept, .. } => {
                self.verdicts
                    .retain(|(subtask, _), _| subtask.is_some_and(|subtask| kept.contains(&subtask)));
            }
            Event::Verdict { criterion, pass, judge, .. } => {
                self.verdicts.insert((line.subtask_id, criterion.clone()), (*pass, *judge));
            }
            Event::ToolFinished { files, .. } => {
                for (from, to) in renames(files) {
                    let origin = self.origins.remove(&from).unwrap_or(from);
                    self.origins.insert(to, origin);
                }
            }
            _ => {}
        }
    }

    /// The steps of the current plan.
    pub(super) fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The folder that the run works in, once it is known.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The files that have another name than before the run.
    pub(super) fn renames(&self) -> Vec<Rename> {
        self.origins.iter().map(|(now, before)| (before.clone(), now.clone())).collect()
    }

    /// The criteria that are met.
    pub(super) fn met(&self) -> Met {
        let mut met = Met::default();
        for (_, judge) in self.verdicts.values().filter(|(pass, _)| *pass) {
            match judge {
                Judge::Check | Judge::Rule => met.code += 1,
                Judge::Model => met.model += 1,
            }
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::view::sample_run::line;

    const ONE: &str = "01970000-0000-7000-8000-0000000000a1";

    fn told(events: &[(Value, Option<&str>)]) -> Story {
        let mut story = Story::default();
        for (event, subtask) in events {
            story.on(&line(1, event.clone(), Some("executor"), *subtask));
        }
        story
    }

    /// What was met of a plan that is gone is no part of the result.
    #[test]
    fn criteria_of_steps_that_still_count_are_counted() {
        let verdict = |criterion: &str, pass: bool, judge: &str| {
            let reason = (!pass).then_some("no");
            json!({"type": "verdict", "criterion": criterion, "mode": "verifiable", "pass": pass, "judge": judge,
                "class": null, "reason": reason, "evidence": null})
        };
        let plan = |kept: &[&str]| json!({"type": "plan.proposed", "task_criteria": [], "subtasks": [], "kept": kept});
        let two = Some("01970000-0000-7000-8000-0000000000a2");
        let story = told(&[
            (verdict("a", true, "check"), Some(ONE)),
            (verdict("b", true, "model"), two),
            (verdict("whole", true, "model"), None),
            (plan(&[ONE]), None),
            (verdict("c", false, "model"), two),
            (verdict("d", false, "model"), two),
            (verdict("d", true, "model"), two),
        ]);
        assert_eq!(story.met(), Met { code: 1, model: 1 });
    }

    #[test]
    fn a_file_that_was_renamed_twice_was_renamed() {
        let moved = |from: &str, to: &str| {
            let id = "01970000-0000-7000-8000-0000000000c1";
            let files = json!([{"path": from, "change": "deleted"}, {"path": to, "change": "created", "moved_from": from}]);
            json!({"type": "tool.finished", "call_id": id, "tool": "shell", "ending": {"kind": "exited", "status": 0},
                "failure": null, "duration_ms": 1, "shown": "", "bytes": 0, "dropped_bytes": 0, "files": files})
        };
        let story = told(&[(moved("/a", "/b"), None), (moved("/b", "/c"), None)]);
        assert_eq!(story.renames(), [("/a".into(), "/c".into())]);
    }
}
