//! Calls of tools that a server passes on as text, in the syntax of each model.

use serde_json::{Value, json};

use super::{Answer, Group, Kind, On, kind};
use crate::soak::{reply::Reply, stream::Completion};

pub(super) const KINDS: &[Kind] = &[
    kind("text-hermes", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| {
            format!("<tool_call>\n{}\n</tool_call>", object(name, "arguments", arguments))
        })
    }),
    kind("text-words-and-hermes", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| {
            format!("I will look.\n<tool_call>\n{}\n</tool_call>", object(name, "arguments", arguments))
        })
    }),
    kind("text-qwen-coder", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| {
            let fields = arguments.as_object().into_iter().flatten();
            let fields: String = fields
                .map(|(key, value)| {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    format!("<parameter={key}>\n{value}\n</parameter>\n")
                })
                .collect();
            format!("<tool_call>\n<function={name}>\n{fields}</function>\n</tool_call>")
        })
    }),
    kind("text-llama", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| format!("<|python_tag|>{}", object(name, "parameters", arguments)))
    }),
    kind("text-function-tag", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| format!("<function={name}>{arguments}</function>"))
    }),
    kind("text-mistral", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| format!("[TOOL_CALLS][{}]", object(name, "arguments", arguments)))
    }),
    kind("text-mistral-arguments", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| format!("[TOOL_CALLS]{name}[ARGS]{arguments}"))
    }),
    kind("text-harmony", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| {
            format!(
                "<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{arguments}<|call|>"
            )
        })
    }),
    kind("text-bare-json", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| object(name, "arguments", arguments))
    }),
    kind("text-fenced-json", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, arguments| format!("```json\n{}\n```", object(name, "arguments", arguments)))
    }),
    kind("text-cut", Group::Texts, On::Calls, |answer| {
        as_text(answer, |name, _| format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {{\"comm"))
    }),
];

fn as_text(answer: &mut Answer<'_>, form: impl Fn(&str, &Value) -> String) -> Reply {
    let text = answer.said.calls.first().map(|call| form(&call.name, &call.arguments));
    answer.say(Completion::words(text.unwrap_or_default()));
    answer.stream.reply()
}

fn object(name: &str, field: &str, arguments: &Value) -> String {
    json!({"name": name, field: arguments}).to_string()
}
