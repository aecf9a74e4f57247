//! The arguments of `cargo xtask`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{
    Error, Result, bench,
    eval::{self, family::Split},
    follow_ups, learn, professional, quickstart, readmes, release, schema, screencast, tidy,
    verify::{self, Build},
};

/// Tasks of the artoo workspace.
#[derive(Clone, Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub task: Task,
}

/// What can be done.
#[derive(Clone, Debug, Subcommand)]
pub enum Task {
    /// Build artoo, obtain the embedded model and run a real request against the sample home
    Quickstart(Quickstart),
    /// Run everything that must pass: format, lints, tests, documentation, tidy. Needs no model
    Test,
    /// `test`, the release build, and a smoke run of the release binary
    Ci,
    /// Prove the layer table and the other rules that no compiler checks
    Tidy,
    /// Run the binary against a mock model server and check what it says
    Smoke {
        /// The release build instead of the one that the tests run
        #[arg(long)]
        release: bool,
    },
    /// Pass everything on to `artoo model`
    Model {
        /// For example: pull, list, path
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Write the generated JSON Schemas into docs/reference
    Schema {
        /// Only say which are stale
        #[arg(long)]
        check: bool,
    },
    /// Write the READMEs of the published crates from their documentation
    Readmes,
    /// Package every crate that is published, in the order of their dependencies; uploads nothing
    Release {
        /// There is no other way yet: a person publishes
        #[arg(long, required = true)]
        dry_run: bool,
        /// Build each crate from its package alone, which takes as long as a clean build
        #[arg(long)]
        verify: bool,
    },
    /// Ask requests that are drawn from families, grade the runs with code, write the sums with their intervals
    Eval(Eval),
    /// Run sequences of related requests with memory on, off and shuffled, grade them with code, write a table
    Learn(Learn),
    /// Put the suite of follow-ups to the embedded model, and print how many it understood in each language
    FollowUps(FollowUps),
    /// Measure what everything but the model costs, beside a floor in the same run
    Bench(Bench),
    /// Play a fixed conversation with a scripted model at a terminal, and draw what is seen there
    Screencast(Screencast),
}

/// Options of `quickstart`.
#[derive(Clone, Debug, Args)]
pub struct Quickstart {
    /// The request to run
    #[arg(default_value = quickstart::REQUEST)]
    pub request: String,
    /// Options for `artoo run`, after `--`; with `--base-url` the embedded model is not fetched
    #[arg(last = true)]
    pub artoo: Vec<String>,
}

/// Options of `eval`.
#[derive(Clone, Debug, Args)]
pub struct Eval {
    /// Only these families; of the professional suite, only these tasks
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Which families: to develop with, to set thresholds, or to measure
    #[arg(long, value_enum, default_value_t = Split::Development)]
    pub split: Split,
    /// How many requests
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub sample: usize,
    /// Which requests: another number draws others
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,
    /// Only print what would be asked, and what is expected; not of the test split
    #[arg(long)]
    pub dry_run: bool,
    /// Leave a part of artoo out, to see what it buys
    #[arg(long, value_enum, value_name = "PART")]
    pub without: Vec<Part>,
    /// Ask the plain loop instead of artoo: the same model with a shell
    #[arg(long, conflicts_with = "without")]
    pub plain: bool,
    /// How long one run may take, as `artoo run --timeout` takes it
    #[arg(long, default_value = "10m")]
    pub timeout: String,
    /// Where to write the table; the data goes beside it, as .json, after each run [default: docs/evaluation.md for the test split, else in
    /// target/eval]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// The data of another evaluation to put beside
    #[arg(long, value_name = "PATH")]
    pub baseline: Option<PathBuf>,
    /// Go on with the evaluation whose data lies beside `--out`, for example one that was stopped: what it holds is not run again
    #[arg(long)]
    pub resume: bool,
    /// Test this artoo instead of a release build of this tree, for example one of an earlier commit
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
    /// Which suite: the families, or the professional tasks, which are played by hand
    #[arg(long, value_enum, default_value_t = Suite::Families)]
    pub tasks: Suite,
    /// Play the model by hand: run one professional task until a question has no answer, and put that into `--questions`
    #[arg(long, value_name = "by-hand", value_parser = ["by-hand"], requires = "questions")]
    pub model: Option<String>,
    /// The folder of a game: NNN.question.md, and beside it NNN.answer.json
    #[arg(long, value_name = "FOLDER", requires = "model")]
    pub questions: Option<PathBuf>,
    /// The game is one in which somebody does something wrong on purpose
    #[arg(long, requires = "model")]
    pub sabotaged: bool,
    /// Play the professional tasks again from what was kept of their games, without a model, and write docs/professional.md
    #[arg(long, conflicts_with = "model")]
    pub replay: bool,
    /// Only write what a person sees of the one task of `--only`, from what was kept of its game, for example into docs/transcripts/merge.md
    #[arg(long, value_name = "PATH", requires = "replay")]
    pub transcript: Option<PathBuf>,
    /// Options for `artoo run`, after `--`, for example `-- --base-url URL --model NAME`
    #[arg(last = true)]
    pub artoo: Vec<String>,
}

/// A set of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// `fixtures/tasks`: ordinary requests over homes that are made for each.
    Families,
    /// `fixtures/professional`: work that takes many steps.
    Professional,
}

