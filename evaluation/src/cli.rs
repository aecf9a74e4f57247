//! The arguments of the evaluation.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{
    Error, Result,
    eval::{self, family::Split},
    learn, professional, soak,
};

/// What artoo makes of requests that nobody tuned it to.
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
    /// Ask requests that are drawn from families, grade the runs with code, write the sums with their intervals
    Eval(Eval),
    /// Run sequences of related requests with memory on, off and shuffled, grade them with code, write a table
    Learn(Learn),
    /// Run artoo many times against a server that is hostile by seed, and check what each run leaves
    Soak(Soak),
    /// Play the professional tasks again from what was kept of their games, and compare with what is written
    Check,
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

/// Options of `soak`.
#[derive(Clone, Debug, Args)]
pub struct Soak {
    /// How many runs, each a process of its own
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub runs: u64,
    /// Run for this long instead of a number of runs
    #[arg(long, value_name = "N", value_parser = hours, conflicts_with = "runs")]
    pub hours: Option<f64>,
    /// How many requests one process works on after that; 0 leaves this part out
    #[arg(long, default_value_t = 300, value_name = "N")]
    pub turns: u64,
    /// What decides everything: another number is another soak
    #[arg(long, default_value_t = 1, value_name = "S")]
    pub seed: u64,
    /// Only the run with this number, whose folders are kept; may be given several times
    #[arg(long, value_name = "N", conflicts_with_all = ["runs", "hours", "turns"])]
    pub only: Vec<u64>,
    /// Leave out the kinds that have to be waited out, such as endless streams, as the gate does
    #[arg(long)]
    pub quick: bool,
    /// Only runs of this kind of hostility, and no conversation; may be given several times
    #[arg(long, value_name = "NAME", conflicts_with_all = ["only", "quick"])]
    pub kind: Vec<String>,
    /// How many runs work at a time [default: twice as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub jobs: Option<u8>,
    /// Where to write the tables, for example docs/soak.md
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Try the build that the tests run, instead of a release build of this tree
    #[arg(long)]
    pub tested: bool,
    /// Try this artoo
    #[arg(long, value_name = "FILE", conflicts_with = "tested")]
    pub binary: Option<PathBuf>,
}

impl Soak {
    /// How many runs work at a time.
    pub fn jobs(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or(cores.saturating_mul(2), usize::from)
    }
}

/// Reads a number of hours.
fn hours(text: &str) -> std::result::Result<f64, String> {
    let hours = text.parse().ok().filter(|hours: &f64| (0.0..=24.0 * 366.0).contains(hours));
    hours.ok_or_else(|| "write a number of hours, for example 0.5".to_owned())
}

/// Does what the arguments say.
///
/// # Errors
/// Whatever the task's.
pub fn run(arguments: Arguments) -> Result<()> {
    match arguments.task {
        Task::Eval(options) => evaluate(&options),
        Task::Learn(options) => learn::run(&options),
        Task::Soak(options) => soak::run(&options),
        Task::Check => professional::check(),
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

    #[test]
    fn hours_are_a_number_that_can_be_waited_for() {
        let soak = |given: &str| Arguments::try_parse_from(["xtask", "soak", "--hours", given]).is_ok();
        assert!(soak("0.5") && soak("48"));
        assert!(!soak("inf") && !soak("NaN") && !soak("-1") && !soak("long"));
    }
}
