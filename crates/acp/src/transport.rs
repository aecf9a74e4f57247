//! The connection to the client: one JSON object a line.

use std::io;
use std::pin::Pin;

use agent_client_protocol::Lines;
use futures_util::{Sink, Stream, sink, stream};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
    BufReader,
};

/// How long a line may be. A client that sends more is not spoken to any further: nothing of that size is a message.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Where messages come from and go to.
pub struct Transport {
    input: Box<dyn AsyncRead + Send + Unpin>,
    output: Box<dyn AsyncWrite + Send + Unpin>,
}

type Incoming = Pin<Box<dyn Stream<Item = io::Result<String>> + Send>>;
type Outgoing = Pin<Box<dyn Sink<String, Error = io::Error> + Send>>;

impl Transport {
    /// Standard input and output.
    pub fn stdio() -> Self {
        Self::new(tokio::io::stdin(), tokio::io::stdout())
    }

    /// Any pair of streams.
    pub fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self { input: Box::new(input), output: Box::new(output) }
    }

    pub(crate) fn lines(self) -> Lines<Outgoing, Incoming> {
        let incoming = stream::unfold(BufReader::new(self.input), |mut input| async move {
            match next_line(&mut input).await {
                Ok(Some(line)) => Some((Ok(line), input)),
                Ok(None) => None,
                Err(error) => Some((Err(error), input)),
            }
        });
        let outgoing = sink::unfold(self.output, |mut output, mut line: String| async move {
            line.push('\n');
            output.write_all(line.as_bytes()).await?;
            output.flush().await?;
            Ok(output)
        });
        Lines::new(Box::pin(outgoing), Box::pin(incoming))
    }
}

/// The next line without its end; `None` at the end of the input.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = input.take(MOST_BYTES).read_until(b'\n', &mut bytes).await?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if read as u64 == MOST_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of the client is longer than 64 MiB"));
    }
    // What is not UTF-8 is no JSON, and the protocol's crate answers so.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
