//! Maps I/O errors to failure classes and hints.

use std::io;

use artoo_types::FailureClass;

/// The failure class.
pub(super) fn class_of(error: &io::Error) -> FailureClass {
    // The path itself is invalid; no change of the environment would help.
    let nonsense = [io::ErrorKind::InvalidInput, io::ErrorKind::InvalidFilename, io::ErrorKind::IsADirectory];
    if nonsense.contains(&error.kind()) { FailureClass::Logical } else { FailureClass::Environmental }
}

/// A next step that helps, if there is one.
pub(super) fn hint_of(error: &io::Error) -> Option<&'static str> {
    let hints = [
        (io::ErrorKind::NotFound, "look for it with glob"),
        (io::ErrorKind::PermissionDenied, "the user may not touch it"),
        (io::ErrorKind::StorageFull, "make room on the disk"),
    ];
    hints.iter().find(|(kind, _)| *kind == error.kind()).map(|(_, hint)| *hint)
}
