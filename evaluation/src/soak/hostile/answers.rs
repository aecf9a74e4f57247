//! Counts, ends and forms of answers.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Answer, Group, Kind, On, kind};
use crate::soak::{
    call::Wire,
    reply::{Act, Reply},
    stream::{Completion, delta, event},
};

/// Events of the content that carry text, and where in them it stands.
const TEXTS: [&str; 2] = ["/choices/0/delta/content", "/delta/text"];

pub(super) const KINDS: &[Kind] = &[
    kind("usage-zero", Group::Usage, On::Any, |answer| counts(answer, &json!(0))),
    kind("usage-negative", Group::Usage, On::Any, |answer| counts(answer, &json!(-1))),
    kind("usage-text", Group::Usage, On::Any, |answer| counts(answer, &json!("many"))),
    kind("usage-fraction", Group::Usage, On::Any, |answer| counts(answer, &json!(0.5))),
    kind("usage-huge", Group::Usage, On::Any, |answer| counts(answer, &json!(u64::MAX))),
    kind("usage-absent", Group::Usage, On::Any, |answer| {
        answer.stream.usage = None;
        answer
            .stream
            .opening
            .iter_mut()
            .for_each(|event| drop(event.pointer_mut("/message/usage").map(Value::take)));
        answer.stream.reply()
    }),
    kind("usage-null", Group::Usage, On::Any, |answer| {
        answer.stream.usage = Some(Value::Null);
        answer.stream.reply()
    }),
    kind("finish-unknown", Group::Incomplete, On::Any, |answer| {
        ended_by(answer, json!("insufficient_system_resource"))
    }),
    kind("finish-empty", Group::Incomplete, On::Any, |answer| ended_by(answer, json!(""))),
    kind("finish-filter", Group::Incomplete, On::Chat, |answer| ended_by(answer, json!("content_filter"))),
    kind("finish-refusal", Group::Incomplete, On::Messages, |answer| ended_by(answer, json!("refusal"))),
    kind("finish-pause", Group::Incomplete, On::Messages, |answer| ended_by(answer, json!("pause_turn"))),
    kind("finish-number", Group::Incomplete, On::Any, |answer| ended_by(answer, json!(7))),
    kind("finish-error", Group::Incomplete, On::Chat, |answer| {
        answer.half();
        answer.stream.ends(json!("error"));
        if let Some(Value::Object(end)) = answer.stream.end.first_mut() {
            end.insert("error".to_owned(), json!({"message": "upstream gave up", "code": 502}));
        }
        answer.stream.reply()
    }),
    kind("error-event", Group::Incomplete, On::Any, |answer| {
        answer.half();
        answer.stream.end =
            vec![json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})];
        answer.stream.usage = None;
        answer.stream.is_marked = false;
        answer.stream.reply()
    }),
    kind("length-cut", Group::Incomplete, On::Any, |answer| {
        answer.half();
        answer.stream.ends(json!(match answer.wire {
            Wire::Chat => "length",
            Wire::Messages => "max_tokens",
        }));
        answer.stream.reply()
    }),
    kind("cut-connection", Group::Incomplete, On::Any, |answer| {
        answer.half();
        let mut reply = answer.stream.reply();
        // The content is out; its end is not.
        reply.acts.truncate(answer.stream.opening.len().saturating_add(answer.stream.content.len()));
        reply.acts.push(Act::Close);
        reply
    }),
    kind("cut-in-an-event", Group::Incomplete, On::Any, |answer| {
        answer.half();
        let mut bytes = answer.stream.bytes();
        bytes.truncate(bytes.len() / 2);
        Reply::stream(vec![Act::Send(bytes), Act::Close])
    }),
    kind("cut-clean", Group::Incomplete, On::Any, |answer| {
        answer.half();
        answer.stream.end.clear();
        answer.stream.usage = None;
        answer.stream.is_marked = false;
        answer.stream.reply()
    }),
    kind("cut-then-silence", Group::Incomplete, On::Any, |answer| {
        answer.half();
        let mut reply = answer.stream.reply();
        reply.acts.truncate(answer.stream.opening.len().saturating_add(answer.stream.content.len()));
        reply.acts.push(Act::Stall);
        reply
    }),
    kind("no-end-mark", Group::Form, On::Any, |answer| {
        answer.stream.is_marked = false;
        answer.stream.reply()
    }),
    kind("silence-behind-the-end", Group::Form, On::Any, |answer| {
        let mut reply = answer.stream.reply();
        reply.acts.push(Act::Stall);
        reply
    }),
    kind("bytes-one-by-one", Group::Form, On::Any, |answer| {
        let bytes = answer.stream.bytes();
        let size = usize::try_from(answer.draw.between(1, 5)).unwrap_or(1);
        Reply::stream(bytes.chunks(size).map(|bytes| Act::Send(bytes.to_vec())).collect())
    }),
    kind("carriage-returns", Group::Form, On::Any, |answer| {
        let text = String::from_utf8_lossy(&answer.stream.bytes()).replace('\n', "\r\n");
        Reply::stream(vec![Act::Send(text.into_bytes())])
    }),
    kind("byte-order-mark", Group::Form, On::Any, |answer| {
        Reply::stream(vec![Act::Send([b"\xEF\xBB\xBF".as_slice(), &answer.stream.bytes()].concat())])
    }),
    kind("comments-and-empty-events", Group::Form, On::Any, |answer| {
        let noise = b": keep-alive\n\ndata: {}\n\ndata:\n\nretry: 5\n\nid\n\n".to_vec();
        let events = answer.stream.events();
        Reply::stream(
            events.into_iter().flat_map(|event| [Act::Send(noise.clone()), Act::Send(event)]).collect(),
        )
    }),
    kind("pretty-events", Group::Form, On::Chat, |answer| {
        let text = String::from_utf8_lossy(&answer.stream.bytes()).replace("\",\"", "\",\ndata: \"");
        Reply::stream(vec![Act::Send(text.into_bytes())])
    }),
    kind("surrogates-apart", Group::Form, On::Any, |answer| {
        // The two halves of a character, each in an event of its own.
        let (high, low) = (r"It is \ud83d", r"\ude00 done");
        surrogates(answer, &[high, low])
    }),
    kind("lone-surrogate", Group::Form, On::Any, |answer| surrogates(answer, &[r"It is \ud83d done"])),
    kind("empty-answer", Group::Form, On::Any, |answer| {
        answer.say(Completion::default());
        answer.stream.reply()
    }),
    kind("blank-answer", Group::Form, On::Any, |answer| {
        answer.say(Completion::words(" \n\t\u{200b}\u{feff}"));
        answer.stream.reply()
    }),
    kind("thinks-aloud", Group::Form, On::Any, |answer| {
        let thoughts = "<think>I must call the tool. {\"subtasks\": []} <tool_call></think>";
        answer.said.text = format!("{thoughts}{}", answer.said.text);
        answer.say(answer.said.clone());
        answer.stream.reply()
    }),
    kind("never-stops-thinking", Group::Form, On::Any, |answer| {
        answer.say(Completion::words("<think>".to_owned() + &"and then again ".repeat(2000)));
        answer.stream.reply()
    }),
    kind("control-characters", Group::Form, On::Any, |answer| {
        answer.said.text = format!("\u{1b}[2J\u{7}\u{202e}\u{0}{}", answer.said.text);
        answer.say(answer.said.clone());
        answer.stream.reply()
    }),
    kind("words-around-json", Group::Form, On::Any, |answer| {
        answer.said.text = format!("Here it is:\n```json\n{}\n```\nAnything else?", answer.said.text);
        answer.say(answer.said.clone());
        answer.stream.reply()
    }),
    kind("long-answer", Group::Form, On::Any, |answer| {
        answer.say(Completion::words("very long ".repeat(400_000)));
        answer.stream.reply()
    }),
    kind("nested-json", Group::Form, On::Any, |answer| {
        answer.say(Completion::words("[".repeat(200_000)));
        answer.stream.reply()
    }),
    kind("nested-event", Group::Form, On::Any, |answer| {
        let mut reply = answer.stream.reply();
        reply.acts.insert(0, Act::Send(format!("data: {}\n\n", "{\"a\":".repeat(100_000)).into_bytes()));
        reply
    }),
    kind("big-numbers", Group::Form, On::Any, |answer| {
        answer
            .say(Completion::words(format!("{{\"subtasks\": {}, \"verdict\": 1e999999}}", "9".repeat(5000))));
        answer.stream.reply()
    }),
];

