//! Strips the reasoning blocks of models that think in their answer.

use std::borrow::Cow;

/// The names under which models wrap their reasoning.
const TAGS: [&str; 5] = ["think", "thinking", "thought", "reasoning", "reflection"];

/// The text of an answer without its reasoning blocks, trimmed if something was removed.
///
/// Recognised, in any letter case: a closed block at the start of the text or of a line; an unclosed block at
/// the very start (all of it is reasoning: the answer is empty); and a closing tag without an opening one,
/// from models whose chat template already opened the block (all before it is reasoning). A tag inside a JSON
/// string is never touched, because a JSON string contains no raw line break.
///
/// Of a text in the Harmony format, which a server has passed through as it is, the messages of the analysis are the
/// reasoning; of the others the headers are left out. A call stays as it is.
/// ```
/// use artoo_llm_client::strip_reasoning;
///
/// assert_eq!(strip_reasoning("<think>2 or 3?</think>\n3"), "3");
/// assert_eq!(strip_reasoning("two or three...\n</think>\n3"), "3");
/// assert_eq!(strip_reasoning(r#"{"html": "<think>"}"#), r#"{"html": "<think>"}"#);
/// ```
pub fn strip_reasoning(text: &str) -> Cow<'_, str> {
    // Nearly every answer has no tag at all; the check costs one pass and no allocation.
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    if let Some(text) = harmony(text) {
        return Cow::Owned(text);
    }
    let mut kept = String::new();
    let mut rest = text;
    let mut removed = false;
    while let Some(tag) = next_tag(rest) {
        let before = rest.get(..tag.start).unwrap_or_default();
        let after = rest.get(tag.end..).unwrap_or_default();
        if tag.closing {
            // Without an opening tag, everything before is reasoning.
            kept.clear();
            rest = after;
            removed = true;
            continue;
        }
        match find_closing(after, tag.name) {
            Some(end) => {
                kept.push_str(before);
                rest = after.get(end..).unwrap_or_default();
                removed = true;
            }
            // Truncated while thinking. Later in a text a lone opening tag may be the topic of the answer.
            None if kept.trim().is_empty() && before.trim().is_empty() => return Cow::Borrowed(""),
            None => break,
        }
    }
    if !removed {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept.trim().to_owned())
}

/// The text of messages in the Harmony format: `<|channel|>NAME<|message|>TEXT`, each ended by another token. `None`
/// for any other text.
fn harmony(text: &str) -> Option<String> {
    const CHANNEL: &str = "<|channel|>";
    const MESSAGE: &str = "<|message|>";
    const ENDS: [&str; 3] = ["<|end|>", "<|return|>", "<|start|>"];
    const SPEAKER: &str = "<|start|>assistant";
    let text = text.trim_start();
    // A recipient may stand before the channel as well: such a text is one call, and has nothing to leave out.
    if !(text.starts_with(CHANNEL) || text.starts_with(SPEAKER)) || text.contains("<|start|>assistant to=") {
        return None;
    }
    let mut said: Vec<&str> = Vec::new();
    let starts: Vec<usize> = text.match_indices(CHANNEL).map(|(at, _)| at).collect();
    for (at, end) in starts.iter().zip(starts.iter().skip(1).chain([&text.len()])) {
        let message = text.get(*at..*end).unwrap_or_default();
        let Some((header, body)) = message.split_once(MESSAGE) else { continue };
        let header = header.strip_prefix(CHANNEL).unwrap_or(header);
        if header.contains("to=") {
            said.push(message.trim_end().trim_end_matches(SPEAKER));
        } else if !header.trim_start().starts_with("analysis") {
            let end = ENDS.iter().filter_map(|end| body.find(end)).min().unwrap_or(body.len());
            said.push(body.get(..end).unwrap_or(body));
        }
    }
    Some(said.join("\n").trim().to_owned())
}

/// A reasoning tag and its byte offsets.
struct Tag {
    start: usize,
    end: usize,
    closing: bool,
    name: &'static str,
}

