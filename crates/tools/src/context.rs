//! `ToolContext`: what a tool call gets besides its arguments.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artoo_consent::{Consent, Nobody, PauseClock};
use artoo_sandbox::{Network, PrivateNetwork, SandboxMode};
use artoo_shell_effects::{Effects, Place};
use artoo_snapshot::Snapshot;
use chrono::{DateTime, FixedOffset, Utc};
use tokio_util::sync::CancellationToken;

use crate::{BuildRules, CreatedPaths, EvidenceStore, Jobs, OpenFiles, ProtectedPlaces, SeenFiles};

/// Everything that the tools of one run may know about the machine. Cheap to clone; a subtask gets its own
/// clone with its own `cancel` and `on_output`.
#[derive(Clone)]
pub struct ToolContext {
    /// The folder in which commands run and relative paths start. Absolute.
    pub working_folder: PathBuf,
    /// The folder for results that belong nowhere else, which `$WORKSPACE` means. Absolute; created when first needed.
    pub workspace: PathBuf,
    /// The words of the request: a file that they name may be one that other programs run. Empty if there are none.
    pub request: Arc<str>,
    /// The home folder (`~`). Absolute.
    pub home: PathBuf,
    /// The run's own folder for temporary files, which `$TMPDIR` means. Absolute; created when first needed, removed by the
    /// caller.
    pub private_tmp: PathBuf,
    /// Places that no tool may read or write, for example artoo's own data.
    pub protected: ProtectedPlaces,
    /// Places that no tool may change, because the user said so. Absolute.
    pub read_only: Arc<[PathBuf]>,
    /// The folder that the request applies to: nothing outside of it may be changed. Its real path; `None` is
    /// no such limit.
    pub scope: Option<PathBuf>,
    /// The sandbox mode: what commands and `write_file` may change.
    pub mode: SandboxMode,
    /// Whether confined commands may use the machine's network. The tools that read pages have grants of their
    /// own.
    pub network: Network,
    /// The network that the commands of this run share if they may not use the machine's: see
    /// [`own_network`](Self::own_network). `None` gives them none.
    pub private_network: Option<PrivateNetwork>,
    /// Unix sockets of other programs that the user named. A command reaches one of them only with consent,
    /// and no other. Absolute.
    pub sockets: Arc<[PathBuf]>,
    /// The user's variables. Commands see only those that [`artoo_sandbox::scrub`] lets through.
    pub environment: BTreeMap<OsString, OsString>,
    /// Store of full outputs.
    pub evidence: EvidenceStore,
    /// Paths that this run has created, and may therefore change.
    pub created: CreatedPaths,
    /// What decides about build output, as it was before this run changed it.
    pub build_rules: BuildRules,
    /// The user's editor, if the run is begun from one: its unsaved texts count.
    pub open_files: Option<Arc<dyn OpenFiles>>,
    /// Files that this run has read or written, as it last knew them.
    pub seen: SeenFiles,
    /// Commands of this run that continue in the background.
    pub jobs: Jobs,
    /// Candidate folders for the layers of a trial: the first one that lies in none of the command's writable
    /// folders is used. Absolute. Without one, no command is tried.
    pub layer_stores: Vec<PathBuf>,
    /// The file in which a successful trial of the layers is recorded for later processes. Absolute; without one, each process makes its own trial.
    pub trial_record: Option<PathBuf>,
    /// Derives effects from the words of a command. They explain a question and can refuse early, and grant
    /// nothing.
    pub explain: Explain,
    /// Asked before a call that needs consent.
    pub consent: Arc<dyn Consent>,
    /// Whether no change of a call may last, because memory advises caution about it and no person is present
    /// to confirm it.
    pub trial_only: bool,
    /// Time that the calls of this subtask have waited for people: their time limits are paused meanwhile.
    pub pauses: PauseClock,
    /// Keeps the state from before the run's changes; without it nothing can be undone, and a command's
    /// changes are unknown.
    pub snapshot: Option<Snapshot>,
    /// Whether the calling model accepts images.
    pub images: bool,
    /// Source of the local time.
    pub time: Arc<dyn LocalTime>,
    /// Limits of a call.
    pub limits: ToolLimits,
    /// Cancels the call.
    pub cancel: CancellationToken,
    /// Receives the output while a command runs.
    pub on_output: Option<Arc<OnOutput>>,
}

/// The folders of a run. All are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolders {
    /// See [`ToolContext::working_folder`].
    pub working_folder: PathBuf,
    /// See [`ToolContext::workspace`].
    pub workspace: PathBuf,
    /// See [`ToolContext::home`].
    pub home: PathBuf,
    /// See [`ToolContext::private_tmp`].
    pub private_tmp: PathBuf,
}

impl ToolContext {
    /// A context in these folders, with the default mode and limits, and nothing else: no network but
    /// its own, no place to protect, nobody to ask, no trials, no undo, and a clock that stands still.
    pub fn new(folders: RunFolders, evidence: EvidenceStore) -> Self {
        let RunFolders { working_folder, workspace, home, private_tmp } = folders;
        Self {
            working_folder,
            workspace,
            request: Arc::default(),
            home,
            private_tmp,
            protected: ProtectedPlaces::default(),
            read_only: Arc::default(),
            scope: None,
            mode: SandboxMode::default(),
            network: Network::default(),
            private_network: Some(PrivateNetwork::default()),
            sockets: Arc::default(),
            environment: BTreeMap::new(),
            evidence,
            created: CreatedPaths::default(),
            build_rules: BuildRules::default(),
            open_files: None,
            seen: SeenFiles::default(),
            jobs: Jobs::default(),
            layer_stores: Vec::new(),
            trial_record: None,
            explain: artoo_shell_effects::effects_of,
            consent: Arc::new(Nobody),
            trial_only: false,
            pauses: PauseClock::default(),
            snapshot: None,
            images: false,
            time: Arc::new(DateTime::UNIX_EPOCH.fixed_offset()),
            limits: ToolLimits::default(),
            cancel: CancellationToken::new(),
            on_output: None,
        }
    }

