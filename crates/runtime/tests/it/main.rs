//! Whole runs: every role, over the bus, with a scripted model and real tools; and the runtime's pure parts
//! alone.
#![cfg(test)]

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
mod defects;
mod dispatch;
mod doubles;
mod dreaming;
mod endings;
mod events;
mod exit_codes;
mod explain;
mod faults;
mod fixture;
mod injected;
mod instructions;
mod left_running;
mod lessons;
mod liars;
mod lies;
mod no_shortcut;
mod noting;
mod plans;
mod property;
mod recomputed;
mod records;
mod remembering;
mod replaying;
mod requests;
mod resource_limits;
mod restarts;
mod resuming;
mod scripted_plans;
mod sessions;
mod success;
mod undoing;
mod watch;

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
