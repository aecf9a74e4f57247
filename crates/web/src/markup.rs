//! Tokenizes HTML into tags and texts.

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{HtmlString, Token, Tokenizer};

/// A token of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Open(Tag),
    Close(String),
    /// Text with entities decoded.
    Text(String),
}

/// A start tag with its name in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it has a class.
    pub(crate) fn is_of(&self, class: &str) -> bool {
        self.attribute("class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(|own| own == class))
    }
}

/// The tokens of a page, in order. Any text has tokens: the HTML standard leaves nothing undefined.
pub(crate) fn pieces(html: &str) -> impl Iterator<Item = Piece> + '_ {
    let mut emitter = DefaultEmitter::default();
    // The content of scripts, styles and titles is not markup.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).filter_map(|token| match token {
        Ok(Token::StartTag(tag)) => Some(Piece::Open(Tag {
            name: text(&tag.name),
            attributes: tag.attributes.iter().map(|(name, value)| (text(name), text(&value.value))).collect(),
        })),
        Ok(Token::EndTag(tag)) => Some(Piece::Close(text(&tag.name))),
        Ok(Token::String(string)) => Some(Piece::Text(text(&string.value))),
        Ok(Token::Comment(_) | Token::Doctype(_) | Token::Error(_)) => None,
        Err(never) => match never {},
    })
}

fn text(bytes: &HtmlString) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
