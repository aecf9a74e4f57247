//! Integration tests of R2: drafts, rules, replans, prompts, and the actor on a real bus.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod actor;
mod capable_model;
mod compile;
mod conformance;
mod fixtures;
mod plans;
mod prompts;
mod recalled;
mod replan;
mod short;
mod validate;

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
