use super::*;
use artoo_llm_client::ToolDefinition;
use serde_json::json;

pub(super) fn stream(events: &[&str]) -> Result<Answer, Bad> {
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

pub(super) fn piece(index: Value, id: Value, name: Value, arguments: &str) -> Value {
    let piece = json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    json!({"tool_calls": [piece]})
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
