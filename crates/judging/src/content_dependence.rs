//! Dependence of a number on what is in its subject, and not only on the subject being there.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_types::{Perturbation, ToolCall};
use chrono::{DateTime, Datelike as _, Utc};

use crate::dependence::{Dependence, PutOut, Rerun};

/// Whether a number depends on what is in the subject, not only on its being there: `test -d notes && echo 9`.
pub(crate) async fn on_the_content(
    calls: &[&ToolCall],
    as_it_is: &PutOut,
    subject: &[PathBuf],
    again: &dyn Rerun,
    within: Duration,
) -> Dependence {
    let number = as_it_is.stdout.trim();
    if !number.parse::<f64>().is_ok_and(|number| number > subject.len() as f64) {
        return Dependence::Depends;
    }
    let emptied = Perturbation::Emptied(subject.to_vec());
    // Where nothing can be emptied, it is only known that the output depends on the subject.
    match again.run_again(calls, &emptied, within).await {
        Ok(empty) if empty.is_same(as_it_is) => {}
        Ok(_) | Err(_) => return Dependence::Depends,
    }
    let (number, subject) = (number.to_owned(), subject.to_vec());
    let is_attribute = move || subject.iter().any(|path| is_attribute(&number, path));
    match tokio::task::spawn_blocking(is_attribute).await {
        Ok(false) => Dependence::Independent,
        Ok(true) | Err(_) => Dependence::Depends,
    }
}

/// Whether a number is one that a path has whatever is in it: in its name, or as its mode, owner, time or block size.
fn is_attribute(number: &str, path: &Path) -> bool {
    let Ok(found) = path.metadata() else { return true };
    let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().contains(number));
    let is_mode = [0o777, 0o7777].iter().any(|bits| format!("{:o}", found.mode() & bits) == number);
    let attributes = [
        u64::from(found.uid()),
        u64::from(found.gid()),
        found.nlink(),
        found.ino(),
        found.dev(),
        found.blksize(),
    ];
    let is_time = found.modified().is_ok_and(|modified| {
        let time = DateTime::<Utc>::from(modified);
        number == time.year().to_string() || number == time.timestamp().to_string()
    });
    is_named || is_time || is_mode || attributes.iter().any(|own| own.to_string() == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_be_an_attribute_of_a_path() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("in-1850.txt");
        std::fs::write(&file, "x").unwrap();
        let found = file.metadata().unwrap();
        let year = DateTime::<Utc>::from(found.modified().unwrap()).year();
        let own =
            [format!("{:o}", found.mode() & 0o777), found.ino().to_string(), year.to_string(), "1850".into()];
        for number in own {
            assert!(is_attribute(&number, &file), "{number}");
        }
        assert!(!is_attribute("977", &file));
        assert!(is_attribute("977", &home.path().join("gone")), "nothing is known of it");
    }
}
