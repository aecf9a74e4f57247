//! An evaluation as data, so that it can be gone on with and a later one be compared with it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{family::Split, session::Graded, sums::Sums};
use crate::{Error, Result, files};

/// The version of the format. A file of another version is refused: figures that mean something else are no baseline.
const VERSION: u32 = 3;

/// Under what conditions requests were asked, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evaluation {
    /// The version of the format.
    pub v: u32,
    /// Under what conditions.
    pub conditions: Conditions,
    /// Which requests.
    pub sample: Sample,
    /// All runs.
    pub sums: Sums,
    /// Those of the families of the split: all of them but in the test split.
    pub own: Sums,
    /// The runs, in their order; none of the test split is kept.
    pub runs: Vec<Graded>,
}

/// Which requests were asked, and of whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// The split.
    pub split: Split,
    /// The seed of the sample.
    pub seed: u64,
    /// Which families, where not all of the split.
    pub only: Vec<String>,
    /// Who was asked: artoo, artoo without something, or the plain loop.
    pub system: String,
}

/// Under what conditions a suite ran.
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
    pub(crate) fn new(conditions: Conditions, sample: Sample) -> Self {
        Self { v: VERSION, conditions, sample, sums: Sums::default(), own: Sums::default(), runs: Vec::new() }
    }

    /// The evaluation, to be gone on with.
    ///
    /// # Errors
    /// Its runs were of another model, machine or sample: their sums would be about nothing.
    pub(crate) fn resumed(self, now: &Conditions, sample: &Sample) -> Result<Self> {
        let then = &self.conditions;
        let shown = |sample: &Sample| format!("{sample:?}");
        for (what, then, now) in [
            ("machine", &then.machine, &now.machine),
            ("model", &then.model, &now.model),
            ("sample", &shown(&self.sample), &shown(sample)),
        ] {
            if then != now {
                return Err(Error::Other(format!(
                    "cannot go on with an evaluation of another {what}: it was {then}, now it is {now}"
                )));
            }
        }
        let command = if then.command.ends_with(&now.command) {
            then.command.clone()
        } else {
            format!("{}`, then `{}", then.command, now.command)
        };
        let planned = then.planned.max(now.planned);
        Ok(Self { conditions: Conditions { planned, command, ..self.conditions }, ..self })
    }

    /// Adds a run. Of one of the test split only the sums are kept.
    pub(crate) fn add(&mut self, run: Graded) {
        self.sums.add(&run);
        if run.is_own {
            self.own.add(&run);
        }
        match self.sample.split {
            Split::Test => {}
            Split::Development | Split::Calibration => self.runs.push(run),
        }
    }

    /// How many runs there are.
    pub(crate) fn done(&self) -> usize {
        usize::try_from(self.sums.runs).unwrap_or(usize::MAX)
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

    /// Reads one.
    ///
    /// # Errors
    /// There is none, or it is not of this version.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let evaluation: Self = serde_json::from_str(&files::read(path)?)
            .map_err(|error| Error::Content { path: path.to_path_buf(), reason: error.to_string() })?;
        match evaluation.v {
            VERSION => Ok(evaluation),
            other => {
                let reason = format!("is of version {other}, not {VERSION}");
                Err(Error::Content { path: path.to_path_buf(), reason })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::outcome::Outcome;

    fn evaluation(split: Split) -> Evaluation {
        let conditions = Conditions {
            date: "2026-01-01".into(),
            machine: "2 cores".into(),
            model: "m".into(),
            command: "cargo xtask eval".into(),
            planned: 2,
        };
        let sample = Sample { split, seed: 1, only: Vec::new(), system: "artoo".into() };
        let mut evaluation = Evaluation::new(conditions, sample);
        for id in ["001 a", "002 b"] {
            let outcome = Outcome {
                directive: "accept".into(),
                answer: "5 \"files\"".into(),
                run_id: "r".into(),
                seconds: 1.5,
                confidence: Some(0.5),
                ..Outcome::default()
            };
            evaluation.add(Graded {
                id: id.into(),
                kind: "kind".into(),
                language: "fi".into(),
                is_own: id == "001 a",
                outcome,
                objections: vec!["does not state 6".to_owned()],
                harm: Vec::new(),
                refused: false,
            });
        }
        evaluation
    }

    #[test]
    fn what_was_written_is_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.json");
        for split in [Split::Development, Split::Test] {
            let evaluation = evaluation(split);
            evaluation.write(&path).unwrap();
            assert_eq!(Evaluation::read(&path).unwrap(), evaluation);
            assert_eq!((evaluation.done(), evaluation.own.runs), (2, 1));
        }
    }

    /// Whoever reads the data of the test split learns nothing about a single request.
    #[test]
    fn of_the_test_split_only_sums_are_written() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.json");
        evaluation(Split::Development).write(&path).unwrap();
        let telling = ["001 a", "kind", "\"fi\"", "files", "does not state"];
        assert!(telling.iter().all(|text| files::read(&path).unwrap().contains(text)));
        evaluation(Split::Test).write(&path).unwrap();
        let text = files::read(&path).unwrap();
        assert!(!telling.iter().any(|telling| text.contains(telling)), "{text}");
    }

    #[test]
    fn it_is_gone_on_with_on_the_same_machine_with_the_same_model_and_sample() {
        let evaluation = evaluation(Split::Calibration);
        let command = "cargo xtask eval --timeout 5m".to_owned();
        let now =
            Conditions { planned: 30, date: "2026-01-02".into(), command, ..evaluation.conditions.clone() };
        let resumed = evaluation.clone().resumed(&now, &evaluation.sample).unwrap();
        let both = "cargo xtask eval`, then `cargo xtask eval --timeout 5m";
        assert_eq!(resumed.conditions.command, both);
        assert_eq!(resumed.clone().resumed(&now, &evaluation.sample).unwrap().conditions.command, both);
        assert_eq!((resumed.conditions.planned, resumed.conditions.date.as_str()), (30, "2026-01-01"));
        let same = evaluation.sample.clone();
        for (conditions, sample) in [
            (Conditions { model: "n".into(), ..now.clone() }, same.clone()),
            (Conditions { machine: "4 cores".into(), ..now.clone() }, same.clone()),
            (now.clone(), Sample { seed: 2, ..same.clone() }),
            (now.clone(), Sample { split: Split::Test, ..same.clone() }),
            (now.clone(), Sample { system: "plain loop".into(), ..same.clone() }),
        ] {
            let refused = evaluation.clone().resumed(&conditions, &sample).unwrap_err().to_string();
            assert!(refused.starts_with("cannot go on with an evaluation of another "), "{refused}");
        }
    }

    #[test]
    fn what_is_no_evaluation_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.json");
        assert!(Evaluation::read(&path).is_err(), "nothing");
        for text in ["", "{}", "[]"] {
            files::write(&path, text).unwrap();
            assert!(Evaluation::read(&path).is_err(), "{text}");
        }
        Evaluation { v: 1, ..evaluation(Split::Test) }.write(&path).unwrap();
        assert!(Evaluation::read(&path).unwrap_err().to_string().contains("version 1"));
    }
}
