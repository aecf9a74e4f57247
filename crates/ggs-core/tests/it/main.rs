//! The controller through its public interface: its table, its order of decisions, its memory of a run and
//! its laws.

mod blocked;
mod distance;
#[cfg(test)]
mod fixtures;
mod order;
mod parameters;
#[cfg(test)] // tells clippy that the functions beside the tests are tests too; so below
mod properties;
mod replay;
#[cfg(test)]
mod table;

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
