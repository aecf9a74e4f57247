//! Command line of `cargo xtask`.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::{
    Result, bench,
    command::cargo,
    follow_ups, other_systems, package, quickstart, readmes, release, schema, screencast,
    terminal::step,
    test_tools, tidy,
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

impl Arguments {
    /// Those of the command line.
    pub fn read(given: impl IntoIterator<Item = OsString>) -> Self {
        let mut given: Vec<OsString> = given.into_iter().collect();
        // The first dashes of what is passed on would be taken for our own.
        let is_passed_on =
            given.get(1).is_some_and(|task| task == "eval" || task == "learn" || task == "soak");
        if is_passed_on && given.get(2).is_some_and(|first| first == "--") {
            given.insert(2, "--".into());
        }
        Self::parse_from(given)
    }
}

/// What can be done.
#[derive(Clone, Debug, Subcommand)]
pub enum Task {
    /// Build artoo, obtain the embedded model and run a real request against the sample home
    Quickstart(Quickstart),
    /// Run everything that must pass: format, lints, tests, documentation, tidy. Needs no model
    Test,
    /// Install the programs that the tests use beyond Rust and a C compiler: below target/test-tools, and Debian's as root
    TestTools {
        /// Only print every name that `ARTOO_TESTS_NEED` may list
        #[arg(long)]
        names: bool,
    },
    /// `test`, the release build, and a smoke run of the release binary
    Ci,
    /// Let the compiler look at the code for other systems, where rustup has or gets their standard libraries
    OtherSystems,
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
    /// Build what users install: a wheel, npm packages, a Debian package, a tarball with an installer, checksums; uploads nothing
    Package(Package),
    /// Ask requests that are drawn from families, grade the runs with code, write the sums with their intervals
    Eval(Evaluation),
    /// Run sequences of related requests with memory on, off and shuffled, grade them with code, write a table
    Learn(Evaluation),
    /// Run artoo many times against a server that is hostile by seed, and check what each run leaves
    Soak(Evaluation),
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

/// Options of `package`.
#[derive(Clone, Debug, Args)]
pub struct Package {
    /// The systems; that of this machine must be one of them
    #[arg(long = "target", value_name = "TARGET", default_value = "x86_64-unknown-linux-gnu")]
    pub targets: Vec<String>,
    /// Where the packages go; the folder is emptied before
    #[arg(long, value_name = "FOLDER", default_value = "target/packages")]
    pub out: PathBuf,
    /// Install each x86-64 package in clean roots of Debian, use it there and remove it; needs root and debootstrap
    #[arg(long)]
    pub check: bool,
    /// The releases of Debian to check in
    #[arg(long = "suite", value_name = "SUITE", default_values = ["bullseye", "bookworm", "trixie"])]
    pub suites: Vec<String>,
    /// Take the packages that are there; only check them
    #[arg(long, requires = "check")]
    pub no_build: bool,
}

/// Arguments of a task of the evaluation, which reads them itself.
#[derive(Clone, Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Evaluation {
    /// See `--help` behind the task
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<String>,
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
    #[arg(long, value_enum, value_name = "PART", group = "part")]
    pub only: Option<BenchPart>,
    /// Measure this artoo instead of a release build of this tree
    #[arg(long, value_name = "FILE", requires = "part")]
    pub binary: Option<PathBuf>,
    /// Write nothing: compare what the process costs with docs/benchmarks.json, and fail where it is worse
    #[arg(long, conflicts_with = "only", group = "part")]
    pub check: bool,
    /// Count the system calls of the build that the tests run, and measure no time
    #[arg(long, requires = "part")]
    pub tested: bool,
}

impl Bench {
    /// `--check --tested`: what the gate runs of it.
    pub fn check_of_counts() -> Self {
        Self { rounds: 1, out: PathBuf::new(), only: None, binary: None, check: true, tested: true }
    }
}

/// A part of the bench that can be measured alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchPart {
    /// One process for one request, as a person starts it.
    Process,
    /// The conversation at the terminal: its start, its keys, its memory.
    Conversation,
}

/// Options of `screencast`.
#[derive(Clone, Debug, Args)]
pub struct Screencast {
    /// The folder for the pictures
    #[arg(long, value_name = "FOLDER", default_value = "docs")]
    pub out: PathBuf,
    /// Show this artoo instead of a release build of this tree
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
}

/// Runs the task of the arguments.
///
/// # Errors
/// Those of the task.
pub fn run(arguments: Arguments) -> Result<()> {
    match arguments.task {
        Task::Quickstart(options) => quickstart::run(&options),
        Task::Test => verify::test(),
        Task::TestTools { names: false } => step("test tools", test_tools::run),
        Task::TestTools { names: true } => {
            test_tools::names();
            Ok(())
        }
        Task::Ci => verify::ci(),
        Task::OtherSystems => step("other systems", other_systems::check),
        Task::Tidy => tidy::run(),
        Task::Smoke { release } => verify::smoke(if release { Build::Release } else { Build::Tested }),
        Task::Model { arguments } => quickstart::model(&arguments),
        Task::Schema { check } => schema::run(check),
        Task::Readmes => readmes::run(),
        Task::Release { dry_run: _, verify } => release::dry_run(verify),
        Task::Package(options) => package::run(&options),
        Task::Eval(options) => evaluation("eval", &options.arguments),
        Task::Learn(options) => evaluation("learn", &options.arguments),
        Task::Soak(options) => evaluation("soak", &options.arguments),
        Task::FollowUps(options) => follow_ups::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Screencast(options) => screencast::run(&options),
    }
}

/// Passes a task on to `artoo-evaluation`, which is not built for the others.
///
/// # Errors
/// It cannot be built, or fails.
pub(crate) fn evaluation(task: &str, arguments: &[String]) -> Result<()> {
    cargo(["run", "--quiet", "--package=artoo-evaluation", "--", task]).args(arguments).run()
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
    fn the_evaluation_gets_every_argument() {
        for given in
            [vec!["--only", "a", "--", "--base-url", "x"], vec!["--", "--model", "y"], vec!["--help"]]
        {
            let arguments = ["xtask", "eval"].into_iter().chain(given.iter().copied());
            let Task::Eval(eval) = Arguments::read(arguments.map(OsString::from)).task else {
                panic!("not eval")
            };
            assert_eq!(eval.arguments, given);
        }
    }
}
