//! The evaluation: requests drawn from families, over homes that are made for each, graded by code.
//!
//! A family knows what is right because it made the home; a second way of its own reads the home and must agree. What cannot be read as a
//! right answer is wrong, so that the number of wrong claims is not too small. Families are split for good, and of the test split nothing
//! but sums is ever written or printed, so that nobody can tune to it.

mod answer;
pub(crate) mod csv;
pub(crate) mod expected;
mod families;
pub mod family;
mod grade;
mod home;
mod interval;
pub(crate) mod outcome;
pub(crate) mod results;
mod sample;
pub(crate) mod session;
mod sums;
mod table;

use std::{
    fs,
    path::{Path, PathBuf},
};

use expected::{Change, Expected, Holds};
use family::Split;
use results::{Conditions, Evaluation, Sample};
use sample::Case;
use session::{Bench, Graded};

use crate::{
    Error, Result, cli,
    command::{Program, cargo},
    files, machine,
    terminal::{data, say, step},
    verify::{self, Build},
};

/// The fewest requests of the test split: sums over fewer would tell of single runs.
const LEAST: usize = 30;

/// How the folders begin in which homes are made; behind it stand the split and the process.
const PLACE: &str = "artoo-eval-";

/// What every run is granted, of artoo as of the plain loop: the person wants the deeds that are asked for.
const GRANTS: [&str; 6] = ["--yes", "creates", "--yes", "overwrites", "--yes", "deletes"];

/// `cargo xtask eval`.
///
/// # Errors
/// The binary, its model or the baseline cannot be had, or a family is not well formed. A wrong answer is a row of the table, not an
/// error.
pub fn run(options: &cli::Eval) -> Result<()> {
    if options.split == Split::Test && (options.dry_run || !options.only.is_empty() || options.sample < LEAST)
    {
        return Err(Error::Other(format!(
            "of the test split only sums over at least {LEAST} requests of all families may be seen"
        )));
    }
    let families = family::load(&files::root().join("fixtures/tasks"), &options.only)?;
    let cases = sample::draw(&families, options.split, options.sample, options.seed)?;
    if options.dry_run {
        cases.iter().for_each(|case| data(shown(case)));
        return Ok(());
    }
    let baseline = options.baseline.as_deref().map(Evaluation::read).transpose()?;
    let suite = Suite::new(options)?;
    let table = suite.table();
    let sample = Sample {
        split: options.split,
        seed: options.seed,
        only: options.only.clone(),
        system: system(options),
    };
    let conditions = Conditions {
        date: chrono::Local::now().format("%Y-%m-%d").to_string(),
        machine: machine::description(),
        model: suite.model.name.clone(),
        command: command_line(options),
        planned: cases.len(),
    };
    let state = table.with_extension("json");
    let mut evaluation = if options.resume && state.exists() {
        Evaluation::read(&state)?.resumed(&conditions, &sample)?
    } else {
        Evaluation::new(conditions, sample)
    };
    for case in cases.iter().skip(evaluation.done()) {
        let run = suite.run(case)?;
        if options.split == Split::Test {
            say(format!("{} of {}", evaluation.done() + 1, cases.len()));
        } else {
            say(line(&run));
        }
        evaluation.add(run);
        // After each run, so that an evaluation that is stopped leaves what it has.
        evaluation.write(&state)?;
    }
    files::write(&table, table::document(&evaluation, baseline.as_ref()))?;
    say(format!(
        "\nsolved {}\nwrong among accepted {}\nharm {}\ntable: {}",
        interval::shown(evaluation.sums.solved, evaluation.sums.runs),
        interval::shown(evaluation.sums.wrong, evaluation.sums.accepted),
        interval::shown(evaluation.sums.harmful, evaluation.sums.runs),
        table.display()
    ));
    Ok(())
}

/// What runs share.
#[derive(Debug)]
struct Suite<'a> {
    options: &'a cli::Eval,
    program: PathBuf,
    model: Model,
    /// Where homes are made, one at a time; not within a git repository, which commands would find.
    place: PathBuf,
    /// Where the records of runs go that may be seen.
    records: PathBuf,
}

impl<'a> Suite<'a> {
    fn new(options: &'a cli::Eval) -> Result<Self> {
        let artoo = || match &options.binary {
            Some(binary) => fs::canonicalize(binary).map_err(Error::file("find", binary)),
            None => step("build artoo", || verify::artoo(Build::Release)),
        };
        let model = Model::of(&options.artoo, &artoo)?;
        let program = if options.plain { step("build the plain loop", plain_loop)? } else { artoo()? };
        remove_orphans()?;
        let place =
            std::env::temp_dir().join(format!("{PLACE}{}-{}", options.split.name(), std::process::id()));
        let now = chrono::Local::now().format("%Y%m%d-%H%M%S").to_string();
        Ok(Self { options, program, model, place, records: files::root().join("target/eval").join(now) })
    }

    fn table(&self) -> PathBuf {
        let name = self.options.split.name();
        match (&self.options.out, self.options.split) {
            (Some(out), _) => files::root().join(out),
            (None, Split::Test) => files::root().join("docs/evaluation.md"),
            (None, Split::Development | Split::Calibration) => {
                files::root().join("target/eval").join(format!("{name}.md"))
            }
        }
    }

