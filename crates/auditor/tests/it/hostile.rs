//! Tests that hostile files cause no panic.

use std::fs;

use artoo_auditor::{AuditLog, LOG_NAME, Window, report, verify};
use artoo_types::AuditTrigger;
use proptest::prelude::*;

use crate::fixtures::{a_log, append, event, noon};

fn survives(log: &[u8], head: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LOG_NAME);
    fs::write(&path, log).unwrap();
    fs::write(path.with_extension("head"), head).unwrap();
    let _ = verify(&path);
    report(&path, &Window::new(AuditTrigger::OnDemand, Some(noon()), noon())).unwrap();
    let (mut opened, found) = AuditLog::open(folder.path(), noon()).unwrap();
    append(&mut opened, [event(1, 1)]);
    assert!(fs::read(&path).unwrap().starts_with(log), "only ever appended");
    // Either a defect was found, or there was none.
    assert!(!found.is_empty() || log.is_empty() || verify(&path).is_ok());
}

fn json_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"\n"[..]),
        Just(&br#"{"line":1,"at":"2026-03-01T12:00:00+01:00","#[..]),
        Just(&br#""run_id":"00000000-0000-0000-0000-000000000001","seq":18446744073709551615,"#[..]),
        Just(&br#""from":"ggs","kind":"final_result","facts":{"D":1e999},"prev_hash":""}"#[..]),
        Just(&br#""gap":{"reason":"torn_line","bytes":3,"before_hash":""},"prev_hash":""}"#[..]),
        Just(&br#""gap":{"reason":"lagged","run_id":"00000000-0000-0000-0000-000000000001","first_seq":9,"last_seq":0}"#[..]),
        Just(&b"[[[[[[[[[["[..]),
        Just(&b"\xff\xfe\x00"[..]),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_bytes(log in proptest::collection::vec(any::<u8>(), 0..400), head in proptest::collection::vec(any::<u8>(), 0..60)) {
        survives(&log, &head);
    }

    #[test]
    fn almost_lines(log in json_like(), lines in any::<u64>(), bytes in 0_u64..900) {
        let head = format!(r#"{{"lines":{lines},"bytes":{bytes},"hash":""}}"#);
        survives(&log, head.as_bytes());
    }
}

#[test]
fn extremes() {
    survives(&vec![b'['; (1 << 20) + 7], b"");
    survives(
        &[b"{\"line\":1}".repeat(20_000), b"\n".to_vec()].concat(),
        br#"{"lines":1,"bytes":18446744073709551615,"hash":""}"#,
    );
    let folder = tempfile::tempdir().unwrap();
    a_log(folder.path(), 2);
    let good = fs::read(folder.path().join(LOG_NAME)).unwrap();
    survives(&good, br#"{"lines":18446744073709551615,"bytes":0,"hash":""}"#);
    let head = fs::read_to_string(folder.path().join("audit.head")).unwrap();
    survives(&good, head.replace(r#""lines":2"#, r#""lines":18446744073709551615"#).as_bytes());
}
