//! Reads a session's file: the whole of it, or its end.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _, Seek as _},
    os::unix::fs::FileExt as _,
    path::Path,
};

use artoo_types::{MAX_TURNS, SessionId};

use super::{
    SessionError,
    format::{Entry, Line, VERSION, Versioned},
    session::Session,
    store::failed,
};

/// Maximum bytes of a line; a longer one counts as unreadable.
const MAX_LINE: u64 = 1024 * 1024;

/// The first part of the end that is read; where it does not suffice, twice as much is.
const END: u64 = 16 * 1024;

/// The end of a session.
pub(super) struct Newest {
    /// The session with its newest turns alone, and without its name.
    pub(super) session: Session,
    /// Where the line of the newest turn begins.
    pub(super) begins: u64,
    /// The length of the file.
    pub(super) file_len: u64,
}

/// Reads the first line, and from the end as many lines as hold the newest [`MAX_TURNS`] turns. What belongs to a turn stands behind its
/// line, so nothing of them is missed. The position of the file stays.
pub(super) fn read_newest(file: &File, session: SessionId, path: &Path) -> Result<Newest, SessionError> {
    let io = failed("read", path);
    let file_len = file.metadata().map_err(&io)?.len();
    let mut first = bytes_at(file, 0, END.min(file_len)).map_err(&io)?;
    let after_first = loop {
        match first.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                first.truncate(end);
                break (end as u64).saturating_add(1);
            }
            None if first.len() as u64 >= MAX_LINE.min(file_len) => break file_len,
            None => {
                let longer = (first.len() as u64).saturating_mul(2).min(MAX_LINE).min(file_len);
                first = bytes_at(file, 0, longer).map_err(&io)?;
            }
        }
    };
    let session = beginning(&first, session, path)?;
    let mut length = END;
    loop {
        let from = file_len.saturating_sub(length).max(after_first);
        let end = bytes_at(file, from, file_len.saturating_sub(from)).map_err(&io)?;
        let newest = apply_newest(session.clone(), (&end, from), from == after_first, path)?;
        if let Some((session, begins)) = newest {
            return Ok(Newest { session, begins, file_len });
        }
        length = length.saturating_mul(2);
    }
}

/// Applies the lines from the oldest of the newest turns on; `None` if more of the file is needed. The first line is only a part of one
/// unless this `is_all` of the lines.
fn apply_newest(
    mut session: Session,
    (bytes, from): (&[u8], u64),
    is_all: bool,
    path: &Path,
) -> Result<Option<(Session, u64)>, SessionError> {
    let mut at = bytes.len();
    let (mut lines, mut turns, mut begins) = (Vec::new(), 0, None);
    for line in bytes.split(|byte| *byte == b'\n').rev() {
        let begin = at.saturating_sub(line.len());
        let is_whole = is_all || begin > 0;
        at = begin.saturating_sub(1);
        if !is_whole {
            return Ok(None);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let entry = if line.len() as u64 > MAX_LINE { None } else { parse(line, path)? };
        if let Some(Entry::Turn(_)) = &entry {
            turns += 1;
            begins = begins.or(Some(from.saturating_add(begin as u64)));
        }
        lines.push(entry);
        if turns == MAX_TURNS {
            break;
        }
    }
    for entry in lines.into_iter().rev() {
        match entry {
            Some(entry) => session.on(entry),
            None => session.unreadable += 1,
        }
    }
    Ok(Some((session, begins.unwrap_or_default())))
}

fn bytes_at(file: &File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, from.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The session that its first line tells of.
fn beginning(first: &[u8], session: SessionId, path: &Path) -> Result<Session, SessionError> {
    match parse(first, path)? {
        Some(Entry::Session { id, folder, began }) if id == session => Ok(Session::new(id, folder, began)),
        _ => Err(SessionError::Headless { path: path.to_owned() }),
    }
}

/// Reads a session from its file.
pub(super) fn read(mut file: File, session: SessionId, path: &Path) -> Result<Session, SessionError> {
    let io = failed("read", path);
    file.seek(io::SeekFrom::Start(0)).map_err(&io)?;
    let mut lines = BufReader::new(file);
    let first = next_line(&mut lines).map_err(&io)?.unwrap_or_default();
    let mut read = beginning(&first, session, path)?;
    while let Some(bytes) = next_line(&mut lines).map_err(&io)? {
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match parse(&bytes, path)? {
            Some(entry) => read.on(entry),
            None => read.unreadable += 1,
        }
    }
    Ok(read)
}

/// The content of a line; `None` if it is unreadable.
///
/// # Errors
/// [`SessionError::Newer`].
fn parse(bytes: &[u8], path: &Path) -> Result<Option<Entry>, SessionError> {
    match serde_json::from_slice::<Versioned>(bytes) {
        Ok(Versioned { v }) if v > VERSION => {
            Err(SessionError::Newer { path: path.to_owned(), found: v, known: VERSION })
        }
        Ok(_) => Ok(serde_json::from_slice::<Line>(bytes).ok().map(|line| line.entry)),
        Err(_) => Ok(None),
    }
}

/// The next line without its newline, truncated to [`MAX_LINE`] bytes; `None` at the end of the file.
fn next_line(lines: &mut BufReader<File>) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    if lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') && bytes.len() as u64 == MAX_LINE {
        lines.skip_until(b'\n')?;
    }
    Ok(Some(bytes))
}
