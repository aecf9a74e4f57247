//! The evidence store.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use artoo_redaction::Redactor;
use artoo_tools::EvidenceStore;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

#[test]
fn the_folder_is_private_and_equal_outputs_are_kept_once() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path().join("run/evidence")).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(store.folder()), 0o700);
    let id = store.put(b"same").unwrap();
    assert_eq!(store.put(b"same").unwrap(), id);
    assert_eq!(id.as_str(), "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5");
    assert_eq!(mode(&archive(&store)), 0o600);
    assert_eq!((names(&store), fs::read_dir(store.folder()).unwrap().count()), (vec![id.to_string()], 1));
    let large = store.put(&[b'x'; 100_000]).unwrap();
    assert_eq!(store.put(&[b'x'; 100_000]).unwrap(), large);
    assert_eq!(mode(&store.folder().join(large.as_str())), 0o600);
    assert_eq!((names(&store).len(), fs::read_dir(store.folder()).unwrap().count()), (1, 2));
}

fn archive(store: &EvidenceStore) -> PathBuf {
    store.folder().join("outputs.tar")
}

/// The names that any tar finds in the archive; each entry matches its name.
fn names(store: &EvidenceStore) -> Vec<String> {
    let mut read = tar::Archive::new(fs::File::open(archive(store)).unwrap());
    let entry = |entry: std::io::Result<tar::Entry<'_, fs::File>>| {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        assert_eq!(hex::encode(Sha256::digest(&bytes)), name);
        name
    };
    read.entries().unwrap().map(entry).collect()
}

#[test]
fn an_altered_output_is_noticed_and_mended() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let id = store.put(b"the truth").unwrap();
    let lie =
        String::from_utf8(fs::read(archive(&store)).unwrap()).unwrap().replace("the truth", "a lie!!!!");
    fs::write(archive(&store), lie).unwrap();
    for reader in [&store, &EvidenceStore::open(root.path()).unwrap()] {
        assert_eq!(reader.get(&id).unwrap_err().kind(), ErrorKind::InvalidData);
    }
    store.put(b"the truth").unwrap();
    assert_eq!(store.get(&id).unwrap(), b"the truth");
    fs::write(archive(&store), "").unwrap();
    assert_eq!(store.get(&id).unwrap_err().kind(), ErrorKind::NotFound);
    store.put(b"the truth").unwrap();
    assert_eq!(EvidenceStore::open(root.path()).unwrap().get(&id).unwrap(), b"the truth");

    let large = store.put(&[b'x'; 100_000]).unwrap();
    fs::write(store.folder().join(large.as_str()), vec![b'y'; 100_000]).unwrap();
    assert_eq!(store.get(&large).unwrap_err().kind(), ErrorKind::InvalidData);
    fs::write(store.folder().join(large.as_str()), "").unwrap();
    store.put(&[b'x'; 100_000]).unwrap();
    assert_eq!(store.get(&large).unwrap(), [b'x'; 100_000]);
}

/// Wherever a writer was killed: the earlier outputs are there, its own is not, and the next one overwrites
/// it.
#[test]
fn an_archive_that_ends_anywhere_is_gone_on_with() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let texts = ["first", &"second ".repeat(100), "third"];
    let ids = texts.map(|text| store.put(text.as_bytes()).unwrap());
    let whole = fs::read(archive(&store)).unwrap();
    for length in 0..whole.len() {
        fs::write(archive(&store), &whole[..length]).unwrap();
        let later = EvidenceStore::open(root.path()).unwrap();
        let there = [1024, 1024 + 512 + 1024, usize::MAX].map(|end| length >= end);
        for ((id, text), there) in ids.iter().zip(texts).zip(there) {
            assert_eq!(later.get(id).ok(), there.then(|| text.as_bytes().to_vec()), "cut at {length}");
        }
        let next = later.put(b"next").unwrap();
        let reopened = EvidenceStore::open(root.path()).unwrap();
        assert_eq!(reopened.get(&next).unwrap(), b"next");
        assert_eq!(names(&reopened).len(), 1 + there.iter().filter(|there| **there).count());
    }
}

