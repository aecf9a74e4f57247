//! Reads and validates the schema of `--output-schema` before the run starts.

use std::cell::OnceCell;
use std::path::Path;

use artoo_runtime::OutputSchema;

use crate::error::CommandError;
use crate::machine::given_file;

/// A longer schema is refused.
const MAX_BYTES: u64 = 2 * 1024 * 1024;

/// Reads and validates the schema.
pub(super) fn read(file: &Path) -> Result<OutputSchema, CommandError> {
    let unreadable = |error| {
        CommandError::usage(format!("cannot read the schema {}", file.display()))
            .because(error)
            .hint("give the path of a file with a JSON Schema")
    };
    let bytes = given_file::read(file, MAX_BYTES, &OnceCell::new()).map_err(unreadable)?;
    OutputSchema::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| {
        let hint = error.hint();
        CommandError::usage(format!("the schema {} cannot be used", file.display())).because(error).hint(hint)
    })
}
