//! The development suite: requests over a sample home, graded by code.
//!
//! A grader never holds an answer. It computes the truth from the files, before the run, and judges what the run delivered: the words,
//! the created files, and that nothing else was changed. What cannot be read as a right answer is wrong, so that the number of
//! wrong claims is not too small. Two things are beyond code: whether a summary is good, and which of two numbers answers which of two
//! questions. An evaluation is kept as data, and a later one is compared with it.

mod answer;
pub(crate) mod csv;
mod grade;
pub(crate) mod outcome;
pub(crate) mod results;
pub(crate) mod session;
mod sums;
mod table;
pub(crate) mod task;
pub(crate) mod truth;

use std::{
    fs,
    path::{Path, PathBuf},
};

use results::{Conditions, Evaluation};

use crate::{
    Error, Result, cli,
    command::Program,
    files, machine,
    terminal::{say, step},
    verify::{self, Build},
};

/// `cargo xtask eval`.
///
/// # Errors
/// The binary, its model or the baseline cannot be had, or a task is not well formed. A wrong answer is a row of the table, not an
/// error.
pub fn run(options: &cli::Eval) -> Result<()> {
    let tasks = task::load(&files::root().join("fixtures/tasks"), &options.only)?;
    // First, and once: the data of this evaluation may be written over it.
    let baseline = options.baseline.as_deref().map(Evaluation::read).transpose()?;
    let artoo = match &options.binary {
        Some(binary) => fs::canonicalize(binary).map_err(Error::file("find", binary))?,
        None => step("build artoo", || verify::artoo(Build::Release))?,
    };
    let place =
        files::root().join("target/eval").join(chrono::Local::now().format("%Y%m%d-%H%M%S").to_string());
    let data = place.join("data");
    let model = prepare(&artoo, &data, &options.artoo)?;
    let mut bounded = vec!["--timeout".to_owned(), options.timeout.clone()];
    bounded.extend(options.artoo.iter().cloned());
    let bench = session::Bench { artoo, options: bounded, data, environment: Vec::new() };
    let conditions = Conditions {
        date: chrono::Local::now().format("%Y-%m-%d").to_string(),
        machine: machine::description(),
        model,
        command: command_line(options),
        planned: tasks.len() * usize::try_from(options.repeat).unwrap_or(usize::MAX),
    };
    let table = files::root().join(&options.out);
    let mut evaluation = match options.resume.then(|| table.with_extension("json")) {
        Some(data) if data.exists() => Evaluation::read(&data)?.resumed(&conditions)?,
        _ => Evaluation::new(conditions),
    };
    let keep = |evaluation: &Evaluation| -> Result<()> {
        files::write(&table, table::document(evaluation, baseline.as_ref()))?;
        data_files(&table, &place).into_iter().try_for_each(|data| evaluation.write(data))
    };
    for round in 1..=options.repeat {
        for task in &tasks {
            if evaluation.runs_of(&task.id) >= round {
                continue;
            }
            let run = session::run(&bench, task, &place.join(format!("{}-{round}", task.id)))?;
            let verdict = if run.solved() { "solved" } else { "not solved" };
            let why = run.objections.join("; ");
            say(format!(
                "{:<20} {:<10} {verdict:<10} {:>6.1} s  {why}",
                run.id, run.outcome.directive, run.outcome.seconds
            ));
            evaluation.add(run);
            // After each run, so that a suite that is stopped leaves what it has.
            keep(&evaluation)?;
        }
    }
    // Also where every run was there already, and the table is to be beside another.
    keep(&evaluation)?;
    let sums = sums::Sums::of(&evaluation.runs);
    say(format!(
        "\nsolved {} of {}, claimed as accept but wrong {}: {} decided by checks, {} judged by a model, {} by nobody",
        sums.solved,
        sums.runs,
        sums.wrong(),
        sums.checked.wrong,
        sums.judged.wrong,
        sums.unjudged.wrong
    ));
    say(format!("table: {}; runs: {}", options.out.display(), place.display()));
    Ok(())
}

/// Where the data goes: beside the runs, which are not kept for long, and beside the table, which is.
fn data_files(table: &Path, place: &Path) -> [PathBuf; 2] {
    [place.join(results::FILE), table.with_extension("json")]
}

/// Makes a data folder of its own, so that what earlier runs taught does not change the suite, with the user's models in it. Gives
/// the name of the model.
pub(crate) fn prepare(artoo: &Path, data: &Path, options: &[String]) -> Result<String> {
    fs::create_dir_all(data).map_err(Error::file("create", data))?;
    if let Some(at) = options
        .iter()
        .position(|option| option == "--base-url" || option == "--model" || option == "--replay")
    {
        return Ok(options.get(at..).unwrap_or_default().join(" "));
    }
    step("obtain the embedded model", || Program::new(artoo, ["model", "pull"]).run())?;
    let path = Program::new(artoo, ["model", "path"]).text()?;
    let file = Path::new(path.trim());
    let models = file.parent().unwrap_or(file);
    std::os::unix::fs::symlink(models, data.join("models"))
        .map_err(Error::file("link", data.join("models")))?;
    Ok(file.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

fn command_line(options: &cli::Eval) -> String {
    let mut command = "cargo xtask eval".to_owned();
    options.only.iter().for_each(|id| command.push_str(&format!(" --only {id}")));
    if options.repeat != 1 {
        command.push_str(&format!(" --repeat {}", options.repeat));
    }
    if options.timeout != "10m" {
        command.push_str(&format!(" --timeout {}", options.timeout));
    }
    for (name, path) in [("--baseline", &options.baseline), ("--binary", &options.binary)] {
        if let Some(path) = path {
            command.push_str(&format!(" {name} {}", path.display()));
        }
    }
    if !options.artoo.is_empty() {
        command.push_str(&format!(" -- {}", options.artoo.join(" ")));
    }
    command
}
