//! The table of escapes, by the `shell` tool: each attempt works without artoo, and is held in each mode.

pub(crate) mod table;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use artoo_consent::{Answer, Consent};
use artoo_sandbox::{Gap, MINIMUM_ABI, Network, SandboxMode};
use artoo_shell_effects::Effects;
use artoo_tools::{ToolContext, Toolbox};
use artoo_types::{CallId, ToolCall, ToolName};
use serde_json::{Value, json};

use self::table::{
    BEGAN, INSTRUCTIONS, LATER, LIMITS, MECHANISMS, NotBlocked, Row, World, is_of_the_tenth, runnable,
};
use crate::by_execution::tree::{Tree, Way};
use crate::by_execution::{can_try, each, skipped};
use crate::consents::{Person, person};
use crate::fixture::can_confine;

/// How a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A command that is taken for one that only reads, without layers.
    Read,
    /// Over layers; nobody says yes.
    Trial,
    /// `--sandbox read-only`.
    ReadOnly,
    /// Over layers; a person says yes to all that is asked.
    Approved,
    /// A person says yes, and nothing can be tried.
    ApprovedUntried,
    /// As [`Self::Approved`], with the network.
    Network,
    /// As [`Self::ApprovedUntried`], with the network.
    NetworkUntried,
    /// In the background.
    Job,
    /// In the background with the network, after a yes.
    NetworkJob,
    /// `--sandbox full-access`; nobody says yes.
    FullAccess,
}

impl Mode {
    const ALL: [Self; 10] = [
        Self::Read,
        Self::Trial,
        Self::ReadOnly,
        Self::Approved,
        Self::ApprovedUntried,
        Self::Network,
        Self::NetworkUntried,
        Self::Job,
        Self::NetworkJob,
        Self::FullAccess,
    ];

    fn way(self) -> Way {
        match self {
            Self::Trial
            | Self::Approved
            | Self::Network
            | Self::Job
            | Self::NetworkJob
            | Self::FullAccess => Way::Trial,
            Self::Read | Self::ApprovedUntried | Self::NetworkUntried => Way::WithoutTrials,
            Self::ReadOnly => Way::ReadOnly,
        }
    }

    fn is_agreed(self) -> bool {
        match self {
            Self::Approved | Self::ApprovedUntried | Self::Network | Self::NetworkUntried => true,
            Self::Job | Self::NetworkJob => true,
            Self::Read | Self::Trial | Self::ReadOnly | Self::FullAccess => false,
        }
    }

    fn is_job(self) -> bool {
        matches!(self, Self::Job | Self::NetworkJob)
    }

    fn has_network(self) -> bool {
        matches!(self, Self::Network | Self::NetworkUntried | Self::NetworkJob)
    }

    fn name(self) -> String {
        format!("{self:?}")
    }

    fn context(self, tree: &Tree, world: &World) -> (ToolContext, Arc<Person>) {
        let no = || Answer::No { reason: "not this".to_owned() };
        let asked = Arc::new(person(if self.is_agreed() { Answer::Yes } else { no() }));
        let mut cx = tree.context(self.way(), Arc::clone(&asked) as Arc<dyn Consent>);
        for (name, value) in world.variables() {
            cx.environment.insert(name.into(), value.into());
        }
        if self == Self::FullAccess {
            cx.mode = SandboxMode::FullAccess;
        }
        if matches!(self, Self::Read | Self::FullAccess) {
            // As if the words named reading alone, so that nothing but the kernel stands between.
            cx.explain = |_, _| Effects::default();
        }
        if self.has_network() {
            cx.network = Network::Granted;
        }
        cx.limits.job_grace = Duration::from_secs(20);
        (cx, asked)
    }
}

/// What came of one combination.
struct Tried {
    row: Row,
    mode: Mode,
    has_begun: bool,
    came_through: Vec<String>,
}

impl Tried {
    fn listed(&self, list: &[NotBlocked]) -> bool {
        list.iter().any(|entry| entry.is_about(self.row, &self.mode.name()))
    }
}

