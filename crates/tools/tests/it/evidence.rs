//! The evidence store.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use artoo_redaction::Redactor;
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
    // Without a name, so that a crash leaves nothing either.
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
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

const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ";

fn on_disk(store: &EvidenceStore) -> Vec<String> {
    let entries = fs::read_dir(store.folder()).unwrap();
    entries
        .map(|entry| String::from_utf8_lossy(&fs::read(entry.unwrap().path()).unwrap()).into_owned())
        .collect()
}

/// What decides sees the truth; what stays does not have it.
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
        // Later there is only what was written.
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
    // In both orders: what is written last is not taken for what was written first.
    for order in [[0, 1, 2], [2, 1, 0]] {
        let ids = order.map(|at: usize| store.put(texts[at].as_bytes()).unwrap());
        for (id, at) in ids.iter().zip(order) {
            assert_eq!(store.get(id).unwrap(), texts[at].as_bytes());
        }
        assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    }
    assert_eq!(on_disk(&store).len(), 3);
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let first = store.put(plain.as_bytes()).unwrap();
    let second = store.put(texts[0].as_bytes()).unwrap();
    assert_eq!(
        (store.get(&first).unwrap(), store.get(&second).unwrap()),
        (plain.into(), texts[0].clone().into_bytes())
    );
}

/// As with every other output: only what is more than may be held is gone.
#[test]
fn an_output_that_is_too_much_to_be_held_is_there_without_its_secrets() {
    let root = tempfile::tempdir().unwrap();
    let store = EvidenceStore::open(root.path()).unwrap();
    let large = format!("{KEY}\n{}", "x".repeat(33 * 1024 * 1024));
    let id = store.put(large.as_bytes()).unwrap();
    assert!(store.get(&id).unwrap().starts_with(b"[redacted: api key]\nx"));
}
