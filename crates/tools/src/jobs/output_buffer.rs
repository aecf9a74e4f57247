//! Output of a background command since the last read.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use artoo_redaction::{Redactor, Stream};

/// Maximum bytes kept between two reads; the end is kept, because it matters most.
const KEPT: usize = 1024 * 1024;

/// One stream of a command, redacted line by line: a read may come in the middle of a secret, and half a
/// secret would not be recognised. A line is returned when it is complete.
#[derive(Clone)]
pub(crate) struct Heard(Arc<Mutex<Since>>);

struct Since {
    /// `None` once the stream has ended.
    stream: Option<Stream>,
    text: Vec<u8>,
    lost: u64,
}

impl Heard {
    pub(crate) fn new(redactor: &Redactor) -> Self {
        Self(Arc::new(Mutex::new(Since { stream: Some(redactor.stream()), text: Vec::new(), lost: 0 })))
    }

    /// The stream ended: releases a pending partial line.
    pub(crate) fn end(&self) {
        let mut since = self.since();
        if let Some(stream) = since.stream.take() {
            stream.finish(&mut since.text);
        }
    }

    /// The new output, and the number of bytes dropped before it.
    pub(crate) fn take(&self) -> (Vec<u8>, u64) {
        let mut since = self.since();
        since.shorten(KEPT);
        (std::mem::take(&mut since.text), std::mem::take(&mut since.lost))
    }

    fn since(&self) -> MutexGuard<'_, Since> {
        // A panic loses at most one piece.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Since {
    fn shorten(&mut self, most: usize) {
        let excess = self.text.len().saturating_sub(most);
        self.text.drain(..excess);
        self.lost += excess as u64;
    }
}

impl io::Write for Heard {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut since = self.since();
        let Since { stream, text, .. } = &mut *since;
        if let Some(stream) = stream {
            stream.push(piece, text);
        }
        // Not for every piece, because the rest has to be moved.
        if since.text.len() > 2 * KEPT {
            since.shorten(KEPT);
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_is_new_is_given_once_and_in_whole_lines() {
        let mut heard = Heard::new(&Redactor::new());
        heard.write_all(b"one\ntw").unwrap();
        assert_eq!(heard.take(), (b"one\n".to_vec(), 0));
        heard.write_all(b"o\nthree").unwrap();
        assert_eq!(heard.take(), (b"two\n".to_vec(), 0));
        heard.end();
        assert_eq!(heard.take(), (b"three".to_vec(), 0));
        assert_eq!(heard.take(), (Vec::new(), 0));
    }

    #[test]
    fn a_look_in_the_middle_of_a_secret_shows_no_half_of_it() {
        let mut heard = Heard::new(&Redactor::new());
        heard.write_all(b"key ghp_0123456789").unwrap();
        assert_eq!(heard.take(), (Vec::new(), 0));
        heard.write_all(b"abcdefghij\n").unwrap();
        assert_eq!(heard.take(), (b"key [redacted: api key]\n".to_vec(), 0));
    }

    #[test]
    fn of_a_flood_the_end_is_kept_and_the_rest_counted() {
        let mut heard = Heard::new(&Redactor::new());
        let line = [b'x'; 1023].into_iter().chain([b'\n']).collect::<Vec<u8>>();
        for _ in 0..5 * 1024 {
            heard.write_all(&line).unwrap();
        }
        heard.write_all(b"last\n").unwrap();
        let (text, lost) = heard.take();
        assert_eq!((text.len(), text.len() as u64 + lost), (KEPT, 5 * 1024 * 1024 + 5));
        assert!(text.ends_with(b"x\nlast\n"));
    }
}
