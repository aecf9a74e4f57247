//! The embedded model and its store, through their public interface. Needs neither the real model nor a
//! network.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking; the lints' exception for tests does not reach the functions that tests share"
)]

mod decoding;
mod files;
mod http;
mod packages;
mod progress;
mod server;
mod tiny;

/// A file that is missing from the list above is a test that never runs.
#[test]
fn every_file_of_this_folder_is_compiled() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let list = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || list.contains(&format!("mod {module};")), "{name} is not in main.rs");
    }
}
