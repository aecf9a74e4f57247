//! The soak: many runs of artoo against a server that is hostile by seed, each watched from outside; and many requests in one process.

mod call;
mod finding;
mod hostile;
mod long;
mod model;
mod outcome;
mod place;
mod play;
mod process;
mod reply;
mod server;
mod session;
mod stream;
mod table;

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use outcome::Outcome;
use place::Place;
use play::Play;
use table::Conditions;

use crate::{
    Error, Result, cli,
    command::Program,
    files, machine,
    terminal::{data, say},
    verify::{self, Build},
};

/// How the folder begins in which all runs have theirs.
const PLACE: &str = "artoo-soak-";
const HOUR: f64 = 3600.0;
/// How the names of kinds begin that have to be waited out: nothing but a time limit ends them, or there is much to be written down.
const WAITED_OUT: [&str; 7] =
    ["endless-", "fills-", "forks-many", "loop-of-new-files", "many-calls", "megabytes-", "stops-itself"];

/// `cargo xtask soak`.
///
/// # Errors
/// The program cannot be built or started, or something happened that may not.
pub fn run(options: &cli::Soak) -> Result<()> {
    if let Some(name) = options.kind.iter().find(|name| hostile::all().all(|kind| kind.name != name.as_str()))
    {
        let known: Vec<&str> = hostile::all().map(|kind| kind.name).collect();
        return Err(Error::Other(format!("there is no kind {name}; there are {}", known.join(", "))));
    }
    let artoo = match &options.binary {
        Some(binary) => std::path::absolute(binary).map_err(Error::file("find", binary))?,
        None if options.tested => verify::artoo(Build::Tested)?,
        None => verify::artoo(Build::Release)?,
    };
    let root = std::env::temp_dir().join(format!("{PLACE}{}", std::process::id()));
    let before = process::descriptors(std::process::id()).unwrap_or_default().all();
    let started = Instant::now();
    let soak = Soak { artoo, options: options.clone(), root, started };
    let mut outcomes = soak.runs()?;
    outcomes.sort_by_key(|outcome| outcome.number);
    let long = match (options.only.is_empty() && options.kind.is_empty(), options.turns) {
        (false, _) | (true, 0) => long::Long::default(),
        (true, turns) => soak.conversation(turns)?,
    };
    let after = process::descriptors(std::process::id()).unwrap_or_default().all();
    let conditions = Conditions {
        command: soak.command(),
        date: chrono::Local::now().format("%Y-%m-%d").to_string(),
        machine: machine::description(),
        commit: commit(),
        jobs: options.jobs(),
        seconds: started.elapsed().as_secs_f64(),
        descriptors: (before, after),
    };
    let document = table::document(&conditions, &outcomes, &long);
    if let Some(out) = &options.out {
        files::write(files::root().join(out), &document)?;
    }
    data(&document);
    let failed = outcomes.iter().filter(|outcome| !outcome.findings.is_empty()).count();
    let leaked = usize::from(after > before);
    match failed.saturating_add(long.findings.len()).saturating_add(leaked) {
        // Where something was found, its folders stay, as do those of single runs.
        0 if !options.only.is_empty() => Ok(()),
        0 => files::remove_folder(&soak.root),
        count => Err(Error::Other(format!(
            "the soak has {count} finding(s); what was written lies in {}",
            soak.root.display()
        ))),
    }
}

/// A soak under way.
struct Soak {
    artoo: PathBuf,
    options: cli::Soak,
    root: PathBuf,
    started: Instant,
}

/// Where the runs stand.
#[derive(Debug, Default)]
struct Next {
    /// How many have begun.
    begun: u64,
    /// The least number that the next may have.
    number: u64,
}

