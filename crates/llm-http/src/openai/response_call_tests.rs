//! Calls of tools, however a server cuts them into pieces.

use super::tests::{piece, stream};
use super::*;
use crate::conversation::pieces;
use crate::sse::SseParser;
use crate::tool_call::MAX_CALLS;
use proptest::prelude::*;
use serde_json::json;

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
