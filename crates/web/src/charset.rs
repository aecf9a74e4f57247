//! Decodes a response body to text.

use encoding_rs::{Encoding, UTF_8};

use super::client::Received;
use super::markup::{Piece, pieces};
use crate::WebError;

/// How far the page's own encoding declaration is searched; the standard says 1,024 bytes.
const BEGINNING: usize = 1_024;

/// The format of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Html,
    Plain,
}

/// The text of a response, if it is text.
pub(crate) fn decoded(received: &Received) -> Result<(Form, String), WebError> {
    let mime = received.content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let form = match mime.as_str() {
        "text/html" | "application/xhtml+xml" => Form::Html,
        "" if looks_like_html(&received.body) => Form::Html,
        "" if !received.body.contains(&0) => Form::Plain,
        "application/json" | "application/xml" | "application/javascript" | "application/x-ndjson" => {
            Form::Plain
        }
        mime if mime.starts_with("text/") || mime.ends_with("+json") || mime.ends_with("+xml") => Form::Plain,
        mime => {
            let kind = if mime.is_empty() { "binary data".to_owned() } else { mime.to_owned() };
            return Err(WebError::NotText { url: received.url.to_string(), kind });
        }
    };
    // A byte order mark takes precedence over both, which `decode` handles.
    let encoding = declared(&received.content_type)
        .or_else(|| (form == Form::Html).then(|| own_word(&received.body)).flatten())
        .unwrap_or(UTF_8);
    Ok((form, encoding.decode(&received.body).0.into_owned()))
}

fn looks_like_html(body: &[u8]) -> bool {
    let start = body.get(..BEGINNING).unwrap_or(body).to_ascii_lowercase();
    let text = String::from_utf8_lossy(&start);
    text.contains("<html") || text.contains("<!doctype html")
}

/// `text/html; charset=gb2312`
fn declared(content_type: &str) -> Option<&'static Encoding> {
    let (_, rest) = content_type.split_once("charset=").or_else(|| content_type.split_once("Charset="))?;
    let label = rest.split(';').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
    Encoding::for_label(label.as_bytes())
}

/// `<meta charset=...>`, or the equivalent of a header.
fn own_word(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(body.get(..BEGINNING).unwrap_or(body)).into_owned();
    pieces(&start).find_map(|piece| match piece {
        Piece::Open(tag) if tag.name == "meta" => {
            let said = tag.attribute("charset").and_then(|label| Encoding::for_label(label.as_bytes()));
            said.or_else(|| tag.attribute("content").and_then(declared))
        }
        Piece::Open(_) | Piece::Close(_) | Piece::Text(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use reqwest::{StatusCode, Url};

    use super::*;

    fn decode(content_type: &str, body: &[u8]) -> Result<(Form, String), String> {
        let received = Received {
            url: Url::parse("https://a.example/").unwrap(),
            content_type: content_type.to_owned(),
            body: body.to_vec(),
            cut: false,
            status: StatusCode::OK,
        };
        decoded(&received).map_err(|error| error.to_string())
    }

    #[test]
    fn encodings_are_found_where_they_are_said() {
        let gbk = b"\xd6\xd0\xce\xc4";
        assert_eq!(decode("text/plain; charset=GBK", gbk), Ok((Form::Plain, "中文".into())));
        let page = [b"<html><meta charset='gbk'><p>".as_slice(), gbk].concat();
        assert!(decode("text/html", &page).unwrap().1.ends_with("中文"));
        let page = [b"<meta http-equiv=x content='text/html; charset=gb2312'>".as_slice(), gbk].concat();
        assert!(decode("text/html", &page).unwrap().1.ends_with("中文"));
        assert_eq!(decode("text/html", "é".as_bytes()), Ok((Form::Html, "é".into())));
        assert_eq!(decode("text/plain; charset=nonsense", b"a"), Ok((Form::Plain, "a".into())));
        assert_eq!(decode("text/plain", b"\xff\xfea\0"), Ok((Form::Plain, "a".into())));
    }

    #[test]
    fn only_text_is_text() {
        assert_eq!(decode("application/ld+json", b"{}").unwrap().0, Form::Plain);
        assert_eq!(decode("", b"<!DOCTYPE HTML>x").unwrap().0, Form::Html);
        assert_eq!(decode("", b"x").unwrap().0, Form::Plain);
        for (mime, body) in [("image/png", b"a".as_slice()), ("application/pdf", b"a"), ("", b"\0")] {
            assert!(decode(mime, body).is_err(), "{mime}");
        }
    }
}