#[test]
fn an_unfinished_writer_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let mut writer = store.writer();
    writer.write_all(&vec![b'x'; 200_000]).unwrap();
    // An unnamed file, so that a crash leaves nothing either.
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    drop(writer);
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the archive file contains: nothing is returned that does not match its name, and outputs are
    /// still stored.
    #[test]
    fn an_archive_of_anything_is_no_evidence(at in 0usize..2_000, noise in prop::collection::vec(any::<u8>(), 0..700)) {
        let root = tempfile::tempdir().unwrap();
        let store = EvidenceStore::open(root.path()).unwrap();
        let outputs = [&b"first"[..], &[b'2'; 600]];
        let ids = outputs.map(|bytes| store.put(bytes).unwrap());
        let mut bytes = fs::read(archive(&store)).unwrap();
        bytes.resize(bytes.len().max(at + noise.len()), 0);
        bytes[at..at + noise.len()].copy_from_slice(&noise);
        fs::write(archive(&store), bytes).unwrap();
        let later = EvidenceStore::open(root.path()).unwrap();
        for (id, output) in ids.iter().zip(outputs) {
            prop_assert!(later.get(id).map_or(true, |kept| kept == output));
        }
        let next = later.put(b"next").unwrap();
        prop_assert_eq!(later.get(&next).unwrap(), b"next");
        prop_assert_eq!(EvidenceStore::open(root.path()).unwrap().get(&next).unwrap(), b"next");
    }

    /// For any pieces, in memory or in a file, the evidence equals what was written.
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

const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ";

fn on_disk(store: &EvidenceStore) -> Vec<String> {
    let entries = fs::read_dir(store.folder()).unwrap();
    entries
        .map(|entry| String::from_utf8_lossy(&fs::read(entry.unwrap().path()).unwrap()).into_owned())
        .collect()
}

/// Decisions see the original; the disk does not have it.
#[test]
fn a_secret_is_given_back_and_never_written() {
    let root = tempfile::tempdir().unwrap();
    let store =
        EvidenceStore::open(root.path()).unwrap().redacting(Redactor::new().secret("hunter2-hunter2"));
    let filling = "all is well\n".repeat(20_000);
    for text in [
        format!("a {KEY} b\n"),
        "said hunter2-hunter2 twice".to_owned(),
        format!("{filling}{KEY}\n{filling}"),
    ] {
        let mut writer = store.writer();
        text.as_bytes().chunks(7_001).for_each(|piece| writer.write_all(piece).unwrap());
        let record = writer.finish(2_400, text.len() as u64).unwrap();
        assert_eq!(record.bytes, text.len() as u64);
        assert!(record.shown == text || text.len() > 2_400, "a prompt shows the truth");
        let id = record.evidence.unwrap();
        assert_eq!(store.get(&id).unwrap(), text.as_bytes());
        // After reopening there is only what was written.
        let later = EvidenceStore::open(root.path()).unwrap().get(&id).unwrap();
        let later = String::from_utf8(later).unwrap();
        assert!(
            later.contains("[redacted: ") && !later.contains(KEY) && !later.contains("hunter2"),
            "{later}"
        );
    }
    assert!(on_disk(&store).iter().all(|text| !text.contains(KEY) && !text.contains("hunter2")));
}

#[test]
fn outputs_that_differ_in_their_secrets_alone_are_told_apart() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let other = KEY.replace("ghp_0", "ghp_9");
    let plain = "key: [redacted: api key]";
    let texts = [format!("key: {KEY}"), format!("key: {other}"), plain.to_owned()];
    // In both orders: a later output is not mistaken for an earlier one.
    for order in [[0, 1, 2], [2, 1, 0]] {
        let ids = order.map(|at: usize| store.put(texts[at].as_bytes()).unwrap());
        for (id, at) in ids.iter().zip(order) {
            assert_eq!(store.get(id).unwrap(), texts[at].as_bytes());
        }
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    }
    assert_eq!(names(&store).len(), 3);
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let first = store.put(plain.as_bytes()).unwrap();
    let second = store.put(texts[0].as_bytes()).unwrap();
    assert_eq!(
        (store.get(&first).unwrap(), store.get(&second).unwrap()),
        (plain.into(), texts[0].clone().into_bytes())
    );
}

/// An output too large to be held in memory is available redacted.
#[test]
fn an_output_that_is_too_much_to_be_held_is_there_without_its_secrets() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let large = format!("{KEY}\n{}", "x".repeat(33 * 1024 * 1024));
    let id = store.put(large.as_bytes()).unwrap();
    assert!(store.get(&id).unwrap().starts_with(b"[redacted: api key]\nx"));
}
