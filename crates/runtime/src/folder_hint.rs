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
    if let Some(hint) = limit(error) {
        hint
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
    limit(error).is_none().then_some(Remedy::ChooseDataFolder)
}

fn limit(error: &io::Error) -> Option<&'static str> {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::AGAIN) => {
            Some("end some programs, or raise the limit of processes and threads: ulimit -u")
        }
        Some(Errno::MFILE) => Some("raise the limit of open files: ulimit -n"),
        Some(Errno::NFILE) => Some("end some programs: the system has too many files open"),
        Some(Errno::NOMEM) => Some("end some programs, or raise the limit of memory: ulimit -v"),
        _ => None,
    }
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
        check(Errno::AGAIN, "ulimit -u", false);
        check(Errno::MFILE, "ulimit -n", false);
        check(Errno::NOMEM, "ulimit -v", false);
    }
}
