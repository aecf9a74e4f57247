use super::*;
use crate::conversation::pieces;
use crate::sse::SseParser;
use artoo_llm_client::ToolUse;
use proptest::prelude::*;
use serde_json::json;

fn stream(events: &[&str]) -> Result<Answer, Bad> {
    let mut decoder = Decoder::default();
    for data in events {
        let event = Event { name: String::new(), data: (*data).to_owned() };
        if decoder.event(&event)? == Progress::Done {
            break;
        }
    }
    decoder.finish()
}

fn answer(text: &str, stop: StopReason) -> Result<Answer, Bad> {
    Ok(Answer { stop, ..Answer::of_text(text) })
}

#[test]
fn streams_as_servers_send_them() {
    let a = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}"#;
    let b = r#"{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":null}]}"#;
    let thinking = r#"{"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm","content":null}}]}"#;
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let other = r#"{"choices":[{"index":1,"delta":{"content":"x"}}]}"#;
    assert_eq!(stream(&[a, thinking, b, other, end, "[DONE]"]), answer("ab", StopReason::End));
    assert_eq!(stream(&[a, b, end]), answer("ab", StopReason::End), "no end mark");
    assert_eq!(stream(&[a, b, "[DONE]"]), answer("ab", StopReason::End), "no finish reason");
    assert_eq!(
        stream(&[&format!("{a}\n{b}\n{end}\n[DONE]")]),
        answer("ab", StopReason::End),
        "no empty lines"
    );
    assert_eq!(stream(&["", a, end]), answer("a", StopReason::End));
    let parts = r#"{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"image"}]}}]}"#;
    assert_eq!(stream(&[parts, end]), answer("a", StopReason::End));
}

fn called(chunks: &[Value]) -> Vec<(String, String, String)> {
    let chunks: Vec<String> =
        chunks.iter().map(|delta| json!({"choices": [{"delta": delta}]}).to_string()).collect();
    let events: Vec<&str> = chunks.iter().map(String::as_str).chain(["[DONE]"]).collect();
    let calls = stream(&events).unwrap().calls.into_iter();
    calls.map(|call| (call.id, call.name, call.arguments)).collect()
}

fn piece(index: Value, id: Value, name: Value, arguments: &str) -> Value {
    let piece = json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    json!({"tool_calls": [piece]})
}

#[test]
fn calls_as_servers_send_them() {
    let none = Value::Null;
    let two = |first: &str, second: &str| {
        let call = |id: &str| (id.to_owned(), "look".to_owned(), "{\"a\":1}".to_owned());
        vec![call(first), call(second)]
    };
    let named = |index: Value, id: &str, arguments: &str| piece(index, json!(id), json!("look"), arguments);
    let more = |index: u64, arguments: &str| piece(json!(index), none.clone(), none.clone(), arguments);
    let in_pieces = [
        named(json!(0), "a", ""),
        more(0, "{\"a\""),
        named(json!(1), "b", "{"),
        more(0, ":1}"),
        more(1, "\"a\":1}"),
    ];
    assert_eq!(called(&in_pieces), two("a", "b"));
    let repeated =
        [named(json!(0), "a", "{\"a\""), named(json!(0), "a", ":1}"), named(json!(1), "a", "{\"a\":1}")];
    assert_eq!(called(&repeated), two("a", "a"), "they are named apart later");
    let new_ids = [
        named(json!(0), "a", "{\"a\""),
        piece(json!(0), json!("z"), none.clone(), ":1}"),
        named(json!(1), "b", "{\"a\":1}"),
    ];
    assert_eq!(called(&new_ids), two("a", "b"));
    let all_zero = [named(json!(0), "a", "{\"a\":1}"), named(json!(0), "b", "{\"a\":1}")];
    assert_eq!(called(&all_zero), two("a", "b"));
    let unnumbered = [
        named(none.clone(), "a", "{\"a\""),
        piece(none.clone(), none.clone(), none.clone(), ":1}"),
        named(none.clone(), "b", "{\"a\":1}"),
    ];
    assert_eq!(called(&unnumbered), two("a", "b"));
    let whole = json!({"id": "a", "function": {"name": "look", "arguments": {"a": 1}}});
    let other = json!({"id": "b", "function": {"name": "look", "arguments": "{\"a\":1}"}});
    assert_eq!(called(&[json!({"content": null, "tool_calls": [whole, other]})]), two("a", "b"));
    assert_eq!(called(&[json!({"tool_calls": null}), json!({"tool_calls": "odd"})]), []);
}

