//! Sessions: runs that follow one another in one folder, so that a request may speak of what came before it.
//!
//! A session is one file of lines that are only ever added to, `sessions/<id>.jsonl` in the data folder: who
//! began it and where, then two lines a turn. What was asked is on the disk before its run begins, so that
//! nothing that was typed is lost with the run. Two programs may write one session: each line is added under
//! a lock, and read again before the next request.
//!
//! ```
//! use artoo_redaction::Redactor;
//! use artoo_runtime::sessions::Sessions;
//!
//! # let data = tempfile::tempdir()?;
//! # let folder = std::path::Path::new("/home/ada/letters");
//! let sessions = Sessions::new(data.path(), Redactor::new());
//! let now = "2026-03-14T09:26:00+01:00".parse()?;
//! let session = sessions.begin(folder, now)?;
//! assert_eq!(sessions.newest_in(folder)?.map(|found| found.id), Some(session.id));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compaction;
mod error;
mod line;
mod session;
mod store;

pub use compaction::{COMPACT_ABOVE, KEPT_WHOLE};
pub use error::SessionError;
pub use session::{MAX_RESULT, Session, SessionTurn, TurnEnd};
pub use store::Sessions;

/// The folder of all sessions, in the data folder.
pub(crate) const NAME: &str = "sessions";
