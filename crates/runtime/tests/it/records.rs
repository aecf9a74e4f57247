//! Reading recorded runs: intact ones, damaged ones, and foreign entries in the folder.

use std::{fs, path::PathBuf, sync::Arc};

use artoo_llm_client::doubles::{Answer, Expect, ScriptedModel};
use artoo_runtime::{
    journal::{self, FILE_NAME},
    runs::{self, RunsError},
};
use artoo_types::TerminalState;
use proptest::prelude::*;

use crate::fixture::{House, Seen, question, say};

async fn counted(house: &House) -> Seen {
    let model = Arc::new(
        ScriptedModel::new()
            .always(Expect::purpose("planner"), Answer::json(question("Count")))
            .always(Expect::purpose("executor"), Answer::json(say("1"))),
    );
    let artoo = house.quiet(&model).build().unwrap();
    let seen = house.run(&artoo, "Count").await;
    artoo.close().await;
    seen
}

/// The bytes of an intact journal.
fn bytes() -> Vec<u8> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let house = House::new();
        fs::read(counted(&house).await.folder.join(FILE_NAME)).unwrap()
    })
}

fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// The folder holds requests, outputs and files of a person: no other user of the machine may list or read
/// them.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn the_folder_of_a_run_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let house = House::new();
    let folder = counted(&house).await.folder;
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let runs = folder.parent().unwrap();
    for (path, expected) in [
        (runs.to_owned(), 0o700),
        (folder.clone(), 0o700),
        (folder.join("evidence"), 0o700),
        (folder.join(FILE_NAME), 0o600),
    ] {
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

#[test]
fn what_is_cut_edited_or_missing_is_reported_and_the_rest_is_kept() {
    let whole = bytes();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let check = |bytes: Vec<u8>, kept: usize, line: u64, reason: &str| {
        let (_folder, path) = file(&bytes);
        let read = journal::read(&path).unwrap();
        let damage = read.damage.unwrap();
        assert_eq!((read.envelopes.len(), damage.line), (kept, line), "{damage}");
        assert!(damage.reason.contains(reason), "{damage}");
    };
    let last = lines.len() as u64;
    check(whole[..whole.len() - 1].to_vec(), lines.len() - 1, last, "cut short");
    check([lines[0], lines[2]].concat(), 1, 2, "message 3 stands where 2 belongs");
    check([lines[0], lines[0]].concat(), 1, 2, "message 1 stands where 2 belongs");
    check([lines[1]].concat(), 0, 1, "message 2 stands where 1 belongs");
    check([lines[0], b"{}\n".as_slice(), lines[2]].concat(), 1, 2, "missing field");
    let foreign = String::from_utf8(lines[1].to_vec()).unwrap();
    let run_id = foreign.split('"').nth(5).unwrap().to_owned();
    let foreign = foreign.replace(&run_id, "00000000-0000-0000-0000-000000000001");
    check([lines[0], foreign.as_bytes()].concat(), 1, 2, "belongs to run 00000000");
    let (_folder, path) = file(b"");
    assert_eq!(journal::read(&path).unwrap().envelopes, []);
    assert!(journal::read(&path.with_extension("none")).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_bytes_do_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (_folder, path) = file(&bytes);
        let read = journal::read(&path).unwrap();
        prop_assert!(read.envelopes.is_empty());
        prop_assert_eq!(read.damage.is_none(), bytes.is_empty());
    }
}

#[test]
fn any_one_changed_byte_leaves_a_whole_beginning() {
    let whole = bytes();
    let (_folder, path) = file(&whole);
    let expected = journal::read(&path).unwrap().envelopes;
    proptest!(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }, |(at in 0..whole.len(), byte: u8)| {
        let mut bytes = whole.clone();
        bytes[at] = byte;
        fs::write(&path, &bytes).unwrap();
        let read = journal::read(&path).unwrap();
        let line = whole[..at].iter().filter(|byte| **byte == b'\n').count();
        prop_assert_eq!(&read.envelopes[..line.min(read.envelopes.len())], &expected[..line]);
        prop_assert!(read.damage.is_some() || read.envelopes.len() == expected.len());
    });
}

#[tokio::test(start_paused = true)]
async fn damaged_runs_are_listed_and_foreign_folders_are_not() {
    let house = House::new();
    let (whole, cut, gone) = (counted(&house).await, counted(&house).await, counted(&house).await);
    let path = cut.folder.join(FILE_NAME);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() / 2]).unwrap();
    fs::remove_file(gone.folder.join(FILE_NAME)).unwrap();
    let folder = runs::folder(&house.data_folder());
    for name in ["notes", "00000000000000000000000000000001", "{00000000-0000-0000-0000-000000000001}"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::write(folder.join("00000000-0000-0000-0000-000000000002"), "a file").unwrap();
    let listed = runs::list(&house.data_folder()).unwrap();
    let found: Vec<_> = listed.iter().map(|run| (run.run_id, run.finished, run.damage.is_some())).collect();
    let id = |seen: &Seen| seen.result.run_id;
    assert_eq!(found, [(id(&gone), false, true), (id(&cut), false, true), (id(&whole), true, false)]);
    assert_eq!((listed[2].directive, listed[2].exit_code), (Some(TerminalState::Accept), Some(0)));
    assert_eq!((listed[2].request.as_str(), listed[1].request.as_str()), ("Count", "Count"));
}

#[tokio::test(start_paused = true)]
async fn runs_are_found_by_either_end_of_their_id() {
    let house = House::new();
    assert!(runs::list(&house.data_folder()).unwrap().is_empty(), "no data folder, no runs");
    let (one, two) = (counted(&house).await, counted(&house).await);
    let data = house.data_folder();
    let id = one.result.run_id.to_string();
    assert_eq!(runs::find(&data, &id).unwrap(), one.folder);
    assert_eq!(runs::find(&data, &id[24..].to_uppercase()).unwrap(), one.folder);
    assert_eq!(runs::find(&data, &two.result.run_id.to_string()[28..]).unwrap(), two.folder);
    let common = runs::find(&data, "0").unwrap_err();
    assert!(matches!(common, RunsError::Ambiguous { count: 2, .. }), "{common}");
    for part in ["", "zzz", "../"] {
        assert!(matches!(runs::find(&data, part).unwrap_err(), RunsError::Unknown { .. }));
    }
}
