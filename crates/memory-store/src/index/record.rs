//! What the index holds of a Megram, and how it is written down.

use std::fmt;

use artoo_types::{Entity, Megram, MegramId, Space};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A tag that is longer than this many bytes stands in the index as its beginning and its hash.
const LONGEST_TAG: usize = 512;
/// How much of a content's JSON the index holds, so that no value is over 64 KiB: the engine's cache counts
/// blocks, not bytes.
const LONGEST_CONTENT: usize = 60 * 1024;

/// A Megram as the index gives it: the current one, with its last recall and its demotion folded in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The Megram.
    #[serde(flatten)]
    pub megram: Megram,
    /// Whether its content or a tag was too long for the index, and is cut here. The truth has it whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

impl Record {
    /// What the index is to hold of this Megram.
    pub fn of(megram: &Megram) -> Self {
        let space = bounded_space(&megram.space);
        let entity = bounded_entity(&megram.entity);
        let content = bounded_content(&megram.content);
        let cut = space != megram.space || entity != megram.entity || content.len() < megram.content.len();
        Self { megram: Megram { space, entity, content: content.to_owned(), ..megram.clone() }, cut }
    }

    /// What two records that say the same have in common, however their JSON is spelled.
    pub fn digest(&self) -> RecordDigest {
        RecordDigest(Sha256::digest(self.encode()).into())
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        // A record has no map with keys that are not text, which is all that this serializer refuses.
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
    /// Of what the index is to hold of a Megram.
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

/// Up to where in the journal the index holds everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The sequence number of the last event.
    pub seq: u64,
    /// The head of the journal's chain there.
    pub chain: [u8; 32],
    /// How many Megrams there are, consolidated ones included.
    pub count: u64,
}

impl Position {
    pub(super) fn encode(&self) -> Vec<u8> {
        format!("{} {} {}", self.seq, hex::encode(self.chain), self.count).into_bytes()
    }

    /// `None` where this is no position.
    pub(super) fn decode(value: &[u8]) -> Option<Self> {
        let mut parts = std::str::from_utf8(value).ok()?.split(' ');
        let (seq, chain, count) = (parts.next()?, parts.next()?, parts.next()?);
        let chain = <[u8; 32]>::try_from(hex::decode(chain).ok()?).ok()?;
        let position = Self { seq: seq.parse().ok()?, chain, count: count.parse().ok()? };
        (parts.next().is_none() && position.encode() == value).then_some(position)
    }
}

/// What stands behind an id.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A Megram that counts in its pair.
    Live(Megram),
    /// A Megram that became part of a rule: still there, found by its id and under no pair or layer.
    Consolidated(Megram),
    /// Nothing any more.
    Forgotten(MegramId),
}

impl Entry {
    /// Whose entry it is.
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