async fn call(tool: &str, arguments: Value, cx: &ToolContext) -> ToolCall {
    let id = CallId::new(uuid::Uuid::from_u128(7));
    Toolbox::standard().call(id, &ToolName::new(tool), arguments.as_object().unwrap().clone(), cx).await
}

/// Everything that a call says, and what it keeps.
fn said(call: &ToolCall, cx: &ToolContext) -> String {
    let mut out = format!("{:?}{:?}{:?}{:?}", call.output, call.stderr, call.failure, call.files);
    for shown in [&call.output, &call.stderr] {
        let whole = shown.evidence.as_ref().map(|id| cx.evidence.get(id).unwrap()).unwrap_or_default();
        out.push_str(&String::from_utf8_lossy(&whole));
    }
    out
}

/// Held while an attack uses up the machine.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn attempt(row: Row, mode: Mode) -> Tried {
    let _alone = if row.mechanism == LIMITS { Some(ALONE.lock().await) } else { None };
    let tree = Tree::empty();
    let mut world = begun(row, tree.root()).await;
    let (cx, asked) = mode.context(&tree, &world);
    let said = if row.mechanism == INSTRUCTIONS {
        world.without_artoo(&row.command(), tree.root());
        let mut all = BEGAN.to_owned();
        for (tool, arguments) in [
            ("read_file", json!({ "path": "./AGENTS.md" })),
            ("grep", json!({ "pattern": "canary", "path": "./AGENTS.md" })),
        ] {
            all.push_str(&said(&call(tool, arguments, &cx).await, &cx));
        }
        all
    } else {
        let arguments = json!({ "command": row.command(), "background": mode.is_job() });
        said(&call("shell", arguments, &cx).await, &cx)
    };
    let has_begun = said.contains(BEGAN);
    let mut came_through = off_the_async_thread(move || world.came_through(&said)).await;
    let questions = asked.heard();
    // What somebody said yes to is no escape.
    let was_agreed = (row.mechanism == LATER && mode.is_agreed() && !questions.is_empty())
        || (row.world.starts_with("loopback") && mode.has_network());
    if was_agreed {
        came_through.clear();
    }
    Tried { row, mode, has_begun, came_through }
}

async fn off_the_async_thread<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(run).await.unwrap()
}

async fn begun(row: Row, root: &Path) -> World {
    let root = root.to_owned();
    off_the_async_thread(move || World::begin(row, &root)).await
}

/// Runs the combinations that are chosen, and fails where something came through that is not listed.
async fn none_gets_through(is_chosen: impl Fn(usize, usize) -> bool) -> Vec<Tried> {
    if !can_confine() || !can_try(Way::Trial) {
        return Vec::new();
    }
    let (rows, missing) = runnable();
    let mut chosen = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let modes = Mode::ALL.into_iter().enumerate().filter(|(mode, _)| is_chosen(at, *mode));
        chosen.extend(modes.map(|(_, mode)| (*row, mode)));
    }
    let tried = each(chosen, |(row, mode)| attempt(row, mode)).await;
    let listed = NotBlocked::all();
    let idle = tried.iter().filter(|tried| !tried.has_begun).count();
    let through: Vec<&Tried> = tried.iter().filter(|tried| !tried.came_through.is_empty()).collect();
    let mut lines: Vec<String> = through
        .iter()
        .filter(|tried| !tried.listed(&listed))
        .map(|tried| {
            format!(
                "{} {:?}, {}: {}",
                tried.row.id,
                tried.mode,
                tried.row.what,
                tried.came_through.join("; ")
            )
        })
        .collect();
    lines.sort();
    eprintln!(
        "{} combinations of {} rows and {} modes: {} got through, {} of them as documented; {idle} were refused before they began",
        tried.len(),
        rows.len(),
        Mode::ALL.len(),
        through.len(),
        through.len() - lines.len(),
    );
    skipped("escape", &missing);
    assert!(lines.is_empty(), "{} got through:\n{}", lines.len(), lines.join("\n"));
    assert!(
        idle * 5 <= tried.len(),
        "too few attacks ran to prove anything: {idle} of {} did not",
        tried.len()
    );
    tried
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_gets_through_in_a_tenth() {
    none_gets_through(is_of_the_tenth).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "minutes; to be run when the table or the sandbox was changed: a tenth is tried in the test before it"]
