//! Integration tests of R4b: fan-in, model requests, and the actor on a real bus.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod actor;
mod answers;
mod fixtures;
mod judges;
mod prompts;

#[test]
fn no_file_of_the_folder_is_forgotten() {
    for entry in std::fs::read_dir(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")).unwrap()
    {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = format!("mod {};", name.trim_end_matches(".rs"));
        let known = name == "main.rs" || name == "snapshots" || include_str!("main.rs").contains(&module);
        assert!(known, "main.rs lacks `{module}`");
    }
}
