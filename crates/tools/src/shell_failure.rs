//! Classifies the failure of a shell command by its status, output and signals.

use std::time::Duration;

use artoo_sandbox::{Ending, Network, PrivateNetwork, ResourceLimits, SandboxMode};
use artoo_types::{Arguments, CallFailure, FailureClass, ToolKind, ToolName};
use rustix::io::Errno;
use serde_json::Value;

use crate::error::USE_GIT_COMMIT;
use crate::installed_programs::is_executable;
use crate::system_program::search_path;
use crate::writable_folders::Granted;
use crate::{ToolContext, ToolError};

/// Exit statuses that shells define.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;
/// The signal of the kernel's out-of-memory killer.
pub(crate) const SIGKILL: i32 = 9;
/// The signal for a file that exceeds its size limit.
const SIGXFSZ: i32 = 25;

/// Environmental errors. Commands run in the C locale, so the C library's messages are the same everywhere.
const OF_THE_WORLD: [Errno; 19] = [
    Errno::ACCESS,
    Errno::PERM,
    Errno::NOENT,
    Errno::NOSPC,
    Errno::BUSY,
    Errno::ROFS,
    Errno::DQUOT,
    Errno::IO,
    Errno::CONNREFUSED,
    Errno::CONNRESET,
    Errno::TIMEDOUT,
    Errno::NETUNREACH,
    Errno::HOSTUNREACH,
    Errno::MFILE,
    Errno::NOMEM,
    Errno::FBIG,
    Errno::NOTDIR,
    Errno::ISDIR,
    Errno::NOTEMPTY,
];

/// Environmental errors without an errno: failed name resolution, and a shell's text for a signal.
const OF_THE_WORLD_IN_WORDS: [&str; 3] = ["name resolution", "resolve host", "File size limit exceeded"];

/// Exceptions that mean a programming error, and exceptions that mean something is missing. System errors
/// carry an errno.
const WRITTEN_WRONGLY: [&str; 6] =
    ["SyntaxError", "IndentationError", "NameError", "UnboundLocalError", "TypeError", "AttributeError"];
const MISSING: [&str; 3] = ["ModuleNotFoundError", "ImportError", "MemoryError"];

/// Messages of programs without network, in lower case. Some are also printed for protected files. They only
/// produce a hint and decide nothing.
const OF_THE_NETWORK: [&str; 12] = [
    "resolve",
    "name resolution",
    "name or service not known",
    "nodename nor servname",
    "eai_again",
    "network is unreachable",
    "no route to host",
    "connect",
    "urlopen error",
    "dial tcp",
    "socket",
    "/dev/tcp/",
];

/// Messages of programs that were called wrongly.
const OF_THE_CALLER: [&str; 6] = [
    "syntax error",
    "unexpected EOF while looking for",
    "invalid option",
    "unrecognized option",
    "illegal option",
    "Usage:",
];

/// The failure of a command, or `None` on success. `stderr` is the part shown in a prompt.
pub(crate) fn failure(
    ending: Ending,
    stderr: &str,
    timeout: Duration,
    (cx, granted): (&ToolContext, &Granted),
) -> Option<CallFailure> {
    let (class, reason, hint) = match ending {
        Ending::Exited(0) => {
            let program = missing_program(stderr, cx)?;
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
        Ending::OutOfMemory => (
            FailureClass::Environmental,
            format!(
                "killed, because its processes used more than {} bytes of memory or three quarters of the machine's, or \
                 left less than {} bytes of it",
                ResourceLimits::default().memory_bytes,
                ResourceLimits::default().available_bytes
            ),
            Some("work on a part of the data at a time, or with fewer processes".to_owned()),
        ),
        Ending::Cancelled => return Some(ToolError::Cancelled.failure()),
    };
    Some(CallFailure { class, reason, hint })
}

/// Whether a command ended like a search without a match: with status 1. It did its job; `grep -c` even
/// prints 0. In a list of commands it is unknown which one returned the status.
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

/// The program that a command names and that is not on this machine. What a command puts out can pose as the shell, so the
/// name has to stand in the command.
pub(crate) fn lacked(
    tool: &ToolName,
    arguments: &Arguments,
    stderr: &str,
    cx: &ToolContext,
) -> Option<String> {
    let command = arguments.get("command").and_then(Value::as_str).filter(|_| tool.is(ToolKind::Shell))?;
    let program = missing_program(stderr, cx)?;
    command.contains(program).then(|| program.to_owned())
}

/// A program that the shell did not find and that no folder of the search path has. In the middle of a pipeline only stderr
/// shows it: `tree | wc -l` succeeds and prints 0.
fn missing_program<'a>(stderr: &'a str, cx: &ToolContext) -> Option<&'a str> {
    let is_there = |name: &str| search_path(cx).iter().any(|folder| is_executable(&folder.join(name)));
    not_found(stderr).filter(|name| !name.contains(char::is_whitespace) && !is_there(name))
}

