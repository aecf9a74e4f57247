use super::*;
use crate::conversation::pieces;
use crate::sse::SseParser;
use crate::tool_call::MAX_CALLS;
use artoo_llm_client::{ToolDefinition, ToolUse};
use proptest::prelude::*;
use serde_json::json;

fn stream(events: &[&str]) -> Result<Answer, Bad> {
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: String::new(),
        parameters: std::sync::Arc::default(),
    };
    let request = Request::new("test", "", "").with_tools(std::sync::Arc::new([tool("look"), tool("edit")]));
    let mut decoder = Decoder::new(&request);
    for data in events {
        let event = Event { name: String::new(), data: (*data).to_owned() };
        if decoder.event(&event)? == Progress::Done {
            break;
        }
    }
    decoder.finish()
}

/// The report of an error, without the error itself.
fn report<T: std::fmt::Debug>(result: Result<T, Bad>) -> (u16, String) {
    match result {
        Err(Bad::Reported { status, message, .. }) => (status, message),
        other => panic!("no report: {other:?}"),
    }
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

#[test]
fn an_answer_with_any_number_of_calls_is_none() {
    let with = |calls: usize| {
        let call = |number: usize| json!({"index": number, "id": format!("c{number}"), "function": {"name": "look", "arguments": json!({"at": number}).to_string()}});
        let calls: Vec<Value> = (0..calls).map(call).collect();
        let chunk = json!({"choices": [{"delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}]});
        stream(&[&chunk.to_string()]).map(|answer| answer.calls.len())
    };
    assert_eq!(with(MAX_CALLS), Ok(MAX_CALLS));
    assert!(matches!(with(MAX_CALLS + 1), Err(Bad::Protocol(_))));
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
    assert_eq!(called(&repeated), two("a", "a")[..1], "sent twice is one");
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
    assert_eq!(think(&parts).into_reasoning(&[], Vec::new()), expected);
    let plain = [json!({"reasoning_content": "h"}), json!({"reasoning_content": "m", "content": null})];
    assert_eq!(think(&plain).into_reasoning(&[], Vec::new()), [] as [Value; 0]);
    let call = ToolUse { id: "a".into(), name: "look".into(), arguments: "{}".into() };
    assert_eq!(think(&plain).into_reasoning(&[call], Vec::new()), [json!("hm")]);
}

/// A call as a server may cut it: each way in which servers depart from the protocol.
#[test]
fn one_call_however_it_is_cut() {
    let none = || Value::Null;
    let text = json!({"at": "a {b}", "n": [1, 2]}).to_string();
    let (first, second, third) = (&text[..5], &text[5..12], &text[12..]);
    let named = |index: Value, id: Value, arguments: &str| piece(index, id, json!("look"), arguments);
    let more = |index: Value, arguments: &str| piece(index, none(), none(), arguments);
    let begun = || named(json!(0), json!("c1"), "");
    let whole = || more(json!(0), &text);
    let ways: Vec<(&str, Vec<Value>)> = vec![
        ("whole once more", vec![begun(), whole(), whole()]),
        (
            "pieces, then whole with the name",
            vec![
                begun(),
                more(json!(0), first),
                more(json!(0), &text[5..]),
                named(json!(0), json!("c1"), &text),
            ],
        ),
        (
            "pieces, then the pieces again",
            vec![
                begun(),
                more(json!(0), first),
                more(json!(0), &text[5..]),
                more(json!(0), first),
                more(json!(0), &text[5..]),
            ],
        ),
        ("all so far each time", vec![begun(), more(json!(0), first), more(json!(0), &text[..12]), whole()]),
        ("an empty object first", vec![named(json!(0), json!("c1"), "{}"), whole()]),
        ("an empty object last", vec![begun(), whole(), more(json!(0), "{}")]),
        (
            "a new id and the name each time",
            vec![
                named(json!(0), json!("a"), first),
                named(json!(0), json!("b"), second),
                named(json!(0), json!("c"), third),
            ],
        ),
        (
            "a new id, the name and a new index each time",
            vec![
                named(json!(0), json!("a"), first),
                named(json!(1), json!("b"), second),
                named(json!(2), json!("c"), third),
            ],
        ),
        (
            "a new id without the name",
            vec![
                begun(),
                piece(json!(0), json!("d"), json!(""), first),
                piece(json!(0), json!("e"), none(), &text[5..]),
            ],
        ),
        (
            "no index, the name each time",
            vec![
                named(none(), json!("c1"), first),
                named(none(), json!("c1"), second),
                named(none(), json!("c1"), third),
            ],
        ),
        (
            "no index, no id, the name each time",
            vec![named(none(), none(), first), named(none(), none(), second), named(none(), none(), third)],
        ),
        (
            "nothing but the name",
            vec![named(none(), none(), ""), more(none(), first), more(none(), &text[5..])],
        ),
        (
            "another index for the arguments",
            vec![named(json!(2), json!("c1"), ""), more(json!(1), first), more(json!(1), &text[5..])],
        ),
        (
            "one call at two indexes",
            vec![named(json!(0), json!("c1"), &text), named(json!(1), json!("c1"), &text)],
        ),
        (
            "pieces at two indexes",
            vec![
                named(json!(0), json!("c1"), first),
                more(json!(0), &text[5..]),
                named(json!(1), json!("c1"), first),
                more(json!(1), &text[5..]),
            ],
        ),
        ("encoded twice", vec![named(json!(0), json!("c1"), &json!(text).to_string())]),
        (
            "encoded twice in pieces",
            vec![
                begun(),
                more(json!(0), &json!(text).to_string()[..9]),
                more(json!(0), &json!(text).to_string()[9..]),
            ],
        ),
        (
            "the name in pieces",
            vec![piece(json!(0), json!("c1"), json!("lo"), ""), piece(json!(0), none(), json!("ok"), &text)],
        ),
        (
            "the name letter by letter",
            vec![
                piece(json!(0), json!("c1"), json!("l"), ""),
                piece(json!(0), none(), json!("o"), ""),
                piece(json!(0), none(), json!("ok"), ""),
                whole(),
            ],
        ),
        (
            "all of the name so far each time",
            vec![
                piece(json!(0), json!("c1"), json!("lo"), ""),
                piece(json!(0), json!("c1"), json!("look"), &text),
            ],
        ),
        ("an index in words", vec![named(json!("0"), json!("c1"), ""), more(json!("0"), &text)]),
        (
            "an object",
            vec![
                json!({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "look", "arguments": serde_json::from_str::<Value>(&text).unwrap()}}]}),
            ],
        ),
        (
            "no list",
            vec![json!({"tool_calls": {"id": "c1", "function": {"name": "look", "arguments": text}}})],
        ),
        (
            "without the object between",
            vec![json!({"tool_calls": [{"id": "c1", "name": "look", "arguments": text}]})],
        ),
        ("the older form", vec![json!({"function_call": {"name": "look", "arguments": text}})]),
        (
            "the older form in pieces",
            vec![
                json!({"function_call": {"name": "look", "arguments": ""}}),
                json!({"function_call": {"arguments": first}}),
                json!({"function_call": {"arguments": &text[5..]}}),
            ],
        ),
        ("both forms", vec![begun(), whole(), json!({"function_call": {"name": "look", "arguments": text}})]),
        (
            "something empty beside it",
            vec![begun(), json!({"tool_calls": [{}]}), whole(), json!({"tool_calls": []})],
        ),
    ];
    for (way, deltas) in ways {
        let calls = called(&deltas);
        assert_eq!(calls.len(), 1, "{way}: {calls:?}");
        let found: Value =
            serde_json::from_str(&calls[0].2).unwrap_or_else(|error| panic!("{way}: {error}: {calls:?}"));
        assert_eq!((calls[0].1.as_str(), found), ("look", serde_json::from_str(&text).unwrap()), "{way}");
    }
}

/// A piece of a text that is an object of its own is a piece nevertheless.
#[test]
fn a_piece_that_is_an_object_continues_the_text() {
    let named = |id: &str, arguments: &str| piece(json!(0), json!(id), json!("look"), arguments);
    let more = |arguments: &str| piece(json!(0), Value::Null, Value::Null, arguments);
    let expected = [("a".to_owned(), "look".to_owned(), "{\"at\":\"before {} after\"}".to_owned())];
    let [first, second, third] = ["{\"at\":\"before ", "{}", " after\"}"];
    assert_eq!(called(&[named("a", first), more(second), more(third)]), expected);
    assert_eq!(called(&[named("a", first), named("b", second), named("c", third)]), expected);
    // All that could be parsed by now, each time.
    let grown = [named("a", "{\"at\":\"b\"}"), more("{\"at\":\"before\"}"), more(&expected[0].2)];
    assert_eq!(called(&grown), expected);
}

/// What looks like one of those ways, and is two calls.
#[test]
fn two_calls_stay_two() {
    let none = || Value::Null;
    let named =
        |index: Value, id: Value, name: &str, arguments: &str| piece(index, id, json!(name), arguments);
    let more = |index: u64, arguments: &str| piece(json!(index), Value::Null, Value::Null, arguments);
    let one = json!({"at": "{\"x"}).to_string();
    let ways: Vec<(&str, Vec<Value>)> = vec![
        (
            "two ids",
            vec![named(json!(0), json!("a"), "look", &one), named(json!(1), json!("b"), "look", &one)],
        ),
        (
            "one index",
            vec![named(json!(0), json!("a"), "look", &one), named(json!(0), json!("b"), "look", &one)],
        ),
        (
            "neither index nor id",
            vec![named(none(), none(), "look", &one), named(none(), none(), "look", "{}")],
        ),
        (
            "neither, and two tools",
            vec![named(none(), none(), "look", "{}"), named(none(), none(), "edit", "{}")],
        ),
        (
            "one index, no ids, two tools",
            vec![named(json!(0), none(), "look", &one), named(json!(0), none(), "edit", &one)],
        ),
        (
            "in turns",
            vec![
                named(json!(0), json!("a"), "look", &one[..4]),
                named(json!(1), json!("b"), "look", "{"),
                more(0, &one[4..]),
                more(1, "}"),
            ],
        ),
        (
            "in turns, named each time",
            vec![
                named(json!(0), json!("a"), "look", &one[..8]),
                named(json!(1), json!("b"), "look", "{"),
                named(json!(0), json!("a"), "look", &one[8..]),
                named(json!(1), json!("b"), "look", "}"),
            ],
        ),
        (
            "names first",
            vec![
                named(json!(0), json!("a"), "look", ""),
                named(json!(1), json!("b"), "look", ""),
                more(0, &one),
                more(1, "{}"),
            ],
        ),
        (
            "names first, at other indexes",
            vec![
                named(json!(2), json!("a"), "look", ""),
                named(json!(4), json!("b"), "edit", ""),
                more(1, &one),
                more(3, "{}"),
            ],
        ),
        (
            "one id, other arguments",
            vec![
                named(json!(0), json!("a"), "look", &one),
                named(json!(1), json!("a"), "look", "{\"at\":1}"),
            ],
        ),
    ];
    for (way, deltas) in ways {
        let calls = called(&deltas);
        assert_eq!(calls.len(), 2, "{way}: {calls:?}");
        for (_, _, arguments) in &calls {
            assert!(
                arguments.is_empty() || serde_json::from_str::<Value>(arguments).is_ok(),
                "{way}: {calls:?}"
            );
        }
        assert_eq!(calls[0].2 == one, !way.starts_with("neither, and"), "{way}: {calls:?}");
    }
}

proptest! {
    /// However the arguments and the bytes of the stream are cut, the answer is the same.
    #[test]
    fn any_cut_gives_the_same_answer(
        values in prop::collection::vec("[a-z{}\":🙂\\\\]{0,8}", 1..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        in_bytes in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let arguments: Vec<String> = values.iter().map(|value| json!({"at": value}).to_string()).collect();
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
        let _ = calls.finish();
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
    for finish in ["error", "pause_turn", "something new", ""] {
        let chunk = json!({"choices": [{"delta": {"content": "a"}, "finish_reason": finish}]}).to_string();
        assert!(matches!(stream(&[&chunk, "[DONE]"]), Err(Bad::Incomplete(_))), "{finish:?}");
    }
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
    let error = |error: Value| report(stream(&[a, &json!({"error": error}).to_string()]));
    assert_eq!(error(json!({"message": "m", "code": 503})), (503, "m".to_owned()));
    assert_eq!(error(json!("m")), (0, "m".to_owned()));
    // Beside a choice, with half an answer before it.
    let choice =
        json!({"index": 0, "delta": {}, "finish_reason": "error", "error": {"code": 502, "message": "gone"}});
    let beside = json!({"choices": [choice]}).to_string();
    assert_eq!(report(stream(&[a, &beside, "[DONE]"])), (502, "gone".to_owned()));
    // In an event of its own.
    let event = Event { name: "error".to_owned(), data: json!({"message": "m", "code": 500}).to_string() };
    assert_eq!(report(Decoder::default().event(&event)), (500, "m".to_owned()));
    // What could be something else counts if the answer does not come to its end.
    let perhaps = json!({"message": "please wait"}).to_string();
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    assert_eq!(stream(&[&perhaps, a, end]), answer("a", StopReason::End));
    assert_eq!(report(stream(&[&perhaps, a])), (0, "please wait".to_owned()));
    assert_eq!(report(stream(&[&perhaps, "[DONE]"])), (0, "please wait".to_owned()));
}

#[test]
fn whole_answers_obey_the_same_rules() {
    let whole = |body: Value| {
        let mut decoder = Decoder::default();
        decoder.whole(&body.to_string())?;
        decoder.finish()
    };
    let message =
        |finish: Value| json!({"choices": [{"message": {"content": "a"}, "finish_reason": finish}]});
    assert_eq!(whole(message(json!("stop"))), answer("a", StopReason::End));
    assert_eq!(whole(message(Value::Null)), answer("a", StopReason::End));
    assert_eq!(whole(message(json!("length"))), answer("a", StopReason::Length));
    for finish in ["", "error", "something new"] {
        assert!(matches!(whole(message(json!(finish))), Err(Bad::Incomplete(_))), "{finish:?}");
    }
    assert_eq!(report(whole(json!({"detail": "loading"}))), (0, "loading".to_owned()));
    assert_eq!(report(whole(json!({"message": "quota", "code": 429}))), (429, "quota".to_owned()));
    assert!(matches!(whole(json!({})), Err(Bad::Protocol(_))));
    assert!(matches!(Decoder::default().whole("{\"choices\": ["), Err(Bad::Broken(_))));
    // Each of its calls is whole, so that none continues another.
    let call = |arguments: &str| json!({"function": {"name": "look", "arguments": arguments}});
    let calls = json!([call("{\"a\": \"x"), call("{\"b\": 1}")]);
    let answer =
        whole(json!({"choices": [{"message": {"tool_calls": calls}, "finish_reason": "tool_calls"}]}));
    assert_eq!(answer.unwrap().calls.len(), 2);
}

#[test]
fn announced_calls_that_do_not_come_are_missed() {
    let lacks = |delta: Value, finish: &str| {
        let chunk = json!({"choices": [{"delta": delta, "finish_reason": finish}]}).to_string();
        stream(&[&chunk]).unwrap().lacks_calls
    };
    assert!(lacks(json!({"content": "I look."}), "tool_calls"));
    assert!(!lacks(json!({"content": "I look."}), "stop"));
    let call = piece(json!(0), json!("a"), json!("look"), "{}");
    assert!(!lacks(call, "tool_calls"));
}

#[test]
fn the_whole_behind_its_pieces_is_not_said_twice() {
    let a = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    let call = piece(json!(0), json!("c1"), json!("look"), "{}");
    let delta = json!({"choices": [{"delta": call}]}).to_string();
    let message = json!({"content": "a", "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]});
    let whole = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    let answer = stream(&[a, &delta, &whole]).unwrap();
    assert_eq!((answer.text.as_str(), answer.calls.len()), ("a", 1));
}

#[test]
fn halves_of_a_character_in_two_events() {
    let text = |piece: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{piece}"}}}}]}}"#);
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let said = |pieces: &[&str]| {
        let events: Vec<String> = pieces.iter().map(|piece| text(piece)).collect();
        let events: Vec<&str> = events.iter().map(String::as_str).chain([end]).collect();
        stream(&events).unwrap().text
    };
    assert_eq!(said(&["a", r"\ud83d", r"\ude00", "b"]), "a😀b");
    assert_eq!(said(&[r"a\ud83d", "b"]), "a\u{fffd}b");
    let arguments = |piece: &str| {
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"id":"c","function":{{"name":"look","arguments":"{piece}"}}}}]}}}}]}}"#
        )
    };
    let events = [r#"{\"at\":\""#, r"\ud83d", r"\ude00", r#"\"}"#].map(arguments);
    let events: Vec<&str> = events.iter().map(String::as_str).chain([end]).collect();
    assert_eq!(stream(&events).unwrap().calls[0].arguments, "{\"at\":\"😀\"}");
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
    check(details, Some(Counts { prompt: Some(9), cached: 4, completion: Some(2) }));
    check(json!({"prompt_tokens": 9}), Some(Counts { prompt: Some(9), cached: 0, completion: None }));
    check(json!({"prompt_tokens": "9", "completion_tokens": -2}), Some(Counts::default()));
    check(
        json!({"input_tokens": 9, "output_tokens": 2.0}),
        Some(Counts { prompt: Some(9), cached: 0, completion: Some(2) }),
    );
    check(json!(null), None);
    check(json!("many"), None);
}
