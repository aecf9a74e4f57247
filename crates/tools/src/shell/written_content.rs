//! What a file that a command would write holds, to compare it with what another command would write.
//!
//! Two programs that pack the same files write heads, orders and paddings of their own, so that archives count by their
//! members, and packed files by what is in them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use flate2::read::MultiGzDecoder;
use sha2::{Digest as _, Sha256};

/// From how many bytes on a file, or all that an archive holds, is not looked into.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// The most members of an archive that are looked at.
const MOST_MEMBERS: usize = 10_000;
/// Where a tar archive says that it is one, and what it says.
const TAR: (usize, &[u8]) = (257, b"ustar");
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
const GZIP: &[u8] = b"\x1f\x8b";

/// The SHA-256 of what the file holds; `None` if it is too large or cannot be read. Of an archive it is that of its
/// members: their names and contents in any order, but not their modes, owners and times, nor folders.
pub(super) fn content(mut file: File) -> Option<[u8; 32]> {
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| whole(&mut file, &mut bytes));
    read.ok()?;
    Some(of(&bytes))
}

fn of(bytes: &[u8]) -> [u8; 32] {
    if bytes.starts_with(GZIP) {
        let mut unpacked = Vec::new();
        if whole(&mut MultiGzDecoder::new(bytes), &mut unpacked).is_ok() {
            return members(&unpacked).unwrap_or_else(|| digest(&unpacked));
        }
    }
    members(bytes).unwrap_or_else(|| digest(bytes))
}

/// Reads to the end.
fn whole(from: &mut impl Read, into: &mut Vec<u8>) -> io::Result<()> {
    let read = from.take(MOST_BYTES + 1).read_to_end(into)?;
    if read as u64 > MOST_BYTES { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
}

/// The members of an archive as one hash; `None` if it is none, or a broken one.
fn members(bytes: &[u8]) -> Option<[u8; 32]> {
    let (place, says) = TAR;
    let found = if bytes.get(place..).is_some_and(|rest| rest.starts_with(says)) {
        members_of_tar(bytes)
    } else if ZIP.iter().any(|begins| bytes.starts_with(begins)) {
        members_of_zip(bytes)
    } else {
        return None;
    };
    let mut hash = Sha256::new();
    for (name, content) in found.ok()? {
        hash.update(name.len().to_le_bytes());
        hash.update(name);
        hash.update(content);
    }
    Some(hash.finalize().into())
}

/// Names, and hashes of contents.
type Members = BTreeSet<(Vec<u8>, [u8; 32])>;

fn members_of_tar(bytes: &[u8]) -> io::Result<Members> {
    let mut members = Members::new();
    for entry in tar::Archive::new(bytes).entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_dir() {
            continue;
        }
        let name = entry.path_bytes().into_owned();
        let target = entry.link_name_bytes().map(std::borrow::Cow::into_owned);
        let mut content = target.unwrap_or_default();
        whole(&mut entry, &mut content)?;
        add(&mut members, &name, &content)?;
    }
    Ok(members)
}

fn members_of_zip(bytes: &[u8]) -> io::Result<Members> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))?;
    let mut members = Members::new();
    let mut room = MOST_BYTES;
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number)?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.name_raw().to_owned();
        let mut content = Vec::new();
        whole(&mut entry, &mut content)?;
        // A small archive can unpack to much more.
        room = room.checked_sub(content.len() as u64).ok_or(io::ErrorKind::FileTooLarge)?;
        add(&mut members, &name, &content)?;
    }
    Ok(members)
}

fn add(members: &mut Members, name: &[u8], content: &[u8]) -> io::Result<()> {
    let name = name.strip_prefix(b"./").unwrap_or(name);
    members.insert((name.to_owned(), digest(content)));
    if members.len() > MOST_MEMBERS { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn tar_of(files: &[(&str, &str)], mode: u32, prefix: &str) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(mode);
            header.set_mtime(u64::from(mode));
            builder.append_data(&mut header, format!("{prefix}{name}"), content.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn zip_of(files: &[(&str, &str)], method: zip::CompressionMethod) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            let options = zip::write::SimpleFileOptions::default().compression_method(method);
            writer.start_file(*name, options).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn gzip_of(bytes: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Observed with the embedded model: `tar` and a program packed the same folder, and did not agree.
    #[test]
    fn lesson_archives_with_the_same_members_hold_the_same() {
        let (a, b) = (("a.txt", "one"), ("deep/b.txt", "two"));
        let tar = of(&tar_of(&[a, b], 0o644, ""));
        assert_eq!(tar, of(&tar_of(&[b, a], 0o600, "")), "in another order, with other modes and times");
        assert_eq!(tar, of(&gzip_of(&tar_of(&[a, b], 0o644, ""), 9)));
        assert_ne!(tar, of(&tar_of(&[a], 0o644, "")), "one is missing");
        assert_ne!(tar, of(&tar_of(&[a, ("deep/b.txt", "2")], 0o644, "")), "another content");
        assert_ne!(tar, of(&tar_of(&[a, b], 0o644, "folder/")), "other names");
        let zip = of(&zip_of(&[a, b], zip::CompressionMethod::Stored));
        assert_eq!(zip, of(&zip_of(&[b, a], zip::CompressionMethod::Deflated)));
        assert_ne!(zip, of(&zip_of(&[b], zip::CompressionMethod::Deflated)));
        assert_eq!(of(&gzip_of(b"text", 1)), of(&gzip_of(b"text", 9)));
        assert_ne!(of(b"text"), of(b"texts"));
    }

    proptest! {
        /// Whatever a command writes, nothing panics; and what is cut short is something else than the whole.
        #[test]
        fn hostile_files_have_a_hash(bytes in proptest::collection::vec(any::<u8>(), 0..600), cut in 0usize..1500, at in 0usize..1500) {
            of(&bytes);
            for whole in [tar_of(&[("a", "one")], 0o644, ""), zip_of(&[("a", "one")], zip::CompressionMethod::Deflated), gzip_of(b"one", 6)] {
                of(whole.get(..cut).unwrap_or(&whole));
                let mut broken = whole.clone();
                if let Some(byte) = broken.get_mut(at) {
                    *byte ^= 0x55;
                }
                of(&broken);
            }
        }
    }
}
