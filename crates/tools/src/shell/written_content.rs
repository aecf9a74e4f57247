//! What a file that a command would write holds, to compare it with what another command would write.
//!
//! Two programs that pack the same files write heads, an order and paddings of their own, so that a tar archive counts by
//! its members. Packed ones count by their bytes: what unpacks them would be five more crates for whoever embeds the tools.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// How many bytes are looked at of all files together, and in one archive: a sparse member of a small one has gigabytes.
pub(super) const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// Where a tar archive says that it is one, and what it says.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// The SHA-256 of what the file holds; `None` if it has more bytes than there is `room` for, or cannot be read. Of a tar
/// archive it is that of its members: their names and contents in any order, but not their modes, owners and times, nor
/// folders.
pub(super) fn content(file: File, room: &mut u64) -> Option<[u8; 32]> {
    // What is too large is not read: there may be many of them.
    *room = room.checked_sub(file.metadata().ok()?.len())?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(of(&bytes))
}

fn of(bytes: &[u8]) -> [u8; 32] {
    let (place, says) = TAR;
    let is_tar = bytes.get(place..).is_some_and(|rest| rest.starts_with(says));
    // A broken one is compared by its bytes.
    let members = is_tar.then(|| members(bytes).ok()).flatten();
    members.unwrap_or_else(|| Sha256::digest(bytes).into())
}

/// Its name, what it is a link to, and the hash of its content.
type Member = (Vec<u8>, Option<Vec<u8>>, Vec<u8>);

/// The members of a tar archive as one hash.
fn members(bytes: &[u8]) -> io::Result<[u8; 32]> {
    let mut members: BTreeSet<Member> = BTreeSet::new();
    let mut room = MOST_BYTES;
    for entry in tar::Archive::new(bytes).entries()? {
        let entry = entry?;
        if entry.header().entry_type().is_dir() {
            continue;
        }
        let name = entry.path_bytes();
        let name = name.strip_prefix(b"./").unwrap_or(&name).to_owned();
        let target = entry.link_name_bytes().map(Cow::into_owned);
        let mut content = Sha256::new();
        let read = io::copy(&mut entry.take(room.saturating_add(1)), &mut Hashing(&mut content))?;
        room = room.checked_sub(read).ok_or(io::ErrorKind::FileTooLarge)?;
        members.insert((name, target, content.finalize().to_vec()));
    }
    Ok(Sha256::digest(format!("{members:?}")).into())
}

/// Hashes what is written to it.
struct Hashing<'a>(&'a mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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

    /// Observed with the embedded model: `tar` and a program packed the same folder, and did not agree.
    #[test]
    fn lesson_archives_with_the_same_members_hold_the_same() {
        let (a, b) = (("a.txt", "one"), ("deep/b.txt", "two"));
        let tar = of(&tar_of(&[a, b], 0o644, ""));
        assert_eq!(tar, of(&tar_of(&[b, a], 0o600, "")), "in another order, with other modes and times");
        assert_eq!(tar, of(&tar_of(&[a, b], 0o644, "./")));
        assert_ne!(tar, of(&tar_of(&[a], 0o644, "")), "one is missing");
        assert_ne!(tar, of(&tar_of(&[a, ("deep/b.txt", "2")], 0o644, "")), "another content");
        assert_ne!(tar, of(&tar_of(&[a, b], 0o644, "folder/")), "other names");
        assert_ne!(of(b"text"), of(b"texts"));
    }

    /// 512 bytes that say that eight gigabytes of zeros are in them.
    #[test]
    fn a_sparse_member_is_not_unpacked() {
        let mut header = tar::Header::new_gnu();
        header.set_path("zeros").unwrap();
        header.set_size(0);
        header.set_entry_type(tar::EntryType::GNUSparse);
        let gnu = header.as_gnu_mut().unwrap();
        gnu.realsize = *b"77777777777\0";
        gnu.sparse[0].offset = *b"77777777777\0";
        gnu.sparse[0].numbytes = *b"00000000000\0";
        header.set_cksum();
        let mut builder = tar::Builder::new(Vec::new());
        builder.append(&header, io::empty()).unwrap();
        let bytes = builder.into_inner().unwrap();
        let mut archive = tar::Archive::new(&bytes[..]);
        let entry = archive.entries().unwrap().next().unwrap().unwrap();
        assert_eq!(entry.size(), 0o77_777_777_777, "it says so");
        assert_eq!(of(&bytes), <[u8; 32]>::from(Sha256::digest(&bytes)));
    }

    #[test]
    fn there_is_room_for_so_many_bytes_of_all_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "four").unwrap();
        let mut room = 6;
        let mut look = || content(File::open(&path).unwrap(), &mut room);
        assert_eq!(look(), Some(of(b"four")));
        assert_eq!(look(), None);
        assert_eq!(room, 2);
    }

    proptest! {
        /// Whatever a command writes, nothing panics; and what is cut short is something else than the whole.
        #[test]
        fn hostile_files_have_a_hash(bytes in proptest::collection::vec(any::<u8>(), 0..600), cut in 0usize..1500, at in 0usize..1500) {
            of(&bytes);
            let whole = tar_of(&[("a", "one")], 0o644, "");
            of(whole.get(..cut).unwrap_or(&whole));
            let mut broken = whole.clone();
            if let Some(byte) = broken.get_mut(at) {
                *byte ^= 0x55;
            }
            of(&broken);
        }
    }
}
