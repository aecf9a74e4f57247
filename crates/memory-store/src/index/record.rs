//! `Record` and `Entry`: the index's form of a Megram, and its encoding.

use std::fmt;

use artoo_types::{Entity, Megram, MegramId, Space};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A tag longer than this many bytes is stored as its beginning and its hash.
const LONGEST_TAG: usize = 512;
/// Maximum bytes of a content's JSON in the index, so that no value exceeds 64 KiB: the engine's cache counts
/// blocks, not bytes.
const LONGEST_CONTENT: usize = 60 * 1024;

/// A Megram as the index returns it: the current one, with its last recall and its demotion applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The Megram.
    #[serde(flatten)]
    pub megram: Megram,
    /// Whether its content or a tag was too long for the index, and is truncated here. The truth has it
    /// whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl Record {
    /// The index's record of this Megram.
    pub fn of(megram: &Megram) -> Self {
        let space = bounded_space(&megram.space);
        let entity = bounded_entity(&megram.entity);
        let content = bounded_content(&megram.content);
        let cut = space != megram.space || entity != megram.entity || content.len() < megram.content.len();
        Self { megram: Megram { space, entity, content: content.to_owned(), ..megram.clone() }, cut }
    }

    /// The digest of the record's canonical form, independent of its JSON spelling.
    pub fn digest(&self) -> RecordDigest {
        RecordDigest(Sha256::digest(self.encode()).into())
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        // A record has no map with non-string keys, which is all that this serializer refuses.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn decode(value: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(value)
    }
}

/// The SHA-256 of a [`Record`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordDigest([u8; 32]);

impl RecordDigest {
    /// The digest of the record of this Megram.
    pub fn of(megram: &Megram) -> Self {
        Record::of(megram).digest()
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for RecordDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// The journal position up to which the index is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The sequence number of the last event.
    pub seq: u64,
    /// The head of the journal's hash chain there.
    pub chain: [u8; 32],
    /// The number of Megrams, including consolidated ones.
    pub count: u64,
}

impl Position {
    pub(super) fn encode(&self) -> Vec<u8> {
        format!("{} {} {}", self.seq, hex::encode(self.chain), self.count).into_bytes()
    }

    /// `None` if the value is not a position.
    pub(super) fn decode(value: &[u8]) -> Option<Self> {
        let mut parts = std::str::from_utf8(value).ok()?.split(' ');
        let (seq, chain, count) = (parts.next()?, parts.next()?, parts.next()?);
        let chain = <[u8; 32]>::try_from(hex::decode(chain).ok()?).ok()?;
        let position = Self { seq: seq.parse().ok()?, chain, count: count.parse().ok()? };
        (parts.next().is_none() && position.encode() == value).then_some(position)
    }
}

/// The state of an id.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A live Megram.
    Live(Megram),
    /// A Megram consolidated into a rule: still found by its id, but under no pair or level.
    Consolidated(Megram),
    /// A forgotten Megram.
    Forgotten(MegramId),
}

impl Entry {
    /// The id of the entry.
    pub fn id(&self) -> MegramId {
        match self {
            Self::Live(megram) | Self::Consolidated(megram) => megram.id,
            Self::Forgotten(id) => *id,
        }
    }
}

pub(super) fn bounded_space(space: &Space) -> Space {
    Space::from_raw(bounded_tag(space.as_str()))
}

pub(super) fn bounded_entity(entity: &Entity) -> Entity {
    Entity::from_raw(bounded_tag(entity.as_str()))
}

fn bounded_tag(tag: &str) -> String {
    if tag.len() <= LONGEST_TAG {
        return tag.to_owned();
    }
    let hash = hex::encode(Sha256::digest(tag));
    let end = tag.floor_char_boundary(LONGEST_TAG - hash.len() - 1);
    format!("{}~{hash}", tag.get(..end).unwrap_or_default())
}

fn bounded_content(content: &str) -> &str {
    let mut room = LONGEST_CONTENT;
    let fits = content.char_indices().find_map(|(at, c)| match room.checked_sub(json_length(c)) {
        Some(rest) => {
            room = rest;
            None
        }
        None => Some(at),
    });
    fits.and_then(|end| content.get(..end)).unwrap_or(content)
}

fn json_length(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => c.len_utf8(),
    }
}
