//! R5 on the bus, R5 with failing memories, and the conformance suite.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod actor;
mod answer;
mod conformance;
mod distil;
mod dream;
mod fixtures;

#[test]
fn no_file_of_the_folder_is_forgotten() {
    for entry in std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")).unwrap()
    {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = format!("mod {};", name.trim_end_matches(".rs"));
        assert!(name == "main.rs" || include_str!("main.rs").contains(&module), "main.rs lacks `{module}`");
    }
}
