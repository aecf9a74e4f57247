//! Measuring part of `cargo xtask bench`: artoo and a hand-written loop against the same mock server.
//!
//! `orchestration measure ROUNDS` prints one JSON array of rows; `orchestration part shell|process|throughput|effects ROUNDS` runs one of
//! the measurements alone, for a profiler; `orchestration process ROUNDS FLOOR ARTOO` measures the two programs as a person starts them,
//! `orchestration counts FLOOR ARTOO` counts their system calls; `orchestration serve MILLISECONDS` is the mock server.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the rows are its output")]

mod counts;
mod effects;
mod first_message;
#[path = "../floor/task.rs"]
mod floor;
mod job;
mod measure;
mod ours;
mod programs;
mod project;
mod scripted;
mod server;
mod stats;

use std::{path::Path, time::Duration};

use floor::Failure;

fn main() -> std::process::ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(run())) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("orchestration: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", latency] => server::serve(Duration::from_millis(latency.parse()?)).await,
        ["part", part, rounds] => measure_part(part, rounds.parse()?).await,
        ["measure", rounds] => measure_all(rounds.parse()?).await,
        ["process", rounds, floor, artoo] => {
            let place = place()?;
            ours::folders(place.path())?;
            let programs = (Path::new(floor), Path::new(artoo));
            print_rows(&measure::from_outside(rounds.parse()?, programs, place.path()).await?)
        }
        ["counts", floor, artoo] => print_rows(&counts::counted(Path::new(floor), Path::new(artoo)).await?),
        _ => Err("usage: orchestration measure ROUNDS | process ROUNDS FLOOR ARTOO | counts FLOOR ARTOO | \
                  part PART ROUNDS | serve MILLISECONDS"
            .into()),
    }
}

/// One of the measurements, for a profiler.
async fn measure_part(part: &str, rounds: u32) -> Result<(), Failure> {
    let place = place()?;
    ours::folders(place.path())?;
    let rows = match part {
        "shell" => measure::with_shell(rounds, place.path()).await?,
        "process" => vec![measure::in_process(rounds, place.path()).await?],
        "effects" => vec![effects::classified(rounds, place.path())?],
        "throughput" => vec![measure::throughput(rounds, place.path()).await?],
        other => return Err(format!("no such part: {other}").into()),
    };
    print_rows(&rows)
}

async fn measure_all(rounds: u32) -> Result<(), Failure> {
    let place = place()?;
    ours::folders(place.path())?;
    let mut rows = measure::with_shell(rounds, place.path()).await?;
    rows.push(measure::in_process(rounds, place.path()).await?);
    rows.push(effects::classified(rounds, place.path())?);
    rows.push(measure::throughput(rounds, place.path()).await?);
    print_rows(&rows)
}

/// A folder for homes and data, in no repository. A home below `/tmp` would be what nobody has: each command changes what lies
/// in `/tmp`, and folders around a home are listed for each command when they have changed.
fn place() -> std::io::Result<tempfile::TempDir> {
    tempfile::tempdir_in("/var/tmp")
}

/// Prints rows as one line of JSON.
fn print_rows(rows: &[xtask::bench::Row]) -> Result<(), Failure> {
    print(&serde_json::to_string(rows)?);
    Ok(())
}

/// Prints one line.
fn print(line: &str) {
    println!("{line}");
}
