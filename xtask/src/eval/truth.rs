//! The truth about a home, computed from its files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    csv,
    task::{Quantity, Selection},
};
use crate::{Error, Result, files};

/// Candidates, divided by what was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// Those that a right answer names.
    pub chosen: Vec<String>,
    /// Those that it does not.
    pub rest: Vec<String>,
}

/// The number.
///
/// # Errors
/// The home does not have what is to be measured.
pub(super) fn measure(home: &Path, quantity: &Quantity) -> Result<f64> {
    match quantity {
        Quantity::Files { folder, ending, deep } => Ok(count(candidates(home, folder, *deep)?, ending)),
        Quantity::Lines { file, holding } => {
            let text = files::read(home.join(file))?;
            Ok(text.lines().filter(|line| line.contains(holding)).map(|_| 1.0).sum())
        }
        Quantity::ColumnSum { file, column } => csv::column_sum(&files::read(home.join(file))?, column)
            .ok_or_else(|| Error::Content {
                path: file.clone(),
                reason: format!("no column of numbers called {column}"),
            }),
    }
}

/// The names.
///
/// # Errors
/// The home does not have what is to be chosen from.
pub(super) fn select(home: &Path, selection: &Selection) -> Result<Names> {
    match selection {
        Selection::Files { folder, ending, deep } => {
            Ok(divide(candidates(home, folder, *deep)?, |path| name(path).ends_with(ending)))
        }
        Selection::Largest { folder, ending } => {
            let files =
                candidates(home, folder, false)?.into_iter().filter(|path| name(path).ends_with(ending));
            top(files.collect(), |path| Ok(fs::metadata(path)?.len()))
        }
        Selection::Newest { folder } => {
            top(candidates(home, folder, false)?, |path| fs::metadata(path)?.modified())
        }
        Selection::Holding { folder, text } => Ok(divide(candidates(home, folder, true)?, |path| {
            files::read(path).is_ok_and(|held| held.contains(text))
        })),
        Selection::Records { file, field, decides, equals } => {
            let records: Vec<Value> = serde_json::from_str(&files::read(home.join(file))?)
                .map_err(|error| Error::Content { path: file.clone(), reason: error.to_string() })?;
            let mut names = Names::default();
            for record in &records {
                let name = record.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
                let list =
                    if record.get(decides) == Some(equals) { &mut names.chosen } else { &mut names.rest };
                list.push(name);
            }
            Ok(names)
        }
    }
}

fn candidates(home: &Path, folder: &Path, deep: bool) -> Result<Vec<PathBuf>> {
    files::walk(&home.join(folder), |_| deep)
}

fn count(paths: Vec<PathBuf>, ending: &str) -> f64 {
    paths.iter().filter(|path| name(path).ends_with(ending)).map(|_| 1.0).sum()
}

fn divide(paths: Vec<PathBuf>, chosen: impl Fn(&Path) -> bool) -> Names {
    let (chosen, rest): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| chosen(path));
    Names {
        chosen: chosen.iter().map(|path| name(path)).collect(),
        rest: rest.iter().map(|path| name(path)).collect(),
    }
}

/// The one with the highest rank. A tie would make the task ambiguous, so it is an error of the task.
fn top<R: PartialOrd>(paths: Vec<PathBuf>, rank: impl Fn(&Path) -> std::io::Result<R>) -> Result<Names> {
    let mut best: Vec<(R, &PathBuf)> = Vec::new();
    for path in &paths {
        let rank = rank(path).map_err(Error::file("inspect", path))?;
        match best.first() {
            Some((highest, _)) if rank < *highest => {}
            Some((highest, _)) if rank == *highest => best.push((rank, path)),
            _ => best = vec![(rank, path)],
        }
    }
    match best.as_slice() {
        [(_, first)] => Ok(divide(paths.clone(), |path| path == first.as_path())),
        _ => Err(Error::Other(format!("{} files share the first place; the task is ambiguous", best.len()))),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::task;
    use crate::eval::task::Grade;

    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        files::write(home.path().join("docs/a.txt"), "one\ntwo\n").unwrap();
        files::write(home.path().join("docs/b.txt"), "one").unwrap();
        files::write(home.path().join("docs/deep/c.txt"), "two").unwrap();
        files::write(home.path().join("p.json"), r#"[{"n":"X","c":1},{"n":"Y","c":2}]"#).unwrap();
        home
    }

    fn chosen(home: &Path, selection: &Selection) -> Vec<String> {
        select(home, selection).unwrap().chosen
    }

    #[test]
    fn numbers_are_measured() {
        let home = home();
        let files = |deep| Quantity::Files { folder: "docs".into(), ending: ".txt".into(), deep };
        assert_eq!(measure(home.path(), &files(false)).unwrap(), 2.0);
        assert_eq!(measure(home.path(), &files(true)).unwrap(), 3.0);
        let lines = |holding: &str| Quantity::Lines { file: "docs/a.txt".into(), holding: holding.into() };
        assert_eq!(measure(home.path(), &lines("")).unwrap(), 2.0);
        assert_eq!(measure(home.path(), &lines("two")).unwrap(), 1.0);
        let missing = Quantity::Lines { file: "docs/z.txt".into(), holding: String::new() };
        assert!(measure(home.path(), &missing).is_err());
    }

    #[test]
    fn names_are_selected() {
        let home = home();
        let largest = Selection::Largest { folder: "docs".into(), ending: ".txt".into() };
        assert_eq!(chosen(home.path(), &largest), ["a.txt"]);
        let holding = Selection::Holding { folder: "docs".into(), text: "two".into() };
        assert_eq!(chosen(home.path(), &holding), ["a.txt", "c.txt"]);
        let records = Selection::Records {
            file: "p.json".into(),
            field: "n".into(),
            decides: "c".into(),
            equals: 2.into(),
        };
        assert_eq!(chosen(home.path(), &records), ["Y"]);
    }

    #[test]
    fn a_tie_is_an_error_of_the_task() {
        let home = home();
        files::write(home.path().join("docs/d.txt"), "one\ntwo\n").unwrap();
        let largest = Selection::Largest { folder: "docs".into(), ending: ".txt".into() };
        assert!(select(home.path(), &largest).is_err());
    }

    #[test]
    fn the_suite_has_a_truth_for_every_task() {
        for task in task::load(&files::root().join("fixtures/tasks"), &[]).unwrap() {
            let home = files::root().join("fixtures/homes").join(&task.home);
            for grade in &task.grade {
                match grade {
                    Grade::Number { of } => assert!(measure(&home, of).unwrap() > 0.0, "{}", task.id),
                    // Times of change are set up in a copy.
                    Grade::Names { of: Selection::Newest { .. } } => {
                        assert!(!task.setup.is_empty(), "{}", task.id)
                    }
                    Grade::Names { of } => assert!(!chosen(&home, of).is_empty(), "{}", task.id),
                    Grade::Whether { of } => drop(select(&home, of).unwrap()),
                    Grade::File { .. } => {}
                    Grade::None { missing } => assert!(!home.join(missing).exists(), "{}", task.id),
                }
            }
        }
    }
}
