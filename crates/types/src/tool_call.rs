//! Tool calls as typed records: the evidence that verdicts point at.

use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BuildFolder, CallId, EvidenceId, FailureClass, FileChange, Held, SubTaskId, Trust};

/// The name of a tool, for example `shell`. An open set: embedders bring their own tools.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ToolName(String);

impl ToolName {
    /// Wraps a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for ToolName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The arguments of a call, by name.
pub type Arguments = serde_json::Map<String, serde_json::Value>;

/// One finished tool call. The full output lies in the run's evidence folder; this record holds what a prompt shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// Its id, minted by the runtime.
    pub call_id: CallId,
    /// Which tool.
    pub tool: ToolName,
    /// With what.
    pub arguments: Arguments,
    /// How it ended.
    pub ending: CallEnding,
    /// Why it counts as failed; `None` is success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<CallFailure>,
    /// What it put out. For `shell` this is standard output.
    pub output: OutputRecord,
    /// What a command wrote to standard error; empty for tools without one.
    pub stderr: OutputRecord,
    /// Files that the call is known to have created, changed or deleted: what a tool says it wrote, and what differs after a
    /// command in the folders that it may write. What changes there meanwhile counts as the call's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// Folders of build output in which it created, changed or deleted files, which are counted and not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build_output: Vec<BuildFolder>,
    /// Whose words are in it.
    #[serde(default, skip_serializing_if = "Trust::is_plain")]
    pub trust: Trust,
    /// What memory had to do with it, where it advises against the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// A program that its command names and that is not on this machine. It may have exited with 0 all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacked: Option<String>,
    /// Where its effects were not tried before they happened, and no trial of it can be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untried: Option<Untried>,
    /// When it began.
    pub started_at: DateTime<FixedOffset>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

impl ToolCall {
    /// One that did what it should, and put out nothing.
    pub fn new(
        call_id: CallId,
        tool: ToolName,
        arguments: Arguments,
        ending: CallEnding,
        started_at: DateTime<FixedOffset>,
    ) -> Self {
        Self {
            call_id,
            tool,
            arguments,
            ending,
            failure: None,
            output: OutputRecord::default(),
            stderr: OutputRecord::default(),
            files: Vec::new(),
            build_output: Vec::new(),
            trust: Trust::default(),
            held: None,
            lacked: None,
            untried: None,
            started_at,
            duration_ms: 0,
        }
    }

    /// Whether the call did what it should.
    pub fn succeeded(&self) -> bool {
        self.failure.is_none()
    }

    /// Whether it is known to have created, changed or deleted a file.
    ///
    /// ```
    /// # use artoo_types::{BuildFolder, CallEnding, CallId, ToolCall, ToolName};
    /// # let id: CallId = "00000000-0000-0000-0000-000000000000".parse()?;
    /// let ending = CallEnding::Exited { status: 0 };
    /// let mut call = ToolCall::new(id, ToolName::new("shell"), Default::default(), ending, Default::default());
    /// assert!(!call.changed_files());
    /// call.build_output.push(BuildFolder::new("/home/ada/p/target", 350));
    /// assert!(call.changed_files());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn changed_files(&self) -> bool {
        !self.files.is_empty() || !self.build_output.is_empty()
    }

    /// Whether it may have changed what is at this path without naming it: files of build output are only counted.
    pub fn may_have_built(&self, path: &Path) -> bool {
        let is_around =
            |folder: &BuildFolder| path.starts_with(&folder.path) || folder.path.starts_with(path);
        self.build_output.iter().any(is_around)
    }

    /// Whether the call came to its end. One that failed may still show something: that a file is not there.
    pub fn ran(&self) -> bool {
        match self.ending {
            CallEnding::Exited { .. } | CallEnding::Returned => true,
            CallEnding::Signalled { .. }
            | CallEnding::TimedOut
            | CallEnding::Cancelled
            | CallEnding::Refused => false,
        }
    }

