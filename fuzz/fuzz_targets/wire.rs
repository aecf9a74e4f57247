//! Answers on the wire: however a stream is cut and split, it is one complete answer or a failed attempt, and
//! never a part of an answer that is taken for one.
//!
//! The input is read as a response of both wire formats, and its text is written as an answer as servers
//! write it: the last bytes choose how, and where it is cut.

#![no_main]

use std::sync::Arc;

use artoo_fuzz::Choices;
use artoo_llm_client::{Completion, Request, ToolDefinition};
use artoo_llm_http::doubles::{Format, decoded};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

#[path = "../../crates/llm-http/tests/it/streams/written.rs"]
#[expect(clippy::indexing_slicing, reason = "shared with the tests, which fail by panicking")]
mod written;

fuzz_target!(|input: &[u8]| {
    let mut choices = Choices::of(input);
    let mut choose = move |below: usize| choices.place(below.max(1) - 1);
    for format in [Format::ChatCompletions, Format::Messages] {
        // As a response, in one piece, in some, and byte by byte.
        let whole = read(format, &[input]);
        assert_eq!(read(format, &written::cut(input, &mut choose)), whole);
        assert_eq!(read(format, &input.chunks(1).collect::<Vec<_>>()), whole);
        // As the text and the arguments of an answer.
        let said = said(input, &mut choose);
        let finish = (choose(2) == 0).then(|| said.reason(format));
        let bytes = written::response(format, &said, finish, &mut choose);
        let shown = String::from_utf8_lossy(&bytes);
        let answer = read(format, &written::cut(&bytes, &mut choose));
        assert!(answer.as_ref().is_ok_and(|answer| said.is(answer)), "{answer:?} of {shown}");
        let part = bytes.get(..choose(bytes.len())).unwrap_or_default();
        if let Ok(answer) = read(format, &written::cut(part, &mut choose)) {
            assert!(said.is(&answer), "{answer:?} of {}", String::from_utf8_lossy(part));
        }
    }
});

fn request() -> Request {
    let look = ToolDefinition { name: "look".into(), description: String::new(), parameters: Arc::default() };
    Request::new("fuzz", "Answer.", "How many?").with_tools(Arc::new([look]))
}

fn read(format: Format, pieces: &[&[u8]]) -> Result<Completion, String> {
    decoded(format, &request(), pieces.iter().copied())
}

/// An answer with the words of the input, but for what is markup in a text of its own right.
fn said(input: &[u8], choose: &mut written::Choose<'_>) -> written::Answer {
    let words = String::from_utf8_lossy(input.get(..input.len().min(400)).unwrap_or_default()).into_owned();
    let text = words.replace(|c: char| "<{[`'\"(".contains(c), "");
    let call = |part: &str| ("look".to_owned(), json!({"at": part}));
    let calls = match choose(3) {
        0 => Vec::new(),
        1 => vec![call(&words)],
        _ => vec![call(&words), call("there")],
    };
    written::Answer { text: if choose(2) == 0 { String::new() } else { text }, calls }
}
