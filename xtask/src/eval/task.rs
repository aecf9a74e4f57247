//! A task of the development suite, as written in `fixtures/tasks`. It says how to compute the truth, never the truth itself.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Error, Result, files};

/// One request over one home.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    /// The name of its file.
    #[serde(skip)]
    pub id: String,
    /// What kind of request it is, for the table.
    pub kind: String,
    /// What the user asks.
    pub request: String,
    /// The folder in `fixtures/homes`.
    pub home: String,
    /// What to change in the copy of the home first.
    #[serde(default)]
    pub setup: Vec<Setup>,
    /// What a right answer has. All must agree.
    pub grade: Vec<Grade>,
}

/// A change to the copy of the home.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub(crate) enum Setup {
    /// A file was changed at a time of its own.
    Modified(Modified),
    /// A folder without anything in it, which a repository cannot keep.
    Empty(Empty),
}

/// When a file was changed. Files that no step names were changed a month ago.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modified {
    /// The file.
    pub modified: PathBuf,
    /// How long ago.
    pub minutes_ago: u64,
}

/// A folder to create.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Empty {
    /// The folder, which the home may not have.
    pub empty_folder: PathBuf,
}

/// One thing that a right answer has.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Grade {
    /// It states this number, and no other that could be meant.
    Number {
        /// How to compute it.
        of: Quantity,
    },
    /// It names all of these, and none of the others.
    Names {
        /// How to find them.
        of: Selection,
    },
    /// It says yes where there are such, and no where there are none.
    Whether {
        /// How to find them.
        of: Selection,
    },
    /// A new file holds this.
    File {
        /// Its name.
        name: String,
        /// Where it must be.
        place: Place,
        /// What it must hold.
        holds: Content,
    },
    /// It tells in a few words what a file says. A reader judges that better than code; code holds against it what no good summary
    /// has: too many words, figures that the file does not give, and too few of the words that only this file has.
    Summary {
        /// The file.
        of: PathBuf,
        /// The most words it may take.
        most_words: usize,
    },
    /// There is no right answer: the run may not be accepted.
    None {
        /// What the request needs and the home does not have.
        missing: PathBuf,
    },
}

/// A number that can be computed from the home.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "measure", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Quantity {
    /// How many files a folder has.
    Files {
        /// The folder.
        folder: PathBuf,
        /// Only names with this ending.
        #[serde(default)]
        ending: String,
        /// Subfolders as well.
        #[serde(default)]
        deep: bool,
    },
    /// How many lines a file has.
    Lines {
        /// The file.
        file: PathBuf,
        /// Only lines that hold this.
        #[serde(default)]
        holding: String,
    },
    /// How many words a file has: what stands between blanks.
    Words {
        /// The file.
        file: PathBuf,
    },
    /// How many bytes a file has, or all files below a folder together.
    Bytes {
        /// The file or folder.
        path: PathBuf,
    },
    /// A figure of a column of a CSV file.
    Column {
        /// The file.
        file: PathBuf,
        /// What parts its fields.
        #[serde(default = "comma")]
        separator: char,
        /// The column's heading.
        column: String,
        /// Which figure.
        figure: Figure,
    },
    /// The number that follows a label at the start of a line.
    Labelled {
        /// The file.
        file: PathBuf,
        /// The label.
        label: String,
    },
}

fn comma() -> char {
    ','
}

/// What to make of a column of numbers.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Figure {
    /// All of them together.
    Sum,
    /// Their mean.
    Average,
    /// The highest.
    Highest,
}

/// Some of several candidates in the home, by name.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "select", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Selection {
    /// The files of a folder.
    Files {
        /// The folder.
        folder: PathBuf,
        /// Only names with this ending.
        #[serde(default)]
        ending: String,
        /// Subfolders as well.
        #[serde(default)]
        deep: bool,
    },
    /// The file with the most bytes, directly in a folder.
    Largest {
        /// The folder.
        folder: PathBuf,
        /// Only names with this ending.
        #[serde(default)]
        ending: String,
    },
    /// The file with the fewest bytes, directly in a folder.
    Smallest {
        /// The folder.
        folder: PathBuf,
    },
    /// The file that was changed last, directly in a folder.
    Newest {
        /// The folder.
        folder: PathBuf,
    },
    /// The files that were changed a short while ago, directly in a folder.
    ChangedWithin {
        /// The folder.
        folder: PathBuf,
        /// How long ago at most.
        hours: u64,
    },
    /// The files, at any depth, that hold a text.
    Holding {
        /// The folder.
        folder: PathBuf,
        /// The text.
        text: String,
    },
    /// The values of a column of a CSV file, each once.
    Distinct {
        /// The file.
        file: PathBuf,
        /// The column's heading.
        column: String,
    },
    /// The record of a JSON array with the highest number in a field.
    HighestRecord {
        /// The file.
        file: PathBuf,
        /// The field that names a record.
        field: String,
        /// The field that holds the number.
        by: String,
    },
    /// A field of those records of a JSON array that match.
    Records {
        /// The file.
        file: PathBuf,
        /// The field that names a record.
        field: String,
        /// The field that decides.
        #[serde(rename = "where")]
        decides: String,
        /// Its value.
        equals: serde_json::Value,
    },
}

