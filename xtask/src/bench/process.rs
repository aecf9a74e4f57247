//! Benchmark of one process for one request, as a person starts it: its time, its memory, and what it asks of the kernel.

use super::{Row, record, rounds, rows, table::rows_table};
use crate::{
    Result, cli,
    command::Program,
    machine,
    terminal::{say, step},
    verify::{self, Build},
};

/// Measured figures of the process.
pub(super) struct Measured {
    /// Times and memory; none of a development build, of which they say nothing.
    pub(super) figures: Vec<Row>,
    /// Counts of system calls; none where strace is missing.
    pub(super) counts: Vec<Row>,
}

/// Measures the process: all of a release build or of a given program, the counts alone of the build of the tests.
pub(super) fn measured(options: &cli::Bench) -> Result<Measured> {
    let build = if options.tested { Build::Tested } else { Build::Release };
    let artoo = match &options.binary {
        Some(binary) => binary.clone(),
        None => step("build artoo", || verify::artoo(build))?,
    };
    let program = |name| match (build, &options.binary) {
        (Build::Tested, None) => verify::tested(name),
        (Build::Tested, Some(_)) | (Build::Release | Build::Quickstart, _) => verify::example(name, build),
    };
    let floor = step("build the floor", || program("floor"))?;
    let orchestration = step("build the bench", || program("orchestration"))?;
    let figures = if options.tested {
        Vec::new()
    } else {
        let printed = step("measure the process", || {
            let measure = Program::new(&orchestration, ["process", rounds(options).as_str()]);
            measure.args([&floor, &artoo]).text()
        })?;
        rows(&printed)?
    };
    // Counted of the build of the tests alone, so that one record is compared with one kind of build.
    let counts = if options.tested { counts(&orchestration, &floor, &artoo)? } else { Vec::new() };
    Ok(Measured { figures, counts })
}

fn counts(
    orchestration: &std::path::Path,
    floor: &std::path::Path,
    artoo: &std::path::Path,
) -> Result<Vec<Row>> {
    if !artoo_test_needs::has("strace") {
        return Ok(Vec::new());
    }
    let printed = step("count the system calls of the process", || {
        Program::new(orchestration, ["counts"]).args([floor, artoo]).text()
    })?;
    rows(&printed)
}

/// Compares with what is on record. Only what is worse fails.
///
/// # Errors
/// Something got worse, or is not on record.
pub(super) fn check(options: &cli::Bench) -> Result<()> {
    let recorded = record::read()?;
    let Measured { figures, counts } = measured(options)?;
    let found = [record::compared(&recorded.figures, &figures), record::compared(&recorded.counts, &counts)];
    let worse: Vec<String> = found.into_iter().flatten().collect();
    if worse.is_empty() {
        say(format!(
            "the process costs no more than is on record ({} figures)",
            figures.len() + counts.len()
        ));
        return Ok(());
    }
    Err(crate::Error::Other(format!(
        "the process costs more than `docs/benchmarks.json` has on record; make it cheaper, or say in the change why it may cost more and \
         run `cargo xtask bench --only process`, with `--tested` for counts:\n{}",
        worse.join("\n")
    )))
}

/// The section about times and memory.
pub(super) fn section(options: &cli::Bench, figures: &[Row]) -> String {
    let date = chrono::Local::now().format("%Y-%m-%d %H:%M");
    let program =
        if options.binary.is_some() { "one that was built before" } else { "a release build of this tree" };
    format!(
        "## One process for one request\n\n\
         As a person starts it: `artoo run` and the floor as processes of their own, in turn, each against a server of its own that answers at\n\
         once. Wall time is from the start of the process to its end. Written by `cargo xtask bench --only process --rounds {rounds}`.\n\n\
         - program: {program}\n- date: {date}\n- machine: {machine}\n- load average (minute, 5, 15): {load}\n\n{table}",
        rounds = options.rounds,
        machine = machine::description(),
        load = machine::load(),
        table = rows_table(figures),
    )
}

/// The section about counts.
pub(super) fn counts_section(counts: &[Row]) -> String {
    format!(
        "## What one process asks of the kernel\n\n\
         Counted by strace, of the build of the tests and of everything that it starts; neither the speed of a machine nor other work on it\n\
         changes these figures. `cargo xtask test` compares them with `docs/benchmarks.json`. Calls that wait (for threads, processes and\n\
         descriptors) are left out. Times and memory are not measured here, since a development build says nothing of them:\n\
         `cargo xtask bench --only process` measures them with a release build, in a section of its own. Written by `cargo xtask bench --only process --tested`.\n\n{}",
        rows_table(counts)
    )
}
