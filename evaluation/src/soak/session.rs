//! One run of the program against the hostile server, watched from outside.

use std::{
    io::Read,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{
    call::Wire,
    hostile::Does,
    place::Place,
    play::{Exchange, Play, Stage},
    process,
    server::Server,
};
use crate::{Error, Result, command::Program};

/// What each run is given as `--timeout`: so long that a run that needs it is told apart from one that ends by itself.
pub(super) const TIMEOUT: Duration = Duration::from_secs(90);
/// How much longer a run may take until it is killed and counts as hung.
const GRACE: Duration = Duration::from_secs(45);
/// How often a run is looked at.
const LOOK: Duration = Duration::from_millis(15);
/// How long the processes of a run may take to be gone, which the kernel does by itself.
const GONE: Duration = Duration::from_secs(3);
/// The options that make waits short: for a server that is silent, and for a role whose model never comes to an end.
pub(super) const SHORT_WAITS: [&str; 12] = [
    "-c",
    "http.first_byte_timeout=1500ms",
    "-c",
    "http.idle_timeout=1500ms",
    "-c",
    "deadlines.perceive=15s",
    "-c",
    "deadlines.plan=15s",
    "-c",
    "deadlines.attempt=30s",
    "-c",
    "deadlines.judge=15s",
];

/// What was seen of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Observation {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it was killed because it did not end.
    pub hung: bool,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
    /// The calls that the server got.
    pub seen: Vec<Exchange>,
    /// The most memory, in MiB.
    pub memory: f64,
    /// Processes that were left.
    pub processes: Vec<String>,
    /// Whether somebody still held its output open after its end.
    pub held: bool,
    /// What was left in the folders for temporary files.
    pub temporary: Vec<String>,
    /// What changed where nothing may.
    pub changed: Vec<String>,
    /// Files that only a cut call makes.
    pub cut: Vec<String>,
    /// The lines that answers appended.
    pub lines: Vec<String>,
    /// What `audit verify` said, where it failed.
    pub audit: Option<String>,
    /// How many runs `runs list` knows.
    pub listed: usize,
}

/// Runs one part.
///
/// # Errors
/// The folders cannot be made, the server or the program not be started.
pub(super) fn run(artoo: &Path, play: &Play, place: &Place) -> Result<Observation> {
    let stage = Arc::new(Stage::new(play.clone()));
    let answering = Arc::clone(&stage);
    let server = Server::start(move |call| answering.answer(call))?;
    let mut command = program(artoo, place);
    command.args(["run", "--json", "--timeout", &format!("{}s", TIMEOUT.as_secs())]);
    command.args(SHORT_WAITS).args(play.arguments()).args(["--", play.model.task.request()]);
    command.envs(of_server(play.wire, play.name, &server.base_url()));
    let mut observed = watched(command, play, &stage)?;
    observed.processes = process::left_in(place.root(), GONE);
    observed.temporary = place.left();
    observed.changed = place.changed();
    observed.cut = place.made().into_iter().filter(|name| name.starts_with(super::hostile::CUT)).collect();
    observed.lines = place.lines();
    observed.seen = stage.seen();
    drop(server);
    observed.audit = audited(artoo, place)?;
    observed.listed = listed(artoo, place)?;
    Ok(observed)
}

/// The program in its place, with an environment of its own.
#[expect(
    clippy::disallowed_methods,
    reason = "the program under test is started as a person starts it, never what a model asked for"
)]
pub(super) fn program(artoo: &Path, place: &Place) -> Command {
    let mut command = Command::new(artoo);
    // A group of its own, so that nothing that a terminal sends here reaches it.
    command.env_clear().envs(place.environment()).current_dir(place.work()).process_group(0);
    command
}

/// The variables that name the server.
pub(super) fn of_server(wire: Wire, model: &str, address: &str) -> Vec<(&'static str, String)> {
    let (provider, key, path) = match wire {
        Wire::Chat => ("openai", "OPENAI_API_KEY", "/v1"),
        Wire::Messages => ("anthropic", "ANTHROPIC_API_KEY", ""),
    };
    vec![
        ("ARTOO_PROVIDER", provider.to_owned()),
        ("ARTOO_BASE_URL", format!("{address}{path}")),
        ("ARTOO_MODEL", model.to_owned()),
        (key, "sk-soak-0123456789abcdef".to_owned()),
    ]
}

/// Starts it, sends the signal that its part asks for, and waits for its end.
fn watched(mut command: Command, play: &Play, stage: &Stage) -> Result<Observation> {
    let started = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|source| Error::Start { command: "artoo run".to_owned(), source })?;
    let (out, err) = (Capture::of(child.stdout.take()), Capture::of(child.stderr.take()));
    let mut observed = Observation::default();
    let mut signal = match play.kind.does {
        Does::Signals(name) => Some(name),
        Does::Nothing | Does::Answers(..) | Does::Asks(_) | Does::Judges(_) | Does::Plans(_) => None,
    };
    let status = loop {
        if let Some(most) = process::most_memory(child.id()) {
            observed.memory = most;
        }
        let status =
            child.try_wait().map_err(|source| Error::Start { command: "artoo run".to_owned(), source })?;
        if let Some(status) = status {
            break status;
        }
        if let Some(name) = signal.take_if(|_| stage.seen().len() >= play.signal_at) {
            send(name, &child)?;
        }
        if started.elapsed() > TIMEOUT + GRACE {
            observed.hung = true;
            end(&mut child);
        }
        thread::sleep(LOOK);
    };
    observed.took = started.elapsed();
    (observed.code, observed.signal) = (status.code(), status.signal());
    let (out, err) = (out.text(), err.text());
    observed.held = out.is_none() || err.is_none();
    observed.stdout = out.unwrap_or_default();
    observed.stderr = err.unwrap_or_default();
    Ok(observed)
}

