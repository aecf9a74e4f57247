//! Starts the binary and collects its output.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Timeout of a test: none takes long, so a longer wait means that it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The binary, with an environment of only the variables set here.
#[expect(
    clippy::disallowed_methods,
    reason = "the sandbox crate starts commands of runs; here the program itself is under test"
)]
pub(crate) fn artoo(home: &Path, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_artoo"));
    command
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TZ", "UTC")
        .current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Exit status and output of a command.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// Panics with all output unless the exit code is `code`.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "\n--- standard output\n{}\n--- standard error\n{}", self.out, self.err);
        self
    }

    /// Panics unless the error and the hint contain these texts.
    #[track_caller]
    pub(crate) fn explains(&self, error: &str, hint: &str) {
        let line = |start: &str| self.err.lines().find(|line| line.starts_with(start)).unwrap_or_default();
        assert!(line("error:").contains(error), "no `{error}` in\n{}", self.err);
        assert!(line("hint:").contains(hint), "no `{hint}` in\n{}", self.err);
    }
}

/// Runs the command to its end.
pub(crate) fn say(command: &mut Command) -> Said {
    let child = command.spawn().unwrap();
    wait(child)
}

/// Runs the command to its end with `input` on standard input.
pub(crate) fn say_with_input(command: &mut Command, input: &[u8]) -> Said {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // The program may exit before it has read all of its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    wait(child)
}

/// Waits for the end, with a timeout.
pub(crate) fn wait(mut child: Child) -> Said {
    let out = std::thread::spawn(drain(child.stdout.take()));
    let err = std::thread::spawn(drain(child.stderr.take()));
    let status = ended(&mut child);
    let code = std::os::unix::process::ExitStatusExt::signal(&status)
        .map_or_else(|| status.code().unwrap_or(-1), |signal| -signal);
    Said { code, out: out.join().unwrap(), err: err.join().unwrap() }
}

/// Waits for the end of a process, and kills it after the timeout.
pub(crate) fn ended(child: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the condition holds.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}: it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn drain(stream: Option<impl Read + Send + 'static>) -> impl FnOnce() -> String + Send {
    move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.read_to_end(&mut bytes).unwrap();
        }
        String::from_utf8(bytes).unwrap()
    }
}

/// The arguments of a command line.
pub(crate) fn words<'a>(line: &'a [&'a str]) -> impl Iterator<Item = &'a OsStr> {
    line.iter().map(OsStr::new)
}
