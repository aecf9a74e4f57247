//! Reads which paths git tracks from a repository's index.
//!
//! Source: `gitformat-index(5)`, versions 2 to 4. An index that is split or sparse, or has a part that must be understood and
//! is not, is refused.

use std::collections::BTreeSet;

/// Bytes of the name of an object: SHA-1 and SHA-256.
const HASHES: [usize; 2] = [20, 32];
/// Bytes of times, device, inode, mode, owner and size before it.
const STATUS: usize = 40;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;
const FOLDER_MODE: u32 = 0o040_000;

/// The paths in an index, below the top of the working tree; `None` if they cannot be told.
pub(super) fn tracked(index: &[u8]) -> Option<BTreeSet<Vec<u8>>> {
    HASHES.into_iter().find_map(|hash| Reader { rest: index, read: 0 }.paths(hash))
}

struct Reader<'a> {
    rest: &'a [u8],
    /// Bytes read so far.
    read: usize,
}

impl<'a> Reader<'a> {
    fn paths(mut self, hash: usize) -> Option<BTreeSet<Vec<u8>>> {
        let version = match (self.take(4)?, self.number()?) {
            (b"DIRC", version @ 2..=4) => version,
            (_, _) => return None,
        };
        let mut paths = BTreeSet::new();
        let mut last = Vec::new();
        for _ in 0..self.number()? {
            last = self.entry(hash, version, &last)?;
            // An entry of a conflict comes several times.
            paths.insert(last.clone());
        }
        self.extensions(hash)?;
        Some(paths)
    }

    fn entry(&mut self, hash: usize, version: u32, last: &[u8]) -> Option<Vec<u8>> {
        let start = self.read;
        let status = self.take(STATUS)?;
        let mode = u32::from_be_bytes(status.get(24..28)?.try_into().ok()?);
        self.take(hash)?;
        let flags = u16::from_be_bytes(self.take(2)?.try_into().ok()?);
        if flags & EXTENDED != 0 {
            (version >= 3).then_some(())?;
            self.take(2)?;
        }
        let mut name = match version {
            4 => {
                let removed = self.offset()?;
                last.get(..last.len().checked_sub(removed)?)?.to_vec()
            }
            _ => Vec::new(),
        };
        let end = self.rest.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(self.take(end)?);
        // The length in the flags is right for a name of the right kind of index alone.
        let length = usize::from(flags & NAME_LENGTH);
        let is_length = name.len() == length || (length == usize::from(NAME_LENGTH) && name.len() > length);
        // A folder stands for all that it holds in a sparse index.
        (is_length && !name.is_empty() && mode & 0o170_000 != FOLDER_MODE).then_some(())?;
        let padding = match version {
            4 => 1,
            _ => 8 - (self.read - start) % 8,
        };
        self.take(padding)?.iter().all(|byte| *byte == 0).then_some(name)
    }

    /// Skips the extensions, of which those in small letters must be understood, and the checksum.
    fn extensions(mut self, hash: usize) -> Option<()> {
        while self.rest.len() > hash {
            let name = self.take(4)?;
            name.first()?.is_ascii_uppercase().then_some(())?;
            let length = self.number()?;
            self.take(usize::try_from(length).ok()?)?;
        }
        (self.rest.len() == hash).then_some(())
    }

    /// A number of variable length, as in packs.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            value = value.checked_add(1)?.checked_mul(0x80)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        self.read = self.read.checked_add(bytes)?;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An index as git writes it, of version 2 or 4.
    fn index(version: u32, hash: usize, names: &[&str], extension: &[u8]) -> Vec<u8> {
        let count = u32::try_from(names.len()).unwrap();
        let mut bytes = [b"DIRC", &version.to_be_bytes()[..], &count.to_be_bytes()].concat();
        let mut last = "";
        for name in names {
            let start = bytes.len();
            let mut status = [1_u8; STATUS];
            status[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
            bytes.extend(status);
            bytes.extend(vec![7; hash]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            if version == 4 {
                let same = last.bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
                bytes.push(u8::try_from(last.len() - same).unwrap());
                bytes.extend(&name.as_bytes()[same..]);
                bytes.push(0);
            } else {
                bytes.extend(name.as_bytes());
                bytes.extend(vec![0; 8 - (bytes.len() - start) % 8]);
            }
            last = name;
        }
        bytes.extend(extension);
        bytes.extend(vec![9; hash]);
        bytes
    }

    fn names(found: Option<BTreeSet<Vec<u8>>>) -> Option<Vec<String>> {
        found.map(|found| found.into_iter().map(|name| String::from_utf8(name).unwrap()).collect())
    }

    const NAMES: [&str; 4] = ["Makefile", "src/deep/a.rs", "src/deep/ab.rs", "target/kept.txt"];

    #[test]
    fn every_form_of_an_index_is_read() {
        for version in [2, 4] {
            for hash in HASHES {
                let bytes = index(version, hash, &NAMES, b"TREE\0\0\0\x02ab");
                assert_eq!(
                    names(tracked(&bytes)),
                    Some(NAMES.map(str::to_owned).to_vec()),
                    "{version} {hash}"
                );
            }
        }
        assert_eq!(names(tracked(&index(2, 20, &[], b""))), Some(vec![]));
    }

    #[test]
    fn what_cannot_be_told_is_nothing() {
        assert_eq!(tracked(b""), None);
        assert_eq!(tracked(&index(2, 20, &NAMES, b"link\0\0\0\x01a")), None, "it is split");
        assert_eq!(tracked(&index(2, 20, &NAMES, b"sdir\0\0\0\0")), None, "it is sparse");
        assert_eq!(tracked(&index(5, 20, &NAMES, b"")), None);
        let whole = index(2, 20, &NAMES, b"");
        for end in 0..whole.len() {
            assert_eq!(tracked(&whole[..end]), None, "{end}");
        }
    }

    proptest! {
        #[test]
        fn hostile_bytes_have_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300), at in 0usize..400, version in 2u32..5) {
            tracked(&bytes);
            let mut broken = index(version, 20, &NAMES, b"TREE\0\0\0\0");
            if let Some(byte) = broken.get_mut(at) {
                *byte ^= 0xff;
            }
            tracked(&broken);
        }
    }
}
