//! Archives without an entry.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

/// An archive without entries is smaller: tar pads it to 10,240 bytes, in blocks of up to 64 KiB if asked to.
const LARGEST: u64 = 64 * 1024;
/// How a ZIP file without entries begins: with the end of its directory.
const EMPTY_ZIP: &[u8] = b"PK\x05\x06";
/// How a compressed file of gzip begins.
const GZIP: &[u8] = b"\x1f\x8b";

/// Whether this is a tar archive, also a gzipped one, or a ZIP file, and has no entry. A file of an archive's name without
/// a byte is one. `false` for what cannot be read.
pub(crate) fn is_empty_archive(path: &Path) -> bool {
    let is_named_so = path.to_str().is_some_and(|path| {
        let path = path.to_lowercase();
        [".tar", ".tar.gz", ".tgz", ".zip"].iter().any(|ending| path.ends_with(ending))
    });
    if !is_named_so || !path.symlink_metadata().is_ok_and(|file| file.is_file() && file.len() <= LARGEST) {
        return false;
    }
    let Some(bytes) = File::open(path).ok().and_then(beginning) else { return false };
    if bytes.starts_with(EMPTY_ZIP) || bytes.is_empty() {
        return true;
    }
    let tar = if bytes.starts_with(GZIP) { beginning(GzDecoder::new(bytes.as_slice())) } else { Some(bytes) };
    tar.is_some_and(|tar| tar.iter().all(|byte| *byte == 0))
}

fn beginning(from: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    #[test]
    fn archives_without_entries_are_told_from_others() {
        let home = tempfile::tempdir().unwrap();
        let gzipped = |bytes: &[u8]| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let mut full = vec![0; 10_240];
        full[..5].copy_from_slice(b"a.txt");
        for (name, bytes, is_empty) in [
            ("a.tar", vec![0; 10_240], true),
            ("b.tar.gz", gzipped(&[0; 10_240]), true),
            ("c.zip", b"PK\x05\x06\0\0".to_vec(), true),
            ("d.TGZ", Vec::new(), true),
            ("e.tar", full.clone(), false),
            ("f.tar.gz", gzipped(&full), false),
            ("g.zip", b"PK\x03\x04".to_vec(), false),
            ("h.tar.gz", b"\x1f\x8bnot a stream".to_vec(), false),
            ("i.txt", Vec::new(), false),
        ] {
            let path = home.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(is_empty_archive(&path), is_empty, "{name}");
        }
        std::fs::create_dir(home.path().join("j.tar")).unwrap();
        assert!(!is_empty_archive(&home.path().join("j.tar")));
        assert!(!is_empty_archive(&home.path().join("missing.tar")));
    }
}
