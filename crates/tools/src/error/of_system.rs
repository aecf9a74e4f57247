//! What an error of the system means for a call.

use std::io;

use artoo_types::FailureClass;

/// Whose fault it is.
pub(super) fn class_of(error: &io::Error) -> FailureClass {
    // The path itself is nonsense; no change of the world would help.
    let nonsense = [io::ErrorKind::InvalidInput, io::ErrorKind::InvalidFilename, io::ErrorKind::IsADirectory];
    if nonsense.contains(&error.kind()) { FailureClass::Logical } else { FailureClass::Environmental }
}

/// The next step, where there is one that helps.
pub(super) fn hint_of(error: &io::Error) -> Option<&'static str> {
    let hints = [
        (io::ErrorKind::NotFound, "look for it with glob"),
        (io::ErrorKind::PermissionDenied, "the user may not touch it"),
        (io::ErrorKind::StorageFull, "make room on the disk"),
    ];
    hints.iter().find(|(kind, _)| *kind == error.kind()).map(|(_, hint)| *hint)
}
