//! Commands that run where nothing of them lasts: in which world, and what they put out there.

use std::path::PathBuf;

/// How the world of a rehearsal differs from the real one. Paths are absolute, and links are followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Perturbation {
    /// Not at all.
    AsIs,
    /// These files and folders are not there. A folder that the command needs is there and empty, but for such a folder in it; what lies elsewhere
    /// than in the folders that commands may change is there, and cannot be read.
    Hidden(Vec<PathBuf>),
    /// These files are empty, and nothing is in these folders.
    Emptied(Vec<PathBuf>),
    /// These text files have one of their lines twice. Of a folder it is the first few that lie in it, and one is there under another name besides.
    Doubled(Vec<PathBuf>),
    /// These text files have one more line at their end, which is `line`. Of a folder it is the first few that lie in it.
    Planted {
        /// The files and folders.
        places: Vec<PathBuf>,
        /// The line, without its end.
        line: String,
    },
    /// These text files have another text in place of one, wherever it stands. Of a folder it is the first few that lie in it.
    Replaced {
        /// The files and folders.
        places: Vec<PathBuf>,
        /// What is replaced; not empty.
        from: String,
        /// What stands there instead.
        to: String,
    },
}

/// What the last of the commands put out, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehearsed {
    /// Its standard output.
    pub stdout: Said,
    /// Its standard error.
    pub stderr: Said,
    /// Its exit status.
    pub status: i32,
    /// What the commands would have changed: equal ones leave the same files with the same lines. None where that is nothing. In a
    /// world that is not as it is, what was changed at and below the places where it differs is left out.
    pub changes: Option<RehearsedChanges>,
}

/// What commands would have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RehearsedChanges {
    /// The SHA-256 of everything but the words of the lines that were written: which files, of which kind, where in them, which lines went.
    pub rest: [u8; 32],
    /// The lines that were written into texts, file by file, without their ends; of more than 64 KiB it is their SHA-256.
    pub written: Vec<String>,
}

/// An output of a rehearsal. Equal ones held the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// All of it, at most 256 KiB.
    Whole(Vec<u8>),
    /// The SHA-256 of a longer one.
    Hash([u8; 32]),
}

impl Said {
    /// As text: what is no UTF-8 in it is replaced, and of a longer one it is the hash.
    pub fn text(&self) -> String {
        match self {
            Self::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Self::Hash(hash) => format!("[SHA-256 {}]", hash.map(|byte| format!("{byte:02x}")).concat()),
        }
    }
}

/// Why commands were not rehearsed, or what came of it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotRehearsed {
    /// In words.
    pub reason: String,
}

impl NotRehearsed {
    /// For this reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
