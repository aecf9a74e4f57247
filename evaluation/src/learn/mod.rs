//! The learning suite: sequences of related requests, each in a new process, with memory on, off and
//! shuffled.
//!
//! The benefit of memory shows in the requests after a first one that taught something. The same requests run
//! without memory, with the memory left by the earlier requests, and with as much of another sequence.
//! Graders in code compute the truth. By default the model is [simulated](model): the suite measures whether
//! memory brings lessons to where they are needed, and what wrong memory costs, not how well a language model
//! reads it.

pub mod model;
mod results;
mod sequence;
mod shuffle;
mod statistics;
mod table;
mod transcript;
mod truth;

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use results::{Learning, Memory, Run, Taught};
use sequence::Sequence;
use shuffle::Export;

use crate::{
    Error, Result, cli,
    command::{Program, Served, cargo},
    eval::{self, results::Conditions, session},
    files, machine,
    terminal::{say, step},
    verify::{self, Build},
};

/// The programs that the simulated model's commands need, and no more: a machine with `yq` on it has nothing
/// to learn.
const PROGRAMS: [&str; 15] = [
    "awk", "bash", "cat", "cut", "env", "find", "grep", "head", "ls", "sed", "sh", "sort", "tail", "tr", "wc",
];

/// The seed of each draw, so that the suite is reproducible.
const SEED: u64 = 14;

/// `cargo xtask learn`.
///
/// # Errors
/// A program or a sequence is unavailable, or the binary has no persistent memory. A wrong answer is a row of
/// the data, not an error.
pub fn run(options: &cli::Learn) -> Result<()> {
    let sequences = sequence::load(&files::root().join("fixtures/learning"), &options.only)?;
    let artoo = match &options.binary {
        Some(binary) => fs::canonicalize(binary).map_err(Error::file("find", binary))?,
        None => step("build artoo", || verify::artoo(Build::Release))?,
    };
    let place =
        files::root().join("target/learn").join(chrono::Local::now().format("%Y%m%d-%H%M%S").to_string());
    let model = if options.embedded { Model::Embedded } else { simulated()? };
    let suite = Suite { artoo, place: place.clone(), model, options: options.artoo.clone() };
    suite.prepare()?;
    if let Some(to) = &options.transcript {
        let told = sequences.iter().find(|sequence| sequence.id == transcript::SEQUENCE);
        let told =
            told.ok_or_else(|| Error::Other(format!("the transcript is of {}", transcript::SEQUENCE)))?;
        return transcript::write(&suite, told, &command_line(options), &files::root().join(to));
    }
    let mut learning = Learning {
        conditions: Conditions {
            date: chrono::Local::now().format("%Y-%m-%d").to_string(),
            machine: machine::description(),
            model: suite.model.name().to_owned(),
            command: command_line(options),
            planned: sequences.iter().map(|sequence| sequence.requests.len() * Memory::ALL.len()).sum(),
        },
        sequences: sequences.iter().map(taught).collect(),
        runs: Vec::new(),
    };
    let mut learned = Vec::new();
    for sequence in &sequences {
        step(&format!("{}: memory off", sequence.id), || suite.without(sequence, &mut learning.runs))?;
        learned.push(step(&format!("{}: memory on", sequence.id), || {
            suite.learning(sequence, &mut learning.runs)
        })?);
    }
    for (at, sequence) in sequences.iter().enumerate() {
        let others = learned.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<&Export> = others.filter_map(|(_, learned)| learned.last()).collect();
        let (Some(own), false) = (learned.get(at), others.is_empty()) else { continue };
        step(&format!("{}: memory shuffled", sequence.id), || {
            suite.shuffled(sequence, own, &others, &mut learning.runs)
        })?;
    }
    let table = files::root().join(&options.out);
    files::write(&table, table::document(&learning))?;
    let data = serde_json::to_string_pretty(&learning)
        .map_err(|error| Error::Other(format!("cannot write the results as JSON: {error}")))?;
    files::write(table.with_extension("json"), data + "\n")?;
    say(format!("table: {}; runs: {}", options.out.display(), place.display()));
    Ok(())
}

