//! Whole runs: every role, over the bus, with a scripted model and real tools; and the runtime's pure parts
//! alone.
#![cfg(test)]

mod accept;
mod ancestor;
mod approving;
mod asking;
mod auditing;
mod budgets;
mod canary;
mod cancel;
mod commands;
mod consent;
mod controlled;
mod course;
mod defects;
mod direct;
mod dispatch;
mod doubles;
mod dreaming;
mod endings;
mod events;
mod exit_codes;
mod explain;
mod faults;
mod house;
mod injected;
mod instructions;
mod left_running;
mod lessons;
mod liars;
mod lies;
mod noting;
mod plans;
mod property;
mod recomputed;
mod records;
mod remembering;
mod replaying;
mod requests;
mod restarts;
mod resuming;
mod sessions;
mod trouble;
mod undoing;
mod watch;

/// The example of the README is run, not only compiled.
#[path = "../../examples/embed.rs"]
mod embed;

#[test]
fn the_example_that_embeds_artoo_runs() {
    embed::main().unwrap();
}

/// So is the example that the pages of the roles refer to.
#[path = "../../examples/foreign_judge.rs"]
mod foreign_judge;

#[test]
fn the_example_that_swaps_a_role_runs() {
    foreign_judge::main().unwrap();
    let lines = include_str!("../../examples/foreign_judge.rs").lines().count();
    assert!(lines < 100, "it is to show how little it takes");
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