async fn nothing_gets_through() {
    let tried = none_gets_through(|_, _| true).await;
    // An entry of the list by which nothing gets through any more promises less than is kept.
    let stale: Vec<NotBlocked> = NotBlocked::all()
        .into_iter()
        .filter(|entry| {
            let about: Vec<&Tried> =
                tried.iter().filter(|tried| entry.is_about(tried.row, &tried.mode.name())).collect();
            !about.is_empty() && about.iter().all(|tried| tried.came_through.is_empty())
        })
        .collect();
    assert!(stale.is_empty(), "held, but listed as not blocked: {stale:#?}");
}

/// Counter-check: without artoo each attempt gets through.
async fn rows_get_through_without_artoo(is_chosen: impl Fn(usize) -> bool) {
    let (rows, missing) = runnable();
    skipped("escape", &missing);
    let chosen: Vec<Row> =
        rows.into_iter().enumerate().filter(|(at, _)| is_chosen(*at)).map(|(_, row)| row).collect();
    let tried = each(chosen, |row| async move {
        let _alone = if row.mechanism == LIMITS { Some(ALONE.lock().await) } else { None };
        let tree = Tree::empty();
        let mut world = begun(row, tree.root()).await;
        let root = tree.root().to_owned();
        off_the_async_thread(move || {
            let mut said = world.without_artoo(&row.command(), &root);
            if row.mechanism == INSTRUCTIONS {
                said.push_str(&world.without_artoo("timeout 5 cat AGENTS.md", &root));
            }
            let came = world.came_through(&said);
            (row.id, came.is_empty(), said)
        })
        .await
    })
    .await;
    let mut idle: Vec<String> = tried
        .into_iter()
        .filter(|(_, is_idle, _)| *is_idle)
        .map(|(id, _, said)| format!("{id}: {said}"))
        .collect();
    idle.sort();
    assert!(idle.is_empty(), "{} attempts lead nowhere without artoo:\n{}", idle.len(), idle.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_tenth_of_the_rows_gets_through_without_artoo() {
    rows_get_through_without_artoo(|at| at.is_multiple_of(10)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "half a minute; to be run when the table was changed: each tenth row is tried in the test before it"]
async fn each_row_gets_through_without_artoo() {
    rows_get_through_without_artoo(|_| true).await;
}

#[test]
fn the_table_is_as_large_as_it_is_said_to_be() {
    let rows = Row::all();
    assert!(rows.len() >= 120, "{}", rows.len());
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id).collect();
    assert_eq!(ids.len(), rows.len(), "an id comes twice");
    for (mechanism, _) in MECHANISMS {
        let count = rows.iter().filter(|row| row.mechanism == mechanism).count();
        assert!(count >= 8, "{mechanism}: {count}");
    }
    let texts: BTreeSet<String> =
        rows.iter().map(|row| format!("{}\n{}", row.world, row.command())).collect();
    assert_eq!(texts.len(), rows.len(), "an attack comes twice");
}

/// What is not blocked is on the page, or is a gap that `artoo doctor` names on the machines that have it.
#[test]
fn what_is_not_blocked_is_documented() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/not-blocked.md");
    let page = std::fs::read_to_string(page).unwrap();
    let gaps: Vec<String> = Gap::of(MINIMUM_ABI, false).iter().map(ToString::to_string).collect();
    for entry in NotBlocked::all() {
        let is_on_the_page = page.contains(&format!("**{}.**", entry.reason));
        assert!(
            is_on_the_page || gaps.iter().any(|gap| gap == entry.reason),
            "{:?} is nowhere",
            entry.reason
        );
    }
}

/// Each entry is about rows that there are; in the modes of these tests or of the program.
#[test]
fn what_is_not_blocked_is_in_the_table() {
    let ids: BTreeSet<&str> = Row::all().iter().map(|row| row.id).collect();
    for entry in NotBlocked::all() {
        assert!(entry.rows().all(|id| ids.contains(id)), "{entry:?}");
    }
}
