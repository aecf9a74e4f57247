//! Runs git for artoo itself: one process, confined by the kernel, that starts no program which a configuration names.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use artoo_sandbox::{
    Capture, Confinement, Ending, Invocation, SandboxMode, Support, probe, run, run_unconfined, scrub,
};
use tokio_util::sync::CancellationToken;

use crate::protected::Protected;
use crate::system_program::search_path;
use crate::writable_folders::seals;
use crate::{SystemProgram, ToolContext, ToolError};

/// Where the system's programs are.
const PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin";
/// Hands a file to git as its input, and variables that no confined command receives otherwise. A mark ends the variables.
const SCRIPT: &str = r#"input=$1; shift; while [ "$1" != -- ]; do export "$1" 2>/dev/null; shift; done; shift; exec "$@" <"$input""#;
/// The variables of the user that git may see: they choose files of configuration and say who the user is.
const USERS: [&str; 5] =
    ["XDG_CONFIG_HOME", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
/// Keeps git from starting a program that would ask, show, edit, fetch or trace.
const QUIET: [(&str, &str); 14] = [
    ("LC_ALL", "C.UTF-8"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_TRACE", "0"),
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
];
/// Outweighs what a configuration says: no hook, no file system monitor, no signature, no maintenance.
const OVERRIDES: [(&str, &str); 7] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("commit.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("safe.bareRepository", "explicit"),
];
/// The longest that one process may take: a large working tree is read from a cold disk.
const LONGEST: Duration = Duration::from_secs(300);
/// Bytes of output that are read: the list of all files of a large repository.
const MOST_OUTPUT: u64 = 256 * 1024 * 1024;

/// git, and what it may see of the machine.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: SystemProgram,
    shell: PathBuf,
    environment: BTreeMap<OsString, OsString>,
    /// Those of [`USERS`] that are set.
    users: Vec<(String, OsString)>,
    /// Whether the kernel confines it.
    is_confined: bool,
    hidden: Vec<PathBuf>,
    read_only: Vec<PathBuf>,
    /// A folder of the caller's own that no command sees.
    private: PathBuf,
    cancel: CancellationToken,
}

/// Which configuration a process of git reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// All of it, and nothing outweighed: only to list it, or to find the repository.
    AsItIs,
    /// That of the repository alone, with [`OVERRIDES`].
    Outweighed,
}

/// One process of git.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) configuration: Configuration,
    pub(crate) variables: Vec<(&'static str, OsString)>,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) input: Option<&'a Path>,
    /// What it may write besides the caller's own folder, and what of that stays as it is.
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) sealed: Vec<PathBuf>,
}

/// How a process of git ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Reply {
    /// `None` if it was killed.
    pub(crate) status: Option<i32>,
    pub(crate) output: Vec<u8>,
    pub(crate) complaint: String,
}

impl<'a> Call<'a> {
    /// A process that writes nothing and reads whatever git finds in the folder.
    pub(crate) fn looking<const N: usize>(folder: &'a Path, arguments: [&str; N]) -> Self {
        Self {
            folder,
            configuration: Configuration::AsItIs,
            variables: Vec::new(),
            arguments: arguments.into_iter().map(OsString::from).collect(),
            input: None,
            writable: Vec::new(),
            sealed: Vec::new(),
        }
    }

    /// The same with more arguments.
    pub(crate) fn with(mut self, more: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(more.into_iter().map(Into::into));
        self
    }
}

impl Git {
    /// The system's git for the calls of a run, with a private folder that is there.
    pub(crate) fn of(program: SystemProgram, private: PathBuf, cx: &ToolContext) -> Self {
        let hidden = Protected::of(cx).places().to_vec();
        let mut git = Self::plain(program, private, &search_path(cx));
        let given = |name: &str| Some((name.to_owned(), cx.environment.get(OsStr::new(name))?.clone()));
        git.users = USERS.into_iter().filter_map(given).collect();
        git.environment = scrub(&cx.environment);
        git.environment.retain(|name, _| !name.as_encoded_bytes().starts_with(b"GIT_"));
        git.environment.insert("PATH".into(), PATH.into());
        // Where the kernel has no rules, commands run only if the user gave full access, and so does git.
        let is_confined = match (cx.mode, probe()) {
            (SandboxMode::FullAccess, Support::Missing(_)) => false,
            (SandboxMode::FullAccess | SandboxMode::WorkspaceWrite | SandboxMode::ReadOnly, _) => true,
        };
        Self { is_confined, hidden, read_only: cx.read_only.to_vec(), cancel: cx.cancel.clone(), ..git }
    }

    /// The system's git outside of a run.
    pub(crate) fn plain(program: SystemProgram, private: PathBuf, search_path: &[PathBuf]) -> Self {
        let shell = SystemProgram::find("sh", search_path).map(|sh| sh.path().to_owned());
        Self {
            program,
            shell: shell.unwrap_or_else(|| "/bin/sh".into()),
            environment: BTreeMap::from([("PATH".into(), PATH.into())]),
            users: Vec::new(),
            // Where the kernel has no rules, it runs all the same: the user has asked for this.
            is_confined: matches!(probe(), Support::Enforced { .. }),
            hidden: Vec::new(),
            read_only: Vec::new(),
            private,
            cancel: CancellationToken::new(),
        }
    }

