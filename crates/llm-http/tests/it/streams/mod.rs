//! Any stream, cut and split anywhere: one complete answer or a failed attempt, and never a part of an
//! answer.

mod written;

use std::sync::Arc;

use artoo_llm_client::{Completion, Request, StopReason, ToolDefinition};
use artoo_llm_http::doubles::{Format, decoded};
use proptest::prelude::*;
use serde_json::json;

use written::{Answer, cut, response};

const FORMATS: [Format; 2] = [Format::ChatCompletions, Format::Messages];

fn request() -> Request {
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: String::new(),
        parameters: Arc::new(json!({"type": "object"})),
    };
    Request::new("test", "Answer.", "How many?").with_tools(Arc::new([tool("look"), tool("edit_file")]))
}

fn read(format: Format, pieces: &[&[u8]]) -> Result<Completion, String> {
    decoded(format, &request(), pieces.iter().copied())
}

fn said() -> impl Strategy<Value = Answer> {
    let arguments = prop::collection::btree_map("[a-z]{1,3}", "[a-z{}\\[\\]\":,🙂\\\\\n]{0,8}", 1..3);
    let call = (prop::sample::select(vec!["look", "edit_file"]), arguments);
    let calls = prop::collection::vec(call, 0..3);
    ("[a-z 🙂文\n]{0,12}", calls).prop_map(|(text, calls)| Answer {
        text,
        calls: calls.into_iter().map(|(name, arguments)| (name.to_owned(), json!(arguments))).collect(),
    })
}

/// Numbers below those asked for, from a list that goes round.
fn chooser(numbers: &[u16]) -> impl FnMut(usize) -> usize + '_ {
    let mut next = numbers.iter().cycle();
    move |below| next.next().map_or(0, |number| usize::from(*number) % below.max(1))
}

fn numbers() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 1..48)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn an_answer_is_read_whole_or_not_at_all(said in said(), numbers in numbers(), has_reason in any::<bool>(), end in any::<prop::sample::Index>()) {
        for format in FORMATS {
            let mut choose = chooser(&numbers);
            let finish = has_reason.then(|| said.reason(format));
            let bytes = response(format, &said, finish, &mut choose);
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            let whole = read(format, &cut(&bytes, &mut choose));
            let answer = whole.map_err(|error| TestCaseError::fail(format!("{error}: {shown}")))?;
            prop_assert!(said.is(&answer), "{:?}\nof {}", answer, shown);
            let part = &bytes[..end.index(bytes.len())];
            if let Ok(answer) = read(format, &cut(part, &mut choose)) {
                prop_assert!(said.is(&answer), "{:?}\nof {}", answer, String::from_utf8_lossy(part));
            }
        }
    }

    /// An end that is none is a failure, a cut stays a cut.
    #[test]
    fn only_known_ends_are_ends(said in said(), numbers in numbers(), end in any::<prop::sample::Index>(), word in "(error|pause_turn|abort|)") {
        for format in FORMATS {
            let mut choose = chooser(&numbers);
            let bytes = response(format, &said, Some(&word), &mut choose);
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert!(read(format, &[&bytes]).is_err(), "{}", shown);
            prop_assert!(read(format, &[&bytes[..end.index(bytes.len())]]).is_err(), "{}", shown);
            let bytes = response(format, &said, Some("max_tokens"), &mut choose);
            prop_assert_eq!(read(format, &[&bytes]).map(|answer| answer.stop), Ok(StopReason::Length));
        }
    }

    /// Bytes of any kind are read the same however they are split, and are no answer without an end.
    #[test]
    fn any_bytes_are_read_or_refused(text in "(data: |event: |\n|\r\n|\n\n|\\{|\\}|\\[|\\]|\"|:|,|\"choices\"|\"delta\"|\"content\"|\"finish_reason\"|\"stop\"|\"type\"|\"message_start\"|\\[DONE\\]|null|0|[a-z]|🙂|<title>|<|\\\\ud83d|\\\\){0,40}", numbers in numbers()) {
        for format in FORMATS {
            let mut choose = chooser(&numbers);
            let whole = read(format, &[text.as_bytes()]);
            prop_assert_eq!(&read(format, &cut(text.as_bytes(), &mut choose)), &whole);
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            prop_assert_eq!(&read(format, &bytes), &whole);
            if whole.is_ok() {
                // A body of JSON ends with the body.
                let is_json = text.trim_start().starts_with(['{', '[']);
                prop_assert!(is_json || ["stop", "[DONE]"].iter().any(|end| text.contains(end)), "{:?}", whole);
            }
        }
    }
}
