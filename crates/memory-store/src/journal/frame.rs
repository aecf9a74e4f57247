//! Binary format of a segment: its header and its frames. Pure.

use sha2::{Digest as _, Sha256};

use super::{Hash, Position};

/// The format version that this release writes, and the newest that it reads.
pub(super) const FORMAT: u32 = 1;
/// Length of a header.
pub(super) const HEADER: usize = 64;
/// Length of a frame before its payload.
pub(super) const FRAME: usize = 88;
/// Maximum length of a payload: far longer than any tag or lesson, short enough to be held in memory.
pub(super) const MOST_PAYLOAD: usize = 8 << 20;
/// Bytes of the length and checksum fields.
const CHECKED_FROM: usize = 8;
const MAGIC: &[u8; 8] = b"artoo-mj";

/// A segment header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The sequence number of its first frame.
    pub(super) first: u64,
    /// The head of the chain before it.
    pub(super) chain: Hash,
    /// Whether events are lost between the previous segment and the first frame, whose link cannot be
    /// checked.
    pub(super) after_break: bool,
}

/// Why a header cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoHeader {
    /// The file is of a newer format.
    Newer(u32),
    /// The bytes are not a header.
    Damaged,
}

/// The record of one event. An empty payload was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) seq: u64,
    pub(super) written_at_ms: i64,
    pub(super) payload_hash: Hash,
    pub(super) chain: Hash,
    pub(super) payload: &'a [u8],
}

/// Why a frame cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoFrame {
    /// The bytes end within it.
    Short,
    /// The bytes are not a frame.
    Wrong,
}

impl Header {
    /// ```text
    /// magic 8 | version u32 | crc32 of these u32 | after a break u32 | first u64 | chain 32 | crc32 of all before u32
    /// ```
    /// The version has its own checksum, so that a newer version can be told from a damaged one whatever a
    /// later release puts after it.
    pub(super) fn encode(&self) -> [u8; HEADER] {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes.extend_from_slice(&u32::from(self.after_break).to_le_bytes());
        bytes.extend_from_slice(&self.first.to_le_bytes());
        bytes.extend_from_slice(&self.chain);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes.try_into().unwrap_or([0; HEADER])
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, NoHeader> {
        let mut rest = bytes;
        let magic = take::<8>(&mut rest);
        let version = take_u32(&mut rest);
        let version_crc = take_u32(&mut rest);
        if magic.as_ref() != Some(MAGIC) || version_crc != bytes.get(..12).map(crc32fast::hash) {
            return Err(NoHeader::Damaged);
        }
        if let Some(newer) = version.filter(|version| *version > FORMAT) {
            return Err(NoHeader::Newer(newer));
        }
        let fields = (take_u32(&mut rest), take_u64(&mut rest), take::<32>(&mut rest), take_u32(&mut rest));
        let (Some(after_break), Some(first), Some(chain), Some(crc)) = fields else {
            return Err(NoHeader::Damaged);
        };
        if bytes.get(..HEADER - 4).map(crc32fast::hash) != Some(crc) {
            return Err(NoHeader::Damaged);
        }
        Ok(Self { first, chain, after_break: after_break != 0 })
    }
}

impl<'a> Frame<'a> {
    /// The frame after a position. The payload is salt and content; see `docs/design/memory.md`.
    pub(super) fn after(before: &Position, written_at_ms: i64, payload: &'a [u8]) -> Self {
        let seq = before.seq.saturating_add(1);
        let payload_hash: Hash = Sha256::digest(payload).into();
        let chain = link(&before.chain, seq, written_at_ms, &payload_hash);
        Self { seq, written_at_ms, payload_hash, chain, payload }
    }

    /// Appends its bytes.
    pub(super) fn encode(&self, into: &mut Vec<u8>) {
        let mut crc = crc32fast::Hasher::new();
        let start = into.len();
        let length = (FRAME - CHECKED_FROM).saturating_add(self.payload.len());
        into.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        into.extend_from_slice(&[0; 4]);
        into.extend_from_slice(&self.seq.to_le_bytes());
        into.extend_from_slice(&self.written_at_ms.to_le_bytes());
        into.extend_from_slice(&self.payload_hash);
        into.extend_from_slice(&self.chain);
        into.extend_from_slice(self.payload);
        crc.update(into.get(start + CHECKED_FROM..).unwrap_or_default());
        if let Some(place) = into.get_mut(start + 4..start + CHECKED_FROM) {
            place.copy_from_slice(&crc.finalize().to_le_bytes());
        }
    }

    /// Reads the frame at the start of the bytes.
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Self, NoFrame> {
        let mut rest = bytes;
        let length = take_u32(&mut rest).ok_or(NoFrame::Short)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if !(FRAME - CHECKED_FROM..=FRAME - CHECKED_FROM + MOST_PAYLOAD).contains(&length) {
            return Err(NoFrame::Wrong);
        }
        let whole = bytes.get(..CHECKED_FROM + length).ok_or(NoFrame::Short)?;
        Self::decode_all(whole).ok_or(NoFrame::Wrong)
    }

    /// Reads bytes as one frame, ignoring its stated length: if the checksum of the rest is valid, only the
    /// length was damaged.
    pub(super) fn decode_all(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = bytes.get(4..)?;
        let crc = take_u32(&mut rest)?;
        let checked = rest;
        let seq = take_u64(&mut rest)?;
        let written_at_ms = i64::from_le_bytes(take::<8>(&mut rest)?);
        let payload_hash = take::<32>(&mut rest)?;
        let chain = take::<32>(&mut rest)?;
        (rest.len() <= MOST_PAYLOAD && crc32fast::hash(checked) == crc).then_some(Self {
            seq,
            written_at_ms,
            payload_hash,
            chain,
            payload: rest,
        })
    }

    /// Its encoded length.
    pub(super) fn len(&self) -> usize {
        FRAME + self.payload.len()
    }

    /// Whether it directly follows a position.
    pub(super) fn follows(&self, before: &Position) -> bool {
        Some(self.seq) == before.seq.checked_add(1)
            && self.chain == link(&before.chain, self.seq, self.written_at_ms, &self.payload_hash)
    }

    /// The head of the journal after it.
    pub(super) fn position(&self) -> Position {
        Position { seq: self.seq, chain: self.chain }
    }

    /// Whether its payload matches its hash, or was erased.
    pub(super) fn payload_holds(&self) -> bool {
        self.payload.is_empty() || self.payload_hash == Hash::from(Sha256::digest(self.payload))
    }
}

/// The sequence number that a frame at the start of the bytes would have.
pub(super) fn seq_at(bytes: &[u8]) -> Option<u64> {
    take_u64(&mut bytes.get(CHECKED_FROM..)?)
}

fn link(before: &Hash, seq: u64, written_at_ms: i64, payload_hash: &Hash) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(seq.to_le_bytes());
    hasher.update(written_at_ms.to_le_bytes());
    hasher.update(payload_hash);
    hasher.finalize().into()
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes).map(u32::from_le_bytes)
}

fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes).map(u64::from_le_bytes)
}
