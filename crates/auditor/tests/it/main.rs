//! Integration tests of the auditor.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod anomalies;
mod canary;
mod fixtures;
mod follow;
mod hostile;
mod laws;
mod log;
mod reports;
mod restart;
mod role;
mod scene;
mod verify;
mod writer;

/// A file that no `mod` names is no part of the binary, and none of its tests run.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = names.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let forgotten: Vec<_> = files
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|stem| stem != "main" && !include_str!("main.rs").contains(&format!("\nmod {stem};")))
        .collect();
    assert_eq!(forgotten, Vec::<String>::new());
}