    /// Whether the call shows anything that an answer could rest on. A program that went wrong may: its complaint names a file, and a search
    /// without a hit ends with status 1. A tool that gave up before it looked shows nothing.
    pub fn showed(&self) -> bool {
        match self.ending {
            CallEnding::Exited { .. } => true,
            CallEnding::Returned => self.succeeded() || !self.output.shown.trim().is_empty(),
            CallEnding::Signalled { .. }
            | CallEnding::TimedOut
            | CallEnding::Cancelled
            | CallEnding::Refused => false,
        }
    }

    /// Whether the program that it names was started. A shell that cannot open the file of a redirection starts none: what failed then is
    /// the place, not the program.
    pub fn began(&self) -> bool {
        const REFUSALS: [&str; 4] =
            ["No such file or directory", "Permission denied", "Is a directory", "Read-only file system"];
        let first = self.stderr.shown.lines().next().unwrap_or_default();
        let by_the_shell = first.split_once(": ").is_some_and(|(program, said)| {
            program.rsplit('/').next().is_some_and(|name| matches!(name, "bash" | "sh" | "dash" | "zsh"))
                && REFUSALS.iter().any(|refusal| said.ends_with(refusal))
        });
        self.succeeded() || !by_the_shell || self.output.bytes > 0
    }

    /// The arguments in one normal form: the target that a directive blocks. Blanks are folded where they mean nothing: not in a script, and
    /// not where something is quoted.
    pub fn target(&self) -> String {
        normalised_target(&self.arguments)
    }

    /// The specification's line `tool_name: input → firstN(output, 200)`.
    pub fn render(&self) -> String {
        let first: String = self.output.shown.chars().take(200).collect();
        format!("{}: {} → {}", self.tool, self.target(), first)
    }
}

/// The longest target that is kept whole, in bytes; a longer one is cut and told apart by a hash of the whole.
const MAX_TARGET: usize = 600;

/// The normal form of arguments: a single text is itself, blanks folded where they mean nothing; anything else is `name=value` in order of name,
/// with values as JSON. Long forms are cut, since they go into prompts and tags.
pub(crate) fn normalised_target(arguments: &Arguments) -> String {
    let mut pairs: Vec<_> = arguments.iter().filter(|(_, value)| !value.is_null()).collect();
    pairs.sort_by_key(|(name, _)| name.as_str());
    let whole = match pairs.as_slice() {
        [(_, serde_json::Value::String(only))] => folded(only),
        several => several
            .iter()
            .map(|(name, value)| format!("{name}={}", canonical(value)))
            .collect::<Vec<_>>()
            .join(" "),
    };
    if whole.len() <= MAX_TARGET {
        return whole;
    }
    let kept: String = whole.chars().take(MAX_TARGET / 4).collect();
    format!("{kept}… ({} bytes, {:016x})", whole.len(), fnv(whole.as_bytes()))
}

fn folded(text: &str) -> String {
    let text = text.trim();
    if text.contains(['\n', '"', '\'', '`', '\\']) {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// JSON with keys in order, so that two spellings of the same arguments are one target.
fn canonical(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(folded(text)).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| name.as_str());
            let inner: Vec<_> = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", inner.join(","))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// FNV-1a, 64 bits: the same on every machine and in every release, which std's hasher does not promise.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallEnding {
    /// A process ended by itself.
    Exited {
        /// Its exit status.
        status: i32,
    },
    /// A process was ended by a signal.
    Signalled {
        /// The signal's number.
        signal: i32,
    },
    /// A tool without a process ended.
    Returned,
    /// It took longer than allowed and its whole process tree was killed.
    TimedOut,
    /// The run was cancelled.
    Cancelled,
    /// It was not started: the tool is unknown or blocked, the arguments are wrong, or consent is missing.
    Refused,
}

/// Where a call of a server of tools may have acted. Such a call is made for real at once, so nothing about it is known from a trial.
///
/// ```
/// use artoo_types::Untried;
///
/// let here = Untried { folders: vec!["/home/ada/notes".into()], elsewhere: false };
/// assert_eq!(here.words(), "what it changed was seen, and not tried before");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Untried {
    /// The folders of this machine in which its server may write, by their real paths. The record of the call has what changed there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// Whether it may have acted on other machines, or wherever its server reaches by a network. That cannot be undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
}

