//! Reads file contents in chunks, preserving holes.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};

use sha2::{Digest as _, Sha256};

use super::content_id::ContentId;

/// The number of bytes read at a time.
const PIECE: usize = 128 * 1024;
/// The smallest hole on most file systems.
const HOLE: usize = 4096;
/// The unit of `st_blocks` on every file system.
const BLOCK: u64 = 512;

/// The hash of a file's content.
pub fn hash(source: &mut File) -> io::Result<ContentId> {
    pour(source, |_, _| Ok(()))
}

/// Copies a file's content to an empty file, and skips whole blocks of zeroes: they become holes.
pub fn copy_sparse(source: &mut File, target: &File) -> io::Result<()> {
    pour(source, |at, bytes| {
        let mut place = at;
        for block in bytes.chunks(HOLE) {
            if block.iter().any(|byte| *byte != 0) {
                target.write_all_at(block, place)?;
            }
            place = place.saturating_add(length(block));
        }
        Ok(())
    })?;
    target.set_len(source.metadata()?.len())
}

/// Copies a file's content to an empty file, preserving its holes. Returns its hash.
pub fn copy(source: &mut File, target: &File) -> io::Result<ContentId> {
    let id = pour(source, |at, bytes| target.write_all_at(bytes, at))?;
    let length = source.metadata()?.len();
    // A trailing hole.
    if target.metadata()?.len() < length {
        target.set_len(length)?;
    }
    Ok(id)
}

/// Passes everything except holes to `put`, with its offset, and returns the hash.
fn pour(source: &mut File, mut put: impl FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<ContentId> {
    let mut digest = Sha256::new();
    // One byte more than its size, so that its end is reached at once.
    let size = source.metadata()?.len().saturating_add(1);
    let mut piece = vec![0; usize::try_from(size).unwrap_or(PIECE).min(PIECE)];
    let Some(data) = data(source)? else {
        source.rewind()?;
        let mut at = 0_u64;
        while let Some(bytes) = read(source, &mut piece)? {
            digest.update(bytes);
            put(at, bytes)?;
            at = at.saturating_add(length(bytes));
        }
        return Ok(ContentId::of(digest, None));
    };
    let (mut at, mut places) = (0, Sha256::new());
    for range in &data.ranges {
        zeroes(&mut digest, range.start.saturating_sub(at));
        source.seek(SeekFrom::Start(range.start))?;
        at = range.start;
        places.update(range.start.to_le_bytes());
        places.update(range.end.to_le_bytes());
        while at < range.end {
            let most = usize::try_from(range.end - at).unwrap_or(PIECE).min(PIECE);
            let Some(bytes) = read(source, piece.get_mut(..most).unwrap_or_default())? else { break };
            digest.update(bytes);
            put(at, bytes)?;
            at = at.saturating_add(length(bytes));
        }
    }
    zeroes(&mut digest, data.length.saturating_sub(at));
    Ok(ContentId::of(digest, Some(places)))
}

/// The data ranges of a file with holes.
struct Data {
    ranges: Vec<Range<u64>>,
    length: u64,
}

/// `None` for a file without holes.
fn data(file: &mut File) -> io::Result<Option<Data>> {
    let found = file.metadata()?;
    let length = found.len();
    // Fully allocated: there are no holes.
    if found.blocks().saturating_mul(BLOCK) >= length {
        return Ok(None);
    }
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(start) = next_data(file, at)? {
        let end = next_hole(file, start)?.min(length);
        if end <= start {
            break;
        }
        ranges.push(start..end);
        at = end;
    }
    let is_whole = ranges.first().is_some_and(|only| only.start == 0 && only.end == length);
    Ok((!is_whole).then_some(Data { ranges, length }))
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn next_data(file: &File, at: u64) -> io::Result<Option<u64>> {
    use rustix::io::Errno;
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(at)) {
        Ok(start) => Ok(Some(start)),
        // Only a hole follows.
        Err(Errno::NXIO) => Ok(None),
        // A file system that cannot report holes has none.
        Err(Errno::INVAL | Errno::NOTSUP) => Ok((at == 0).then_some(0)),
        Err(error) => Err(error.into()),
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn next_hole(file: &File, at: u64) -> io::Result<u64> {
    use rustix::io::Errno;
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Hole(at)) {
        Ok(end) => Ok(end),
        Err(Errno::NXIO | Errno::INVAL | Errno::NOTSUP) => Ok(u64::MAX),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn next_data(_: &File, at: u64) -> io::Result<Option<u64>> {
    Ok((at == 0).then_some(0))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn next_hole(_: &File, _: u64) -> io::Result<u64> {
    Ok(u64::MAX)
}

/// The next bytes; `None` at the end.
fn read<'a>(source: &mut File, piece: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
    loop {
        match source.read(piece) {
            Ok(0) => return Ok(None),
            Ok(read) => return Ok(piece.get(..read)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A hole reads as zeroes.
fn zeroes(digest: &mut Sha256, mut count: u64) {
    static ZEROES: [u8; PIECE] = [0; PIECE];
    while count > 0 {
        let some = usize::try_from(count).unwrap_or(PIECE).min(PIECE);
        digest.update(ZEROES.get(..some).unwrap_or_default());
        count = count.saturating_sub(length(ZEROES.get(..some).unwrap_or_default()).max(1));
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Makes `target` share the blocks of `source`, where the file system can.
#[cfg(target_os = "linux")]
pub fn clone_blocks(source: &File, target: &File) -> bool {
    rustix::fs::ioctl_ficlone(target, source).is_ok()
}

/// Nothing is shared here: the caller copies.
#[cfg(not(target_os = "linux"))]
pub fn clone_blocks(_: &File, _: &File) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of this length with data at these multiples of 64 KiB.
    fn sparse(pieces: &[u64], length: u64) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(length).unwrap();
        for piece in pieces {
            file.write_all_at(b"data", piece * 65_536).unwrap();
        }
        file
    }

    #[test]
    fn holes_stay_holes_and_belong_to_what_a_file_is() {
        for (pieces, length) in [(&[][..], 1_u64 << 20), (&[0, 3], 1 << 20), (&[5], 400_000), (&[0], 4)] {
            let mut source = sparse(pieces, length);
            let target = tempfile::tempfile().unwrap();
            let id = copy(&mut source, &target).unwrap();
            let mut target = target;
            assert_eq!(target.metadata().unwrap().len(), length);
            assert_eq!(target.metadata().unwrap().blocks(), source.metadata().unwrap().blocks());
            assert_eq!(hash(&mut target).unwrap(), id);
            // The same bytes without a hole.
            let mut bytes = vec![0; usize::try_from(length).unwrap()];
            source.read_exact_at(&mut bytes, 0).unwrap();
            let mut full = tempfile::tempfile().unwrap();
            full.write_all_at(&bytes, 0).unwrap();
            let other = hash(&mut full).unwrap();
            assert!(other.has_bytes_of(&id));
            assert_eq!(other == id, length == 4, "{pieces:?} of {length}");
        }
    }
}
