//! The folder of a game: questions, and the hand-written answers beside them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Answer, Cassette, Exchange, Question};
use crate::{Error, Result, files};

/// A folder of `NNN.question.json`, `NNN.question.md` for reading, and `NNN.answer.json`.
#[derive(Clone, Debug)]
pub struct Folder {
    place: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Put {
    depth: u32,
    question: Question,
}

impl Folder {
    /// This folder, which need not exist yet.
    pub fn at(place: impl Into<PathBuf>) -> Self {
        Self { place: place.into() }
    }

    /// The readable file of a question, from 1.
    pub fn question(&self, number: usize) -> PathBuf {
        self.place.join(format!("{number:03}.question.md"))
    }

    /// The path for the answer to a question.
    pub fn answer(&self, number: usize) -> PathBuf {
        self.place.join(format!("{number:03}.answer.json"))
    }

    /// Writes a question.
    ///
    /// # Errors
    /// An I/O error.
    pub fn put(&self, number: usize, question: &Question, depth: u32) -> Result<()> {
        let put = Put { depth, question: question.clone() };
        let text = serde_json::to_string_pretty(&put)
            .map_err(|error| Error::Other(format!("cannot write a question as JSON: {error}")))?;
        files::write(self.data(number), text + "\n")?;
        files::write(self.question(number), question.markdown(number))
    }

    /// All questions and answers so far.
    ///
    /// # Errors
    /// A file cannot be read, or an answer is invalid.
    pub fn read(&self) -> Result<Cassette> {
        let mut exchanges = Vec::new();
        for number in 1.. {
            let data = self.data(number);
            if !data.exists() {
                break;
            }
            let put: Put = serde_json::from_str(&files::read(&data)?)
                .map_err(|error| Error::Content { path: data.clone(), reason: error.to_string() })?;
            let path = self.answer(number);
            let answer = if path.exists() { Some(answer(&path)?) } else { None };
            exchanges.push(Exchange { question: put.question, answer, depth: put.depth });
        }
        Ok(Cassette { exchanges })
    }

    /// The unanswered questions, from 1.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn open(&self) -> Result<Vec<usize>> {
        let exchanges = (1..).zip(self.read()?.exchanges);
        Ok(exchanges.filter(|(_, exchange)| exchange.answer.is_none()).map(|(number, _)| number).collect())
    }

    fn data(&self, number: usize) -> PathBuf {
        self.place.join(format!("{number:03}.question.json"))
    }
}

fn answer(path: &Path) -> Result<Answer> {
    Answer::read(&files::read(path)?).map_err(|reason| Error::Content { path: path.to_path_buf(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_taken_up_again() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::at(place.path().join("game"));
        assert_eq!(folder.read().unwrap(), Cassette::default());
        let question = |text: &str| Question { system: text.into(), ..Question::default() };
        folder.put(1, &question("a"), 1).unwrap();
        folder.put(2, &question("b"), 1).unwrap();
        files::write(folder.answer(2), r#"{"text": "blue"}"#).unwrap();
        assert_eq!(folder.open().unwrap(), [1]);
        let read = folder.read().unwrap();
        assert_eq!(read.exchanges[1].answer.as_ref().unwrap().text, "blue");
        files::write(folder.answer(1), "blue").unwrap();
        let error = folder.read().unwrap_err().to_string();
        assert!(error.contains("001.answer.json"), "{error}");
    }
}
