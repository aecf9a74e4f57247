//! Sessions: consecutive runs in one folder, so that a request can refer to earlier ones.
//!
//! A session is one append-only file of lines, `sessions/<id>.jsonl` in the data folder: a header with its
//! folder, then two lines per turn. The request is on disk before its run starts, so that nothing typed is
//! lost with the run. Two programs may write one session: each line is appended under a lock, and the file is
//! read again before the next request.
//! ```
//! use artoo_redaction::Redactor;
//! use artoo_runtime::sessions::Sessions;
//!
//! # let data = tempfile::tempdir()?;
//! # let folder = std::path::Path::new("/home/ada/letters");
//! let sessions = Sessions::new(data.path(), Redactor::new());
//! let now = "2026-03-14T09:26:00+01:00".parse()?;
//! let session = sessions.begin(folder, now)?;
//! assert_eq!(sessions.read(session.id)?.folder, folder);
//! assert_eq!(sessions.newest_in(folder)?, None); // nothing was asked in it yet
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compaction;
mod error;
mod format;
mod read;
mod session;
mod store;

pub use compaction::{COMPACT_ABOVE, KEPT_WHOLE};
pub use error::SessionError;
pub use session::{MAX_RESULT, Session, SessionTurn, TurnEnd};
pub use store::Sessions;

/// The folder of all sessions, in the data folder.
pub(crate) const NAME: &str = "sessions";
