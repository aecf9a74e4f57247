//! What a call is given besides its arguments.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use artoo_consent::{Consent, PauseClock};
use artoo_sandbox::{Network, SandboxMode};
use artoo_shell_effects::{Effects, Place};
use artoo_snapshot::Snapshot;
use chrono::{DateTime, FixedOffset, Utc};
use tokio_util::sync::CancellationToken;

use crate::{CreatedPaths, EvidenceStore, Jobs, ProtectedPlaces};

/// Everything that the tools of one run may know about the machine. Cheap to clone; a subtask gets its own clone with
/// its own `cancel` and `on_output`.
#[derive(Clone)]
pub struct ToolContext {
    /// Where relative paths lead and commands run. Absolute.
    pub working_folder: PathBuf,
    /// Where generated files go whose place the request does not name. Absolute; created when it is first needed.
    pub workspace: PathBuf,
    /// The words of the request: a file that they name is the person's, and lies where the person is. Empty where there are none.
    pub request: Arc<str>,
    /// What `~` means. Absolute.
    pub home: PathBuf,
    /// The run's own folder for temporary files. Absolute; created when it is first needed, removed by the caller.
    pub private_tmp: PathBuf,
    /// What no tool may read or write, for example artoo's own data.
    pub protected: ProtectedPlaces,
    /// What the user allows commands and `write_file` to change.
    pub mode: SandboxMode,
    /// Whether confined commands may use the network. The tools that read pages have grants of their own.
    pub network: Network,
    /// The user's variables. Commands see only those that [`artoo_sandbox::scrub`] lets through.
    pub environment: BTreeMap<OsString, OsString>,
    /// Where full outputs are kept.
    pub evidence: EvidenceStore,
    /// What this run has created, and may therefore change.
    pub created: CreatedPaths,
    /// The commands of this run that were left running.
    pub jobs: Jobs,
    /// Where the layers of a command that is tried may lie: the first of these that lies in none of the folders that it may write. Absolute.
    /// Without one, no command is tried.
    pub layer_stores: Vec<PathBuf>,
    /// What the words of a command say. It explains a question and can refuse early, and grants nothing.
    pub explain: Explain,
    /// Who is asked before a call that needs consent.
    pub consent: Arc<dyn Consent>,
    /// Whether nothing of a call may last, because memory advises caution about it and nobody is there to confirm it.
    pub trial_only: bool,
    /// How long the calls of this subtask have waited for people: their limits of time rest meanwhile.
    pub pauses: PauseClock,
    /// Where what the run finds is kept before it changes it; without one, nothing can be undone, and what a command
    /// changed is not known.
    pub snapshot: Option<Snapshot>,
    /// Whether the model that calls sees pictures.
    pub images: bool,
    /// Where the time comes from.
    pub time: Arc<dyn LocalTime>,
    /// How much a call may do.
    pub limits: ToolLimits,
    /// Ends the call.
    pub cancel: CancellationToken,
    /// Shown the output while a command runs.
    pub on_output: Option<Arc<OnOutput>>,
}

/// Reads shell text: [`artoo_shell_effects::effects_of`] is the usual one.
pub type Explain = fn(&str, Place<'_>) -> Effects;

/// A live view of a call's output: text, made valid UTF-8. It must not block.
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

    /// A moment in local time. A clock that knows its zone gives the offset of that moment; this gives today's.
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

/// How much one call may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLimits {
    /// Bytes of an output that a prompt shows.
    pub shown: usize,
    /// Bytes of each output that are kept as evidence.
    pub kept: u64,
    /// The time of a command that names none.
    pub command_time: Duration,
    /// The longest time that a command may ask for.
    pub longest_command_time: Duration,
    /// How long a command that is left running is waited for: one that fails at once shows that in the call that started it.
    pub job_grace: Duration,
    /// The time that `glob` may walk.
    pub walk_time: Duration,
    /// The most lines that `glob` lists.
    pub listed: usize,
    /// Bytes of a file that `read_file` gives at a time.
    pub read: usize,
    /// Bytes that `write_file` writes.
    pub written: usize,
    /// How `fetch` and `search` get a page.
    pub page: PageLimits,
    /// The time that a call may take whose tool has no limit of its own.
    pub call_time: Duration,
}

impl Default for ToolLimits {
    /// 2,400 bytes shown, 16 MiB kept, commands 60 s and at most 600 s, 2 s for one that is left running, walks 10 s and 1,000 lines, 1 MiB read,
    /// 16 MiB written, pages 30 s, 2 MiB and 5 redirects, 11 minutes for any call.
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
    /// Without the environment, which may hold secrets.
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
