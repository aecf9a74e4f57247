use super::*;
use crate::conversation::pieces;
use proptest::prelude::*;
use serde_json::json;

fn tool(is_wrapped: bool) -> Option<AnswerTool> {
    Some(AnswerTool { name: "count".into(), is_wrapped })
}

fn stream(tool: Option<AnswerTool>, events: &[Value]) -> Result<Answer, Bad> {
    let mut decoder = Decoder::new(tool);
    for data in events {
        if decoder.event(&Event { name: String::new(), data: data.to_string() })? == Progress::Done {
            break;
        }
    }
    decoder.finish()
}

fn start() -> Value {
    let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 1});
    json!({"type": "message_start", "message": {"model": "claude-x", "usage": usage}})
}

fn text(piece: &str) -> Value {
    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
}

fn input(piece: &str) -> Value {
    json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": piece}})
}

fn end(reason: &str) -> [Value; 2] {
    let delta =
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}});
    [delta, json!({"type": "message_stop"})]
}

#[test]
fn a_stream_of_text() {
    let [delta, stop] = end("end_turn");
    let thinking =
        json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}});
    let events = [start(), json!({"type": "ping"}), thinking, text("a"), text("b"), delta, stop];
    let expected = Answer {
        counts: Some(Counts { prompt: Some(17), cached: 5, completion: Some(7) }),
        model: Some("claude-x".into()),
        ..Answer::of_text("ab")
    };
    // An unsigned thinking block cannot be used.
    assert_eq!(stream(None, &events), Ok(expected));
}

#[test]
fn a_tool_gives_the_answer() {
    let [delta, stop] = end("tool_use");
    let pieces = [start(), text("Let me answer."), input("{\"value\""), input(": [1, 2]}"), delta, stop];
    assert_eq!(stream(tool(false), &pieces).unwrap().text, "{\"value\": [1, 2]}");
    assert_eq!(stream(tool(true), &pieces).unwrap().text, "[1,2]");
    let [delta, stop] = end("max_tokens");
    let cut = stream(tool(true), &[start(), input("{\"value\": ["), delta, stop]).unwrap();
    assert_eq!((cut.text.as_str(), cut.stop), ("{\"value\": [", StopReason::Length));
}

fn begun(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn added(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn calling(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "look", "input": {}})
}

#[test]
fn calls_in_pieces_and_thoughts_with_signatures() {
    let json_of =
        |index: u64, piece: &str| added(index, json!({"type": "input_json_delta", "partial_json": piece}));
    let [delta, stop] = end("tool_use");
    let events = [
        start(),
        begun(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        added(0, json!({"type": "thinking_delta", "thinking": "h"})),
        added(0, json!({"type": "thinking_delta", "thinking": "m"})),
        added(0, json!({"type": "signature_delta", "signature": "s"})),
        begun(1, json!({"type": "redacted_thinking", "data": "x"})),
        begun(2, json!({"type": "text", "text": ""})),
        added(2, json!({"type": "text_delta", "text": "I look."})),
        begun(3, calling("a")),
        begun(4, calling("b")),
        json_of(3, ""),
        json_of(3, "{\"at\""),
        json_of(4, "{\"at\": "),
        json_of(3, ": 1}"),
        begun(5, calling("c")),
        delta,
        stop,
    ];
    let call = |id: &str, arguments: &str| ToolUse {
        id: id.into(),
        name: "look".into(),
        arguments: arguments.into(),
    };
    let expected = Answer {
        calls: vec![call("a", "{\"at\": 1}"), call("b", "{\"at\": "), call("c", "{}")],
        reasoning: vec![
            json!({"type": "thinking", "thinking": "hm", "signature": "s"}),
            json!({"type": "redacted_thinking", "data": "x"}),
        ],
        counts: Some(Counts { prompt: Some(17), cached: 5, completion: Some(7) }),
        model: Some("claude-x".into()),
        ..Answer::of_text("I look.")
    };
    assert_eq!(stream(None, &events), Ok(expected.clone()));
    // The same answer, unstreamed.
    let content = json!([
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "a", "name": "look", "input": {"at": 1}},
        {"type": "tool_use", "id": "c", "name": "look", "input": {}},
    ]);
    let mut decoder = Decoder::new(None);
    decoder.whole(&json!({"content": content, "stop_reason": "tool_use"}).to_string()).unwrap();
    let whole = decoder.finish().unwrap();
    assert_eq!(whole.calls, [call("a", "{\"at\":1}"), call("c", "{}")]);
    assert_eq!((whole.reasoning, whole.text), (expected.reasoning, expected.text));
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_answer(
        texts in prop::collection::vec("[a-z{}\":🙂\\\\]{1,8}", 1..5),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let [delta, stop] = end("tool_use");
        // The input of a call is an object.
        let texts: Vec<String> = texts.iter().enumerate().map(|(index, text)| if index % 3 == 0 { json!({"at": text}).to_string() } else { text.clone() }).collect();
        let mut events = vec![start()];
        for (index, text) in (0..).zip(&texts) {
            let (block, kind, field) = match index % 3 {
                0 => (calling("a"), "input_json_delta", "partial_json"),
                1 => (json!({"type": "text", "text": ""}), "text_delta", "text"),
                _ => (json!({"type": "thinking", "thinking": "", "signature": "s"}), "thinking_delta", "thinking"),
            };
            events.push(begun(index, block));
            events.extend(pieces(text, &cuts).into_iter().map(|piece| added(index, json!({"type": kind, field: piece}))));
        }
        let answer = stream(None, &[events, vec![delta, stop]].concat()).unwrap();
        let given = |place: usize| texts.iter().skip(place).step_by(3).cloned().collect::<Vec<_>>();
        let arguments: Vec<String> = answer.calls.into_iter().map(|call| call.arguments).collect();
        let thoughts: Vec<&str> = answer.reasoning.iter().map(|thought| thought["thinking"].as_str().unwrap()).collect();
        prop_assert_eq!((arguments, answer.text), (given(0), given(1).concat()));
        prop_assert_eq!(thoughts, given(2));
    }
}

