//! The case file and the table of who is shown what, through their public interface.

mod case_file;
mod visibility;

/// An undeclared file is a test that never runs.
#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let declared = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || declared.contains(&format!("mod {module};")), "{name} is not declared");
    }
}
