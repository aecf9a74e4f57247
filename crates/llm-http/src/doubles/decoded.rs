//! Decodes a response without a connection: what the clients read from a server, from bytes that a test
//! makes.

use artoo_llm_client::{Completion, Request};
use artoo_redaction::Redactor;

use crate::decode::{Bad, Decode, Progress};
use crate::reader::Reader;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Chat completions.
    ChatCompletions,
    /// The Messages API.
    Messages,
}

/// The completion that a client makes of a response with status 200 whose body arrives in these pieces and
/// then ends; or why that attempt fails, for a message of a test.
///
/// # Errors
///
/// The response is no whole answer.
/// ```
/// use artoo_llm_client::Request;
/// use artoo_llm_http::doubles::{Format, decoded};
///
/// let body = br#"{"choices": [{"message": {"content": "3"}, "finish_reason": "stop"}]}"#;
/// let request = Request::new("test", "", "How many?");
/// let answer = |bytes: &[u8]| decoded(Format::ChatCompletions, &request, bytes.chunks(5));
/// assert_eq!(answer(body)?.text, "3");
/// assert!(answer(&body[..40]).is_err());
/// # Ok::<(), String>(())
/// ```
pub fn decoded<'a>(
    format: Format,
    request: &Request,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Completion, String> {
    let answer = match format {
        Format::ChatCompletions => read(crate::openai::Decoder::new(request), request, pieces),
        Format::Messages => read(crate::anthropic::Decoder::new(None), request, pieces),
    };
    answer.map_err(|bad| format!("{bad:?}"))
}

fn read<'a, D: Decode>(
    decoder: D,
    request: &Request,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Completion, Bad> {
    let redaction = Redactor::new();
    let mut reader = Reader::new(decoder, &redaction);
    for piece in pieces {
        if reader.feed(piece)? == Progress::Done {
            break;
        }
    }
    let (_, answer) = reader.finish();
    answer?.into_completion(request, "m", 0, 1)
}
