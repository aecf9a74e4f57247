//! The schema of `--output-schema`, read before anything runs.

use std::{fs::File, io::Read, path::Path};

use artoo_runtime::OutputSchema;

use crate::error::CommandError;

/// More is not read: a schema that long is refused by its length.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// Reads and checks the schema.
pub(super) fn read(file: &Path) -> Result<OutputSchema, CommandError> {
    let unreadable = |error| {
        CommandError::usage(format!("cannot read the schema {}", file.display()))
            .because(error)
            .hint("give the path of a file with a JSON Schema")
    };
    let mut bytes = Vec::new();
    File::open(file).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)).map_err(unreadable)?;
    OutputSchema::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| {
        let hint = error.hint();
        CommandError::usage(format!("the schema {} cannot be used", file.display())).because(error).hint(hint)
    })
}