    /// The same without the kernel's rules, to see what git does by itself.
    #[cfg(test)]
    pub(super) fn unconfined(self) -> Self {
        Self { is_confined: false, ..self }
    }

    /// The same, whose processes run to their end even if the call is cancelled.
    pub(crate) fn uncancelled(&self) -> Self {
        Self { cancel: CancellationToken::new(), ..self.clone() }
    }

    /// The folder of its own.
    pub(crate) fn private(&self) -> &Path {
        &self.private
    }

    /// Runs one process of git to its end.
    ///
    /// # Errors
    ///
    /// It could not be run, or was cancelled. That git refused is no error here.
    pub(crate) async fn call(&self, call: Call<'_>) -> Result<Reply, ToolError> {
        let input = call.input.unwrap_or(Path::new("/dev/null"));
        let mut arguments: Vec<OsString> = vec!["-c".into(), SCRIPT.into(), "sh".into(), input.into()];
        arguments.extend(self.variables(&call).into_iter().map(|(name, value)| {
            let mut pair = OsString::from(name);
            pair.push("=");
            pair.push(value);
            pair
        }));
        arguments.extend(["--".into(), self.program.path().into()]);
        arguments.extend(["--no-pager".into(), "--literal-pathspecs".into()]);
        arguments.extend(call.arguments);
        let invocation = Invocation {
            program: self.shell.clone().into(),
            arguments,
            folder: call.folder.to_owned(),
            environment: self.environment.clone(),
            timeout: LONGEST,
            keep: MOST_OUTPUT,
        };
        let is_writing = !call.writable.is_empty();
        let confinement = Confinement {
            writable: call.writable,
            sealed: if seals() { call.sealed } else { Vec::new() },
            read_only: self.read_only.clone(),
            hidden: self.hidden.clone(),
            ..Confinement::new(
                if is_writing { SandboxMode::WorkspaceWrite } else { SandboxMode::ReadOnly },
                &self.private,
            )
        };
        let (mut output, mut complaint) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut output, stderr: &mut complaint, on_chunk: None };
        let outcome = if self.is_confined {
            run(&invocation, &confinement, capture, &self.cancel).await?
        } else {
            run_unconfined(&invocation, capture, &self.cancel).await?
        };
        let status = match outcome.ending {
            Ending::Exited(status) => Some(status),
            Ending::Cancelled => return Err(ToolError::Cancelled),
            Ending::Signaled(_)
            | Ending::TimedOut
            | Ending::Crowded
            | Ending::OutOfRoom
            | Ending::OutOfMemory => None,
        };
        let complaint = String::from_utf8_lossy(&complaint).trim().to_owned();
        Ok(Reply { status: status.filter(|_| !outcome.stdout.truncated()), output, complaint })
    }

    fn variables(&self, call: &Call<'_>) -> Vec<(String, OsString)> {
        let mut variables = self.users.clone();
        variables.extend(QUIET.map(|(name, value)| (name.to_owned(), value.into())));
        if call.configuration == Configuration::Outweighed {
            variables.push(("GIT_CONFIG_NOSYSTEM".to_owned(), "1".into()));
            variables.push(("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".into()));
            variables.push(("GIT_CONFIG_COUNT".to_owned(), OVERRIDES.len().to_string().into()));
            for (number, (key, value)) in OVERRIDES.into_iter().enumerate() {
                variables.push((format!("GIT_CONFIG_KEY_{number}"), key.into()));
                variables.push((format!("GIT_CONFIG_VALUE_{number}"), value.into()));
            }
        }
        variables.extend(call.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        variables
    }
}

impl Reply {
    /// Whether it did what it was asked for.
    pub(crate) fn is_done(&self) -> bool {
        self.status == Some(0)
    }

    /// Its output if it is done.
    ///
    /// # Errors
    ///
    /// [`ToolError::Git`] with what it complained about.
    pub(crate) fn done(self, doing: &'static str) -> Result<Vec<u8>, ToolError> {
        if self.is_done() { Ok(self.output) } else { Err(self.failed(doing)) }
    }

    /// Its output as one line of text, if it is done.
    ///
    /// # Errors
    ///
    /// As [`done`](Self::done).
    pub(crate) fn line(self, doing: &'static str) -> Result<String, ToolError> {
        self.done(doing).map(|output| String::from_utf8_lossy(&output).trim_end_matches('\n').to_owned())
    }

    /// The error of a process that did not do it.
    pub(crate) fn failed(&self, doing: &'static str) -> ToolError {
        ToolError::Git { doing, said: self.last_lines() }
    }

    /// The end of its complaint, on one line: git's first lines are warnings, the last ones say why it ended.
    pub(crate) fn last_lines(&self) -> String {
        const MOST: usize = 3;
        let lines = self.complaint.lines().map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("hint:")).collect();
        let from = lines.len().saturating_sub(MOST);
        let text = lines.get(from..).unwrap_or_default().join(" ");
        if text.is_empty() { "it gave no reason".to_owned() } else { text.chars().take(400).collect() }
    }
}