/// The first tag of `rest` that can only be markup.
fn next_tag(rest: &str) -> Option<Tag> {
    rest.match_indices('<').find_map(|(start, _)| {
        let (closing, name, length) = tag_at(rest.get(start..)?)?;
        let end = start + length;
        let before = rest.get(..start)?;
        let after = rest.get(end..)?;
        let line_start = || {
            let blank = before.trim_end_matches([' ', '\t', '\r']);
            blank.is_empty() || blank.ends_with('\n')
        };
        let line_end =
            || after.trim_start_matches([' ', '\t', '\r']).chars().next().is_none_or(|c| c == '\n');
        let markup = line_start() || (closing && (line_end() || !before.contains(['{', '['])));
        markup.then_some(Tag { start, end, closing, name })
    })
}

/// The reasoning tag at the start of `text`, if any: closing or not, its name, its length in bytes.
fn tag_at(text: &str) -> Option<(bool, &'static str, usize)> {
    let inner = text.strip_prefix('<')?;
    let (closing, inner) = match inner.strip_prefix('/') {
        Some(inner) => (true, inner),
        None => (false, inner),
    };
    let name = TAGS.into_iter().find(|name| {
        inner.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
            && inner.get(name.len()..).is_some_and(|tail| tail.starts_with('>'))
    })?;
    Some((closing, name, usize::from(closing) + name.len() + 2))
}

/// The end offset of the first closing tag of `name` in `text`.
fn find_closing(text: &str, name: &str) -> Option<usize> {
    text.match_indices('<').find_map(|(start, _)| {
        let (closing, found, length) = tag_at(text.get(start..)?)?;
        (closing && found == name).then_some(start + length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lesson_61_think_blocks() {
        let check = |text: &str, expected: &str| assert_eq!(strip_reasoning(text), expected, "{text:?}");
        check("", "");
        check("plain", "plain");
        check("  kept as it is < 3\n", "  kept as it is < 3\n");
        check("<think>a</think>b", "b");
        check("<think>a</think>{\"x\":1}", "{\"x\":1}");
        check("<THINK>a</Think> b ", "b");
        check("\n <thinking>a\nb</thinking>\n\n{\"x\": 1}\n", "{\"x\": 1}");
        check("<think>a</think><think>b</think>c", "c");
        check("Sure.\n<reasoning>a</reasoning>\nc", "Sure.\n\nc");
        check("<think>never closed {\"draft\": 1}", "");
        check("no opening tag\n</think>\n{\"x\":1}", "{\"x\":1}");
        check("maybe {1}.</think>\n{\"x\":1}", "{\"x\":1}");
        check("no opening tag</think>{\"x\":1}", "{\"x\":1}");
        check("<think>中文推理🙂</think>好", "好");
    }

    #[test]
    fn text_about_tags_stays() {
        let check = |text: &str| assert_eq!(strip_reasoning(text), text);
        check(r#"{"content": "a<think>b</think>c"}"#);
        check(r#"{"content": "</think>"}"#);
        check("The tag <think> opens a block.");
        check("Write it so:\n<think>\nand go on");
        check("<thinker>x</thinker>");
        check("<think");
    }

    #[test]
    fn messages_that_a_server_passed_through() {
        let check = |text: &str, expected: &str| assert_eq!(strip_reasoning(text), expected, "{text:?}");
        let analysis = "<|channel|>analysis<|message|>2 or 3?<|end|>";
        check(&format!("{analysis}<|start|>assistant<|channel|>final<|message|>3<|return|>"), "3");
        check(&format!("{analysis}<|start|>assistant<|channel|>final<|message|>3"), "3");
        let call = "<|channel|>commentary to=functions.look <|constrain|>json<|message|>{}<|call|>";
        check(&format!("{analysis}<|start|>assistant{call}"), call);
        check(call, call);
        check(analysis, "");
        check("The token <|channel|> opens a header.", "The token <|channel|> opens a header.");
    }

    proptest! {
        #[test]
        fn never_panics_and_never_adds(text in "(<|/|think>|</think>|<think>|\\{|\"|\n|[a-z]|🙂)*") {
            prop_assert!(strip_reasoning(&text).len() <= text.len());
        }

        #[test]
        fn a_leading_block_is_removed(thought in "[^<]*", answer in "[^<]*") {
            let text = format!("<think>{thought}</think>{answer}");
            prop_assert_eq!(strip_reasoning(&text).into_owned(), answer.trim());
        }
    }
}
