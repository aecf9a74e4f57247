//! End-to-end tests: the real binary, with a cleared environment, against a mock server.

#![cfg(test)] // so that clippy.toml's allowances for tests hold for what the tests share, too

mod acp;
mod approval;
mod approval_changes;
mod bad_server;
mod budgets;
mod canary;
mod choose_model;
mod chroot;
mod completion;
mod controller;
mod day;
mod deletion;
mod detached;
mod download;
mod dreaming;
mod elsewhere;
mod ends;
mod escapes;
mod examples;
mod file_permissions;
mod first_run;
mod fixture;
mod guide;
mod instructions;
mod interrupt;
mod json_lines;
mod json_rpc;
mod logging;
mod mcp_server;
mod memory;
mod mock_model;
mod output_schema;
mod packaging;
mod paged;
mod plan_approval;
mod policy;
mod process;
mod records;
mod rejected;
mod repl;
mod requests;
mod sandbox;
mod screen;
mod servers;
mod setup;
mod surroundings;
mod undo;
mod usage;
mod vanished_folder;

/// A file that is not listed here would never be compiled.
#[test]
fn every_file_is_a_module() {
    let source = include_str!("main.rs");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_some_and(|extension| extension == "rs") && name != "main" {
            assert!(source.contains(&format!("mod {name};")), "{name} is not a module of the tests");
        }
    }
}
