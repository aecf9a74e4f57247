//! Keys under which a store keeps memory, with encoding and decoding.
//! ```text
//! m|<id>                    the Megram
//! x|<space>|<entity>|<id>   its place in its tag pair
//! l|<level>|<id>            its place in its layer
//! r|<id>                    when it was last recalled
//! ```
//!
//! Tags are percent-encoded if they contain `|`, `%` or a control character, so two names never share a key.
//!
//! Source: specification v0.8, R5 "Storage: LevelDB"; encoding: `docs/deviations.md`, "Keys".

use artoo_types::{Entity, Level, MegramId, Space};

/// A key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// `m|`: a Megram.
    Megram(MegramId),
    /// `x|`: a Megram's place in its tag pair.
    Index {
        /// First half of the pair.
        space: Space,
        /// The Megram.
        entity: Entity,
        /// Which Megram.
        id: MegramId,
    },
    /// `l|`: a Megram's place in its level.
    Layer {
        /// The level.
        level: Level,
        /// The Megram.
        id: MegramId,
    },
    /// `r|`: when a Megram was last recalled.
    Recall(MegramId),
}

impl Key {
    /// The key as stored.
    /// ```
    /// # use artoo_mkct_memory::key::Key;
    /// # use artoo_types::{Entity, Space};
    /// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
    /// let key = Key::Index { space: Space::from_raw("tool:a|b"), entity: Entity::path("100%"), id };
    /// assert_eq!(key.encode(), "x|tool:a%7Cb|path:100%25|01970000-0000-7000-8000-000000000001");
    /// assert_eq!(Key::decode(&key.encode())?, key);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode(&self) -> String {
        match self {
            Self::Megram(id) => format!("m|{id}"),
            Self::Index { space, entity, id } => format!("{}{id}", pair_prefix(space, entity)),
            Self::Layer { level, id } => format!("{}{id}", layer_prefix(*level)),
            Self::Recall(id) => format!("r|{id}"),
        }
    }

    /// Decodes a key. Only the output of [`encode`](Self::encode) is valid, so a key has one spelling.
    ///
    /// # Errors
    ///
    /// The problem, and the key.
    pub fn decode(text: &str) -> Result<Self, KeyError> {
        let error = |reason| KeyError { key: text.to_owned(), reason };
        let parse = |id: &str| id.parse::<MegramId>().map_err(|_| error(Reason::Id));
        let parts: Vec<&str> = text.split('|').collect();
        let key = match parts.as_slice() {
            ["m", id] => Self::Megram(parse(id)?),
            ["x", space, entity, id] => Self::Index {
                space: Space::from_raw(unescape(space).ok_or_else(|| error(Reason::Escape))?),
                entity: Entity::from_raw(unescape(entity).ok_or_else(|| error(Reason::Escape))?),
                id: parse(id)?,
            },
            ["l", level, id] => {
                Self::Layer { level: level_of(level).ok_or_else(|| error(Reason::Level))?, id: parse(id)? }
            }
            ["r", id] => Self::Recall(parse(id)?),
            _ => return Err(error(Reason::Form)),
        };
        if key.encode() == text { Ok(key) } else { Err(error(Reason::Spelling)) }
    }
}

/// The common prefix of the `x|` keys of a tag pair, and of no other key.
pub fn pair_prefix(space: &Space, entity: &Entity) -> String {
    format!("x|{}|{}|", escape(space.as_str()), escape(entity.as_str()))
}

/// The common prefix of the `l|` keys of a level, and of no other key.
pub fn layer_prefix(level: Level) -> String {
    format!("l|{}|", level_name(level))
}

/// A text that is not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key:?} is not a memory key: {reason}")]
pub struct KeyError {
    key: String,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Reason {
    #[error("it has none of the forms m|, x|, l|, r|")]
    Form,
    #[error("its id is not a UUID")]
    Id,
    #[error("its level is none of M, K, C, T")]
    Level,
    #[error("a percent sign begins no escape of a character")]
    Escape,
    #[error("it is not spelled the way keys are written")]
    Spelling,
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::M => "M",
        Level::K => "K",
        Level::C => "C",
        Level::T => "T",
    }
}

fn level_of(name: &str) -> Option<Level> {
    [Level::M, Level::K, Level::C, Level::T].into_iter().find(|level| level_name(*level) == name)
}

fn escape(tag: &str) -> String {
    let mut escaped = String::with_capacity(tag.len());
    for c in tag.chars() {
        if c == '|' || c == '%' || c.is_control() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                escaped.push_str(&format!("%{byte:02X}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// `None` if a percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
fn unescape(escaped: &str) -> Option<String> {
    let mut pieces = escaped.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        // `from_str_radix` would accept a sign.
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}