/// Every count is this.
fn counts(answer: &mut Answer<'_>, count: &Value) -> Reply {
    answer.stream.usage = Some(match answer.wire {
        Wire::Chat => json!({"prompt_tokens": count, "completion_tokens": count, "total_tokens": count}),
        Wire::Messages => json!({"output_tokens": count}),
    });
    for opening in &mut answer.stream.opening {
        if let Some(usage) = opening.pointer_mut("/message/usage") {
            *usage = json!({"input_tokens": count, "output_tokens": count});
        }
    }
    answer.stream.reply()
}

/// The end has this reason, behind half an answer in words. Calls stay: some servers give whole calls an odd reason.
fn ended_by(answer: &mut Answer<'_>, reason: Value) -> Reply {
    answer.half_words();
    answer.stream.ends(reason);
    answer.stream.reply()
}

/// Puts these escapes into the text, each in an event of its own, before the rest of the answer.
fn surrogates(answer: &mut Answer<'_>, escapes: &[&str]) -> Reply {
    const HERE: &str = "HERE";
    let form = match answer.wire {
        Wire::Chat => delta(json!({"content": HERE})),
        Wire::Messages => {
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": HERE}})
        }
    };
    let form = String::from_utf8_lossy(&event(&form)).into_owned();
    let mut reply = answer.stream.reply();
    let is_text = |event: &Value| TEXTS.iter().any(|place| event.pointer(place).is_some());
    let first = answer.stream.content.iter().position(is_text);
    // Behind the first text, or where a text would stand.
    let at = answer.stream.opening.len().saturating_add(first.map_or(0, |first| first.saturating_add(1)));
    let acts = escapes.iter().map(|escape| Act::Send(form.replace(HERE, escape).into_bytes()));
    reply.acts.splice(at..at, acts.chain([Act::Wait(Duration::from_millis(5))]));
    reply
}