impl Soak {
    /// The runs of one process each.
    fn runs(&self) -> Result<Vec<Outcome>> {
        let next = Mutex::new(Next::default());
        let outcomes = Mutex::new(Vec::new());
        let worked = thread::scope(|scope| {
            let jobs: Vec<_> = (0..self.options.jobs())
                .map(|_| {
                    scope.spawn(|| {
                        while let Some(number) = self.number(&next) {
                            let outcome = self.once(number)?;
                            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                        }
                        Ok(())
                    })
                })
                .collect();
            jobs.into_iter().try_for_each(|job| {
                job.join().unwrap_or_else(|_| Err(Error::Other("a thread of the soak panicked".to_owned())))
            })
        });
        worked?;
        Ok(outcomes.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of the next run; `None` if there is none.
    fn number(&self, next: &Mutex<Next>) -> Option<u64> {
        let cli::Soak { only, hours, runs, seed, .. } = &self.options;
        let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
        let may_begin = match (only.as_slice(), hours) {
            ([], Some(hours)) => self.started.elapsed() < Duration::from_secs_f64(hours * HOUR),
            ([], None) => next.begun < *runs,
            (only, _) => next.begun < only.len() as u64,
        };
        if !may_begin {
            return None;
        }
        let number = match usize::try_from(next.begun).ok().and_then(|at| only.get(at)) {
            Some(number) => *number,
            None => (next.number..).find(|number| self.tries(Play::of(*seed, *number).kind.name))?,
        };
        next.begun = next.begun.saturating_add(1);
        next.number = number.saturating_add(1);
        Some(number)
    }

    /// Whether this kind is tried.
    fn tries(&self, name: &str) -> bool {
        let cli::Soak { kind, quick, .. } = &self.options;
        let is_slow = WAITED_OUT.iter().any(|start| name.starts_with(start));
        (kind.is_empty() || kind.iter().any(|own| own == name)) && !(*quick && is_slow)
    }

    fn once(&self, number: u64) -> Result<Outcome> {
        let play = Play::of(self.options.seed, number);
        let place = Place::make(self.root.join(format!("{number:06}")))?;
        let observed = session::run(&self.artoo, &play, &place)?;
        let outcome = Outcome::of(&play, &observed);
        files::write(place.root().join("events.jsonl"), &observed.stdout)?;
        files::write(place.root().join("stderr.txt"), &observed.stderr)?;
        if outcome.findings.is_empty() && self.options.only.is_empty() {
            place.remove()?;
        } else {
            say(format!(
                "run {number}, {} {:?} {:?} {:?}: exit {}, {}, {:.1} s; {}",
                outcome.kind,
                play.whose,
                play.often,
                play.model.task,
                outcome.code,
                outcome.ending,
                outcome.seconds,
                outcome.told
            ));
            outcome.findings.iter().for_each(|finding| say(format!("  {finding}")));
            say(format!(
                "  again: cargo xtask soak --seed {} --only {number}; {}",
                self.options.seed,
                place.root().display()
            ));
        }
        Ok(outcome)
    }

    /// The requests in one process.
    fn conversation(&self, turns: u64) -> Result<long::Long> {
        say(format!("the conversation: {turns} requests in one process"));
        let place = Place::make(self.root.join("conversation"))?;
        let long = long::run(&self.artoo, self.options.seed, turns, &place, |name| self.tries(name))?;
        long.findings.iter().for_each(|finding| say(format!("  {finding}")));
        if long.findings.is_empty() {
            place.remove()?;
        }
        Ok(long)
    }

    fn command(&self) -> String {
        let cli::Soak { runs, seed, turns, hours, kind, quick, jobs, .. } = &self.options;
        let length = hours.map_or_else(|| format!("--runs {runs}"), |hours| format!("--hours {hours}"));
        let build = match (&self.options.binary, self.options.tested) {
            (Some(_), _) => " --binary FILE",
            (None, true) => " --tested",
            (None, false) => "",
        };
        let kinds: String = kind.iter().map(|name| format!(" --kind {name}")).collect();
        let quick = if *quick { " --quick" } else { "" };
        let jobs = jobs.map_or_else(String::new, |jobs| format!(" --jobs {jobs}"));
        format!("cargo xtask soak {length} --seed {seed} --turns {turns}{kinds}{quick}{jobs}{build}")
    }
}

/// The commit that is tried.
fn commit() -> String {
    let commit = Program::new("git", ["rev-parse", "--short=12", "HEAD"]).output();
    commit.map(|output| output.stdout.trim().to_owned()).unwrap_or_default()
}
