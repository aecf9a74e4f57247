//! Detached runs: the program starts itself again in a second process without the terminal.
//!
//! The first process waits until the second has started its run or has reported why it cannot. The second
//! process first leaves the terminal's session, and closes its streams once the run has started.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use artoo_runtime::Run;

use crate::args::RunArgs;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::machine::private_log;

/// The user's option, and the internal one of the second process.
const DETACH: &str = "--detach";
pub(crate) const DETACHED: &str = "--detached";

/// Output files of the second process, in its run's folder.
const STREAMS: [&str; 2] = ["stdout", "stderr"];

/// Starts the second process and prints the id of its run.
pub(super) fn start(context: &mut Context<'_>, args: &RunArgs) -> Result<Exit, CommandError> {
    let reads = matches!(args.request.as_deref(), None | Some("-"));
    let words = words_of_the_second(context.words);
    match begin(context, &words, reads)? {
        Begun::Run(id) => {
            context.terminal.data(&format!("{id}\n"))?;
            Ok(Exit::OK)
        }
        Begun::Nothing(exit) => Ok(exit),
    }
}

/// Outcome of starting a second process.
pub(crate) enum Begun {
    /// The run has started and has this id.
    Run(String),
    /// The process exited before.
    Nothing(Exit),
}

/// Starts the program with these arguments and waits until its run has started. `reads` tells whether it
/// reads the request from standard input.
pub(crate) fn begin(
    context: &mut Context<'_>,
    words: &[OsString],
    reads: bool,
) -> Result<Begun, CommandError> {
    let failed =
        |error: io::Error| CommandError::failed("cannot start the run in the background").because(error);
    let program = std::env::current_exe().map_err(failed)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "it is the program itself, and outlives this process, as nothing that the sandbox crate starts may"
    )]
    let mut command = Command::new(program);
    command
        .args(words)
        .current_dir(context.folders.current()?)
        .stdin(if reads { Stdio::inherit() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut second = command.spawn().map_err(failed)?;
    let errors = second.stderr.take();
    let reader = std::thread::Builder::new().name("artoo-errors".to_owned());
    let errors = reader.spawn(move || {
        let mut bytes = Vec::new();
        // A read error is ignored: the exit status is reported anyway.
        let _ = errors.map(|mut errors| errors.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let errors = errors.map_err(failed)?;
    let mut id = String::new();
    if let Some(out) = second.stdout.take() {
        BufReader::new(out).read_line(&mut id).map_err(failed)?;
    }
    for line in errors.join().unwrap_or_default().lines() {
        context.terminal.note(line);
    }
    if let Some(id) = id.strip_suffix('\n') {
        return Ok(Begun::Run(id.to_owned()));
    }
    let status = second.wait().map_err(failed)?;
    let exit = status.code().and_then(|code| u8::try_from(code).ok()).map_or(Exit::FAILED, Exit::of_run);
    Ok(Begun::Nothing(exit))
}

/// The arguments of this process with the one option replaced. Arguments after `--` are the request.
fn words_of_the_second(words: &[OsString]) -> Vec<OsString> {
    let at = words.iter().take_while(|word| *word != OsStr::new("--")).position(|word| word == DETACH);
    let mut words = words.to_vec();
    if let Some(word) = at.and_then(|at| words.get_mut(at)) {
        *word = DETACHED.into();
    }
    words
}

/// Leaves the terminal's session, so that the second process gets no more signals from it.
pub(super) fn leave_session() -> Result<(), CommandError> {
    rustix::process::setsid().map(drop).map_err(|error| {
        CommandError::failed("cannot leave the terminal")
            .because(error)
            .hint(format!("`{DETACHED}` is for artoo itself: use `{DETACH}`"))
    })
}

/// Reports to the first process that the run has started, and closes the streams.
pub(super) fn begun(context: &mut Context<'_>, run: &Run) -> Result<(), CommandError> {
    context.terminal.data(&format!("{}\n", run.id()))?;
    leave_streams(run.folder()).map_err(|error| {
        CommandError::failed(format!("cannot write into {}", run.folder().display())).because(error)
    })
}

fn leave_streams(folder: &Path) -> io::Result<()> {
    let [out, errors] = STREAMS;
    let (out, errors) = (private_log(&folder.join(out))?, private_log(&folder.join(errors))?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(out)?;
    Ok(rustix::stdio::dup2_stderr(errors)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_option_is_replaced_and_no_word_of_the_request() {
        let check = |line: &str, expected: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let expected: Vec<OsString> = expected.split(' ').map(OsString::from).collect();
            assert_eq!(words_of_the_second(&words), expected);
        };
        check("run --detach x", "run --detached x");
        check("--data-dir d --detach -- --detach", "--data-dir d --detached -- --detach");
        check("run -- --detach", "run -- --detach");
    }
}
