//! The truth about a home of the learning suite, computed from its files.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{Error, Result, eval::csv, files};

/// A number that can be computed from the home.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "measure", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Quantity {
    /// The number of lines of a file.
    Lines {
        /// The file.
        file: PathBuf,
        /// Only lines that contain this.
        #[serde(default)]
        holding: String,
    },
    /// The sum of a column of a CSV file.
    Column {
        /// The file.
        file: PathBuf,
        /// Its field separator.
        #[serde(default = "comma")]
        separator: char,
        /// The column's heading.
        column: String,
    },
}

fn comma() -> char {
    ','
}

/// The number.
///
/// # Errors
/// The home lacks what is to be measured.
pub(super) fn measure(home: &Path, quantity: &Quantity) -> Result<f64> {
    match quantity {
        Quantity::Lines { file, holding } => {
            let text = files::read(home.join(file))?;
            Ok(text.lines().filter(|line| line.contains(holding)).count() as f64)
        }
        Quantity::Column { file, separator, column } => {
            let numbers = csv::numbers(&files::read(home.join(file))?, *separator, column);
            let numbers = numbers.filter(|numbers| !numbers.is_empty()).ok_or_else(|| Error::Content {
                path: file.clone(),
                reason: format!("no column of numbers called {column}"),
            })?;
            // In cents, because tenths do not add up exactly.
            Ok(numbers.iter().map(|number| number * 100.0).sum::<f64>().round() / 100.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_measured() {
        let home = tempfile::tempdir().unwrap();
        files::write(home.path().join("a.txt"), "one\ntwo\n").unwrap();
        files::write(home.path().join("s.csv"), "who,x\n\"b, c\",0.1\na,0.2\na,-4\n").unwrap();
        let lines = |file: &str, holding: &str| {
            measure(home.path(), &Quantity::Lines { file: file.into(), holding: holding.into() })
        };
        assert_eq!((lines("a.txt", "").unwrap(), lines("a.txt", "two").unwrap()), (2.0, 1.0));
        assert!(lines("a.txt", "three").unwrap().is_sign_positive(), "no -0 is ever shown");
        assert!(lines("z.txt", "").is_err());
        let sum = |column: &str| {
            let column = Quantity::Column { file: "s.csv".into(), separator: ',', column: column.into() };
            measure(home.path(), &column)
        };
        assert_eq!(sum("x").unwrap(), -3.7);
        assert!(sum("who").is_err(), "words have no sum");
        assert!(sum("y").is_err());
        files::write(home.path().join("s.csv"), "who,x\n").unwrap();
        assert!(sum("x").is_err(), "nothing has no sum");
    }
}
