//! An evaluation as data, so that a later one can be compared with it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::session::Graded;
use crate::{Error, Result, files};

/// The name of the file in the folder of an evaluation.
pub(crate) const FILE: &str = "results.json";

/// The version of the format. A file of another version is refused: figures that mean something else are no baseline.
const VERSION: u32 = 1;

/// Under what conditions the suite ran, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evaluation {
    /// The version of the format.
    pub v: u32,
    /// Under what conditions.
    pub conditions: Conditions,
    /// The runs, by request.
    pub runs: Vec<Graded>,
}

/// Under what conditions the suite ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Conditions {
    /// The day.
    pub date: String,
    /// The processor and its cores.
    pub machine: String,
    /// The model.
    pub model: String,
    /// The command that ran it.
    pub command: String,
    /// How many runs there are to be.
    pub planned: usize,
}

impl Evaluation {
    /// An evaluation without a run yet.
    pub(crate) fn new(conditions: Conditions) -> Self {
        Self { v: VERSION, conditions, runs: Vec::new() }
    }

    /// The evaluation, to be gone on with.
    ///
    /// # Errors
    /// Its runs were of another model or machine: their sums would be about nothing.
    pub(crate) fn resumed(self, now: &Conditions) -> Result<Self> {
        let then = &self.conditions;
        for (what, then, now) in
            [("machine", &then.machine, &now.machine), ("model", &then.model, &now.model)]
        {
            if then != now {
                return Err(Error::Other(format!(
                    "cannot go on with an evaluation of another {what}: it was {then}, now it is {now}"
                )));
            }
        }
        let planned = then.planned.max(now.planned);
        let command = if then.command.ends_with(&now.command) {
            then.command.clone()
        } else {
            format!("{}`, then `{}", then.command, now.command)
        };
        Ok(Self { conditions: Conditions { planned, command, ..self.conditions }, ..self })
    }

    /// How many runs of this request there are.
    pub(crate) fn runs_of(&self, id: &str) -> u32 {
        u32::try_from(self.runs.iter().filter(|run| run.id == id).count()).unwrap_or(u32::MAX)
    }

    /// Adds a run; they stay in the order of their requests.
    pub(crate) fn add(&mut self, run: Graded) {
        self.runs.push(run);
        self.runs.sort_by(|a, b| a.id.cmp(&b.id));
    }

    /// Writes it.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Error::Other(format!("cannot write the results as JSON: {error}")))?;
        files::write(path, text + "\n")
    }

    /// Reads one: from a file, or from the folder of an evaluation.
    ///
    /// # Errors
    /// There is none, or it is not of this version.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let path: PathBuf = if fs::metadata(path).is_ok_and(|data| data.is_dir()) {
            path.join(FILE)
        } else {
            path.to_path_buf()
        };
        let evaluation: Self = serde_json::from_str(&files::read(&path)?)
            .map_err(|error| Error::Content { path: path.clone(), reason: error.to_string() })?;
        match evaluation.v {
            VERSION => Ok(evaluation),
            other => Err(Error::Content { path, reason: format!("is of version {other}, not {VERSION}") }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::outcome::{Judged, Outcome};

    fn evaluation() -> Evaluation {
        let conditions = Conditions {
            date: "2026-01-01".into(),
            machine: "2 cores".into(),
            model: "m".into(),
            command: "cargo xtask eval".into(),
            planned: 2,
        };
        let mut evaluation = Evaluation::new(conditions);
        for id in ["b", "a"] {
            let outcome = Outcome {
                directive: "accept".into(),
                answer: "5 \"files\"".into(),
                judged: Judged { by_code: 2, by_model: 1 },
                ..Outcome::default()
            };
            let objections = vec!["does not state 6".to_owned()];
            evaluation.add(Graded {
                id: id.into(),
                kind: "k".into(),
                outcome,
                objections,
                impossible: false,
                first_objections: None,
            });
        }
        evaluation
    }

    #[test]
    fn what_was_written_is_read() {
        let place = tempfile::tempdir().unwrap();
        let evaluation = evaluation();
        evaluation.write(place.path().join(FILE)).unwrap();
        assert_eq!(Evaluation::read(place.path()).unwrap(), evaluation, "from the folder");
        assert_eq!(Evaluation::read(&place.path().join(FILE)).unwrap(), evaluation, "from the file");
        assert_eq!(evaluation.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn it_is_gone_on_with_on_the_same_machine_and_with_the_same_model() {
        let evaluation = evaluation();
        let command = "cargo xtask eval --timeout 5m".to_owned();
        let now =
            Conditions { planned: 30, date: "2026-01-02".into(), command, ..evaluation.conditions.clone() };
        let resumed = evaluation.clone().resumed(&now).unwrap();
        let both = "cargo xtask eval`, then `cargo xtask eval --timeout 5m";
        assert_eq!(resumed.conditions.command, both);
        assert_eq!(resumed.clone().resumed(&now).unwrap().conditions.command, both);
        assert_eq!((resumed.conditions.planned, resumed.conditions.date.as_str()), (30, "2026-01-01"));
        assert_eq!((resumed.runs_of("a"), resumed.runs_of("c")), (1, 0));
        for other in [
            Conditions { model: "n".into(), ..now.clone() },
            Conditions { machine: "4 cores".into(), ..now.clone() },
        ] {
            let refused = evaluation.clone().resumed(&other).unwrap_err().to_string();
            assert!(refused.starts_with("cannot go on with an evaluation of another m"), "{refused}");
        }
    }

    #[test]
    fn what_is_no_evaluation_is_refused() {
        let place = tempfile::tempdir().unwrap();
        assert!(Evaluation::read(place.path()).is_err(), "an empty folder");
        let path = place.path().join("x.json");
        for text in ["", "{}", "[]"] {
            files::write(&path, text).unwrap();
            assert!(Evaluation::read(&path).is_err(), "{text}");
        }
        Evaluation { v: 2, ..evaluation() }.write(&path).unwrap();
        assert!(Evaluation::read(&path).unwrap_err().to_string().contains("version 2"));
    }
}
