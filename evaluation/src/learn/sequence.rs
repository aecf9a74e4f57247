//! A sequence of the learning suite, from `fixtures/learning`. It defines how to compute the truth, and never
//! contains it.

use std::{fs, path::Path, path::PathBuf};

use serde::Deserialize;

use super::truth::{self, Quantity};
use crate::{
    Error, Result,
    eval::{
        expected::{Answer, Expected},
        session,
    },
    files,
};

/// Related requests over one home, in which a first failure teaches something about the rest.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Sequence {
    /// The name of its folder.
    #[serde(skip)]
    pub id: String,
    /// The path of its home.
    #[serde(skip)]
    pub home: PathBuf,
    /// The lesson.
    pub teaches: String,
    /// How its home is arranged for that, in a sentence or two.
    pub about: String,
    /// The language of the requests.
    pub language: String,
    /// The requests, in their order.
    #[serde(rename = "request")]
    pub requests: Vec<Asked>,
}

/// One request for a number.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// The user's request.
    pub asks: String,
    /// How to compute the number.
    pub of: Quantity,
}

impl Sequence {
    /// The requests with their expected results, for the graders of the evaluation.
    ///
    /// # Errors
    /// The home lacks what a request asks about.
    pub(super) fn asked(&self) -> Result<Vec<session::Asked>> {
        let asked = |asked: &Asked| {
            let number = truth::measure(&self.home, &asked.of)?;
            Ok(session::Asked {
                id: self.id.clone(),
                kind: self.teaches.clone(),
                language: self.language.clone(),
                is_own: true,
                request: asked.asks.clone(),
                expected: Expected { answers: vec![Answer::Number(number)], ..Expected::default() },
            })
        };
        self.requests.iter().map(asked).collect()
    }
}

/// The sequences in a folder, by name. `only` selects some of them; empty means all.
///
/// # Errors
/// A folder contains no sequence, or `only` names none.
pub(super) fn load(folder: &Path, only: &[String]) -> Result<Vec<Sequence>> {
    let mut sequences = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::file("list", folder))? {
        let place = entry.map_err(Error::file("list", folder))?.path();
        let id = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !only.is_empty() && !only.contains(&id) {
            continue;
        }
        let path = place.join("sequence.toml");
        let read: Sequence = toml::from_str(&files::read(&path)?)
            .map_err(|error| Error::Content { path: path.clone(), reason: error.to_string() })?;
        sequences.push(Sequence { id, home: place.join("home"), ..read });
    }
    sequences.sort_by(|a, b| a.id.cmp(&b.id));
    match only.iter().find(|id| !sequences.iter().any(|sequence| sequence.id == **id)) {
        Some(id) => Err(Error::Other(format!("there is no sequence called {id} in {}", folder.display()))),
        None => Ok(sequences),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const LENGTH: usize = 20;

    fn all() -> Vec<Sequence> {
        load(&files::root().join("fixtures/learning"), &[]).unwrap()
    }

    #[test]
    fn every_sequence_asks_20_different_things() {
        let sequences = all();
        assert_eq!(sequences.len(), 8, "evaluation/src/learn/about.md states this number");
        for sequence in &sequences {
            let asked: BTreeSet<&str> = sequence.requests.iter().map(|asked| asked.asks.as_str()).collect();
            assert_eq!((asked.len(), sequence.requests.len()), (LENGTH, LENGTH), "{}", sequence.id);
        }
    }

    /// With a shared truth, an answer to one request would pass for the other.
    #[test]
    fn every_request_has_a_truth_of_its_own() {
        for sequence in all() {
            let truth = |asked: session::Asked| format!("{:?}", asked.expected);
            let truths: BTreeSet<String> = sequence.asked().unwrap().into_iter().map(truth).collect();
            assert_eq!(truths.len(), LENGTH, "{}: {truths:?}", sequence.id);
        }
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error() {
        let folder = files::root().join("fixtures/learning");
        assert_eq!(load(&folder, &["odd-format-bars".to_owned()]).unwrap().len(), 1);
        assert!(load(&folder, &["odd-format".to_owned()]).is_err());
    }
}