/// The program that a shell says it did not find.
fn not_found(stderr: &str) -> Option<&str> {
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

/// By the status, then by the exception that ended the program, then by its messages.
fn class_of(status: i32, stderr: &str) -> FailureClass {
    let says = |words: &[&str]| words.iter().any(|words| stderr.contains(words));
    let class = match status {
        NOT_FOUND | NOT_EXECUTABLE => Some(FailureClass::Environmental),
        _ => exception(stderr).and_then(|(name, rest)| match name {
            // `FileNotFoundError: [Errno 2] ...`
            _ if rest.starts_with("[Errno ") || MISSING.contains(&name) => Some(FailureClass::Environmental),
            _ if WRITTEN_WRONGLY.contains(&name) => Some(FailureClass::Logical),
            _ => None,
        }),
    };
    class.unwrap_or_else(|| match () {
        () if OF_THE_WORLD.iter().any(|errno| stderr.contains(&words_of(*errno))) => {
            FailureClass::Environmental
        }
        () if says(&OF_THE_WORLD_IN_WORDS) => FailureClass::Environmental,
        () if says(&OF_THE_CALLER) => FailureClass::Logical,
        // Many programs use the status as an answer: grep, test, diff.
        () => FailureClass::Unknown,
    })
}

/// The exception that ended a program, as Python prints it in the last line, and its message:
/// `KeyError: 'n'`.
fn exception(stderr: &str) -> Option<(&str, &str)> {
    stderr.lines().rev().find_map(|line| {
        let (name, rest) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        let class = name.rsplit('.').next().unwrap_or(name);
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        (is_name && class.ends_with("Error")).then_some((class, rest))
    })
}

/// The C library's message for an error.
fn words_of(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn hint_of(status: i32, stderr: &str, cx: &ToolContext, granted: &Granted) -> Option<String> {
    let says = |errnos: [Errno; 2]| errnos.into_iter().any(|errno| stderr.contains(&words_of(errno)));
    let refused = says([Errno::ACCESS, Errno::PERM]);
    // Writing to it, and moving it away.
    let kept = says([Errno::ROFS, Errno::BUSY]);
    match cx.mode_after_a_yes() {
        _ if status == NOT_FOUND => Some("use a program that is installed".to_owned()),
        // The most common mistake of models: a compound statement after a semicolon.
        _ if stderr.contains("SyntaxError") && stderr.contains("<string>") => Some(
            "after a semicolon python3 takes no with, for or if: write open(...) and [... for ...]"
                .to_owned(),
        ),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite if lacks_network(stderr, cx) => {
            Some(network_hint(cx).to_owned())
        }
        SandboxMode::WorkspaceWrite if refused && !granted.withheld.is_empty() => Some(
            "this machine cannot keep `.git` from commands, so they may write only in $TMPDIR: make new files with write_file"
                .to_owned(),
        ),
        SandboxMode::WorkspaceWrite if !granted.sealed.is_empty() && kept => {
            Some(format!("commands cannot change a `.git` that was there before the run: {USE_GIT_COMMIT}"))
        }
        SandboxMode::WorkspaceWrite if refused || kept => Some(format!(
            "commands may write only in {} and in {}: write to \"$WORKSPACE/NAME\", or to a name in the working folder",
            cx.workspace.display(),
            cx.working_folder.display()
        )),
        SandboxMode::ReadOnly if refused || kept => Some("commands may write only in $TMPDIR".to_owned()),
        SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite | SandboxMode::FullAccess => None,
    }
}

fn network_hint(cx: &ToolContext) -> &'static str {
    match cx.own_network() {
        Some(_) if PrivateNetwork::is_expected() => {
            "commands share a loopback (127.0.0.1, ::1) with the jobs of this run, and reach nothing else: start the server as a \
             job; only the user can grant the network (`tools.network = true` in the configuration), so do without it"
        }
        Some(_) | None => {
            "commands have no network here; only the user can grant it (`tools.network = true` in the configuration), so do without"
        }
    }
}

/// Whether the cause was probably the missing network. This is not certain, so the class still follows the
/// message: an unplugged cable produces the same message.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_come_from_status_exception_and_errno_before_words() {
        use FailureClass::{Environmental, Logical, Unknown};
        for (status, stderr, class) in [
            (127, "", Environmental),
            (126, "SyntaxError: x", Environmental),
            (
                1,
                "Traceback (most recent call last):\n  File \"<string>\", line 1\nNameError: name 'x' is not defined",
                Logical,
            ),
            (1, "FileNotFoundError: [Errno 2] \u{635}\u{648}\u{631}", Environmental),
            (1, "ModuleNotFoundError: No module named 'pandas'", Environmental),
            (1, "json.decoder.JSONDecodeError: Expecting value", Unknown),
            (1, "ValueError: could not convert", Unknown),
            // A file name in a message is not the program's own error.
            (1, "cat: SyntaxError: No such file or directory", Environmental),
            (2, "ls: invalid option -- 'y'", Logical),
            (1, "Error", Unknown),
            (3, "", Unknown),
        ] {
            assert_eq!(class_of(status, stderr), class, "{stderr}");
        }
    }
}