impl Untried {
    /// In words, for a judge.
    pub const fn words(&self) -> &'static str {
        if self.elsewhere {
            "what it did elsewhere was neither tried nor seen"
        } else {
            "what it changed was seen, and not tried before"
        }
    }
}

/// Why a call failed, by class: code decides it where code can know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallFailure {
    /// The class.
    pub class: FailureClass,
    /// What failed, on what and why.
    pub reason: String,
    /// What to try next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An output: what a prompt shows of it, and where the whole of it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputRecord {
    /// Head and tail, cut at character boundaries, with a line that says what is left out.
    pub shown: String,
    /// Bytes that the tool put out.
    pub bytes: u64,
    /// Bytes of those that were beyond the cap and are nowhere kept.
    pub dropped_bytes: u64,
    /// The whole output, where there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceId>,
    /// The address that it is from, where it is the text of somebody elsewhere. Prompts say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// What the whole output is, where it is a picture: for example `image/png`. What is shown only names it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// A call begins. R3 to the observers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolStarted {
    /// For which subtask.
    pub subtask_id: SubTaskId,
    /// Its id.
    pub call_id: CallId,
    /// Which tool.
    pub tool: ToolName,
    /// With what.
    pub arguments: Arguments,
}

/// A piece of a running call's output. R3 to the observers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolOutput {
    /// For which subtask.
    pub subtask_id: SubTaskId,
    /// Of which call.
    pub call_id: CallId,
    /// Text, made valid UTF-8.
    pub text: String,
}

/// A call ended. R3 to the observers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFinished {
    /// For which subtask.
    pub subtask_id: SubTaskId,
    /// The record.
    pub call: ToolCall,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arguments(value: serde_json::Value) -> Arguments {
        value.as_object().cloned().unwrap()
    }

    /// Seen with the embedded model: `find` was blocked because the file after the `>` could not be made.
    #[test]
    fn a_shell_that_cannot_redirect_starts_nothing() {
        let call = |status: i32, stderr: &str| ToolCall {
            failure: (status != 0).then(|| CallFailure {
                class: FailureClass::Environmental,
                reason: format!("exit status {status}"),
                hint: None,
            }),
            stderr: OutputRecord { shown: stderr.to_owned(), ..OutputRecord::default() },
            ..ToolCall::new(
                CallId::new(uuid::Uuid::nil()),
                ToolName::new("shell"),
                arguments(json!({"command": "find . > x/y"})),
                CallEnding::Exited { status },
                DateTime::default(),
            )
        };
        assert!(!call(1, "/usr/bin/bash: line 1: x/y: No such file or directory\n").began());
        assert!(!call(2, "sh: 1: x/y: Permission denied").began());
        assert!(call(127, "bash: line 1: frob: command not found").began());
        assert!(call(1, "find: 'x': No such file or directory").began());
        assert!(call(0, "bash: warning: setlocale").began() && call(1, "").began());
    }

    #[test]
    fn targets_do_not_depend_on_blanks_or_order() {
        let target = |command: &str| normalised_target(&arguments(json!({ "command": command })));
        assert_eq!(target(" ls   -l\t docs "), "ls -l docs");
        // Indentation is the meaning of a script, and a quoted blank that of a search.
        for command in ["if x:\n  y", "grep 'a  b' c"] {
            assert_eq!(target(&format!(" {command}\n")), command);
        }
        let a = normalised_target(&arguments(json!({"root": "~", "pattern": "*.rs"})));
        let b = normalised_target(&arguments(json!({"pattern": "*.rs", "root": "~", "limit": null})));
        assert_eq!(a, b);
    }
}