/// Sends a signal to the program, as `kill` does.
fn send(signal: &str, child: &Child) -> Result<()> {
    // It fails if the program has just ended, which is as good.
    Program::new("kill", [format!("-{signal}"), child.id().to_string()]).output().map(drop)
}

/// Kills the program.
pub(super) fn end(child: &mut Child) {
    // It fails if the program has ended meanwhile.
    let _ = child.kill();
}

/// What `audit verify` says, where it fails.
pub(super) fn audited(artoo: &Path, place: &Place) -> Result<Option<String>> {
    let verified = asked(artoo, place, &["audit", "verify"])?;
    let text = [verified.stdout, verified.stderr].concat();
    Ok((!verified.status.success()).then(|| String::from_utf8_lossy(&text).trim().to_owned()))
}

/// How many runs `runs list` knows.
fn listed(artoo: &Path, place: &Place) -> Result<usize> {
    let listed = asked(artoo, place, &["runs", "list", "--json"])?;
    Ok(String::from_utf8_lossy(&listed.stdout).lines().filter(|line| line.starts_with('{')).count())
}

fn asked(artoo: &Path, place: &Place, arguments: &[&str]) -> Result<std::process::Output> {
    let output = program(artoo, place).args(arguments).stdin(Stdio::null()).output();
    output.map_err(|source| Error::Start { command: format!("artoo {}", arguments.join(" ")), source })
}

/// An output that is read as it comes.
#[derive(Debug)]
pub(super) struct Capture {
    bytes: Arc<Mutex<Vec<u8>>>,
    reading: Option<JoinHandle<()>>,
}

impl Capture {
    /// Reads this to its end, in a thread of its own.
    pub(super) fn of(source: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&bytes);
        let reading = source.map(|mut source| {
            thread::spawn(move || {
                let mut buffer = [0_u8; 64 * 1024];
                while let Ok(read @ 1..) = source.read(&mut buffer) {
                    let mut all = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    all.extend(buffer.iter().take(read));
                }
            })
        });
        Self { bytes, reading }
    }

    /// What came so far.
    pub(super) fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Forgets what came so far, and gives it.
    pub(super) fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// All of it, after the program has ended; `None` if somebody else keeps it open.
    pub(super) fn text(mut self) -> Option<String> {
        let reading = self.reading.take()?;
        let until = Instant::now() + GONE;
        while !reading.is_finished() {
            if Instant::now() > until {
                return None;
            }
            thread::sleep(LOOK);
        }
        // A panic of that thread was printed where it happened.
        let _ = reading.join();
        Some(self.so_far())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::{files, soak::outcome::Outcome};

    const RESULT: &str = r#"{"type":"run.finished","directive":"accept","output":"3","exit_code":0}"#;

    /// What is found of a program that runs this script in the place of a run, and is sound otherwise.
    fn found(script: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("artoo.sh");
        let records = "case \"$1\" in runs) echo '{}'; exit 0;; audit) exit 0;; esac";
        files::write(&program, format!("#!/bin/sh\n{records}\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let place = Place::make(folder.path().join("place")).unwrap();
        let mut plays = (0..).map(|number| Play::of(1, number));
        let play = plays.find(|play| play.kind.name == "none").unwrap();
        let observed = run(&program, &play, &place).unwrap();
        let outcome = Outcome::of(&play, &observed);
        for line in &observed.processes {
            let pid = line.split(' ').next().unwrap();
            Program::new("kill", ["-KILL", pid]).run().unwrap();
        }
        outcome.names
    }

    #[test]
    fn a_sound_program_has_no_finding() {
        assert_eq!(found(&format!("echo '{RESULT}'")), Vec::<String>::new());
    }

    #[test]
    fn what_a_program_leaves_is_found() {
        let table = [
            ("(trap '' HUP; exec sleep 300 >/dev/null 2>&1) &", "processes left"),
            ("mkdir \"$TMPDIR/artoo-left\"", "temporary files left"),
            ("echo x > \"$HOME/outside/kept.txt\"", "changed outside"),
            ("echo x > lines.log; echo x >> lines.log", "call carried out twice"),
            ("touch cut-call-3.txt", "cut call carried out"),
            ("echo \"thread 'main' panicked at x.rs\" >&2", "panic"),
            ("kill -KILL $$", "killed by a signal"),
        ];
        for (script, name) in table {
            assert!(found(&format!("echo '{RESULT}'\n{script}")).contains(&name.to_owned()), "{script}");
        }
    }

    #[test]
    fn the_server_is_where_the_environment_says() {
        // Only bash connects by itself.
        let script = format!(
            "bash -c 'p=${{ARTOO_BASE_URL##*:}}; exec 3<>/dev/tcp/127.0.0.1/${{p%%/*}}' && echo '{RESULT}'"
        );
        assert_eq!(found(&script), Vec::<String>::new());
    }
}
