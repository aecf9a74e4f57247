//! Stores a large output piece by piece.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use artoo_types::{
    EvidenceId, OutputRecord, Settled, head_tail, head_tail_of_ends, place_of, printable, settled,
};
use sha2::{Digest, Sha256};

use super::{EvidenceStore, SMALL, address};

/// Collects one output. A small one stays in memory until the end; a large one grows in an unnamed file,
/// because it must not be left on the disk unredacted. Dropping the writer unfinished leaves nothing behind.
#[derive(Debug)]
pub struct EvidenceWriter {
    store: EvidenceStore,
    bytes: u64,
    memory: Vec<u8>,
    file: Option<File>,
    /// Whether it may hold what controls a terminal.
    is_controlled: bool,
    /// Whether it is shown as it is.
    is_verbatim: bool,
}

impl EvidenceWriter {
    pub(super) fn new(store: EvidenceStore) -> Self {
        Self { store, bytes: 0, memory: Vec::new(), file: None, is_controlled: false, is_verbatim: false }
    }

    /// Shows the output as it is, and not as a terminal would leave it: it is the content of a file.
    pub(super) fn verbatim(self) -> Self {
        Self { is_verbatim: true, ..self }
    }

    /// Stores what was written as it came, and describes it as a terminal would leave it (see [`settled`]), showing at most
    /// `limit` bytes. `total` is the tool's whole output, of which only the beginning may have been written. An empty
    /// output is not stored.
    ///
    /// # Errors
    ///
    /// The output cannot be stored.
    /// ```
    /// use std::io::Write;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = artoo_tools::EvidenceStore::open(folder.path())?;
    /// let mut writer = store.writer();
    /// writer.write_all(b"first of nine")?;
    /// let record = writer.finish(100, 99)?;
    /// assert_eq!((record.bytes, record.dropped_bytes), (99, 86));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn finish(mut self, limit: usize, total: u64) -> io::Result<OutputRecord> {
        let dropped_bytes = total.saturating_sub(self.bytes);
        if self.bytes == 0 {
            return Ok(OutputRecord { bytes: total, dropped_bytes, ..OutputRecord::default() });
        }
        let id = match self.file.as_mut() {
            None => self.store.put(&self.memory)?,
            Some(file) => keep(file, &self.store)?,
        };
        let lost = if dropped_bytes > 0 {
            format!(", the last {dropped_bytes} kept nowhere")
        } else {
            String::new()
        };
        let place = format!("{}{lost}", place_of(&id));
        let whole = if self.is_controlled && !self.is_verbatim { Some(self.whole()?) } else { None };
        let as_left = whole.as_deref().map(|whole| String::from_utf8_lossy(whole));
        let as_left = as_left.as_deref().map(settled);
        let shown = match (as_left, self.file.as_mut()) {
            (Some(left), _) => as_left_shown(&left, dropped_bytes, limit, &place),
            (None, None) => {
                let text = printable(&String::from_utf8_lossy(&self.memory));
                if dropped_bytes == 0 {
                    head_tail(&text, limit, &place)
                } else {
                    head_tail_of_ends(&self.memory, &[], total, limit, &place)
                }
            }
            (None, Some(file)) => {
                let (head, tail) = ends(file, self.bytes, limit)?;
                // If bytes after the stored ones were dropped, the stored end is not the end of the output.
                let tail = if dropped_bytes == 0 { tail } else { Vec::new() };
                head_tail_of_ends(&head, &tail, total, limit, &place)
            }
        };
        Ok(OutputRecord { shown, bytes: total, dropped_bytes, evidence: Some(id), ..OutputRecord::default() })
    }

    fn whole(&mut self) -> io::Result<Vec<u8>> {
        let Some(file) = self.file.as_mut() else { return Ok(self.memory.clone()) };
        let mut whole = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut whole)?;
        Ok(whole)
    }
}

/// An output as a terminal leaves it, with a line that says what is not seen of it.
fn as_left_shown(left: &Settled<'_>, dropped_bytes: u64, limit: usize, place: &str) -> String {
    let text = printable(&left.text);
    let mut shown = match dropped_bytes {
        0 => head_tail(&text, limit, place),
        _ => head_tail_of_ends(text.as_bytes(), &[], text.len() as u64 + dropped_bytes, limit, place),
    };
    if left.overwritten > 0 {
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        shown.push_str(&format!(
            "[... a terminal would have overwritten {} more characters, {place} ...]\n",
            left.overwritten
        ));
    }
    shown
}

impl Write for EvidenceWriter {
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if self.file.is_none() && self.memory.len() + chunk.len() > SMALL {
            let mut file = tempfile::tempfile_in(self.store.folder())?;
            file.write_all(&self.memory)?;
            self.memory = Vec::new();
            self.file = Some(file);
        }
        let written = match self.file.as_mut() {
            Some(file) => file.write(chunk)?,
            None => self.memory.write(chunk)?,
        };
        self.bytes += written as u64;
        self.is_controlled |= chunk.iter().any(|byte| matches!(byte, 0x1b | 0x08 | b'\r' | 0x9b));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Stores a file's content: copied without a secret, redacted as a whole with one.
fn keep(file: &mut File, store: &EvidenceStore) -> io::Result<EvidenceId> {
    let (mut digest, mut kept) = (Sha256::new(), store.temporary()?);
    let mut stream = store.redactor().stream();
    let (mut piece, mut clean) = (vec![0; SMALL], Vec::new());
    let mut length: u64 = 0;
    file.seek(SeekFrom::Start(0))?;
    let changed = loop {
        clean.clear();
        let read = file.read(&mut piece)?;
        let last = read == 0;
        let changed = if last {
            std::mem::replace(&mut stream, store.redactor().stream()).finish(&mut clean)
        } else {
            stream.push(piece.get(..read).unwrap_or_default(), &mut clean);
            false
        };
        digest.update(&clean);
        kept.write_all(&clean)?;
        length += clean.len() as u64;
        if last {
            break changed;
        }
    };
    let id = address(&digest.finalize())?;
    if !changed && !store.truths().has(&id) {
        if !store.has(&id, length) {
            store.keep(kept, &id)?;
        }
        return Ok(id);
    }
    let mut truth = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut truth)?;
    store.put_redacted(store.redactor().apply_to_bytes(&truth).into_owned(), &truth)
}

/// The first and the last `limit` bytes.
fn ends(file: &mut File, bytes: u64, limit: usize) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let limit = limit as u64;
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    file.seek(SeekFrom::Start(0))?;
    file.take(limit).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(bytes.saturating_sub(limit)))?;
    file.take(limit).read_to_end(&mut tail)?;
    Ok((head, tail))
}
