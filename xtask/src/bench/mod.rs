//! Benchmarks of everything except the model: artoo compared with a hand-written loop that does the same job,
//! in the same run.
//!
//! The example `orchestration` does the measuring, the example `terminal` that of the conversation, and the
//! sandbox's own examples `preview_speed` and `snapshot_speed` that of the sandbox; the floor is the example
//! `floor`. This module builds them and turns their figures into a document. A missed goal is printed as
//! missed.

mod conversation;
mod counts;
mod process;
mod record;
mod section;
pub mod stats;
mod table;

use std::path::Path;

pub use counts::Counts;
pub use table::{Goal, Row};

use crate::{
    Error, Result,
    cli::{self, BenchPart},
    command::{Program, cargo},
    files, machine,
    terminal::{say, step},
    verify::{self, Build},
};

/// A folder in memory.
const IN_MEMORY: &str = "/dev/shm";

/// `cargo xtask bench`.
///
/// # Errors
/// A build or a measurement fails. A missed goal is a row of the table, not an error.
pub fn run(options: &cli::Bench) -> Result<()> {
    if options.check {
        return process::check(options);
    }
    let out = files::root().join(&options.out);
    let document = match options.only {
        Some(BenchPart::Conversation) => section::replaced(&before(&out)?, &conversation::section(options)?),
        Some(BenchPart::Process) => with_process(before(&out)?, options)?,
        None => whole(options)?,
    };
    files::write(out, &document)?;
    say(document);
    Ok(())
}

/// Runs programs of the bench for a moment, in the build of the tests. They are scripts of whole runs, which nothing else would find
/// out of date.
///
/// # Errors
/// One does not do its work.
pub fn try_parts() -> Result<()> {
    let parts: [(&str, &[&str]); 6] = [
        ("orchestration", &["part", "shell", "1"]),
        ("orchestration", &["part", "process", "1"]),
        ("overhead", &["1"]),
        ("throughput", &["1", "200"]),
        ("preview_speed", &["1"]),
        ("snapshot_speed", &["1"]),
    ];
    parts.into_iter().try_for_each(|(example, arguments)| {
        Program::new(verify::tested(example)?, arguments.iter().copied()).text().map(drop)
    })
}

/// The document as it is; empty if there is none.
fn before(out: &Path) -> Result<String> {
    if out.exists() { files::read(out) } else { Ok(String::new()) }
}

/// The document with new figures of the process, which go on record, too.
fn with_process(document: String, options: &cli::Bench) -> Result<String> {
    let process::Measured { figures, counts } = process::measured(options)?;
    record::update(&figures, &counts)?;
    let mut document = document;
    if !figures.is_empty() {
        document = section::replaced(&document, &process::section(options, &figures));
    }
    if !counts.is_empty() {
        document = section::replaced(&document, &process::counts_section(&counts));
    }
    Ok(document)
}

/// All parts.
fn whole(options: &cli::Bench) -> Result<String> {
    // First, since that is what a person has: a process for a request.
    let process = process::measured(options)?;
    let counted = process::measured(&cli::Bench { tested: true, ..options.clone() })?;
    record::update(&process.figures, &counted.counts)?;
    let orchestration = step("build the bench", || verify::example("orchestration", Build::Release))?;
    let printed =
        step("measure", || Program::new(orchestration, ["measure", rounds(options).as_str()]).text())?;
    let mut table = rows(&printed)?;
    for (what, example) in [("measure the sandbox", "preview_speed"), ("measure snapshots", "snapshot_speed")]
    {
        let printed = step(what, || {
            let run = cargo(["run", "--release", "--quiet", "--package=artoo-sandbox", "--example", example]);
            run.args(["--", rounds(options).as_str()]).text()
        })?;
        table.extend(rows(&printed)?);
    }
    let bus = step("measure the bus", || {
        cargo(["run", "--release", "--quiet", "--package=artoo-bus", "--example=throughput"]).text()
    })?;
    let runs = step("measure runs whose model answers at once", || overhead(None))?;
    let memory = Some(Path::new(IN_MEMORY)).filter(|folder| folder.is_dir());
    let in_memory = memory
        .map(|folder| step("measure the same with the data in memory", || overhead(Some(folder))))
        .transpose()?;
    let conditions = table::Conditions {
        date: chrono::Local::now().format("%Y-%m-%d").to_string(),
        machine: machine::description(),
        command: format!("cargo xtask bench --rounds {}", options.rounds),
        rounds: options.rounds,
    };
    let process = [process::section(options, &process.figures), process::counts_section(&counted.counts)];
    let mut document = table::document(&conditions, &process, &table, (&runs, in_memory.as_deref()), &bus);
    document.push_str(&step("measure memory", memory_on_disk)?);
    Ok(section::replaced(&document, &conversation::section(options)?))
}

fn overhead(folder: Option<&Path>) -> Result<String> {
    let run = cargo(["run", "--release", "--quiet", "--package=artoo-runtime", "--example=overhead"]);
    match folder {
        Some(folder) => run.env("TMPDIR", folder).text(),
        None => run.text(),
    }
}

/// The parts of the persistent memory compared with plain engines, and a memory of a million Megrams.
fn memory_on_disk() -> Result<String> {
    let mut text = "\n## Memory\n".to_owned();
    for (example, about) in [
        (
            "engines",
            "Writing, synced, and reading a pair, beside plain engines in the same run; a ratio below 1 is faster than fjall.",
        ),
        ("open_million", "A memory of a million Megrams: opening it, questions, and a pass of the Dreamer."),
    ] {
        let run =
            cargo(["run", "--release", "--quiet", "--package=artoo-memory-store", "--example", example]);
        text.push_str(&format!("\n{about}\n\n```\n{}\n```\n", run.text()?.trim()));
    }
    Ok(text)
}

fn rounds(options: &cli::Bench) -> String {
    options.rounds.to_string()
}

fn rows(printed: &str) -> Result<Vec<Row>> {
    serde_json::from_str(printed.trim())
        .map_err(|error| Error::Other(format!("the bench printed something else than rows: {error}")))
}
