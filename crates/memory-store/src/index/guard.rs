//! Catches unwinding at calls into the engine.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::error::IndexError;

/// Runs an engine operation, and converts whatever it unwinds with into an error.
///
/// Its operand must not be used again after an error.
pub(super) fn guarded<T>(
    folder: &Path,
    doing: &'static str,
    work: impl FnOnce() -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|thrown| Err(reason(folder, doing, thrown)))
}

fn reason(folder: &Path, doing: &'static str, thrown: Box<dyn Any + Send>) -> IndexError {
    let thrown = match thrown.downcast::<IndexError>() {
        Ok(error) => return *error,
        Err(thrown) => thrown,
    };
    let text = thrown.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(|| thrown.downcast_ref::<&str>().copied()).unwrap_or("it did not say why");
    IndexError::Panicked { folder: folder.to_owned(), doing, message: message.to_owned() }
}
