use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn tools() -> Vec<ToolDefinition> {
    let parameters = json!({"type": "object", "properties": {
        "at": {"type": "string"}, "n": {"type": "integer"}, "deep": {"type": "boolean"}, "list": {"type": "array"},
    }});
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: "does it".to_owned(),
        parameters: Arc::new(parameters.clone()),
    };
    vec![tool("look"), tool("edit")]
}

/// The words, and each call with its arguments.
fn parts(text: &str) -> Option<(String, Vec<(String, Value)>)> {
    let found = calls_in_text(text, &tools())?;
    let arguments = |call: &ToolUse| serde_json::from_str(&call.arguments).unwrap();
    Some((found.text, found.calls.iter().map(|call| (call.name.clone(), arguments(call))).collect()))
}

#[track_caller]
fn check(text: &str, words: &str, calls: &[(&str, Value)]) {
    let calls = calls.iter().map(|(name, arguments)| ((*name).to_owned(), arguments.clone())).collect();
    assert_eq!(parts(text), Some((words.to_owned(), calls)), "{text}");
}

#[test]
fn calls_in_json_are_the_whole_text() {
    let read = |text: &str| {
        calls_in_text(text, &tools()).map(|found| {
            found.calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect::<Vec<_>>()
        })
    };
    let one = |arguments: &str| Some(vec![("text00001".into(), "look".into(), arguments.to_owned())]);
    assert_eq!(read(r#"{"tool": "look", "arguments": {"at": 1}}"#), one(r#"{"at":1}"#));
    assert_eq!(read(r#"{"name": "look", "arguments": "{\"at\": 1}"}"#), one(r#"{"at": 1}"#));
    assert_eq!(read(r#"{"type": "function", "function": {"name": "look", "parameters": {}}}"#), one("{}"));
    assert_eq!(
        read(r#"{"tool": "look", "arguments": {}, "output_is_answer": true}"#),
        one(r#"{"output_is_answer":true}"#)
    );
    assert_eq!(read("<think>hm</think>\n{\"tool\": \"look\"}"), one("{}"));
    let two = read(r#"[{"tool": "look"}, {"tool": "edit"}]"#).unwrap();
    assert_eq!((two.len(), two[1].0.as_str()), (2, "text00002"));
    for text in
        ["", "{}", "[]", "3", r#"{"tool": "other"}"#, r#"{"answer": "3"}"#, r#"Here: {"tool": "look"}"#]
    {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn calls_in_the_syntax_of_a_model() {
    let at = json!({"at": "a b"});
    let object = r#"{"name": "look", "arguments": {"at": "a b"}}"#;
    let arguments = r#"{"at": "a b"}"#;
    // The server took the opening mark, and left the closing one.
    check(&format!("<think>hm</think>{object}</tool_call><|im_end|>"), "", &[("look", at.clone())]);
    // Without a mark it is one only alone.
    check("[look(at=\"a b\")]", "", &[("look", at.clone())]);
    assert_eq!(parts("I look.\n[look(at=\"a b\")]"), None);
    for text in [
        // Hermes and Qwen; the end may be missing, since it is where the server stops.
        format!("<tool_call>\n{object}\n</tool_call>"),
        format!("<tool_call>{object}"),
        format!("<tools>\n{object}\n</tools>"),
        format!("<think>hm</think><tool_call>{object}</tool_call><|im_end|>"),
        // Qwen Coder, and those that name the parameter in an attribute.
        "<tool_call>\n<function=look>\n<parameter=at>\na b\n</parameter>\n</function>\n</tool_call>".to_owned(),
        "<function=look><parameter=at>a b</parameter></function>".to_owned(),
        "<function_calls>\n<invoke name=\"look\">\n<parameter name=\"at\">a b</parameter>\n</invoke>\n</function_calls>"
            .to_owned(),
        // Llama.
        format!("<|python_tag|>{object}"),
        format!("<function=look>{arguments}</function>"),
        format!("<function=look>{arguments}<|eom_id|>"),
        "<|python_tag|>{\"type\": \"function\", \"name\": \"look\", \"parameters\": {\"at\": \"a b\"}}".to_owned(),
        "<|python_tag|>look(at='a b')".to_owned(),
        "<|tool_call_start|>[look(at='a b')]<|tool_call_end|>".to_owned(),
        // Mistral, in its older and its newer form.
        format!("[TOOL_CALLS] [{object}]"),
        format!("[TOOL_CALLS]look[ARGS]{arguments}"),
        format!("[TOOL_CALLS]look{arguments}</s>"),
        format!("[TOOL_CALLS]look[CALL_ID]a1b2c3d4e[ARGS]{arguments}"),
        // Harmony, with its tokens and without.
        format!("<|channel|>commentary to=functions.look <|constrain|>json<|message|>{arguments}<|call|>"),
        format!(
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.look<|message|>{arguments}"
        ),
        format!("<|start|>assistant to=functions.look<|channel|>commentary json<|message|>{arguments}<|call|>"),
        format!("to=functions.look json{arguments}"),
        // DeepSeek, Kimi, GLM, Granite, Phi, LM Studio.
        format!(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{arguments}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
        format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{arguments}<|tool_call_end|><|tool_calls_section_end|>"
        ),
        "<tool_call>look\n<arg_key>at</arg_key>\n<arg_value>a b</arg_value>\n</tool_call>".to_owned(),
        format!("<|tool_call|>[{object}]"),
        format!("functools[{object}]"),
        format!("[TOOL_REQUEST]{object}[END_TOOL_REQUEST]"),
    ] {
        check(&text, "", &[("look", at.clone())]);
        let (words, calls) = parts(&format!("I look.\n{text}")).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(calls, [("look".to_owned(), at.clone())], "{text}");
        assert!(words.starts_with("I look."), "{text}: {words}");
    }
}

#[test]
fn several_calls_and_the_words_around_them() {
    let call =
        |name: &str| format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{\"n\": 1}}}}</tool_call>");
    let both = [("look", json!({"n": 1})), ("edit", json!({"n": 1}))];
    check(&format!("First.\n{}\n{}\n", call("look"), call("edit")), "First.", &both);
    check(&format!("{}\nThen.\n{}", call("look"), call("edit")), "Then.", &both);
    check(&format!("I look: {}", call("look")), "I look:", &both[..1]);
    check("[TOOL_CALLS]look[ARGS]{\"n\": 1}[TOOL_CALLS]edit[ARGS]{\"n\": 1}", "", &both);
    check(
        "<|python_tag|>{\"name\": \"look\", \"parameters\": {\"n\": 1}}; {\"name\": \"edit\", \"parameters\": {\"n\": 1}}",
        "",
        &both,
    );
    check("[look(n=1), edit(n=1)]", "", &both);
}

#[test]
fn arguments_in_tags_have_the_types_of_the_schema() {
    let parameter = |name: &str, value: &str| format!("<parameter={name}>\n{value}\n</parameter>\n");
    let text = ["at", "n", "deep", "list", "other"]
        .into_iter()
        .zip(["12", "12", "True", "[1, {}]", "12"])
        .map(|(name, value)| parameter(name, value))
        .collect::<String>();
    let expected = json!({"at": "12", "n": 12, "deep": true, "list": [1, {}], "other": "12"});
    check(&format!("<function=look>\n{text}</function>"), "", &[("look", expected)]);
    let code = "if a:\n    x = \"</parameter>\"\n\n<b>\n";
    let text = format!("<function=look>\n{}</function>", parameter("at", code));
    check(&text, "", &[("look", json!({"at": code}))]);
    check("<function=look>\n</function>", "", &[("look", json!({}))]);
    let python = r#"[look(at='it''s', n=-1)]"#;
    assert_eq!(parts(python), None, "two strings are none");
    check(
        r#"[look(at='a\n"b"', n=-1, deep=True, list=[1, {'a': None},])]"#,
        "",
        &[("look", json!({"at": "a\n\"b\"", "n": -1, "deep": true, "list": [1, {"a": null}]}))],
    );
}

#[test]
fn calls_are_numbered_in_their_order() {
    for text in [
        "[look(n=1), edit(n=1)]",
        "[{\"name\": \"look\"}, {\"name\": \"edit\"}]",
        "I look.\n<tool_call>{\"name\": \"look\"}</tool_call>\n<tool_call>{\"name\": \"edit\"}</tool_call>",
    ] {
        let ids: Vec<String> =
            calls_in_text(text, &tools()).unwrap().calls.into_iter().map(|call| call.id).collect();
        assert_eq!(ids, ["text00001", "text00002"], "{text}");
    }
}

#[test]
fn a_call_that_is_quoted_is_none() {
    let call = "<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>";
    for text in [
        format!("```\n{call}\n```"),
        format!("The file says:\n```xml\n{call}\n```\nThat is all."),
        format!("~~~\n{call}\n~~~"),
        format!("`{call}`"),
        format!("<<<data: tool output\n{call}\ndata>>>"),
        format!("<<<data: file notes.md\nsome words\n{call}\n"),
        format!("> {call}"),
        format!("Write {call} to call it."),
        format!("Write <tool_call> {call} to call it."),
        "Write <|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{}\
         <|tool_call_end|><|tool_calls_section_end|> to call it."
            .to_owned(),
        "The token <|channel|> opens a header.".to_owned(),
        "I count a<b and [1].".to_owned(),
    ] {
        assert_eq!(read(&text, &tools()), Outcome::Nothing, "{text}");
    }
    assert_eq!(read(call, &[]), Outcome::Nothing, "nothing was offered");
    assert!(parts(&format!("```\nsome code\n```\n{call}")).is_some(), "behind a block that ended");
}

#[test]
fn what_cannot_be_read_is_said() {
    for text in [
        "<tool_call>{\"name\": \"look\", \"arguments\": {\"at\": \"a</tool_call>",
        "I look. <tool_call>{\"name\": \"look\", \"argu",
        "<tool_call>{\"name\": \"other\", \"arguments\": {}}</tool_call>",
        "<tool_call>look somewhere</tool_call>",
        "<function=look>\n<parameter=at>\na",
        "<function=look>\n<parameter=at>\na\n</parameter>\n",
        "[TOOL_CALLS]look[ARGS]{\"at\": ",
        "<|python_tag|>import os",
        "<name>look\n</parameter>\n<parameter=at>\na\n</parameter>\n</function>",
        // One that can be read beside one that cannot.
        "<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>\n<tool_call>{\"name\": </tool_call>",
    ] {
        assert!(looks_like_calls(text, &tools()), "{text}");
        assert_eq!(calls_in_text(text, &tools()), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_not(text in "(\\{|\\}|\"tool\"|\"look\"|look|edit|:|,|=|\\(|\\)|\\[|\\]|'|```|`|\n|[a-z]| |<tool_call>|</tool_call>|<function=|<parameter=|</parameter>|>|<\\|channel\\|>|<\\|message\\|>|to=functions\\.|\\[TOOL_CALLS\\]|\\[ARGS\\]|<｜|｜>|文){0,24}") {
        let found = calls_in_text(&text, &tools());
        for call in found.into_iter().flat_map(|found| found.calls) {
            prop_assert!(["look", "edit"].contains(&call.name.as_str()));
        }
    }

    /// Whatever is written to a file, in tags or in JSON, arrives as it is.
    #[test]
    fn any_argument_arrives(value in "[a-z<>/\"'`{}\\[\\]=\\\\文 \n]{0,24}") {
        let in_json = json!({"name": "look", "arguments": {"at": value}});
        let calls = |text: &str| parts(text).map(|(_, calls)| calls);
        let expected = Some(vec![("look".to_owned(), json!({"at": value}))]);
        prop_assert_eq!(calls(&format!("<tool_call>\n{in_json}\n</tool_call>")), expected.clone());
        let arguments = json!({"at": value});
        prop_assert_eq!(calls(&format!("[TOOL_CALLS]look[ARGS]{arguments}")), expected.clone());
        prop_assert_eq!(calls(&format!("<|channel|>commentary to=functions.look<|message|>{arguments}<|call|>")), expected.clone());
        let in_tags = format!("<function=look>\n<parameter=at>\n{value}\n</parameter>\n</function>");
        prop_assert_eq!(calls(&in_tags), expected);
    }

    /// The beginning of a call is none.
    #[test]
    fn a_cut_call_is_none(value in "[a-z\"{}\n]{1,12}", end in any::<prop::sample::Index>()) {
        for whole in [
            format!("<tool_call>{}</tool_call>", json!({"name": "look", "arguments": {"at": value}})),
            format!("<function=look>\n<parameter=at>\n{value}\n</parameter>\n</function>"),
            format!("[TOOL_CALLS]look[ARGS]{}", json!({"at": value})),
        ] {
            let cut = &whole[..end.index(whole.len())];
            if let Some((_, calls)) = parts(cut) {
                // Without its closing tags alone it is whole.
                prop_assert_eq!(calls, [("look".to_owned(), json!({"at": value}))], "{}", cut);
            }
        }
    }
}
