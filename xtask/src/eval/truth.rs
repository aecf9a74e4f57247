//! The truth about a home, computed from its files.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde_json::Value;

use super::{
    csv,
    task::{Figure, Lines, Quantity, Selection},
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
pub(crate) fn measure(home: &Path, quantity: &Quantity) -> Result<f64> {
    match quantity {
        Quantity::Files { folder, ending, deep } => {
            let files = candidates(home, folder, *deep)?;
            Ok(files.iter().filter(|path| name(path).ends_with(ending)).count() as f64)
        }
        Quantity::Lines { file, holding } => {
            let text = files::read(home.join(file))?;
            Ok(text.lines().filter(|line| line.contains(holding)).count() as f64)
        }
        Quantity::Words { file } => Ok(files::read(home.join(file))?.split_whitespace().count() as f64),
        Quantity::Bytes { path } => {
            let path = home.join(path);
            let files = if path.is_dir() { files::walk(&path, |_| true)? } else { vec![path] };
            files.iter().map(|path| Ok(size(path).map_err(Error::file("inspect", path))? as f64)).sum()
        }
        Quantity::Column { file, separator, column, figure } => {
            csv::numbers(&files::read(home.join(file))?, *separator, column)
                .filter(|numbers| !numbers.is_empty())
                .map(|numbers| figure_of(&numbers, *figure))
                .ok_or_else(|| content(file, format!("no column of numbers called {column}")))
        }
        Quantity::Labelled { file, label } => {
            let text = files::read(home.join(file))?;
            let mut after = text.lines().filter_map(|line| line.trim().strip_prefix(label.as_str()));
            match (after.next().and_then(first_number), after.next()) {
                (Some(number), None) => Ok(number),
                _ => Err(content(file, format!("not exactly one line with a number after {label}"))),
            }
        }
    }
}

/// The names.
///
/// # Errors
/// The home does not have what is to be chosen from.
pub(super) fn select(home: &Path, selection: &Selection) -> Result<Names> {
    match selection {
        Selection::Files { folder, ending, deep } => {
            let named = |path: &Path| name(path).ends_with(ending);
            divide(home, filter(candidates(home, folder, *deep)?, named))
        }
        Selection::Largest { folder, ending } => {
            let files = filter(candidates(home, folder, false)?, |path| name(path).ends_with(ending));
            divide(home, top(files, size)?)
        }
        Selection::Smallest { folder } => {
            let smallest = |path: &Path| Ok(std::cmp::Reverse(size(path)?));
            divide(home, top(candidates(home, folder, false)?, smallest)?)
        }
        Selection::Newest { folder } => divide(home, top(candidates(home, folder, false)?, changed)?),
        Selection::ChangedWithin { folder, hours } => {
            let age = Duration::from_secs(hours.saturating_mul(3600));
            let earliest = SystemTime::from(chrono::Local::now()) - age;
            let recent = |path: &Path| changed(path).is_ok_and(|at| at >= earliest);
            divide(home, filter(candidates(home, folder, false)?, recent))
        }
        Selection::Holding { folder, text } => {
            let holding = |path: &Path| files::read(path).is_ok_and(|held| held.contains(text));
            divide(home, filter(candidates(home, folder, true)?, holding))
        }
        Selection::Distinct { file, column } => {
            let mut values = csv::column(&files::read(home.join(file))?, ',', column)
                .ok_or_else(|| content(file, format!("no column called {column}")))?;
            values.sort_unstable();
            values.dedup();
            Ok(Names { chosen: values, rest: Vec::new() })
        }
        Selection::HighestRecord { file, field, by } => {
            let records = records(home, file)?;
            let rank = |record: &Value| record.get(by).and_then(Value::as_f64).unwrap_or(f64::NEG_INFINITY);
            let highest = records.iter().map(rank).fold(f64::NEG_INFINITY, f64::max);
            let names = divide_records(&records, field, |record| rank(record) >= highest);
            match names.chosen.as_slice() {
                [_] => Ok(names),
                chosen => Err(ambiguous(chosen.len())),
            }
        }
        Selection::Records { file, field, decides, equals } => {
            Ok(divide_records(&records(home, file)?, field, |record| record.get(decides) == Some(equals)))
        }
    }
}

/// The lines, as a file holds them.
///
/// # Errors
/// The home does not have the file.
pub(super) fn lines(home: &Path, lines: &Lines) -> Result<String> {
    let text = files::read(home.join(&lines.file))?;
    Ok(text.lines().filter(|line| line.contains(&lines.holding)).collect::<Vec<_>>().join("\n"))
}

fn figure_of(numbers: &[f64], figure: Figure) -> f64 {
    // In cents, because tenths do not add up exactly.
    let sum = numbers.iter().map(|number| number * 100.0).sum::<f64>().round() / 100.0;
    match figure {
        Figure::Sum => sum,
        Figure::Average => sum / numbers.len() as f64,
        Figure::Highest => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    }
}

fn first_number(text: &str) -> Option<f64> {
    text.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
}

fn records(home: &Path, file: &Path) -> Result<Vec<Value>> {
    serde_json::from_str(&files::read(home.join(file))?).map_err(|error| content(file, error.to_string()))
}

fn divide_records(records: &[Value], field: &str, chosen: impl Fn(&Value) -> bool) -> Names {
    let mut names = Names::default();
    for record in records {
        let name = record.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let list = if chosen(record) { &mut names.chosen } else { &mut names.rest };
        list.push(name);
    }
    names
}

fn content(file: &Path, reason: String) -> Error {
    Error::Content { path: file.to_path_buf(), reason }
}

fn ambiguous(candidates: usize) -> Error {
    Error::Other(format!("{candidates} candidates share the first place; the task is ambiguous"))
}

fn size(path: &Path) -> std::io::Result<u64> {
    Ok(fs::metadata(path)?.len())
}

fn candidates(home: &Path, folder: &Path, deep: bool) -> Result<Vec<PathBuf>> {
    files::walk(&home.join(folder), |_| deep)
}

fn filter(paths: Vec<PathBuf>, chosen: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    paths.into_iter().filter(|path| chosen(path)).collect()
}

/// The chosen files, and as the rest every other file of the home: a file of another folder is as wrong as one beside them.
fn divide(home: &Path, chosen: Vec<PathBuf>) -> Result<Names> {
    let chosen: Vec<String> = chosen.iter().map(|path| name(path)).collect();
    let mut rest: Vec<String> = files::walk(home, |_| true)?.iter().map(|path| name(path)).collect();
    rest.retain(|name| !chosen.contains(name));
    Ok(Names { chosen, rest })
}

/// The one with the highest rank. A tie would make the task ambiguous, so it is an error of the task.
fn top<R: PartialOrd>(
    paths: Vec<PathBuf>,
    rank: impl Fn(&Path) -> std::io::Result<R>,
) -> Result<Vec<PathBuf>> {
    let mut best: Vec<(R, PathBuf)> = Vec::new();
    for path in paths {
        let rank = rank(&path).map_err(Error::file("inspect", &path))?;
        match best.first() {
            Some((highest, _)) if rank < *highest => {}
            Some((highest, _)) if rank == *highest => best.push((rank, path)),
            _ => best = vec![(rank, path)],
        }
    }
    match best.len() {
        1 => Ok(best.into_iter().map(|(_, path)| path).collect()),
        several => Err(ambiguous(several)),
    }
}

fn changed(path: &Path) -> std::io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        files::write(home.path().join("docs/a.txt"), "one\ntwo\n").unwrap();
        files::write(home.path().join("docs/b.txt"), "one").unwrap();
        files::write(home.path().join("docs/deep/c.txt"), "two").unwrap();
        files::write(home.path().join("p.json"), r#"[{"n":"X","c":1},{"n":"Y","c":2}]"#).unwrap();
        files::write(home.path().join("s.csv"), "who,x\n\"b, c\",0.1\na,0.2\na,-4\n").unwrap();
        files::write(home.path().join("list.txt"), "Desk 100\nKitchen 104 (ask 7)\nKitchens 9\nDesk 2\n")
            .unwrap();
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
        assert_eq!(measure(home.path(), &Quantity::Words { file: "list.txt".into() }).unwrap(), 10.0);
        let bytes = |path: &str| measure(home.path(), &Quantity::Bytes { path: path.into() });
        assert_eq!((bytes("docs").unwrap(), bytes("docs/a.txt").unwrap()), (14.0, 8.0));
        assert!(bytes("docs/z.txt").is_err());
        assert!(measure(home.path(), &lines("three")).unwrap().is_sign_positive(), "no -0 is ever shown");
        let missing = Quantity::Lines { file: "docs/z.txt".into(), holding: String::new() };
        assert!(measure(home.path(), &missing).is_err());
    }

    #[test]
    fn a_column_has_figures() {
        let home = home();
        let figure = |column: &str, figure| {
            let column =
                Quantity::Column { file: "s.csv".into(), separator: ',', column: column.into(), figure };
            measure(home.path(), &column)
        };
        assert_eq!(figure("x", Figure::Sum).unwrap(), -3.7);
        assert_eq!(figure("x", Figure::Average).unwrap(), -3.7 / 3.0);
        assert_eq!(figure("x", Figure::Highest).unwrap(), 0.2);
        assert!(figure("who", Figure::Sum).is_err(), "words have no sum");
        assert!(figure("y", Figure::Sum).is_err());
        files::write(home.path().join("s.csv"), "who,x\n").unwrap();
        assert!(figure("x", Figure::Average).is_err(), "nothing has no average");
    }

    #[test]
    fn a_label_has_one_number() {
        let home = home();
        let labelled = |label: &str| {
            let labelled = Quantity::Labelled { file: "list.txt".into(), label: label.into() };
            measure(home.path(), &labelled)
        };
        assert_eq!(labelled("Kitchen ").unwrap(), 104.0);
        assert!(labelled("Kitchen").is_err(), "Kitchens is another label");
        assert!(labelled("Desk").is_err(), "two desks");
        assert!(labelled("Garage").is_err());
    }

    #[test]
    fn names_are_selected() {
        let home = home();
        let largest = Selection::Largest { folder: "docs".into(), ending: ".txt".into() };
        let rest = ["b.txt", "c.txt", "list.txt", "p.json", "s.csv"].map(str::to_owned).to_vec();
        let names = Names { chosen: vec!["a.txt".to_owned()], rest };
        assert_eq!(select(home.path(), &largest).unwrap(), names, "every other file is wrong");
        let holding = Selection::Holding { folder: "docs".into(), text: "two".into() };
        assert_eq!(chosen(home.path(), &holding), ["a.txt", "c.txt"]);
        let records = Selection::Records {
            file: "p.json".into(),
            field: "n".into(),
            decides: "c".into(),
            equals: 2.into(),
        };
        assert_eq!(chosen(home.path(), &records), ["Y"]);
        let smallest = Selection::Smallest { folder: "docs".into() };
        assert_eq!(chosen(home.path(), &smallest), ["b.txt"]);
        let highest = Selection::HighestRecord { file: "p.json".into(), field: "n".into(), by: "c".into() };
        let names = Names { chosen: vec!["Y".to_owned()], rest: vec!["X".to_owned()] };
        assert_eq!(select(home.path(), &highest).unwrap(), names);
        let distinct = Selection::Distinct { file: "s.csv".into(), column: "who".into() };
        assert_eq!(chosen(home.path(), &distinct), ["a", "b, c"]);
        let held = Lines { file: "docs/a.txt".into(), holding: "o".into() };
        assert_eq!(lines(home.path(), &held).unwrap(), "one\ntwo");
    }

    #[test]
    fn what_was_changed_long_ago_is_left_out() {
        let home = home();
        let long_ago = SystemTime::from(chrono::Local::now()) - Duration::from_secs(50 * 3600);
        let file = fs::File::options().write(true).open(home.path().join("docs/a.txt")).unwrap();
        file.set_modified(long_ago).unwrap();
        let changed = |hours| Selection::ChangedWithin { folder: "docs".into(), hours };
        assert_eq!(chosen(home.path(), &changed(24)), ["b.txt"]);
        assert_eq!(chosen(home.path(), &changed(60)), ["a.txt", "b.txt"]);
    }

    #[test]
    fn a_tie_is_an_error_of_the_task() {
        let home = home();
        files::write(home.path().join("docs/d.txt"), "one\ntwo\n").unwrap();
        let largest = Selection::Largest { folder: "docs".into(), ending: ".txt".into() };
        assert!(select(home.path(), &largest).is_err());
        files::write(home.path().join("docs/e.txt"), "two").unwrap();
        assert!(select(home.path(), &Selection::Smallest { folder: "docs".into() }).is_err());
        files::write(home.path().join("p.json"), r#"[{"n":"X","c":2},{"n":"Y","c":2}]"#).unwrap();
        let highest = Selection::HighestRecord { file: "p.json".into(), field: "n".into(), by: "c".into() };
        assert!(select(home.path(), &highest).is_err());
    }
}
