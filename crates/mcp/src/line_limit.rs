//! A stream whose lines are bounded: who sends a gigabyte in one line is not listened to.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::end::{End, Why};

/// The longest message of a server, in bytes.
pub(crate) const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// Passes on what it reads, and fails at a line that is too long.
pub(crate) struct LineLimit<R> {
    inner: R,
    end: Arc<End>,
    /// Bytes of the line so far.
    line: usize,
    most: usize,
}

impl<R> LineLimit<R> {
    pub(crate) fn new(inner: R, end: Arc<End>) -> Self {
        // The message itself is bounded by the reader behind; a line has an end, too.
        Self { inner, end, line: 0, most: LONGEST_MESSAGE - 1 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineLimit<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let mut line = self.line;
        let mut is_too_long = false;
        for (number, part) in
            buf.filled().get(before..).unwrap_or_default().split(|byte| *byte == b'\n').enumerate()
        {
            line = if number > 0 { part.len() } else { line.saturating_add(part.len()) };
            is_too_long |= line > self.most;
        }
        self.line = line;
        if is_too_long {
            self.end.say(Why::TooLong(LONGEST_MESSAGE));
            buf.set_filled(before);
            return Poll::Ready(Err(io::Error::other("a line that is too long")));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use artoo_redaction::Redactor;
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn read(most: usize, text: &[u8]) -> (Option<Vec<u8>>, bool) {
        let end = Arc::new(End::new(false, Redactor::new()));
        let mut limit = LineLimit { most, ..LineLimit::new(text, Arc::clone(&end)) };
        let mut out = Vec::new();
        (limit.read_to_end(&mut out).await.ok().map(|_| out), end.is_over())
    }

    #[tokio::test]
    async fn lines_pass_up_to_the_limit() {
        for text in [&b""[..], b"\n\n", b"12345\n12345", b"1234\n5\n\n12345\n"] {
            assert_eq!(read(5, text).await, (Some(text.to_vec()), false));
        }
        for text in [&b"123456"[..], b"1\n123456\n", b"1\n12345\n123456789"] {
            assert_eq!(read(5, text).await, (None, true));
        }
    }
}
