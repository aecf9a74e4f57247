//! The evaluation seen from outside.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod by_hand;

/// A new file here must be part of the binary.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["by_hand.rs", "main.rs"]);
}