/// The model of the calls.
enum Model {
    /// The policy of [`model`], behind a server.
    Simulated(Served),
    /// The model of a person's default artoo.
    Embedded,
}

impl Model {
    fn name(&self) -> &'static str {
        match self {
            Self::Simulated(_) => "simulated: a fixed policy, see below",
            Self::Embedded => "embedded",
        }
    }
}

/// The export of a memory after each request: the first is the memory before the second request.
type Learned = Vec<Export>;

/// State shared by all runs.
struct Suite {
    artoo: PathBuf,
    place: PathBuf,
    model: Model,
    options: Vec<String>,
}

impl Suite {
    /// The search path of the runs.
    fn programs(&self) -> PathBuf {
        self.place.join("programs")
    }

    fn prepare(&self) -> Result<()> {
        let programs = self.programs();
        fs::create_dir_all(&programs).map_err(Error::file("create", &programs))?;
        for name in PROGRAMS {
            let found = ["/bin", "/usr/bin"].iter().map(|folder| Path::new(folder).join(name));
            let Some(found) = found.into_iter().find(|path| path.exists()) else {
                return Err(Error::Other(format!("this machine has no {name} in /bin or /usr/bin")));
            };
            let link = programs.join(name);
            std::os::unix::fs::symlink(found, &link).map_err(Error::file("link", link))?;
        }
        if self.program(["memory", "stats"], &self.place.join("probe")).works() {
            return Ok(());
        }
        Err(Error::Other(format!("{} has no memory that lasts", self.artoo.display())))
    }

    /// Every request without memory.
    fn without(&self, sequence: &Sequence, runs: &mut Vec<Run>) -> Result<()> {
        let data = self.data(sequence, Memory::Off, 0);
        for (number, request) in (1..).zip(sequence.asked()?) {
            let graded = self.asked(sequence, &request, &data, (number, Memory::Off))?;
            runs.push(told(Run::of(&graded, number, Memory::Off, 0)));
        }
        Ok(())
    }

    /// Every request with the memory of the earlier ones.
    fn learning(&self, sequence: &Sequence, runs: &mut Vec<Run>) -> Result<Learned> {
        let data = self.data(sequence, Memory::On, 0);
        let mut learned: Learned = Vec::new();
        for (number, request) in (1..).zip(sequence.asked()?) {
            let known = learned.last().map_or(0, Export::len);
            let graded = self.asked(sequence, &request, &data, (number, Memory::On))?;
            runs.push(told(Run::of(&graded, number, Memory::On, known)));
            learned.push(self.export(&data)?);
        }
        Ok(learned)
    }

    /// Every request with as much memory as with memory on, but the words of other sequences. Each has its
    /// own memory, because what a run learns from being misled would correct the next one.
    fn shuffled(
        &self,
        sequence: &Sequence,
        own: &Learned,
        others: &[&Export],
        runs: &mut Vec<Run>,
    ) -> Result<()> {
        for (number, request) in (1..).zip(sequence.asked()?) {
            let data = self.data(sequence, Memory::Shuffled, number);
            let own = number.checked_sub(2).and_then(|before| own.get(before));
            let mut known = 0;
            if let Some(own) = own {
                let wrong = own.with_words_of(others, SEED.wrapping_add(number as u64));
                let file = data.with_extension("jsonl");
                files::write(&file, wrong.text())?;
                let import = ["memory".as_ref(), "import".as_ref(), file.as_os_str()];
                self.program(import, &data).text()?;
                known = self.export(&data)?.len();
            }
            let graded = self.asked(sequence, &request, &data, (number, Memory::Shuffled))?;
            runs.push(told(Run::of(&graded, number, Memory::Shuffled, known)));
        }
        Ok(())
    }