/// A part of artoo that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Whether evidence depends on what is asked about.
    Dependence,
    /// Several commands, and what most of them put out.
    Sampling,
    /// The judge of the whole before each accept.
    LastJudge,
}

impl Part {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dependence => "dependence",
            Self::Sampling => "sampling",
            Self::LastJudge => "last-judge",
        }
    }

    /// Its key in the section `acceptance` of the configuration.
    pub fn key(self) -> &'static str {
        match self {
            Self::Dependence => "dependence",
            Self::Sampling => "sampling",
            Self::LastJudge => "last_judge",
        }
    }
}

/// Options of `learn`.
#[derive(Clone, Debug, Args)]
pub struct Learn {
    /// Only these sequences
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// Where to write the table; the data goes beside it, as .json
    #[arg(long, default_value = "docs/learning.md")]
    pub out: PathBuf,
    /// Only write what a person sees of two runs, the first of which has to learn, for example into docs/transcripts/memory.md
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    pub transcript: Option<PathBuf>,
    /// Ask the embedded model instead of the simulated one
    #[arg(long)]
    pub embedded: bool,
    /// Test this artoo instead of a release build of this tree
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
    /// Options for `artoo run`, after `--`
    #[arg(last = true)]
    pub artoo: Vec<String>,
}

/// Options of `follow-ups`.
#[derive(Clone, Debug, Args)]
pub struct FollowUps {
    /// Find the model with this artoo instead of a release build of this tree
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
}

/// Options of `bench`.
#[derive(Clone, Debug, Args)]
pub struct Bench {
    /// Interleaved rounds per measurement
    #[arg(long, default_value_t = 15)]
    pub rounds: u32,
    /// Where to write the table
    #[arg(long, default_value = "docs/benchmarks.md")]
    pub out: PathBuf,
    /// Measure only this, and write only its section
    #[arg(long, value_enum, value_name = "PART")]
    pub only: Option<BenchPart>,
    /// Measure this artoo instead of a release build of this tree
    #[arg(long, value_name = "FILE", requires = "only")]
    pub binary: Option<PathBuf>,
}

/// A part of the bench that can be measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchPart {
    /// The conversation at the terminal: its start, its keys, its memory.
    Conversation,
}

/// Options of `screencast`.
#[derive(Clone, Debug, Args)]
pub struct Screencast {
    /// Where to draw
    #[arg(long, default_value = "docs/screencast.svg")]
    pub out: PathBuf,
    /// Show this artoo instead of a release build of this tree
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
}

/// Does what the arguments say.
///
/// # Errors
/// Whatever the task's.
pub fn run(arguments: Arguments) -> Result<()> {
    match arguments.task {
        Task::Quickstart(options) => quickstart::run(&options),
        Task::Test => verify::test(),
        Task::Ci => verify::ci(),
        Task::Tidy => tidy::run(),
        Task::Smoke { release } => verify::smoke(if release { Build::Release } else { Build::Tested }),
        Task::Model { arguments } => quickstart::model(&arguments),
        Task::Schema { check } => schema::run(check),
        Task::Readmes => readmes::run(),
        Task::Release { dry_run: _, verify } => release::dry_run(verify),
        Task::Eval(options) => evaluate(&options),
        Task::Learn(options) => learn::run(&options),
        Task::FollowUps(options) => follow_ups::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Screencast(options) => screencast::run(&options),
    }
}

fn evaluate(options: &Eval) -> Result<()> {
    match (options.tasks, &options.model, options.replay) {
        (Suite::Families, None, false) => eval::run(options),
        (Suite::Professional, Some(_), _) => professional::play(options),
        (Suite::Professional, None, true) => professional::replay(options),
        (Suite::Professional, None, false) => {
            Err(Error::Other("professional tasks need --model by-hand or --replay".to_owned()))
        }
        (Suite::Families, Some(_), _) | (Suite::Families, None, true) => {
            Err(Error::Other("--model by-hand and --replay are for --tasks professional".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_follows_the_dashes_goes_to_artoo() {
        let arguments =
            ["xtask", "eval", "--only", "a", "--only", "b", "--", "--base-url", "http://127.0.0.1:1"];
        let Task::Eval(eval) = Arguments::parse_from(arguments).task else { panic!("not eval") };
        assert_eq!(eval.only, ["a", "b"]);
        assert_eq!(eval.artoo, ["--base-url", "http://127.0.0.1:1"]);
    }
}
