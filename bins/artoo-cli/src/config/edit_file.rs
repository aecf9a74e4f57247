//! Changes the configuration file and keeps the rest of it.

use std::error::Error;
use std::io;
use std::path::Path;

use artoo_anchored_files::open_regular;
use toml_edit::{Item, Table, TableLike};

use crate::error::CommandError;
use crate::machine::{make_private, private_file};

/// Whether the file is kept as it was before, beside the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backup {
    Kept,
    None,
}

/// Replaces the file atomically by what `change` makes of its text, which is empty where there is no file.
///
/// # Errors
/// The file cannot be read, changed or written: it is as it was.
pub(crate) fn edit(
    path: &Path,
    backup: Backup,
    change: impl FnOnce(&str) -> Result<String, Box<dyn Error + Send + Sync>>,
) -> Result<(), CommandError> {
    let failed = |error: io::Error| {
        CommandError::failed(format!("cannot write {}", path.display()))
            .because(error)
            .hint("check the folder's owner and permissions, or name another file with ARTOO_CONFIG")
    };
    let old = match open_regular(path).and_then(io::read_to_string) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let text = change(&old).map_err(|error| {
        CommandError::configuration(format!("cannot change {}", path.display())).because(error)
    })?;
    make_private(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    if backup == Backup::Kept && !old.is_empty() {
        private_file(&path.with_extension("toml.bak"), old.as_bytes()).map_err(failed)?;
    }
    artoo_anchored_files::replace(path, text.as_bytes()).map_err(failed)
}

/// The table of this name, which is created if it is missing. An `implicit` one has no line of its own above the tables in it.
pub(crate) fn table_at<'a>(
    all: &'a mut dyn TableLike,
    name: &str,
    implicit: bool,
) -> Result<&'a mut dyn TableLike, String> {
    let fresh = || {
        let mut table = Table::new();
        table.set_implicit(implicit);
        Item::Table(table)
    };
    let item = all.entry(name).or_insert_with(fresh);
    item.as_table_like_mut().ok_or_else(|| format!("`{name}` is no table"))
}
