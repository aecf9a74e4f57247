//! A simulated person at a terminal with the real program: measures the conversation for `cargo xtask bench`,
//! and records it for `cargo xtask screencast`.
//!
//! `terminal measure ROUNDS ARTOO` prints one JSON array of rows;
//! `terminal part start|keys|turns ROUNDS ARTOO` runs one of the measurements alone; `terminal play letters ARTOO`
//! and `terminal play developer ARTOO [-v]` print a recording as JSON.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "rows and recordings are its output")]

mod camera;
mod developer;
mod keys;
mod model;
mod play;
mod scene;
mod screen;
mod start;
mod talk;
mod turns;

use std::path::Path;

use xtask::bench::Row;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(printed) => {
            println!("{printed}");
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("terminal: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// The text to print.
fn run(arguments: &[&str]) -> Result<String, Failure> {
    Ok(match arguments {
        ["measure", rounds, artoo] => {
            let mut rows = Vec::new();
            for part in ["start", "keys", "turns"] {
                rows.extend(measured(part, rounds.parse()?, Path::new(artoo))?);
            }
            serde_json::to_string(&rows)?
        }
        ["part", part, rounds, artoo] => {
            serde_json::to_string_pretty(&measured(part, rounds.parse()?, Path::new(artoo))?)?
        }
        ["play", "letters", artoo] => serde_json::to_string(&play::recorded(Path::new(artoo))?)?,
        ["play", "developer", artoo, options @ ..] => {
            serde_json::to_string(&developer::recorded(Path::new(artoo), options)?)?
        }
        _ => {
            return Err("usage: terminal measure ROUNDS ARTOO | part PART ROUNDS ARTOO | play letters ARTOO | play developer ARTOO [-v]".into());
        }
    })
}

fn measured(part: &str, rounds: u32, artoo: &Path) -> Result<Vec<Row>, Failure> {
    match part {
        "start" => start::measured(rounds, artoo),
        "keys" => keys::measured(rounds, artoo),
        "turns" => turns::measured(artoo),
        other => Err(format!("no such part: {other}").into()),
    }
}
