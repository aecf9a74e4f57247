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

/// A new file here must be part of the binary.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "canary.rs",
            "following.rs",
            "given.rs",
            "hostile.rs",
            "laws.rs",
            "log.rs",
            "main.rs",
            "reports.rs",
            "restart.rs",
            "role.rs",
            "scene.rs",
            "snapshots",
            "verify.rs",
            "watches.rs",
            "writer.rs"
        ]
    );
}
