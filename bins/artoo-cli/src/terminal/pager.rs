//! Output through a pager if the text is longer than the terminal: the user's own, or the system's `less`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use artoo_tools::SystemProgram;
use tokio::runtime::{Handle, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use super::{Terminal, width};
use crate::error::CommandError;
use crate::machine::{Environment, threads};

/// The default pager. With [`OPTIONS`] it leaves the text on the screen and exits if all of it fits.
const USUAL: &str = "less";
/// Options of `less` if the user has set none.
const OPTIONS: &str = "FRX";
/// Exit codes of a shell for a program that it cannot find or start.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Writes data to standard output; through the pager if that is a terminal and the text is longer.
///
/// # Errors
/// As [`Terminal::data`].
pub(crate) fn paged(
    terminal: &mut Terminal,
    environment: &Environment,
    text: &str,
) -> Result<(), CommandError> {
    let look = terminal.data_look();
    let rows: usize = text.lines().map(|line| width(line).div_ceil(look.columns.max(1)).max(1)).sum();
    let is_longer = look.live && terminal.rows().is_some_and(|shown| rows >= shown);
    let is_shown =
        is_longer && Pager::of(environment).is_some_and(|pager| through(&pager, environment, text));
    if is_shown { Ok(()) } else { terminal.data(text) }
}

/// Which pager is used.
enum Pager {
    /// Shell text that the user chose.
    OfTheUser(String),
    /// Nobody chose it, so it must be one that no run could have left in a folder of `PATH`.
    OfTheSystem(SystemProgram),
}

impl Pager {
    fn of(environment: &Environment) -> Option<Self> {
        let usual = || SystemProgram::find(USUAL, &environment.search_path()).map(Self::OfTheSystem);
        environment.text("PAGER").map(|text| Self::OfTheUser(text.to_owned())).or_else(usual)
    }

    fn command(&self) -> Command {
        match self {
            Self::OfTheUser(text) => {
                let mut command = started(Path::new("/bin/sh"));
                command.arg("-c").arg(text);
                command
            }
            Self::OfTheSystem(program) => started(program.path()),
        }
    }
}

/// Whether a program of the system with a page of its own took the text.
pub(crate) fn given_to(
    program: &SystemProgram,
    environment: &Environment,
    arguments: &[&str],
    text: &str,
) -> bool {
    let mut command = started(program.path());
    command.args(arguments);
    fed(command, environment, text) == Some(0)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the person's own program at their terminal, no command of a run"
)]
fn started(program: &Path) -> Command {
    Command::new(program)
}

/// Whether the pager took the text. It is not a failure if the user quits before the end.
fn through(pager: &Pager, environment: &Environment, text: &str) -> bool {
    fed(pager.command(), environment, text).is_some_and(|code| !NOT_STARTED.contains(&code))
}

/// Starts a program with the text on its standard input, and waits for its end. Returns its exit code, 0 for one that a signal ended.
fn fed(mut command: Command, environment: &Environment, text: &str) -> Option<i32> {
    // Ctrl+C is for the program. Without a handler it would end artoo and leave the terminal unrestored.
    let own = if Handle::try_current().is_ok() { None } else { runtime() };
    let _entered = own.as_ref().map(Runtime::enter);
    let _caught = Handle::try_current().is_ok().then(|| signal(SignalKind::interrupt()));
    command.stdin(Stdio::piped());
    if environment.raw("LESS").is_none() {
        command.env("LESS", OPTIONS);
    }
    let mut child = command.spawn().ok()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A write error means that the user has quit the program.
        let _ = stdin.write_all(text.as_bytes());
    }
    Some(child.wait().ok()?.code().unwrap_or(0))
}

fn runtime() -> Option<Runtime> {
    threads::to_wait_for_others().ok()
}
