//! Verifies the engine's files before the engine reads them: the engine silently skips what it cannot read,
//! panics on some of it, and allocates any length that a damaged footer names.
//!
//! The formats are LevelDB's: `doc/log_format.md` and `doc/table_format.md` of the original.

/// The last bytes of a table: the position of its index, and a magic number.
pub(super) const FOOTER: usize = 48;
/// The trailer of each block of a table: its compression and its checksum.
pub(super) const TRAILER: usize = 5;

const LOG_BLOCK: usize = 32 * 1024;
const MAGIC: [u8; 8] = 0xdb47_7524_8b80_fb57_u64.to_le_bytes();
/// The first entry of any manifest: the key order.
const COMPARATOR: &[u8] = b"\x01\x1aleveldb.BytewiseComparator";

/// The length of the prefix of a log that consists of complete records.
pub(super) fn whole_records(log: &[u8]) -> usize {
    let (mut at, mut whole) = (0, 0);
    while let Some((end, is_last)) = record(log, at) {
        at = end;
        if is_last {
            whole = end;
        }
    }
    whole
}

/// The end of the record fragment expected at this offset, and whether it is the record's last.
fn record(log: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let left = LOG_BLOCK - at % LOG_BLOCK;
    if left < 7 {
        at += left;
    }
    let (header, rest) = log.get(at..)?.split_first_chunk::<7>()?;
    let [c0, c1, c2, c3, l0, l1, kind] = *header;
    let length = usize::from(u16::from_le_bytes([l0, l1]));
    let data = rest.get(..length)?;
    let end = at + 7 + length;
    let fits = (end - 1) / LOG_BLOCK == at / LOG_BLOCK;
    let sum = crc32c::crc32c_append(crc32c::crc32c(&[kind]), data);
    let whole = fits && (1..=4).contains(&kind) && masked(sum) == u32::from_le_bytes([c0, c1, c2, c3]);
    whole.then_some((end, kind == 1 || kind == 4))
}

/// Whether this is a manifest, to its last byte.
pub(super) fn is_manifest(log: &[u8]) -> bool {
    !log.is_empty()
        && whole_records(log) == log.len()
        && log.get(7..).is_some_and(|first| first.starts_with(COMPARATOR))
}

/// Whether this is the content of a `CURRENT` file: the name of a manifest.
pub(super) fn is_current(text: &[u8]) -> bool {
    let number = text.strip_prefix(b"MANIFEST-").and_then(|rest| rest.strip_suffix(b"\n"));
    number.is_some_and(|digits| (1..=18).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit))
}

/// Whether the footer of a table of this length refers to blocks inside the table.
pub(super) fn is_footer(footer: &[u8], table: usize) -> bool {
    let inside = |(offset, size): (u64, u64)| {
        let end = offset.checked_add(size).and_then(|end| end.checked_add((TRAILER + FOOTER) as u64));
        end.is_some_and(|end| end <= table as u64)
    };
    let handles = || {
        let (meta_offset, rest) = varint(footer)?;
        let (meta_size, rest) = varint(rest)?;
        let (offset, rest) = varint(rest)?;
        let (size, _) = varint(rest)?;
        Some(inside((meta_offset, meta_size)) && inside((offset, size)))
    };
    footer.len() == FOOTER && footer.ends_with(&MAGIC) && handles().unwrap_or(false)
}

/// Whether a block of a table matches its trailer.
pub(super) fn is_block(block_and_trailer: &[u8]) -> bool {
    block_and_trailer.split_last_chunk::<4>().is_some_and(|(block, sum)| {
        !block.is_empty() && masked(crc32c::crc32c(block)) == u32::from_le_bytes(*sum)
    })
}

fn masked(sum: u32) -> u32 {
    sum.rotate_right(15).wrapping_add(0xa282_ead8)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (place, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(place).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(place + 1..)?));
        }
    }
    None
}
