//! Binary format of a table.

use std::ops::Range;

use crate::journal::Position;

pub(super) const MAGIC: [u8; 8] = *b"artootbl";
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER: [u8; 12] = header();
/// Target size of a block of rows.
pub(super) const BLOCK_BYTES: usize = 4096;
pub(super) const CRC_BYTES: usize = 4;
pub(super) const MAX_KEY_BYTES: usize = 1024;
pub(super) const MAX_VALUE_BYTES: usize = 64 << 20;
pub(super) const BODY_BYTES: usize = 8 + 8 + 32 + 8 + 4;
pub(super) const FOOTER_BYTES: usize = BODY_BYTES + 32 + 4 + 4 + 8;

const fn header() -> [u8; 12] {
    let [a, b, c, d, e, f, g, h] = MAGIC;
    let [i, j, k, l] = VERSION.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

/// The position of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) offset: u64,
    /// Its length, including its checksum.
    pub(super) bytes: u32,
}

impl Reference {
    pub(super) fn encode(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        let (offset, length) = bytes.split_at_mut(8);
        offset.copy_from_slice(&self.offset.to_le_bytes());
        length.copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let found = Self { offset: fields.u64()?, bytes: fields.u32()? };
        fields.0.is_empty().then_some(found)
    }
}

/// The footer's body, without its framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) rows: u64,
    pub(super) covers: Position,
    pub(super) top: Reference,
}

impl Body {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BODY_BYTES);
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        bytes.extend_from_slice(&self.covers.seq.to_le_bytes());
        bytes.extend_from_slice(&self.covers.chain);
        bytes.extend_from_slice(&self.top.encode());
        bytes
    }
}

/// The end of a file as it was read.
pub(super) enum Footer {
    Good { body: Body, hash: [u8; 32] },
    Version(u32),
    Damaged(&'static str),
}

/// The footer's bytes after the body: the hash and the rest.
pub(super) fn encode_tail(body: &[u8], hash: [u8; 32]) -> Vec<u8> {
    let mut tail = hash.to_vec();
    let mut crc = crc32fast::Hasher::new();
    crc.update(body);
    crc.update(&hash);
    tail.extend_from_slice(&crc.finalize().to_le_bytes());
    tail.extend_from_slice(&VERSION.to_le_bytes());
    tail.extend_from_slice(&MAGIC);
    tail
}

/// Reads the last bytes of a file, at most [`FOOTER_BYTES`].
pub(super) fn decode_footer(bytes: &[u8]) -> Footer {
    let Some((rest, magic)) = bytes.split_last_chunk::<8>() else {
        return Footer::Damaged("it is cut short");
    };
    if *magic != MAGIC {
        return Footer::Damaged("it does not end as a snapshot ends");
    }
    match rest.split_last_chunk::<4>() {
        Some((_, version)) if u32::from_le_bytes(*version) != VERSION => {
            Footer::Version(u32::from_le_bytes(*version))
        }
        Some((rest, _)) => decode_body(rest),
        None => Footer::Damaged("it is cut short"),
    }
}

fn decode_body(bytes: &[u8]) -> Footer {
    let fields = || {
        let (rest, crc) = bytes.split_last_chunk::<4>()?;
        let mut fields = Fields(rest);
        let rows = fields.u64()?;
        let covers = Position { seq: fields.u64()?, chain: fields.array()? };
        let top = Reference { offset: fields.u64()?, bytes: fields.u32()? };
        let hash = fields.array()?;
        let whole = fields.0.is_empty() && crc32fast::hash(rest) == u32::from_le_bytes(*crc);
        whole.then_some(Footer::Good { body: Body { rows, covers, top }, hash })
    };
    fields().unwrap_or(Footer::Damaged("its checksum is wrong"))
}

/// Adds a row. Its lengths are within the limits.
pub(super) fn push_row(rows: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    rows.extend_from_slice(&u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes());
    rows.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
    rows.extend_from_slice(key);
    rows.extend_from_slice(value);
}

/// The positions of key and value of the row at `at`; `None` if the bytes contain no complete row there.
pub(super) fn row_at(rows: &[u8], at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let mut fields = Fields(rows.get(at..)?);
    let key_bytes = usize::from(u16::from_le_bytes(fields.array()?));
    let value_bytes = usize::try_from(fields.u32()?).ok()?;
    let key = at.checked_add(6)?..at.checked_add(6)?.checked_add(key_bytes)?;
    let value = key.end..key.end.checked_add(value_bytes)?;
    (value.end <= rows.len()).then_some((key, value))
}

/// The checksum of a block. It covers the block's position, so that swapped blocks are detected.
pub(super) fn block_crc(offset: u64, rows: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&offset.to_le_bytes());
    crc.update(rows);
    crc.finalize()
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}
