//! What helps where a folder of artoo cannot be used, by the kernel's answer.

use std::io;

use artoo_types::Remedy;
use rustix::io::Errno;

/// The next step.
pub(crate) fn hint(error: &io::Error) -> &'static str {
    use io::ErrorKind::{
        AlreadyExists, NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    let kind = error.kind();
    if is_limit(error) {
        "end some programs, or raise the limit that is reached: processes and threads, open files, or memory"
    } else if matches!(kind, StorageFull | QuotaExceeded) {
        "free some space, or choose another data folder"
    } else if matches!(kind, PermissionDenied | ReadOnlyFilesystem) {
        "check whose it is and whether it may be written, or choose another data folder"
    } else if matches!(kind, NotADirectory | AlreadyExists) {
        "something else lies in its place: choose another data folder"
    } else {
        "check the folder and its disk, or choose another data folder"
    }
}

/// What a front end has for it. Where a limit of the process is in the way, no other folder helps.
pub(crate) fn remedy(error: &io::Error) -> Option<Remedy> {
    (!is_limit(error)).then_some(Remedy::ChooseDataFolder)
}

/// Whether a limit of the process, its user or its container is in the way. A front end knows which, and how it is raised.
fn is_limit(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::AGAIN | Errno::MFILE | Errno::NFILE | Errno::NOMEM))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_of_the_kernel_has_what_helps_against_it() {
        let check = |errno: Errno, words: &str, other_folder: bool| {
            let error = io::Error::from(errno);
            assert!(hint(&error).contains(words), "{errno}: {}", hint(&error));
            assert_eq!(remedy(&error).is_some(), other_folder, "{errno}");
        };
        check(Errno::NOSPC, "free some space", true);
        check(Errno::DQUOT, "free some space", true);
        check(Errno::ACCESS, "may be written", true);
        check(Errno::ROFS, "may be written", true);
        check(Errno::NOTDIR, "something else", true);
        check(Errno::IO, "its disk", true);
        check(Errno::AGAIN, "raise the limit", false);
        check(Errno::MFILE, "raise the limit", false);
        check(Errno::NOMEM, "raise the limit", false);
    }
}
