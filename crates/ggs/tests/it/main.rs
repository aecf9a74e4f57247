//! R7 through its public interface: conversions, results, lessons, the order of messages, and the actor on a
//! real bus.

#[cfg(test)] // tells clippy that the functions beside the tests are tests too; so below
mod actor;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod invariants;
#[cfg(test)]
mod lessons;
#[cfg(test)]
mod observe;
#[cfg(test)]
mod results;
#[cfg(test)]
mod role;

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
