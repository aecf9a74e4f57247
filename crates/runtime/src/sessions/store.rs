//! `Sessions`: session files in the data folder.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use artoo_anchored_files::open_regular;
use artoo_redaction::{JsonWriter, Redactor};
use artoo_types::{Rejection, RunId, SessionId};
use chrono::{DateTime, FixedOffset};
use uuid::Uuid;

use super::{
    NAME, SessionError,
    compaction::compact,
    format::{Entry, VERSION},
    read::{read, read_newest},
    session::{Session, SessionTurn, TurnEnd},
};
use crate::owner_only;

/// File extension of a session.
const SUFFIX: &str = "jsonl";

/// Maximum characters of a session name.
const MAX_NAME: usize = 100;

/// Maximum bytes kept of a request.
const MAX_REQUEST: usize = 64 * 1024;

/// After how many bytes a session is looked at as a whole, to compact it: a turn reads only what it needs otherwise.
const LOOK_EVERY: u64 = 16 * 1024;

/// Number of attempts to append a line while another program compacts the session.
const TRIES: usize = 5;

/// The sessions of a data folder. Everything written is redacted first.
#[derive(Clone, Debug)]
pub struct Sessions {
    folder: PathBuf,
    redactor: Redactor,
}

impl Sessions {
    /// The sessions of this data folder, which [`owner_only::data_folder`] has created.
    pub fn new(data_folder: &Path, redactor: Redactor) -> Self {
        Self { folder: data_folder.join(NAME), redactor }
    }

    /// Starts a session in `working_folder`.
    ///
    /// # Errors
    /// [`SessionError::Io`].
    pub fn begin(&self, working_folder: &Path, now: DateTime<FixedOffset>) -> Result<Session, SessionError> {
        let id = SessionId::new(Uuid::now_v7());
        let path = self.path(id);
        let line = self.line(&Entry::Session { id, folder: working_folder.to_owned(), began: now });
        owner_only::folder(&self.folder)
            .and_then(|()| OpenOptions::new().create_new(true).append(true).mode(0o600).open(&path))
            // An unreadable session would show up in every list.
            .and_then(|mut file| file.write_all(&line?).inspect_err(|_| drop(std::fs::remove_file(&path))))
            .map_err(failed("written", &path))?;
        Ok(Session::new(id, working_folder.to_owned(), now))
    }

    /// Appends a request, before its run starts. A request too long for any run is truncated; the run has it
    /// in full.
    ///
    /// # Errors
    /// [`SessionError::Io`], [`SessionError::Newer`], [`SessionError::Headless`].
    pub fn ask(
        &self,
        session: SessionId,
        run_id: RunId,
        at: DateTime<FixedOffset>,
        request: &str,
    ) -> Result<(), SessionError> {
        self.compact(session)?;
        let turn = SessionTurn {
            run_id,
            at,
            request: bounded(request),
            end: None,
            rejected: None,
            compacted: false,
        };
        self.add(session, &Entry::Turn(turn))
    }

    /// Appends the end of a run.
    ///
    /// # Errors
    /// As [`Sessions::ask`].
    pub fn end(&self, session: SessionId, run_id: RunId, end: TurnEnd) -> Result<(), SessionError> {
        self.add(session, &Entry::End { run_id, end })
    }

    /// Records that the person rejected the result of a run. The latest rejection of a run counts.
    ///
    /// # Errors
    /// As [`Sessions::ask`].
    pub fn reject(&self, session: SessionId, run_id: RunId, how: Rejection) -> Result<(), SessionError> {
        self.add(session, &Entry::Rejected { run_id, how })
    }

    /// Sets its name: one line, not empty, at most a hundred characters.
    ///
    /// # Errors
    /// [`SessionError::Name`], and as [`Sessions::ask`].
    pub fn rename(&self, session: SessionId, name: &str) -> Result<(), SessionError> {
        let name = name.trim();
        let is_fit =
            !name.is_empty() && name.chars().count() <= MAX_NAME && !name.chars().any(char::is_control);
        if !is_fit {
            return Err(SessionError::Name { name: name.to_owned() });
        }
        self.add(session, &Entry::Name { name: name.to_owned() })
    }

