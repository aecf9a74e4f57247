//! Professional tasks, played by hand: artoo's results with an excellent model, and their cost compared with
//! a plain tool-calling loop.
//!
//! Each task has a generated home, a request as a person would type it, its grants, and a grader in code. The
//! model is played by hand, only from its prompts, and its answers are kept as a cassette. A replay repeats
//! the same runs without a model, with the current artoo: real tools, real files, real judges, and the
//! recorded answers.

mod home;
mod plain;
mod results;
mod run;
mod table;
mod task;
mod tasks;

use std::{fs, path::PathBuf};

use results::{Games, Played};
use run::{Bench, Source};
use task::Task;

use crate::{
    Error, Result,
    by_hand::Folder,
    cli,
    command::cargo,
    files, machine,
    terminal::{data, say, step},
    verify::{self, Build},
};

/// The path of the document; the data beside it, as .json.
const TABLE: &str = "docs/professional.md";

/// Continues a game: runs the task until a question has no answer, or to its end.
///
/// # Errors
/// The task does not exist, or a program is unavailable.
pub fn play(options: &cli::Eval) -> Result<()> {
    let Some(questions) = &options.questions else {
        return Err(Error::Other("--model by-hand needs --questions FOLDER".to_owned()));
    };
    let task = only(options)?;
    let bench = bench(options.binary.as_ref())?;
    let folder = Folder::at(questions);
    if options.sabotaged {
        let wrong =
            task.sabotage.ok_or_else(|| Error::Other(format!("{} has no sabotaged game", task.name)))?;
        data(format!("what is done wrong: {wrong}"));
    }
    if folder.open()?.is_empty() {
        let played = bench.run(&task, Source::Folder(questions), options.sabotaged)?;
        if folder.open()?.is_empty() {
            let cassette = cassette(&task, options.sabotaged);
            folder.read()?.write(&cassette)?;
            say(format!("the run has ended ({}); kept as {}", played.directive, cassette.display()));
            return Ok(());
        }
    }
    for number in folder.open()? {
        data(format!("question: {}", folder.question(number).display()));
        data(format!("its answer belongs into {}", folder.answer(number).display()));
    }
    Ok(())
}

/// The named task.
fn only(options: &cli::Eval) -> Result<Task> {
    let [name] = options.only.as_slice() else {
        return Err(Error::Other("one task at a time: name it with --only".to_owned()));
    };
    let task = tasks::all().into_iter().find(|task| task.name == name);
    task.ok_or_else(|| Error::Other(format!("there is no task called {name}")))
}

/// Replays all cassettes, or those of some tasks, and writes the table; or shows a person's view of one.
///
/// # Errors
/// A program is unavailable, or a game no longer ends as it should.
pub fn replay(options: &cli::Eval) -> Result<()> {
    let bench = bench(options.binary.as_ref())?;
    if let Some(to) = &options.transcript {
        let task = only(options)?;
        let shown = bench.shown(&task, Source::Cassette(&cassette(&task, false)))?;
        let command = format!(
            "cargo xtask eval --tasks professional --replay --only {} --transcript {}",
            task.name,
            to.display()
        );
        return files::write(files::root().join(to), table::transcript(&task, &command, &shown));
    }
    let played = games(&bench, &options.only)?;
    if options.only.is_empty() {
        let games = Games {
            command: "cargo xtask eval --tasks professional --replay".to_owned(),
            date: chrono::Local::now().format("%Y-%m-%d").to_string(),
            machine: machine::description(),
            played: played.clone(),
        };
        let table = files::root().join(TABLE);
        files::write(&table, table::document(&games))?;
        let text = serde_json::to_string_pretty(&games)
            .map_err(|error| Error::Other(format!("cannot write the results as JSON: {error}")))?;
        files::write(table.with_extension("json"), text + "\n")?;
        say(format!("table: {TABLE}"));
    }
    fair(&played)
}

/// Replays all cassettes, for the gate.
///
/// # Errors
/// As [`replay`].
pub fn check() -> Result<()> {
    step("professional tasks, from their cassettes", || match run::missing() {
        Some(missing) => {
            artoo_test_needs::without(missing, "no professional task is played");
            Ok(())
        }
        None => fair(&games(&bench(None)?, &[])?),
    })
}

fn games(bench: &Bench, only: &[String]) -> Result<Vec<Played>> {
    let mut played = Vec::new();
    for task in tasks::all() {
        if !only.is_empty() && !only.iter().any(|name| name == task.name) {
            continue;
        }
        for is_sabotaged in [false, true] {
            let cassette = cassette(&task, is_sabotaged);
            if cassette.exists() {
                let game = bench.run(&task, Source::Cassette(&cassette), is_sabotaged)?;
                say(line(&game));
                played.push(game);
            } else if !is_sabotaged {
                say(format!("{:<20} has not been played", task.name));
            }
        }
    }
    Ok(played)
}

fn fair(played: &[Played]) -> Result<()> {
    match played.iter().filter(|game| !game.passes()).count() {
        0 => Ok(()),
        count => Err(Error::Other(format!("{count} of {} games do not end as they should", played.len()))),
    }
}

fn line(game: &Played) -> String {
    let tokens = game.tokens();
    let sabotaged = if game.sabotaged { " (sabotaged)" } else { "" };
    format!(
        "{:<20} {:<8} {:<10} {:>3} calls, depth {:>2}, {:>6} + {:>5} tokens, {:>2} % cached, plain {:>3} and {:>6}, cost {:.2} x, {} repairs, {} reworded, {} open, {:.1} s{sabotaged} {}",
        game.name,
        game.verdict.name().trim_matches('*'),
        game.directive,
        game.calls,
        game.depth,
        tokens.prompt,
        tokens.completion,
        tokens.cached.saturating_mul(100).checked_div(tokens.prompt).unwrap_or_default(),
        game.plain.calls,
        game.plain.tokens.prompt.saturating_add(game.plain.tokens.completion),
        game.cost().unwrap_or_default(),
        game.repairs,
        game.reworded,
        game.open,
        game.seconds,
        game.objections.join("; ")
    )
}

fn cassette(task: &Task, is_sabotaged: bool) -> PathBuf {
    let file = if is_sabotaged { "sabotaged.json" } else { "cassette.json" };
    files::root().join("fixtures/professional").join(task.name).join(file)
}

fn bench(binary: Option<&PathBuf>) -> Result<Bench> {
    if let Some(missing) = run::missing() {
        return Err(Error::Other(format!("this machine has no {missing} in /bin or /usr/bin")));
    }
    let artoo = match binary {
        Some(binary) => fs::canonicalize(binary).map_err(Error::file("find", binary))?,
        None => verify::artoo(Build::Tested)?,
    };
    let build = cargo(["build", "--quiet", "--package=artoo-evaluation", "--example=by_hand"]);
    let server = verify::executable(&build.args([verify::MESSAGES]), "by_hand")?;
    let place = std::env::temp_dir().join(format!("artoo-professional-{}", std::process::id()));
    Ok(Bench { artoo, server, place })
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Remains in the temporary folder are removed by the system sooner or later.
        let _ = files::remove_folder(&self.place);
    }
}
