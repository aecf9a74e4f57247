//! Why a command counts as failed, as far as code can know.

use std::time::Duration;

use artoo_sandbox::{Ending, Network, ResourceLimits, SandboxMode};
use artoo_types::{CallFailure, FailureClass};

use crate::granted::Granted;
use crate::{ToolContext, ToolError};

/// Exit statuses that shells define.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;
/// The signal that the kernel uses when memory runs out.
pub(crate) const SIGKILL: i32 = 9;
/// The one for a file that grew beyond its limit.
const SIGXFSZ: i32 = 25;

/// The C library's words for errors of the world. English only; in other languages the class stays unknown.
const OF_THE_WORLD: [&str; 19] = [
    "Permission denied",
    "Operation not permitted",
    "No such file or directory",
    "No space left on device",
    "Device or resource busy",
    "Read-only file system",
    "Disk quota exceeded",
    "Input/output error",
    "Connection refused",
    "Connection timed out",
    "Network is unreachable",
    "No route to host",
    "Could not resolve host",
    "Temporary failure in name resolution",
    "Too many open files",
    "Cannot allocate memory",
    "File too large",
    "File size limit exceeded",
    "unable to resolve host",
];

/// What programs say without a network, in small letters. Some of them say it of a file that may not be touched, too.
const OF_THE_NETWORK: [&str; 16] = [
    "could not resolve",
    "unable to resolve",
    "name resolution",
    "name or service not known",
    "nodename nor servname",
    "eai_again",
    "network is unreachable",
    "no route to host",
    "couldn't connect",
    "failed to connect",
    "failed to establish a new connection",
    "connection failed",
    "urlopen error",
    "dial tcp",
    "socket",
    "/dev/tcp/",
];

/// What programs say when they were called wrongly.
const OF_THE_CALLER: [&str; 8] = [
    "SyntaxError",
    "NameError",
    "syntax error",
    "unexpected EOF while looking for",
    "invalid option",
    "unrecognized option",
    "illegal option",
    "Usage:",
];

/// The failure of a command, or none where it succeeded. `stderr` is as much of it as a prompt shows.
pub(crate) fn failure(
    ending: Ending,
    stderr: &str,
    timeout: Duration,
    (cx, granted): (&ToolContext, &Granted),
) -> Option<CallFailure> {
    let (class, reason, hint) = match ending {
        Ending::Exited(0) => {
            let program = missing_program(stderr)?;
            (
                FailureClass::Environmental,
                format!("`{program}` is not on this machine, so what it should have put out is missing"),
                Some("use a program that is installed".to_owned()),
            )
        }
        Ending::Exited(status) => {
            let class = class_of(status, stderr);
            (
                class,
                format!("exit status {status}{}", last_words(stderr)),
                hint_of(status, stderr, cx, granted),
            )
        }
        Ending::Signaled(SIGKILL) => (
            FailureClass::Environmental,
            "killed from outside, perhaps for lack of memory".to_owned(),
            Some("do less at a time".to_owned()),
        ),
        Ending::Signaled(SIGXFSZ) => (
            FailureClass::Environmental,
            format!("stopped because a file grew beyond {} bytes", ResourceLimits::default().file_bytes),
            Some("write less, or several files".to_owned()),
        ),
        Ending::Signaled(signal) => (FailureClass::Unknown, format!("ended by signal {signal}"), None),
        Ending::TimedOut => (
            FailureClass::Environmental,
            format!("stopped after {} seconds, with all its processes", timeout.as_secs_f32()),
            Some(format!(
                "do less at a time, or set timeout_seconds (at most {})",
                cx.limits.longest_command_time.as_secs()
            )),
        ),
        Ending::Crowded => (
            FailureClass::Logical,
            format!(
                "killed, because it had more than {} processes at the same time",
                ResourceLimits::default().processes
            ),
            Some("start fewer at a time, and wait for them".to_owned()),
        ),
        Ending::OutOfRoom => (
            FailureClass::Environmental,
            format!(
                "killed, because less than {} bytes were free on the disk where it writes",
                ResourceLimits::default().free_bytes
            ),
            Some("write less; what it wrote is still there".to_owned()),
        ),
        Ending::Cancelled => return Some(ToolError::Cancelled.failure()),
    };
    Some(CallFailure { class, reason, hint })
}

