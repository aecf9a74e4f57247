//! Calls the tools that read the web as the executor does: through a toolbox, against servers of this machine.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod fetch;
mod fixture;
mod search;
mod server;

/// A new file here must be part of the binary.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["fetches.rs", "main.rs", "pages", "scene.rs", "searches.rs", "server.rs"]);
}
