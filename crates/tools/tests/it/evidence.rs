//! The evidence store.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use artoo_tools::EvidenceStore;
use proptest::prelude::*;

#[test]
fn the_folder_is_private_and_equal_outputs_are_kept_once() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path().join("run/evidence")).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(store.folder()), 0o700);
    let id = store.put(b"same").unwrap();
    assert_eq!(store.put(b"same").unwrap(), id);
    assert_eq!(id.as_str(), "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5");
    assert_eq!(mode(&store.path(&id)), 0o600);
    assert_eq!(fs::read_dir(store.folder()).unwrap().count(), 1);
}

#[test]
fn an_altered_output_is_noticed_and_mended() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let id = store.put(b"the truth").unwrap();
    fs::write(store.path(&id), "a lie!!!!").unwrap();
    assert_eq!(store.get(&id).unwrap_err().kind(), std::io::ErrorKind::InvalidData);
    fs::write(store.path(&id), "").unwrap();
    store.put(b"the truth").unwrap();
    assert_eq!(store.get(&id).unwrap(), b"the truth");
}

#[test]
fn an_unfinished_writer_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let mut writer = store.writer();
    writer.write_all(&vec![b'x'; 200_000]).unwrap();
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    drop(writer);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is written in whatever pieces, in memory or in a file, the evidence is equal to it.
    #[test]
    fn evidence_equals_the_output(pieces in prop::collection::vec((any::<u8>(), 0usize..60_000), 0..6), limit in 0usize..500) {
        let root = tempfile::tempdir().unwrap();
        let store = EvidenceStore::open(root.path()).unwrap();
        let mut writer = store.writer();
        let mut whole = Vec::new();
        for (byte, length) in pieces {
            let piece = vec![byte; length];
            writer.write_all(&piece).unwrap();
            whole.extend(piece);
        }
        let record = writer.finish(limit, whole.len() as u64).unwrap();
        prop_assert_eq!((record.bytes, record.dropped_bytes), (whole.len() as u64, 0));
        let kept = record.evidence.map(|id| store.get(&id).unwrap()).unwrap_or_default();
        prop_assert_eq!(kept, whole);
    }
}
