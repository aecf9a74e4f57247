//! Keys of the state in a table.
//! ```text
//! d | due, ms 8 | pair 20           nothing; the pairs that the Dreamer has to look at, by when
//! e | pair 20 | class 1 | id 16     a Megram with all that happened to it
//! i | id 16                         where a Megram is, that it was forgotten, or what is known of one that is not there yet
//! l | id 16                         nothing; the laws
//! m                                 counts, and the rules by which the due times were found
//! p | pair 20                       the pair's names, sums and due time
//! w | touched, ms, newest first 8 | pair 20     the pair's names and words
//! ```

use artoo_types::{Entity, MegramId, Space};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::facts::Class;

pub(super) const DUE: &[u8] = b"d";
pub(super) const ENTRY: &[u8] = b"e";
pub(super) const ID: &[u8] = b"i";
pub(super) const LAW: &[u8] = b"l";
pub(super) const META: &[u8] = b"m";
pub(super) const PAIR: &[u8] = b"p";
pub(super) const WORDS: &[u8] = b"w";

/// The hash of a tag pair: short for any tags, and free of separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PairKey(pub(super) [u8; 20]);

impl PairKey {
    pub(super) fn of(space: &Space, entity: &Entity) -> Self {
        let mut hash = Sha256::new();
        hash.update((space.as_str().len() as u64).to_le_bytes());
        hash.update(space.as_str());
        hash.update(entity.as_str());
        let hash: [u8; 32] = hash.finalize().into();
        let [short @ .., _, _, _, _, _, _, _, _, _, _, _, _] = hash;
        Self(short)
    }

    /// The pair at the end of a key of class `d`, `p` or `w`.
    pub(super) fn at_end(key: &[u8]) -> Option<Self> {
        key.last_chunk().copied().map(Self)
    }
}

/// The prefix of the keys of a pair's entries.
pub(super) fn entries(pair: PairKey) -> Vec<u8> {
    [ENTRY, &pair.0].concat()
}

/// The prefix of the keys of a pair's entries of one class.
pub(super) fn entries_of(pair: PairKey, class: Class) -> Vec<u8> {
    [ENTRY, &pair.0, &[class as u8]].concat()
}

pub(super) fn entry(pair: PairKey, class: Class, id: MegramId) -> Vec<u8> {
    [ENTRY, &pair.0, &[class as u8], id.uuid().as_bytes()].concat()
}

pub(super) fn id(id: MegramId) -> Vec<u8> {
    [ID, id.uuid().as_bytes()].concat()
}

pub(super) fn law(id: MegramId) -> Vec<u8> {
    [LAW, id.uuid().as_bytes()].concat()
}

/// The Megram at the end of a key of class `e`, `i` or `l`.
pub(super) fn id_at_end(key: &[u8]) -> Option<MegramId> {
    key.last_chunk().map(|bytes| MegramId::new(Uuid::from_bytes(*bytes)))
}

pub(super) fn pair(pair: PairKey) -> Vec<u8> {
    [PAIR, &pair.0].concat()
}

pub(super) fn due(at_ms: i64, pair: PairKey) -> Vec<u8> {
    [DUE, &in_order(at_ms).to_be_bytes(), &pair.0].concat()
}

/// The time in a key of class `d`.
pub(super) fn due_ms(key: &[u8]) -> Option<i64> {
    let time = key.get(DUE.len()..)?.first_chunk()?;
    Some((u64::from_be_bytes(*time) ^ (1 << 63)).cast_signed())
}

pub(super) fn words(touched_ms: i64, pair: PairKey) -> Vec<u8> {
    [WORDS, &(!in_order(touched_ms)).to_be_bytes(), &pair.0].concat()
}

/// Maps times to numbers that sort like their big-endian bytes.
fn in_order(ms: i64) -> u64 {
    ms.cast_unsigned() ^ (1 << 63)
}