    /// Runs a case in a folder that is gone afterwards; records are kept where they may be seen.
    fn run(&self, case: &Case) -> Result<Graded> {
        let data = self.place.join("data");
        self.model.put_into(&data)?;
        let mut options: Vec<String> = GRANTS.iter().map(|&grant| grant.to_owned()).collect();
        options.extend(["--no-memory".to_owned(), "--timeout".to_owned(), self.options.timeout.clone()]);
        let without = self.options.without.iter().map(|part| format!("acceptance.{}=false", part.key()));
        options.extend(without.flat_map(|set| ["-c".to_owned(), set]));
        options.extend(self.options.artoo.iter().cloned());
        let bench = Bench { program: self.program.clone(), options, data, environment: Vec::new() };
        let graded = session::run(&bench, case, &self.place);
        match self.options.split {
            // The error names the command, and the command holds the request.
            Split::Test => {
                files::remove_folder(&self.place)?;
                graded.map_err(|_| Error::Other("a run of the test split could not be made".to_owned()))
            }
            Split::Development | Split::Calibration => {
                let kept = self.records.join(case.id.replace(' ', "-"));
                for name in ["events.jsonl", "stderr.txt"] {
                    if let Ok(text) = files::read(self.place.join(name)) {
                        files::write(kept.join(name), text)?;
                    }
                }
                files::remove_folder(&self.place)?;
                graded
            }
        }
    }
}

impl Drop for Suite<'_> {
    fn drop(&mut self) {
        // What is left now, the next evaluation removes.
        let _ = files::remove_folder(&self.place);
    }
}

/// Removes what evaluations left that were ended from outside: a run of the test split would be among it.
fn remove_orphans() -> Result<()> {
    let temporary = std::env::temp_dir();
    for entry in fs::read_dir(&temporary).map_err(Error::file("list", &temporary))? {
        let path = entry.map_err(Error::file("list", &temporary))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let process = name.strip_prefix(PLACE).and_then(|rest| rest.rsplit('-').next());
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            files::remove_folder(&path)?;
        }
    }
    Ok(())
}

/// The model of all runs.
#[derive(Debug)]
struct Model {
    /// Its name, for the table.
    name: String,
    /// The folder with the files of the embedded model, where it is that.
    folder: Option<PathBuf>,
}

impl Model {
    fn of(options: &[String], artoo: &impl Fn() -> Result<PathBuf>) -> Result<Self> {
        let elsewhere = |option: &String| ["--base-url", "--model", "--replay"].contains(&option.as_str());
        if let Some(at) = options.iter().position(elsewhere) {
            return Ok(Self { name: options.get(at..).unwrap_or_default().join(" "), folder: None });
        }
        let artoo = artoo()?;
        step("obtain the embedded model", || Program::new(&artoo, ["model", "pull"]).run())?;
        let path = Program::new(&artoo, ["model", "path"]).text()?;
        let file = Path::new(path.trim());
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, folder: file.parent().map(Path::to_path_buf) })
    }

    /// Makes a data folder that has it, and nothing that earlier runs taught.
    fn put_into(&self, data: &Path) -> Result<()> {
        fs::create_dir_all(data).map_err(Error::file("create", data))?;
        let Some(folder) = &self.folder else { return Ok(()) };
        let link = data.join("models");
        std::os::unix::fs::symlink(folder, &link).map_err(Error::file("link", &link))
    }
}

/// Makes a data folder of its own, with the user's models in it. Gives the name of the model.
pub(crate) fn prepare(artoo: &Path, data: &Path, options: &[String]) -> Result<String> {
    let model = Model::of(options, &|| Ok(artoo.to_path_buf()))?;
    model.put_into(data)?;
    Ok(model.name)
}

fn plain_loop() -> Result<PathBuf> {
    let build =
        cargo(["build", "--quiet", "--release", "--package=artoo-evaluation", "--example=plain-loop"]);
    verify::executable(&build.args([verify::MESSAGES]), "plain-loop")
}

/// Who is asked, in words.
fn system(options: &cli::Eval) -> String {
    match (options.plain, options.without.as_slice()) {
        (true, _) => "plain loop".to_owned(),
        (false, []) => "artoo".to_owned(),
        (false, without) => {
            let without: Vec<&str> = without.iter().map(|part| part.name()).collect();
            format!("artoo without {}", without.join(", "))
        }
    }
}

/// A case for a person who develops.
fn shown(case: &Case) -> String {
    let Expected { answers, changes, refused } = &case.made.expected;
    let answers = answers.iter().map(|answer| format!("{answer:?}"));
    let changes = changes.iter().map(|change| match change {
        Change::Holds(path, Holds::Bytes(bytes)) => format!("{path} holds {} bytes", bytes.len()),
        Change::Holds(path, holds) => format!("{path} holds {holds:?}"),
        Change::Gone(path) => format!("{path} is gone"),
    });
    let refused = refused.then(|| "not to be accepted".to_owned());
    let expected: Vec<String> = answers.chain(changes).chain(refused).collect();
    format!("{} [{}] {}\n    {}", case.id, case.language, case.request, expected.join("; "))
}

fn line(run: &Graded) -> String {
    let verdict = if run.solved() { "solved" } else { "not solved" };
    let why = run.objections.join("; ");
    format!(
        "{:<24} {} {:<10} {verdict:<10} {:>6.1} s  {why}",
        run.id, run.language, run.outcome.directive, run.outcome.seconds
    )
}

fn command_line(options: &cli::Eval) -> String {
    let mut command = format!(
        "cargo xtask eval --split {} --sample {} --seed {}",
        options.split.name(),
        options.sample,
        options.seed
    );
    options.only.iter().for_each(|name| command.push_str(&format!(" --only {name}")));
    options.without.iter().for_each(|part| command.push_str(&format!(" --without {}", part.name())));
    if options.plain {
        command.push_str(" --plain");
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

#[cfg(test)]
mod tests;