/// Whether a command ended as a search ends that found nothing: with status 1. It did what it should; `grep -c` even says 0. Of a list of
/// commands nobody knows which one ended so.
pub(crate) fn is_search_without_hit(command: &str, ending: Ending) -> bool {
    const SEARCHES: [&str; 4] = ["grep", "egrep", "fgrep", "rg"];
    if ending != Ending::Exited(1) {
        return false;
    }
    let is_list = ["&&", "||", ";", "\n"].iter().any(|between| command.trim().contains(between));
    let mut programs = command.split('|').filter_map(|part| part.split_whitespace().next());
    let searches = programs.any(|program| SEARCHES.contains(&program.rsplit('/').next().unwrap_or(program)));
    searches && !is_list
}

/// A program that the shell did not find. In the middle of a pipeline that shows in its complaint alone: `tree | wc -l` ends well, and
/// puts out 0.
fn missing_program(stderr: &str) -> Option<&str> {
    stderr.lines().find_map(|line| {
        // `bash: line 1: tree: command not found`, and dash's `/bin/sh: 1: tree: not found`.
        let line = line.trim_end();
        let said = line.strip_suffix(": command not found").or_else(|| line.strip_suffix(": not found"))?;
        let (shell, program) = said.rsplit_once(": ")?;
        let (shell, place) = shell.split_once(": ")?;
        let is_shell = matches!(shell.rsplit('/').next(), Some("bash" | "sh" | "dash"));
        let is_place = place.trim_start_matches("line ").parse::<u32>().is_ok();
        (is_shell && is_place && !program.is_empty()).then_some(program)
    })
}

fn class_of(status: i32, stderr: &str) -> FailureClass {
    let says = |words: &[&str]| words.iter().any(|words| stderr.contains(words));
    match status {
        NOT_FOUND | NOT_EXECUTABLE => FailureClass::Environmental,
        _ if says(&OF_THE_WORLD) => FailureClass::Environmental,
        _ if says(&OF_THE_CALLER) => FailureClass::Logical,
        // Many programs use a status to answer a question: grep, test, diff.
        _ => FailureClass::Unknown,
    }
}

fn hint_of(status: i32, stderr: &str, cx: &ToolContext, granted: &Granted) -> Option<String> {
    let refused = stderr.contains("Permission denied") || stderr.contains("Operation not permitted");
    // Changing it, and moving it away.
    let kept = stderr.contains("Read-only file system") || stderr.contains("Device or resource busy");
    match cx.mode {
        _ if status == NOT_FOUND => Some("use a program that is installed".to_owned()),
        // What models write most often: a compound statement behind a semicolon.
        _ if stderr.contains("SyntaxError") && stderr.contains("<string>") => Some(
            "after a semicolon python3 takes no with, for or if: write open(...) and [... for ...]"
                .to_owned(),
        ),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite if lacks_network(stderr, cx) => Some(
            "commands have no network here; only the user can grant it (`tools.network = true` in the configuration), so do without"
                .to_owned(),
        ),
        SandboxMode::WorkspaceWrite if refused && !granted.withheld.is_empty() => Some(
            "this machine cannot keep `.git` from commands, so they may write only in $TMPDIR: make new files in the workspace with write_file"
                .to_owned(),
        ),
        SandboxMode::WorkspaceWrite if !granted.sealed.is_empty() && kept => Some(
            "commands cannot change a `.git` that was there before the run; only the user can, so leave the files as they should be"
                .to_owned(),
        ),
        SandboxMode::WorkspaceWrite if refused || kept => Some(format!(
            "commands may write only in {} and in {}: write to \"$WORKSPACE/NAME\", or to a name in the working folder",
            cx.workspace.display(),
            cx.working_folder.display()
        )),
        SandboxMode::ReadOnly if refused || kept => Some("commands may write only in $TMPDIR".to_owned()),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => None,
    }
}

/// Whether it is likely that the network was missing. Not certain, so that the class stays what the words say: the same words come from
/// a cable that was pulled out.
fn lacks_network(stderr: &str, cx: &ToolContext) -> bool {
    match cx.network {
        Network::Granted => false,
        Network::Denied => {
            let said = stderr.to_lowercase();
            OF_THE_NETWORK.iter().any(|words| said.contains(words))
        }
    }
}

fn last_words(stderr: &str) -> String {
    let last = stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let short: String = last.chars().take(200).collect();
    if short.is_empty() { short } else { format!(": {short}") }
}
