//! Whole runs: every role, over the bus, with a scripted model and real tools; and the runtime's pure parts alone.
#![cfg(test)]

mod accept;
mod asking;
mod budgets;
mod cancel;
mod dispatch;
mod doubles;
mod endings;
mod events;
mod exit_codes;
mod faults;
mod house;
mod plans;
mod property;
mod records;
mod requests;
mod trouble;
mod watch;

/// The example of the README is run, not only compiled.
#[path = "../../examples/embed.rs"]
mod embed;

#[test]
fn the_example_that_embeds_artoo_runs() {
    embed::main().unwrap();
}

/// A new file here must be part of the binary.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let text = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else { continue };
        assert!(text.contains(&format!("\nmod {module};\n")), "{name} is not in main.rs");
    }
}