    fn export(&self, data: &Path) -> Result<Export> {
        Export::read(&self.program(["memory", "export"], data).text()?)
    }

    /// One request in a new process.
    fn asked(
        &self,
        sequence: &Sequence,
        request: &session::Asked,
        data: &Path,
        (number, memory): (usize, Memory),
    ) -> Result<session::Graded> {
        if matches!(self.model, Model::Embedded) && !data.join("models").exists() {
            eval::prepare(&self.artoo, data, &[])?;
        }
        let mut options = self.model_options();
        options.extend((memory == Memory::Off).then(|| "--no-memory".to_owned()));
        let bench = session::Bench {
            program: self.artoo.clone(),
            options,
            data: data.to_path_buf(),
            environment: self.environment(),
        };
        let record = format!("{}-{number:02}", memory.name());
        session::over(&bench, request, &self.home(sequence)?, &self.place.join(&sequence.id).join(record))
    }

    /// The home of a sequence: the same folder for all its runs, because memory refers to it.
    fn home(&self, sequence: &Sequence) -> Result<PathBuf> {
        let home = self.place.join(&sequence.id).join("home");
        if !home.exists() {
            files::copy_folder(&sequence.home, &home)?;
        }
        Ok(home)
    }

    fn data(&self, sequence: &Sequence, memory: Memory, number: usize) -> PathBuf {
        self.place.join(&sequence.id).join(format!("data-{}-{number:02}", memory.name()))
    }

    /// `artoo` with these arguments and this data folder.
    fn program<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, data: &Path) -> Program {
        let program = Program::new(&self.artoo, arguments).args(["--data-dir".as_ref(), data.as_os_str()]);
        self.environment().into_iter().fold(program, |program, (name, value)| program.env(name, value))
    }

    /// The model options of `artoo run`, and the developer's additions.
    fn model_options(&self) -> Vec<String> {
        let mut options = self.options.clone();
        if let Model::Simulated(server) = &self.model {
            options.extend(["--model", "simulated", "--base-url", server.line()].map(str::to_owned));
        }
        options
    }

    /// An empty configuration, and a fixed search path.
    fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut environment = vec![("PATH".into(), self.programs().into())];
        match self.model {
            Model::Simulated(_) => environment.push(("HOME".into(), self.place.join("person").into())),
            // It is in the person's home.
            Model::Embedded => {}
        }
        environment
    }
}

/// Builds the simulated model and starts it.
fn simulated() -> Result<Model> {
    let server = step("build the simulated model", || {
        let build = cargo(["build", "--quiet", "--package=artoo-evaluation", "--example=simulated"]);
        verify::executable(&build.args([verify::MESSAGES]), "simulated")
    })?;
    Ok(Model::Simulated(Program::new(server, [""; 0]).serve()?))
}

fn taught(sequence: &Sequence) -> Taught {
    let Sequence { id, teaches, language, .. } = sequence;
    Taught { id: id.clone(), teaches: teaches.clone(), language: language.clone() }
}

fn told(run: Run) -> Run {
    let verdict = if run.solved { "solved" } else { "not solved" };
    say(format!(
        "{:>2} {:<8} {:<10} {verdict:<10} {:>2} calls {:>6} tokens {} replans, {} Megrams known",
        run.number,
        run.memory.name(),
        run.directive,
        run.calls,
        run.tokens,
        run.replans,
        run.megrams
    ));
    run
}

fn command_line(options: &cli::Learn) -> String {
    let mut command = "cargo xtask learn".to_owned();
    options.only.iter().for_each(|id| command.push_str(&format!(" --only {id}")));
    if options.embedded {
        command.push_str(" --embedded");
    }
    if let Some(to) = &options.transcript {
        command.push_str(&format!(" --transcript {}", to.display()));
    }
    if !options.artoo.is_empty() {
        command.push_str(&format!(" -- {}", options.artoo.join(" ")));
    }
    command
}
