//! Maps failures of `osascript` and `shortcuts` to failure classes and hints.

use artoo_sandbox::Ending;
use artoo_types::{CallEnding, CallFailure, FailureClass, ToolName};

use crate::program::Said;
use crate::{Captured, ToolError, ToolReport};

/// Error numbers that macOS and AppleScript define, each with its class and a hint.
const NUMBERS: [(&str, FailureClass, Option<&str>); 12] = [
    // The user has not allowed artoo to control the app or to send keystrokes.
    (
        "(-1743)",
        FailureClass::Denied,
        Some("the user can allow it in System Settings, Privacy & Security, Automation"),
    ),
    (
        "(-1719)",
        FailureClass::Denied,
        Some("the user can allow it in System Settings, Privacy & Security, Accessibility"),
    ),
    (
        "(1002)",
        FailureClass::Denied,
        Some("the user can allow it in System Settings, Privacy & Security, Accessibility"),
    ),
    ("(-128)", FailureClass::Denied, None),
    // The app is not running, does not answer, or is not installed.
    ("(-600)", FailureClass::Environmental, Some("the app has to be open")),
    ("(-609)", FailureClass::Environmental, Some("the app has to be open")),
    ("(-1712)", FailureClass::Environmental, Some("do less at a time")),
    ("(-10814)", FailureClass::Environmental, Some("use an app that is installed")),
    // The script refers to a missing object, or is not valid AppleScript.
    ("(-1728)", FailureClass::Logical, None),
    ("(-1708)", FailureClass::Logical, None),
    ("(-2740)", FailureClass::Logical, None),
    ("(-2741)", FailureClass::Logical, None),
];

/// The report of a program that has ended.
pub(super) fn report(said: Said, tool: &ToolName, after: std::time::Duration) -> ToolReport {
    let (ending, failure) = match said.ending {
        Ending::Exited(0) => (CallEnding::Exited { status: 0 }, None),
        Ending::Exited(status) => (CallEnding::Exited { status }, Some(failure(status, &said.stderr))),
        Ending::Signaled(signal) => {
            let reason = format!("ended by signal {signal}");
            let failure = CallFailure { class: FailureClass::Unknown, reason, hint: None };
            (CallEnding::Signalled { signal }, Some(failure))
        }
        Ending::TimedOut => {
            let error = ToolError::TimedOut { tool: tool.clone(), after };
            (error.ending(), Some(error.failure()))
        }
        Ending::Crowded => killed(FailureClass::Logical, "it had too many processes"),
        Ending::OutOfRoom => killed(FailureClass::Environmental, "the disk is nearly full"),
        Ending::OutOfMemory => killed(FailureClass::Environmental, "it used too much memory"),
        Ending::Cancelled => (CallEnding::Cancelled, Some(ToolError::Cancelled.failure())),
    };
    ToolReport {
        ending,
        failure,
        output: Captured::Bytes(said.output),
        stderr: Captured::Bytes(said.stderr.into_bytes()),
        files: Vec::new(),
        build_output: Vec::new(),
        untried: None,
    }
}

/// The ending and failure of a program that the sandbox stopped.
fn killed(class: FailureClass, why: &str) -> (CallEnding, Option<CallFailure>) {
    let failure = CallFailure { class, reason: format!("killed, because {why}"), hint: None };
    (CallEnding::Signalled { signal: crate::shell_failure::SIGKILL }, Some(failure))
}

fn failure(status: i32, stderr: &str) -> CallFailure {
    let known = NUMBERS.iter().find(|(number, ..)| stderr.contains(number));
    let missing = stderr.contains("find shortcut");
    let (class, hint) = match known {
        Some((_, class, hint)) => (*class, *hint),
        None if missing => (FailureClass::Logical, Some("use the name of a shortcut that the user has")),
        None => (FailureClass::Unknown, None),
    };
    let last: String = stderr.lines().next_back().unwrap_or_default().trim().chars().take(300).collect();
    let reason = if last.is_empty() {
        format!("exit status {status}")
    } else {
        format!("exit status {status}: {last}")
    };
    CallFailure { class, reason, hint: hint.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_the_class() {
        for (stderr, class) in [
            (
                "0:10: execution error: Not authorized to send Apple events to Mail. (-1743)",
                FailureClass::Denied,
            ),
            (
                "execution error: Mail got an error: Application isn\u{2019}t running. (-600)",
                FailureClass::Environmental,
            ),
            ("0:4: syntax error: Expected end of line but found identifier. (-2741)", FailureClass::Logical),
            ("execution error: Can\u{2019}t get folder \"x\". (-1728)", FailureClass::Logical),
            (
                "Error: The operation couldn\u{2019}t be completed. Couldn\u{2019}t find shortcut",
                FailureClass::Logical,
            ),
            ("something else", FailureClass::Unknown),
            ("", FailureClass::Unknown),
        ] {
            assert_eq!(failure(1, stderr).class, class, "{stderr}");
        }
    }
}