#[test]
fn an_answer_beside_calls_is_one_of_the_tools() {
    let [delta, stop] = end("tool_use");
    let giving = json!({"type": "tool_use", "id": "b", "name": "count", "input": {"value": 3}});
    let answer =
        stream(tool(true), &[start(), begun(0, calling("a")), begun(1, giving), delta, stop]).unwrap();
    assert_eq!((answer.text.as_str(), answer.calls.len(), answer.calls[0].id.as_str()), ("3", 1, "a"));
}

#[test]
fn odd_blocks_never_panic() {
    let [delta, stop] = end("end_turn");
    let odd = [
        begun(0, json!(3)),
        added(0, json!({"type": "text_delta", "text": "a"})),
        begun(1, json!({"type": "text", "text": 3})),
        added(1, json!({"type": "text_delta", "text": "b"})),
        added(9, json!({"type": "signature_delta", "signature": "s"})),
        json!({"type": "content_block_delta"}),
        json!({"type": "content_block_start"}),
    ];
    let events: Vec<Value> = [start()].into_iter().chain(odd).chain([delta, stop]).collect();
    assert_eq!(stream(None, &events).unwrap().text, "a");
}

#[test]
fn whole_answers() {
    let mut decoder = Decoder::new(None);
    let content = json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]);
    decoder.whole(&json!({"content": content, "stop_reason": "refusal", "model": "c"}).to_string()).unwrap();
    let answer = decoder.finish().unwrap();
    assert_eq!((answer.text.as_str(), answer.stop, answer.counts), ("a", StopReason::Refused, None));
    assert!(Decoder::new(None).whole(&json!({"choices": []}).to_string()).is_err());
}

#[test]
fn broken_streams_and_reported_errors() {
    assert!(matches!(stream(None, &[start(), text("a")]), Err(Bad::Broken(_))));
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let report = |result: Result<Answer, Bad>| match result {
        Err(Bad::Reported { status, message, .. }) => (status, message),
        other => panic!("no report: {other:?}"),
    };
    assert_eq!(report(stream(None, &[start(), error])), (529, "Overloaded".to_owned()));
    for (error, status) in
        [(json!({"error": "m"}), 0), (json!({"message": "m", "code": 429}), 429), (json!({"detail": "m"}), 0)]
    {
        assert_eq!(report(stream(None, &[start(), text("a"), error.clone()])), (status, "m".to_owned()));
        let mut whole = Decoder::new(None);
        assert_eq!(
            report(whole.whole(&error.to_string()).and_then(|()| whole.finish())),
            (status, "m".to_owned())
        );
    }
    let [delta, _] = end("end_turn");
    assert!(stream(None, &[start(), delta]).is_ok(), "no message_stop");
}

#[test]
fn what_is_no_end_is_no_answer() {
    for reason in ["pause_turn", "error", "something new", ""] {
        let [delta, stop] = end(reason);
        let streamed = stream(None, &[start(), text("a"), delta, stop]);
        assert!(matches!(streamed, Err(Bad::Incomplete(_))), "{reason:?}: {streamed:?}");
        let mut whole = Decoder::new(None);
        let content = json!([{"type": "text", "text": "a"}]);
        whole.whole(&json!({"content": content, "stop_reason": reason}).to_string()).unwrap();
        assert!(matches!(whole.finish(), Err(Bad::Incomplete(_))), "{reason:?}");
    }
    let [delta, stop] = end("model_context_window_exceeded");
    assert_eq!(stream(None, &[start(), text("a"), delta, stop]).unwrap().stop, StopReason::Length);
    let [_, stop] = end("");
    assert_eq!(stream(None, &[start(), text("a"), stop.clone()]).unwrap().text, "a", "no reason");
    assert!(stream(None, &[stop]).is_err(), "an end without a beginning");
    let [delta, stop] = end("tool_use");
    assert!(stream(None, &[start(), text("I look."), delta, stop]).unwrap().lacks_calls);
}

#[test]
fn an_input_that_is_sent_twice_or_encoded_is_one_object() {
    let [delta, stop] = end("tool_use");
    let piece = |piece: &str| added(0, json!({"type": "input_json_delta", "partial_json": piece}));
    let called = |block: Value, pieces: &[&str]| {
        let pieces = pieces.iter().map(|text| piece(text));
        let events: Vec<Value> = [start(), begun(0, block)]
            .into_iter()
            .chain(pieces)
            .chain([delta.clone(), stop.clone()])
            .collect();
        stream(None, &events).unwrap().calls[0].arguments.clone()
    };
    let whole = "{\"at\":1}";
    assert_eq!(called(calling("a"), &[whole, whole]), whole);
    assert_eq!(called(calling("a"), &["{}", whole]), whole);
    assert_eq!(called(calling("a"), &[&json!(whole).to_string()]), whole);
    assert_eq!(called(json!({"type": "tool_use", "id": "a", "name": "look", "input": whole}), &[]), whole);
}