/// Where a created file must be.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// In the workspace, which the request names.
    Workspace,
    /// In the workspace or the working folder: the request names neither.
    Anywhere,
}

/// What a created file must hold.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Content {
    /// This text, blank space around it aside.
    Text(String),
    /// One line per name, in any order; a line may give the path instead of the name.
    LinesNaming(Selection),
    /// The lines of a file that hold a text, in their order.
    LinesOf(Lines),
}

/// Some lines of a file.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lines {
    /// The file.
    pub file: PathBuf,
    /// What each of them holds.
    pub holding: String,
}

/// The tasks in a folder, by name. `only` picks some of them; none means all.
///
/// # Errors
/// A file is not a task, or `only` names none.
pub(crate) fn load(folder: &Path, only: &[String]) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for path in files::walk(folder, |_| false)? {
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "toml")
            && (only.is_empty() || only.contains(&id))
        {
            let text = files::read(&path)?;
            let mut task: Task = toml::from_str(&text)
                .map_err(|error| Error::Content { path: path.clone(), reason: error.to_string() })?;
            task.id = id;
            tasks.push(task);
        }
    }
    match only.iter().find(|id| !tasks.iter().any(|task| task.id == **id)) {
        Some(id) => Err(Error::Other(format!("there is no task called {id} in {}", folder.display()))),
        None => Ok(tasks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_of_the_suite_is_well_formed() {
        let tasks = load(&files::root().join("fixtures/tasks"), &[]).unwrap();
        assert_eq!(tasks.len(), 30, "docs/development.md states this number");
        for task in &tasks {
            assert!(!task.grade.is_empty(), "{} is not graded", task.id);
            assert!(files::root().join("fixtures/homes").join(&task.home).is_dir(), "{}: no home", task.id);
        }
        assert!(
            tasks.iter().any(|task| matches!(task.grade.as_slice(), [Grade::None { .. }])),
            "nothing is impossible"
        );
    }

    #[test]
    fn no_two_tasks_ask_the_same() {
        let tasks = load(&files::root().join("fixtures/tasks"), &[]).unwrap();
        let requests: std::collections::BTreeSet<&str> =
            tasks.iter().map(|task| task.request.as_str()).collect();
        assert_eq!(requests.len(), tasks.len());
    }

    #[test]
    fn every_task_is_listed() {
        let listed = files::read(files::root().join("fixtures/README.md")).unwrap();
        for task in load(&files::root().join("fixtures/tasks"), &[]).unwrap() {
            assert!(
                listed.contains(&format!("`{}`", task.id)),
                "fixtures/README.md does not list {}",
                task.id
            );
        }
    }

    #[test]
    fn a_step_of_the_setup_is_one_or_the_other() {
        let task = |setup: &str| {
            let text = format!(
                "kind = \"k\"\nrequest = \"r\"\nhome = \"h\"\n[[setup]]\n{setup}\n[[grade]]\nanswer = \"none\"\nmissing = \"m\""
            );
            toml::from_str::<Task>(&text).map(|task| task.setup)
        };
        let modified = Modified { modified: "a".into(), minutes_ago: 3 };
        assert_eq!(task("modified = \"a\"\nminutes_ago = 3").unwrap(), [Setup::Modified(modified)]);
        assert_eq!(task("empty_folder = \"a\"").unwrap(), [Setup::Empty(Empty { empty_folder: "a".into() })]);
        assert!(task("empty_folder = \"a\"\nminutes_ago = 3").is_err());
        assert!(task("modified = \"a\"").is_err());
    }

    #[test]
    fn a_name_that_is_not_there_is_an_error() {
        let folder = files::root().join("fixtures/tasks");
        assert_eq!(load(&folder, &["csv-sum".to_owned()]).unwrap().len(), 1);
        assert!(load(&folder, &["csv-sun".to_owned()]).is_err());
    }
}
