//! The wire formats of the vocabulary: golden messages, golden schemas, envelopes, laws.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod envelope;
mod golden;
mod laws;
mod samples;
mod schemas;
mod store;

#[test]
fn no_file_of_the_folder_is_forgotten() {
    for entry in std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")).unwrap()
    {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = format!("mod {};", name.trim_end_matches(".rs"));
        assert!(name == "main.rs" || include_str!("main.rs").contains(&module), "main.rs lacks `{module}`");
    }
}