    /// Removes a session. Its runs stay.
    ///
    /// # Errors
    /// [`SessionError::Io`].
    pub fn delete(&self, session: SessionId) -> Result<(), SessionError> {
        let path = self.path(session);
        std::fs::remove_file(&path).map_err(failed("removed", &path))
    }

    /// Reads a session.
    ///
    /// # Errors
    /// [`SessionError::Unknown`] if it does not exist, [`SessionError::Io`], [`SessionError::Newer`],
    /// [`SessionError::Headless`].
    pub fn read(&self, session: SessionId) -> Result<Session, SessionError> {
        let path = self.path(session);
        match open_regular(&path) {
            Ok(file) => read(file, session, &path),
            Err(error) => Err(unread(error, session, path)),
        }
    }

    /// Reads a session with its newest turns alone: what the next request sees of it. That takes as long for a thousand turns as for a
    /// hundred.
    ///
    /// # Errors
    /// As [`Sessions::read`].
    pub fn newest_turns(&self, session: SessionId) -> Result<Session, SessionError> {
        let path = self.path(session);
        match open_regular(&path) {
            Ok(file) => Ok(read_newest(&file, session, &path)?.session),
            Err(error) => Err(unread(error, session, path)),
        }
    }

    /// The only session whose id has this prefix or suffix, or that has this name.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], [`SessionError::Ambiguous`], and as [`Sessions::read`].
    pub fn find(&self, part: &str) -> Result<Session, SessionError> {
        self.read(self.find_id(part)?)
    }

    /// The id of the session that [`Sessions::find`] reads.
    ///
    /// # Errors
    /// As [`Sessions::find`].
    pub fn find_id(&self, part: &str) -> Result<SessionId, SessionError> {
        let lower = part.trim().to_ascii_lowercase();
        let ids = self.ids()?;
        let mut found: Vec<SessionId> = ids
            .iter()
            .map(|(_, id)| *id)
            .filter(|id| {
                let id = id.to_string();
                !lower.is_empty() && (id.starts_with(&lower) || id.ends_with(&lower))
            })
            .collect();
        if found.is_empty() {
            let is_called = |id: &SessionId| {
                self.read(*id).is_ok_and(|session| session.name.as_deref() == Some(part.trim()))
            };
            found = ids.iter().map(|(_, id)| *id).filter(is_called).collect();
        }
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(SessionError::Unknown { part: part.to_owned() }),
            several => Err(SessionError::Ambiguous { part: part.to_owned(), count: several.len() }),
        }
    }

    /// The most recently used session of this folder in which something was asked, with its [newest turns](Self::newest_turns) alone.
    ///
    /// # Errors
    /// [`SessionError::Io`] for the folder; unreadable sessions are skipped.
    pub fn newest_in(&self, working_folder: &Path) -> Result<Option<Session>, SessionError> {
        let read = |(_, id): (SystemTime, SessionId)| self.newest_turns(id).ok();
        let is_it = |session: &Session| session.folder == working_folder && !session.turns.is_empty();
        Ok(self.ids()?.into_iter().filter_map(read).find(is_it))
    }

    /// The newest session that contains this run.
    ///
    /// # Errors
    /// [`SessionError::Io`] for the folder; unreadable sessions are skipped.
    pub fn of_run(&self, run: RunId) -> Result<Option<SessionId>, SessionError> {
        let has = |id: &SessionId| {
            self.read(*id).is_ok_and(|session| session.turns.iter().any(|turn| turn.run_id == run))
        };
        Ok(self.ids()?.into_iter().map(|(_, id)| id).find(has))
    }

    /// The newest `most` sessions in which something was asked, newest first; unreadable ones as errors. An editor opens a session for each
    /// of its windows, whether or not anything is asked there.
    ///
    /// # Errors
    /// [`SessionError::Io`] for the folder.
    pub fn list(&self, most: usize) -> Result<Vec<Result<Session, SessionError>>, SessionError> {
        let is_used =
            |read: &Result<Session, _>| read.as_ref().map_or(true, |session| !session.turns.is_empty());
        Ok(self.ids()?.into_iter().map(|(_, id)| self.read(id)).filter(is_used).take(most).collect())
    }

    /// All ids, the most recently written first.
    fn ids(&self) -> Result<Vec<(SystemTime, SessionId)>, SessionError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                return Err(SessionError::Io { doing: "read", path: self.folder.clone(), source });
            }
        };
        let mut ids: Vec<_> = entries.flatten().filter_map(|entry| dated(&entry)).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        Ok(ids)
    }

    fn path(&self, session: SessionId) -> PathBuf {
        self.folder.join(format!("{session}.{SUFFIX}"))
    }

    /// A redacted line with its newline.
    fn line(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        JsonWriter::new(self.redactor.clone()).write(&Numbered { v: VERSION, entry }, &mut bytes)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn add(&self, session: SessionId, entry: &Entry) -> Result<(), SessionError> {
        let path = self.path(session);
        let mut file = self.locked(session)?;
        let mut line = self.line(entry).map_err(failed("written", &path))?;
        // A line truncated by a full disk or a power failure must not merge with the next line.
        if ends_within_a_line(&mut file).map_err(failed("read", &path))? {
            line.insert(0, b'\n');
        }
        file.write_all(&line).map_err(failed("written", &path))
    }

    /// Compacts the old turns and replaces the file, once for each [`LOOK_EVERY`] bytes that it has grown.
    fn compact(&self, session: SessionId) -> Result<(), SessionError> {
        let path = self.path(session);
        let file = self.locked(session)?;
        let newest = read_newest(&file, session, &path)?;
        if newest.begins / LOOK_EVERY == newest.file_len / LOOK_EVERY {
            return Ok(());
        }
        let again = file.try_clone().map_err(failed("read", &path))?;
        let mut read = read(again, session, &path)?;
        if !compact(&mut read) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        let head = Entry::Session { id: read.id, folder: read.folder, began: read.began };
        let name = read.name.map(|name| Entry::Name { name });
        for entry in std::iter::once(head).chain(name).chain(read.turns.into_iter().map(Entry::Turn)) {
            bytes.extend(self.line(&entry).map_err(failed("written", &path))?);
        }
        let new = path.with_extension("new");
        let _ = std::fs::remove_file(&new);
        OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&new)
            .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(&new, &path))
            .map_err(failed("written", &path))
    }

    /// The file, locked until dropped, and verified not to have been replaced meanwhile.
    fn locked(&self, session: SessionId) -> Result<File, SessionError> {
        let path = self.path(session);
        let io = failed("written", &path);
        for _ in 0..TRIES {
            let file = match OpenOptions::new().read(true).append(true).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(SessionError::Unknown { part: session.to_string() });
                }
                Err(error) => return Err(io(error)),
            };
            // A file system without locks is not shared with a second program either.
            let _ = file.lock();
            let is_there =
                |found: std::fs::Metadata| file.metadata().is_ok_and(|held| held.ino() == found.ino());
            if path.metadata().is_ok_and(is_there) {
                return Ok(file);
            }
        }
        Err(io(io::ErrorKind::ResourceBusy.into()))
    }
}

