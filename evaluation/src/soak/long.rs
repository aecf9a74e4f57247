//! One process that works on one request after another: the conversation at a pipe. What it holds is looked at after each of them.

use std::{
    io::Write,
    path::Path,
    process::{Child, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    call::Wire,
    hostile::{Does, Kind},
    place::Place,
    play::{Play, Stage},
    process,
    server::Server,
    session::{self, Capture},
};
use crate::{Error, Result, terminal::say};

/// What each request is given as `run.timeout`.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How much longer it may take until the process counts as hung.
const GRACE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(15);
/// The model of the conversation.
const MODEL: &str = "gpt-4-test";
/// How the last line of a request begins.
const LAST_LINE: &str = "recorded: ";

/// What the process held after a request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// How many requests it had worked on.
    pub turn: u64,
    /// Resident memory, in MiB.
    pub memory: f64,
    /// Threads.
    pub threads: f64,
    /// Open descriptors other than sockets.
    pub descriptors: f64,
    /// Open sockets.
    pub sockets: f64,
    /// Child processes.
    pub children: f64,
    /// Files and folders for the time being.
    pub temporary: f64,
    /// Processes of its requests, besides itself.
    pub processes: f64,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Long {
    /// After each request.
    pub samples: Vec<Sample>,
    /// What may not happen, and did.
    pub findings: Vec<String>,
    /// How many requests the time limit ended.
    pub timeouts: usize,
}

/// A figure that may not grow: its name, its field, and the growth that is allowed, as a factor and an amount.
type Flat = (&'static str, fn(&Sample) -> f64, f64, f64);

/// The growth of threads and sockets that is allowed. They are pooled: a pool keeps as many as its busiest moment needed, and that
/// moment can come late. A leak adds to them again and again, so it soon exceeds this.
const POOLED: f64 = 3.0;

/// Memory of a process comes back in steps, so a little more is not growth.
const FLAT: [Flat; 7] = [
    ("memory (MiB)", |sample| sample.memory, 1.15, 8.0),
    ("threads", |sample| sample.threads, 1.0, POOLED),
    ("sockets", |sample| sample.sockets, 1.0, POOLED),
    ("descriptors", |sample| sample.descriptors, 1.0, 0.0),
    ("child processes", |sample| sample.children, 1.0, 0.0),
    ("temporary files", |sample| sample.temporary, 1.0, 0.0),
    ("processes of requests", |sample| sample.processes, 1.0, 0.0),
];

/// Has one process work on requests, each with a part of its own of a kind that is tried.
///
/// # Errors
/// The folders cannot be made, the server or the program not be started.
pub(super) fn run(
    artoo: &Path,
    seed: u64,
    turns: u64,
    place: &Place,
    tries: impl Fn(&str) -> bool,
) -> Result<Long> {
    let stage = Arc::new(Mutex::new(Arc::new(Stage::new(Play::of(seed, 0)))));
    let answering = Arc::clone(&stage);
    let server = Server::start(move |call| {
        let stage = Arc::clone(&answering.lock().unwrap_or_else(PoisonError::into_inner));
        stage.answer(call)
    })?;
    let mut command = session::program(artoo, place);
    command.args(session::SHORT_WAITS).args(["--yes", "creates", "--yes", "overwrites"]);
    command.envs(session::of_server(Wire::Chat, MODEL, &server.base_url()));
    command.env("ARTOO_TIMEOUT", format!("{}s", TIMEOUT.as_secs()));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |source| Error::Start { command: "artoo".to_owned(), source };
    let mut child = command.spawn().map_err(failed)?;
    let (out, err) = (Capture::of(child.stdout.take()), Capture::of(child.stderr.take()));
    let mut long = Long::default();
    for (turn, play) in (1..=turns).zip(plays(seed).filter(|play| tries(play.kind.name))) {
        let request = play.model.task.request();
        let asked = Instant::now();
        *stage.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(Stage::new(play.clone()));
        let wrote =
            child.stdin.as_mut().map(|input| writeln!(input, "{request}").and_then(|()| input.flush()));
        if !matches!(wrote, Some(Ok(()))) || !finishes(&mut child, &err).map_err(failed)? {
            long.findings.push(format!("request {turn} ({}) has no end", play.kind.name));
            break;
        }
        let told = err.take();
        out.take();
        long.timeouts += usize::from(asked.elapsed() >= TIMEOUT);
        if let Some(line) = told.lines().find(|line| line.contains("panicked at")) {
            long.findings.push(format!("request {turn} ({}): {line}", play.kind.name));
        }
        let Some(sample) = sample(turn, child.id(), place) else {
            long.findings.push(format!("the process ended with request {turn} ({})", play.kind.name));
            break;
        };
        if turn.is_multiple_of(50) {
            say(format!(
                "  request {turn}: {:.0} MiB, {} sockets, {} other descriptors",
                sample.memory, sample.sockets, sample.descriptors
            ));
        }
        long.samples.push(sample);
    }
    drop(child.stdin.take());
    if !ends(&mut child).map_err(failed)? {
        long.findings.push("the process does not end with its input".to_owned());
    }
    let left = process::left_in(place.root(), Duration::from_secs(3));
    long.findings.extend(left.into_iter().map(|process| format!("a process is left: {process}")));
    long.findings.extend(place.left().into_iter().map(|name| format!("a temporary file is left: {name}")));
    let (runs, asked) = (place.runs(), long.samples.len());
    if runs != asked {
        long.findings.push(format!("{runs} runs are on record after {asked} requests"));
    }
    long.findings
        .extend(session::audited(artoo, place)?.map(|why| format!("the audit log does not verify: {why}")));
    long.findings.extend(growth(&long.samples));
    Ok(long)
}

/// Parts for the conversation: those of a server or a model, in chat completions, without options of their own.
fn plays(seed: u64) -> impl Iterator<Item = Play> {
    let fits = |kind: &Kind| match kind.does {
        Does::Answers(on, _) => on.wire() != Some(Wire::Messages),
        Does::Nothing | Does::Asks(_) | Does::Judges(_) | Does::Plans(_) => true,
        Does::Signals(_) => false,
    };
    let plays = (0..).map(move |number| Play::of(seed, number)).filter(move |play| fits(play.kind));
    plays.map(|play| Play { wire: Wire::Chat, name: MODEL, ..play })
}

/// Waits for the end of a request; false if there is none.
fn finishes(child: &mut Child, err: &Capture) -> std::io::Result<bool> {
    let started = Instant::now();
    while started.elapsed() < TIMEOUT + GRACE {
        if err.so_far().lines().any(|line| line.starts_with(LAST_LINE)) {
            return Ok(true);
        }
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        thread::sleep(LOOK);
    }
    Ok(false)
}

/// Waits for the end of the process, and kills it if it has none; whether it ended by itself.
fn ends(child: &mut Child) -> std::io::Result<bool> {
    let started = Instant::now();
    while started.elapsed() < GRACE {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        thread::sleep(LOOK);
    }
    session::end(child);
    child.wait()?;
    Ok(false)
}

fn sample(turn: u64, pid: u32, place: &Place) -> Option<Sample> {
    let figures = process::figures(pid)?;
    let beside = process::now_in(place.root()).into_iter().filter(|(other, _)| *other != pid);
    Some(Sample {
        turn,
        memory: figures.resident,
        threads: figures.threads,
        descriptors: figures.descriptors,
        sockets: figures.sockets,
        children: figures.children,
        temporary: place.left().len() as f64,
        processes: beside.count() as f64,
    })
}

/// The figures that grew: whose least in the last quarter is more than the most in the second quarter. What goes up and down again is
/// none of them, and what only ever goes up is.
fn growth(samples: &[Sample]) -> Vec<String> {
    let quarter = samples.len() / 4;
    if quarter < 5 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (name, figure, factor, more) in FLAT {
        let second = samples.iter().skip(quarter).take(quarter).map(figure).fold(0.0, f64::max);
        let last = samples.iter().rev().take(quarter).map(figure).fold(f64::MAX, f64::min);
        if last > second * factor + more {
            found.push(format!("{name} grow from at most {second:.1} to at least {last:.1}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(figure: impl Fn(u64) -> f64) -> Vec<String> {
        let samples = (0..100).map(|turn| Sample { turn, descriptors: figure(turn), ..Sample::default() });
        growth(&samples.collect::<Vec<_>>())
    }

    #[test]
    fn what_only_goes_up_grows_and_what_comes_back_does_not() {
        assert_eq!(course(|_| 20.0), Vec::<String>::new());
        assert_eq!(course(|turn| if turn.is_multiple_of(7) { 90.0 } else { 20.0 }), Vec::<String>::new());
        assert_eq!(course(|turn| turn as f64), ["descriptors grow from at most 49.0 to at least 75.0"]);
        assert_eq!(course(|turn| if turn < 50 { 20.0 } else { 21.0 }).len(), 1, "one that never comes back");
        let sockets = |each: u64| {
            let of = |turn: u64| Sample { turn, sockets: (5 + turn / each) as f64, ..Sample::default() };
            growth(&(0..24).map(of).collect::<Vec<_>>()).len()
        };
        assert_eq!(
            (sockets(12), sockets(1)),
            (0, 1),
            "a pool that grew once, and a socket left by each request"
        );
        let memory = |step: f64| {
            let samples =
                (0..100).map(|turn| Sample { turn, memory: 30.0 + step * turn as f64, ..Sample::default() });
            growth(&samples.collect::<Vec<_>>()).len()
        };
        assert_eq!((memory(0.05), memory(1.0)), (0, 1));
    }

    #[test]
    fn the_conversation_gets_no_signal_and_one_wire() {
        let mut plays = plays(1).take(300);
        assert!(plays.all(|play| play.wire == Wire::Chat && !matches!(play.kind.does, Does::Signals(_))));
    }
}
