//! What a server answers to a call, as text and pictures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::definition::short;

/// The kinds of pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// The largest picture, in bytes.
const LARGEST_PICTURE: usize = 5 * 1024 * 1024;

/// The answer to a call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolAnswer {
    /// The texts, and a line for everything else.
    pub(crate) text: String,
    /// The picture, if it is one and nothing else.
    pub(crate) picture: Option<(String, Vec<u8>)>,
    /// Whether the server says that the call failed.
    pub(crate) is_error: bool,
}

impl ToolAnswer {
    /// Reads an answer; `None` if it is none.
    pub(crate) fn read(answer: &Value) -> Option<Self> {
        let fields = answer.as_object()?;
        let structured = fields.get("structuredContent").filter(|value| !value.is_null());
        let parts = match fields.get("content") {
            Some(content) => content.as_array()?.as_slice(),
            None => &[],
        };
        let mut lines: Vec<String> = Vec::new();
        let mut pictures = Vec::new();
        for part in parts {
            match picture(part) {
                Some(picture) => pictures.push(picture),
                None => lines.push(line(part)),
            }
        }
        if let Some(structured) = structured {
            // Many servers say the same once more for clients that do not know structured content, some with one name around it.
            let only = structured.as_object().filter(|fields| fields.len() == 1);
            let only = only.and_then(|fields| fields.values().next()?.as_str());
            let is_said = |line: &String| {
                only == Some(line)
                    || serde_json::from_str::<Value>(line).is_ok_and(|said| said == *structured)
            };
            if !lines.iter().any(is_said) {
                lines.push(structured.to_string());
            }
        }
        let is_error = fields.get("isError") == Some(&Value::Bool(true));
        if lines.is_empty() && pictures.len() == 1 {
            return Some(Self { text: String::new(), picture: pictures.pop(), is_error });
        }
        lines.extend(
            pictures.iter().map(|(kind, bytes)| format!("[a picture: {kind}, {} bytes]", bytes.len())),
        );
        Some(Self { text: lines.join("\n"), picture: None, is_error })
    }
}

/// The texts of resources and prompts.
pub(crate) fn text_of(part: &Value) -> String {
    line(part)
}

fn picture(part: &Value) -> Option<(String, Vec<u8>)> {
    let kind = part.get("mimeType").and_then(Value::as_str)?;
    if part.get("type").and_then(Value::as_str) != Some("image") || !PICTURES.contains(&kind) {
        return None;
    }
    let data = part.get("data").and_then(Value::as_str)?;
    let bytes = STANDARD.decode(data).ok().filter(|bytes| bytes.len() <= LARGEST_PICTURE)?;
    Some((kind.to_owned(), bytes))
}

fn line(part: &Value) -> String {
    let text = |name: &str| part.get(name).and_then(Value::as_str);
    match text("type") {
        Some("text") => text("text").unwrap_or_default().to_owned(),
        Some("resource") => part.get("resource").map(resource).unwrap_or_default(),
        Some("resource_link") => {
            let named: Vec<String> =
                ["name", "title", "description"].iter().filter_map(|name| text(name)).map(short).collect();
            format!("[a resource: {}: {}]", short(text("uri").unwrap_or_default()), named.join(", "))
        }
        kind => {
            let media = text("mimeType").map(|media| format!(", {}", short(media))).unwrap_or_default();
            let bytes = text("data").map_or(0, str::len);
            format!("[{}{media}, {bytes} bytes in base64]", short(kind.unwrap_or("something without a kind")))
        }
    }
}

/// The content of a resource: its text, or what it is.
pub(crate) fn resource(resource: &Value) -> String {
    let text = |name: &str| resource.get(name).and_then(Value::as_str);
    match text("text") {
        Some(content) => content.to_owned(),
        None => {
            let kind = text("mimeType").map(short).unwrap_or_else(|| "binary data".to_owned());
            let bytes = text("blob").map_or(0, str::len);
            format!("[{}: {kind}, {bytes} bytes in base64]", short(text("uri").unwrap_or_default()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(answer: Value) -> ToolAnswer {
        ToolAnswer::read(&answer).unwrap()
    }

    #[test]
    fn texts_are_joined_and_everything_else_has_a_line() {
        let answer = read(json!({"content": [
            {"type": "text", "text": "one"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "two"}},
            {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "a/b", "blob": "AAAA"}},
            {"type": "resource_link", "uri": "file:///c", "name": "c"},
            {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
            {"type": "image", "mimeType": "image/png", "data": "AAAA"},
            {"type": "hologram"},
            {},
        ], "structuredContent": {"a": 1}, "isError": true}));
        assert_eq!(
            answer.text,
            "one\ntwo\n[file:///b: a/b, 4 bytes in base64]\n[a resource: file:///c: c]\n[audio, audio/wav, 4 bytes in base64]\n[hologram, 0 bytes in base64]\n[something without a kind, 0 bytes in base64]\n{\"a\":1}\n[a picture: image/png, 3 bytes]"
        );
        assert!(answer.is_error && answer.picture.is_none());
    }

    #[test]
    fn a_picture_alone_is_one_and_what_is_said_twice_is_told_once() {
        let answer = read(json!({"content": [{"type": "image", "mimeType": "image/png", "data": "AAAA"}]}));
        assert_eq!(answer.picture, Some(("image/png".to_owned(), vec![0; 3])));
        let answer =
            read(json!({"content": [{"type": "text", "text": "{\"a\": 1}"}], "structuredContent": {"a": 1}}));
        assert_eq!(answer.text, "{\"a\": 1}");
        let answer =
            read(json!({"content": [{"type": "text", "text": "a"}], "structuredContent": {"content": "a"}}));
        assert_eq!(answer.text, "a");
        assert_eq!(read(json!({})), ToolAnswer::default());
        for wrong in [json!(1), json!([]), json!({"content": 1})] {
            assert_eq!(ToolAnswer::read(&wrong), None, "{wrong}");
        }
        // What is no picture is only named.
        let answer = read(json!({"content": [{"type": "image", "mimeType": "image/png", "data": "?"}]}));
        assert_eq!((answer.text.as_str(), answer.picture), ("[image, image/png, 1 bytes in base64]", None));
    }
}