    /// The network that the commands and jobs of this run share. It is settled for the whole run: `None` where
    /// the user granted the machine's network or unconfined commands.
    pub fn own_network(&self) -> Option<&PrivateNetwork> {
        match (self.mode, self.network) {
            (SandboxMode::FullAccess, _) | (_, Network::Granted) => None,
            (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite, Network::Denied) => {
                self.private_network.as_ref()
            }
        }
    }

    /// Whether nothing that a command does can leave this machine by the network.
    pub(crate) fn has_no_way_out(&self) -> bool {
        match (self.mode_after_a_yes(), self.network) {
            (SandboxMode::FullAccess, _) | (_, Network::Granted) => false,
            (SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite, Network::Denied) => true,
        }
    }

    /// The folders in which tools may change things: the workspace and the working folder, or what of them lies
    /// in the scope.
    pub(crate) fn changeable(&self) -> Vec<PathBuf> {
        [&self.workspace, &self.working_folder].into_iter().filter_map(|folder| self.within(folder)).collect()
    }

    /// The folder, or the scope if that lies in it. `None` if they have nothing in common.
    pub(crate) fn within(&self, folder: &Path) -> Option<PathBuf> {
        let Some(scope) = &self.scope else { return Some(folder.to_owned()) };
        let real = folder.canonicalize().ok()?;
        if real.starts_with(scope) { Some(real) } else { scope.starts_with(&real).then(|| scope.clone()) }
    }
}

/// Reads shell text: [`artoo_shell_effects::effects_of`] is the usual one.
pub type Explain = fn(&str, Place<'_>) -> Effects;

/// A live view of a call's output as valid UTF-8. It must not block.
pub type OnOutput = dyn Fn(&str) + Send + Sync;

/// The user's wall clock.
///
/// ```
/// use artoo_tools::LocalTime;
/// use chrono::{DateTime, Utc};
///
/// // A fixed moment is a clock for tests.
/// let noon = DateTime::parse_from_rfc3339("2026-03-01T12:00:00+01:00").unwrap();
/// assert_eq!(noon.now(), noon);
/// assert_eq!(noon.local(DateTime::<Utc>::UNIX_EPOCH).to_rfc3339(), "1970-01-01T01:00:00+01:00");
/// ```
pub trait LocalTime: Send + Sync {
    /// The date and time with the local offset.
    fn now(&self) -> DateTime<FixedOffset>;

    /// A moment in local time. A clock that knows its time zone uses the offset of that moment; the default
    /// uses the current offset.
    fn local(&self, moment: DateTime<Utc>) -> DateTime<FixedOffset> {
        moment.with_timezone(self.now().offset())
    }
}

impl LocalTime for DateTime<FixedOffset> {
    fn now(&self) -> DateTime<FixedOffset> {
        *self
    }
}

/// How one page is got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// From the first connection to the last byte.
    pub time: Duration,
    /// Bytes that are read; the rest is left.
    pub bytes: usize,
    /// Redirects that are followed.
    pub redirects: usize,
}

/// Limits of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLimits {
    /// Bytes of an output shown in a prompt.
    pub shown: usize,
    /// Bytes of each output kept as evidence.
    pub kept: u64,
    /// Default time limit of a command.
    pub command_time: Duration,
    /// Maximum time limit that a command may request.
    pub longest_command_time: Duration,
    /// How long a call waits for a command that it leaves running, so that a command that fails at once is
    /// reported in the same call.
    pub job_grace: Duration,
    /// Time limit of `glob`'s walk.
    pub walk_time: Duration,
    /// Maximum number of lines that `glob` lists.
    pub listed: usize,
    /// Bytes of a file that `read_file` returns at a time.
    pub read: usize,
    /// Maximum bytes that `write_file` writes.
    pub written: usize,
    /// Limits of page downloads by `fetch` and `search`.
    pub page: PageLimits,
    /// Time limit of calls whose tool has none of its own.
    pub call_time: Duration,
}

impl Default for ToolLimits {
    /// 2,400 bytes shown, 16 MiB kept, commands 60 s and at most 600 s, 2 s for background commands, walks 10
    /// s and 1,000 lines, 1 MiB read, 16 MiB written, pages 30 s, 2 MiB and 5 redirects, 11 minutes for any
    /// call.
    fn default() -> Self {
        Self {
            shown: 2_400,
            kept: artoo_sandbox::DEFAULT_KEEP,
            command_time: Duration::from_secs(60),
            longest_command_time: Duration::from_secs(600),
            job_grace: Duration::from_secs(2),
            walk_time: Duration::from_secs(10),
            listed: 1_000,
            read: 1024 * 1024,
            written: 16 * 1024 * 1024,
            page: PageLimits { time: Duration::from_secs(30), bytes: 2 * 1024 * 1024, redirects: 5 },
            call_time: Duration::from_secs(660),
        }
    }
}

impl fmt::Debug for ToolContext {
    /// Omits the environment, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("working_folder", &self.working_folder)
            .field("workspace", &self.workspace)
            .field("mode", &self.mode)
            .field("network", &self.network)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