#[test]
fn thoughts_that_go_back() {
    let think = |deltas: &[Value]| {
        let mut thoughts = Thoughts::default();
        deltas.iter().for_each(|delta| thoughts.take(delta));
        thoughts
    };
    let detail = |detail: Value| json!({"reasoning_details": [detail]});
    let parts = [
        detail(json!({"type": "reasoning.text", "text": "h", "signature": null, "index": 0})),
        detail(json!({"type": "reasoning.text", "text": "m", "index": 0})),
        detail(json!({"type": "reasoning.text", "signature": "s", "index": 0})),
        detail(json!({"type": "reasoning.encrypted", "data": "x", "index": 1})),
        detail(json!({"type": "reasoning.encrypted", "data": "y", "index": 1})),
    ];
    let expected = [
        json!({"type": "reasoning.text", "text": "hm", "signature": "s", "index": 0}),
        json!({"type": "reasoning.encrypted", "data": "x", "index": 1}),
        json!({"type": "reasoning.encrypted", "data": "y", "index": 1}),
    ];
    assert_eq!(think(&parts).into_reasoning(&[]), expected);
    let plain = [json!({"reasoning_content": "h"}), json!({"reasoning_content": "m", "content": null})];
    assert_eq!(think(&plain).into_reasoning(&[]), [] as [Value; 0]);
    let call = ToolUse { id: "a".into(), name: "look".into(), arguments: "{}".into() };
    assert_eq!(think(&plain).into_reasoning(&[call]), [json!("hm")]);
}

proptest! {
    /// However the arguments and the bytes of the stream are cut, the answer is the same.
    #[test]
    fn any_cut_gives_the_same_answer(
        arguments in prop::collection::vec("[a-z{}\":🙂\\\\]{0,8}", 1..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        in_bytes in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut body = String::new();
        for (index, text) in arguments.iter().enumerate() {
            let mut first = true;
            for cut in pieces(text, &cuts) {
                let (id, name) = if first { (json!(format!("c{index}")), json!("look")) } else { (Value::Null, Value::Null) };
                first = false;
                let chunk = json!({"choices": [{"delta": piece(json!(index), id, name, cut)}]});
                body.push_str(&format!("data: {chunk}\n\n"));
            }
        }
        body.push_str("data: [DONE]\n\n");
        let mut bytes: Vec<usize> = in_bytes.iter().map(|cut| cut.index(body.len() + 1)).collect();
        bytes.sort_unstable();
        let (mut parser, mut events, mut start) = (SseParser::default(), Vec::new(), 0);
        for end in bytes.into_iter().chain([body.len()]) {
            parser.feed(&body.as_bytes()[start..end], &mut events);
            start = end;
        }
        parser.finish(&mut events);
        let mut decoder = Decoder::default();
        for event in &events {
            decoder.event(event).unwrap();
        }
        let given: Vec<String> = decoder.finish().unwrap().calls.into_iter().map(|call| call.arguments).collect();
        prop_assert_eq!(given, arguments);
    }

    #[test]
    fn odd_calls_never_panic(values in prop::collection::vec(odd(), 0..6)) {
        let mut calls = ToolCalls::default();
        values.iter().for_each(|value| calls.take(Some(&json!([value, {"function": value}, {"index": value, "id": value}]))));
        let _ = calls.into_calls();
    }
}

fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!(-1)),
        Just(json!(0)),
        Just(json!("")),
        Just(json!({"name": 3, "arguments": ["x"]})),
        Just(json!({"name": "look", "arguments": {"a": 1}})),
    ]
}

#[test]
fn reasons_for_stopping() {
    let check = |finish: &str, expected: StopReason| {
        let chunk = json!({"choices": [{"delta": {"content": "a"}, "finish_reason": finish}]}).to_string();
        assert_eq!(stream(&[&chunk]), answer("a", expected), "{finish}");
    };
    check("stop", StopReason::End);
    check("length", StopReason::Length);
    check("content_filter", StopReason::Refused);
    check("something new", StopReason::End);
    let refusal = r#"{"choices":[{"delta":{"refusal":"I cannot."},"finish_reason":"stop"}]}"#;
    assert_eq!(stream(&[refusal]), answer("I cannot.", StopReason::Refused));
}

#[test]
fn broken_streams_and_reported_errors() {
    let a = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    assert!(matches!(stream(&[a]), Err(Bad::Broken(_))));
    assert!(matches!(stream(&[]), Err(Bad::Broken(_))));
    assert!(matches!(stream(&["[DONE]"]), Err(Bad::Protocol(_))));
    assert!(matches!(stream(&[a, "{\"choices\": [{"]), Err(Bad::Protocol(_))));
    let error = |error: Value| stream(&[a, &json!({"error": error}).to_string()]);
    let reported = |status| Err(Bad::Reported { status, message: "m".into() });
    assert_eq!(error(json!({"message": "m", "code": 503})), reported(503));
    assert_eq!(error(json!({"message": "m", "code": "429"})), reported(429));
    assert_eq!(error(json!({"message": "m", "type": "server_error"})), reported(500));
    assert_eq!(error(json!("m")), reported(0));
}

#[test]
fn usage_blocks() {
    let check = |usage: Value, expected: Option<Counts>| {
        let chunk = json!({"choices": [], "usage": usage}).to_string();
        let end = r#"{"model":"m-1","choices":[{"delta":{},"finish_reason":"stop"}],"usage":null}"#;
        let answer = stream(&[end, &chunk]).unwrap();
        assert_eq!((answer.counts, answer.model.as_deref()), (expected, Some("m-1")));
    };
    let details =
        json!({"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}});
    check(details, Some(Counts { prompt: 9, cached: 4, completion: 2 }));
    check(json!({"prompt_tokens": 9}), Some(Counts { prompt: 9, cached: 0, completion: 0 }));
    check(json!(null), None);
    check(json!("many"), None);
}