/// A line to write: like `Line`, but borrowed.
#[derive(serde::Serialize)]
struct Numbered<'a> {
    v: u32,
    #[serde(flatten)]
    entry: &'a Entry,
}

fn bounded(request: &str) -> String {
    if request.len() <= MAX_REQUEST {
        return request.to_owned();
    }
    let end = request.floor_char_boundary(MAX_REQUEST);
    format!("{}…", request.get(..end).unwrap_or_default())
}

/// Why a session could not be opened.
fn unread(source: io::Error, session: SessionId, path: PathBuf) -> SessionError {
    if source.kind() == io::ErrorKind::NotFound {
        SessionError::Unknown { part: session.to_string() }
    } else {
        SessionError::Io { doing: "read", path, source }
    }
}

pub(super) fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> SessionError {
    let path = path.to_owned();
    move |source| SessionError::Io { doing, path: path.clone(), source }
}

/// The session of a file and its mtime; `None` for files not named by artoo, and for empty ones, left by a
/// full disk.
fn dated(entry: &std::fs::DirEntry) -> Option<(SystemTime, SessionId)> {
    let name = entry.file_name();
    let name = name.to_str()?.strip_suffix(SUFFIX)?.strip_suffix('.')?;
    let id: SessionId = name.parse().ok().filter(|id: &SessionId| id.to_string() == name)?;
    let found = entry.metadata().ok().filter(|found| found.is_file() && found.len() > 0)?;
    Some((found.modified().unwrap_or(SystemTime::UNIX_EPOCH), id))
}

fn ends_within_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(io::SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}
