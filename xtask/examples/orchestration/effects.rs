//! Measures the time to derive a command's effects, including file system lookups.

use std::{hint::black_box, path::Path, time::Instant};

use artoo_shell_effects::{OnDisk, Place, effects_of};
use xtask::bench::{Goal, Row};

use crate::{Failure, stats};

/// The commands of the tests. None of them is run.
const COMMANDS: &str = include_str!("../../../crates/shell-effects/tests/it/commands.tsv");

/// The classification time of each command in the table: the slowest of a hundred.
pub(crate) fn classified(rounds: u32, folder: &Path) -> Result<Row, Failure> {
    let folder = folder.canonicalize()?;
    let protected = [folder.join(".ssh"), folder.join(".artoo")];
    let place = Place {
        home: &folder,
        working_folder: &folder,
        workspace: &folder,
        protected: &protected,
        paths: &OnDisk,
    };
    let commands: Vec<String> = COMMANDS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.splitn(3, '\t').nth(2))
        .map(|text| text.replace('⏎', "\n"))
        .collect();
    let mut took = Vec::new();
    for _ in 0..rounds.max(1) {
        for command in &commands {
            let started = Instant::now();
            black_box(effects_of(black_box(command), place));
            took.push(stats::ms(started.elapsed()) * 1000.0);
        }
    }
    Ok(Row {
        what: format!("effects of a command, {} commands, p99", commands.len()),
        unit: "us".to_owned(),
        floor: None,
        artoo: stats::quantile(&took, 0.99),
        ratio: None,
        goal: Some(Goal::Under(200.0)),
    })
}
