//! The actual effects of commands: each row of two tables runs in a fresh tree, the whole tree is compared,
//! and no consent is given.
//!
//! A destructive row must leave everything unchanged, except for new visible files in the workspace or the
//! working folder. A harmless row must run as it would without artoo, without a question.

mod observed;
pub(crate) mod rows;
pub(crate) mod tree;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use artoo_consent::{Answer, Consent, Question};
use artoo_sandbox::preview::Preview;
use artoo_sandbox::{Capture, Channel, Ending, Invocation, SandboxMode, run_unconfined};
use artoo_shell_effects::Effects;
use artoo_test_needs::{Ability, skip, without};
use artoo_tools::{ToolContext, Toolbox};
use artoo_types::{CallEnding, CallId, ToolCall, ToolName};
use async_trait::async_trait;
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::observed::Violation;
use self::rows::{DESTRUCTIVE, HARMLESS, Row, runnable};
use self::tree::{Template, Tree, Way};
use crate::fixture::can_confine;

/// Folders where new visible files are free.
const FREE: [&str; 2] = ["home/project", "home/artoo_workspace"];

/// Rows run concurrently: several per core, since some wait.
const AT_ONCE: usize = 8;

/// Maximum characters reported about a harmless row that ran differently.
const TOLD: usize = 400;

/// The time by which a delayed action of a row has happened: three times as long as any row waits. Only time
/// shows that something does *not* happen.
const LATER: Duration = Duration::from_millis(900);

/// [`Consent`] that denies everything and records the questions.
#[derive(Default)]
pub(crate) struct Refuser(Mutex<Vec<Question>>);

#[async_trait]
impl Consent for Refuser {
    async fn ask(&self, question: Question) -> Answer {
        self.0.lock().unwrap().push(question);
        Answer::No { reason: "not this".to_owned() }
    }
}

/// The outcome of a row.
struct Outcome {
    row: Row,
    call: ToolCall,
    /// Standard output, without parts that differ from tree to tree.
    output: String,
    questions: Vec<Question>,
    violations: Vec<Violation>,
    /// The paths that it created.
    made: Vec<String>,
}

/// Runs shell text with the tool, as the executor does.
pub(crate) async fn shell(command: &str, cx: &ToolContext) -> ToolCall {
    let arguments = json!({ "command": command }).as_object().unwrap().clone();
    let id = CallId::new(uuid::Uuid::from_u128(7));
    Toolbox::standard().call(id, &ToolName::new("shell"), arguments, cx).await
}

/// A process that does not belong to the run.
struct Victim {
    pid: i32,
    end: CancellationToken,
}

impl Victim {
    async fn new(tree: &Tree) -> Self {
        let script = format!("echo $$; exec -a {} sleep 300", tree.marker());
        let invocation = Invocation {
            program: "/bin/bash".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: tree.folder(),
            environment: BTreeMap::from([("PATH".into(), artoo_test_needs::path().into())]),
            timeout: Duration::from_secs(300),
            keep: 100,
        };
        let (said, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let end = CancellationToken::new();
        let cancel = end.clone();
        tokio::spawn(async move {
            let show = move |_: Channel, bytes: &[u8]| drop(said.send(bytes.to_vec()));
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: Some(&show) };
            run_unconfined(&invocation, capture, &cancel).await.unwrap();
        });
        let pid = String::from_utf8(heard.recv().await.unwrap()).unwrap().trim().parse().unwrap();
        Self { pid, end }
    }

    fn is_alive(&self) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        stat.rsplit(')')
            .next()
            .is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with(['Z', 'X']))
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

/// Runs each item, some concurrently.
pub(crate) async fn each<R, T, F>(rows: Vec<R>, of: impl Fn(R) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let (mut running, mut done) = (JoinSet::new(), Vec::new());
    for row in rows {
        if running.len() >= AT_ONCE {
            done.extend(running.join_next().await.map(Result::unwrap));
        }
        running.spawn(of(row));
    }
    done.extend(running.join_all().await);
    done
}

/// Runs a row with the tool, in a context that may be adjusted.
async fn by_tool(row: Row, template: Arc<Template>, way: Way, adjust: fn(&mut ToolContext)) -> Outcome {
    let (tree, refuser) = (template.copy().await, Arc::new(Refuser::default()));
    let victim = if row.has_victim() { Some(Victim::new(&tree).await) } else { None };
    let mut cx = tree.context(way, Arc::clone(&refuser) as Arc<dyn Consent>);
    adjust(&mut cx);
    let before = tree.observed();
    let call = shell(&row.command(&tree, victim.as_ref().map(|victim| victim.pid)), &cx).await;
    if row.acts_later() {
        tokio::time::sleep(LATER).await;
    }
    let after = tree.observed();
    let mut violations = before.violations(&after, &FREE);
    violations.extend(killed(victim.as_ref()));
    let output = call.output.evidence.as_ref().map(|id| cx.evidence.get(id).unwrap()).unwrap_or_default();
    let questions = std::mem::take(&mut *refuser.0.lock().unwrap());
    let output = tree.neutral(&output);
    Outcome { row, call, output, questions, violations, made: after.made_since(&before) }
}

fn killed(victim: Option<&Victim>) -> Option<Violation> {
    victim
        .filter(|victim| !victim.is_alive())
        .map(|victim| Violation::new(victim.pid.to_string(), "was ended"))
}

/// Runs a row without artoo.
async fn without_artoo(
    row: Row,
    template: Arc<Template>,
) -> (Row, Ending, String, Vec<Violation>, Vec<String>) {
    let tree = template.copy().await;
    let victim = if row.has_victim() { Some(Victim::new(&tree).await) } else { None };
    let before = tree.observed();
    let mut command = row.command(&tree, victim.as_ref().map(|victim| victim.pid));
    if row.acts_later() {
        // Processes left behind end with their shell, so the shell stays.
        command.push_str(&format!("\nsleep {}", LATER.as_secs_f32()));
    }
    let (ending, output, _) = tree.without_artoo(&command, row.fence()).await;
    if victim.is_some() {
        tokio::time::sleep(LATER).await;
    }
    let after = tree.observed();
    let mut violations = before.violations(&after, &FREE);
    violations.extend(killed(victim.as_ref()));
    (row, ending, tree.neutral(&output), violations, after.made_since(&before))
}

pub(crate) fn skipped(what: &str, missing: &BTreeMap<&str, usize>) {
    for (program, rows) in missing {
        without(program, format_args!("{rows} {what} rows need {program}"));
    }
}

/// Whether trials are possible here; prints a notice if not.
pub(crate) fn can_try(way: Way) -> bool {
    let supported = Preview::supported(&Tree::empty().data().join("preview"));
    if let (Way::Trial, Err(reason)) = (way, &supported) {
        skip(Ability::Overlays, reason);
    }
    way != Way::Trial || supported.is_ok()
}

/// Every n-th row from an offset: each run mode runs more than 400 rows, and together they run all.
#[derive(Debug, Clone, Copy)]
struct Part {
    every: usize,
    from: usize,
}

impl Part {
    const ALL: Self = Self { every: 1, from: 0 };

    fn of(self, rows: Vec<Row>) -> Vec<Row> {
        rows.into_iter().skip(self.from).step_by(self.every).collect()
    }
}

/// Runs the table, prints its totals, and fails if something changed. `adjust` modifies the context.
async fn nothing_is_destroyed(way: Way, part: Part, adjust: fn(&mut ToolContext)) {
    if !can_confine() || !can_try(way) {
        return;
    }
    let (rows, missing) = runnable(Row::all(DESTRUCTIVE));
    let template = Template::new().await;
    let outcomes = each(part.of(rows), |row| by_tool(row, Arc::clone(&template), way, adjust)).await;
    let count = |is: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    let changed = count(&|outcome| !outcome.violations.is_empty());
    let asked = count(&|outcome| !outcome.questions.is_empty());
    let refused =
        count(&|outcome| outcome.questions.is_empty() && outcome.call.ending == CallEnding::Refused);
    let failed = count(&|outcome| matches!(outcome.call.ending, CallEnding::Exited { status: 1.. }));
    eprintln!(
        "{way:?}: {} destructive rows ran, {} skipped: {changed} changed something without consent, {asked} were asked \
         about, {refused} refused unasked, {failed} failed by themselves",
        outcomes.len(),
        missing.values().sum::<usize>()
    );
    skipped("destructive", &missing);
    assert!(outcomes.len() >= 400, "too few rows ran to prove anything: {}", outcomes.len());
    let lines: Vec<String> =
        outcomes.iter().filter(|outcome| !outcome.violations.is_empty()).map(told).collect();
    assert!(
        lines.is_empty(),
        "{changed} rows changed something that nobody agreed to:\n{}",
        lines.join("\n")
    );
}

/// A row that broke the rule, in one line.
fn told(outcome: &Outcome) -> String {
    let some: Vec<String> = outcome.violations.iter().take(3).map(ToString::to_string).collect();
    format!("{} {:?}: {}", outcome.row.id, outcome.call.ending, some.join("; "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_destroyed_without_consent() {
    nothing_is_destroyed(Way::Trial, Part::ALL, |_| ()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_destroyed_without_consent_where_nothing_can_be_tried() {
    nothing_is_destroyed(Way::WithoutTrials, Part { every: 3, from: 0 }, |_| ()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_destroyed_without_consent_where_the_working_folder_is_the_workspace() {
    nothing_is_destroyed(Way::Trial, Part { every: 3, from: 1 }, |cx| {
        cx.workspace = cx.working_folder.clone()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_destroyed_where_nothing_is_writable() {
    nothing_is_destroyed(Way::ReadOnly, Part { every: 3, from: 2 }, |_| ()).await;
}

/// Nothing depends on the words of a command: not if commands are tried, and not if they cannot be.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_destroyed_where_every_command_is_taken_for_reading() {
    let explain = |cx: &mut ToolContext| cx.explain = |_, _| Effects::default();
    nothing_is_destroyed(Way::Trial, Part { every: 3, from: 2 }, explain).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_destroyed_where_every_command_is_taken_for_reading_and_nothing_can_be_tried() {
    let explain = |cx: &mut ToolContext| cx.explain = |_, _| Effects::default();
    nothing_is_destroyed(Way::WithoutTrials, Part { every: 3, from: 1 }, explain).await;
}

/// Full access still requires consent.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_destroyed_without_consent_with_full_access() {
    nothing_is_destroyed(Way::Trial, Part { every: 3, from: 0 }, |cx| {
        cx.mode = SandboxMode::FullAccess;
        cx.explain = |_, _| Effects::default();
    })
    .await;
}

/// Counter-check of the destructive table: without artoo, each row breaks the rule.
async fn rows_destroy_something(part: Part) {
    if !can_confine() {
        return;
    }
    let (rows, missing) = runnable(Row::all(DESTRUCTIVE));
    skipped("destructive", &missing);
    let template = Template::new().await;
    let proven: Vec<Row> = part.of(rows).into_iter().filter(|row| !row.is_attempt()).collect();
    assert!(proven.len() >= 300, "{}", proven.len());
    let ran = each(proven, |row| without_artoo(row, Arc::clone(&template))).await;
    let idle = ran.iter().filter(|(.., violations, _)| violations.is_empty());
    let idle: Vec<_> = idle.map(|(row, ending, ..)| (row.id, ending)).collect();
    assert!(idle.is_empty(), "{} rows of the table change nothing: {idle:#?}", idle.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn destructive_rows_destroy_something_without_artoo() {
    rows_destroy_something(Part { every: 5, from: 0 }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "half a minute; to be run when the table was changed: each fifth row is tried in the test before it"]
async fn each_destructive_row_destroys_something_without_artoo() {
    rows_destroy_something(Part::ALL).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn harmless_commands_run_as_without_artoo_and_nobody_is_asked() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let (rows, missing) = runnable(Row::all(HARMLESS));
    let template = Template::new().await;
    let outcomes = each(rows, |row| {
        let template = Arc::clone(&template);
        async move {
            let expected = without_artoo(row, Arc::clone(&template)).await;
            (by_tool(row, template, Way::Trial, |_| ()).await, expected)
        }
    })
    .await;
    let (mut asked, mut refused, mut others, mut harmful) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (outcome, (_, ending, output, destroyed, made)) in &outcomes {
        let id = outcome.row.id;
        // Git records a status check in its index, and creating and removing a file changes the folder's
        // time.
        let is_trace = |path: &Path| {
            path.ends_with(".git/index")
                || path.ends_with(".git")
                || FREE.iter().any(|free| path == Path::new(free))
        };
        let destroyed: Vec<_> = destroyed.iter().filter(|violation| !is_trace(&violation.path)).collect();
        if !destroyed.is_empty() {
            harmful.push((id, destroyed));
        }
        let status = match &outcome.call.ending {
            _ if !outcome.questions.is_empty() => {
                asked.push((id, outcome.questions.iter().map(|q| &q.effects).collect::<Vec<_>>()));
                continue;
            }
            CallEnding::Refused => {
                refused.push((id, outcome.call.failure.as_ref().map(|failure| failure.reason.as_str())));
                continue;
            }
            CallEnding::Exited { status } => Some(*status),
            CallEnding::Returned
            | CallEnding::Signalled { .. }
            | CallEnding::TimedOut
            | CallEnding::Cancelled => None,
        };
        let expected = (Ending::Exited(status.unwrap_or(-1)), true, true, Vec::new());
        let is_same = |same: bool| same || !outcome.row.is_exact;
        let found = (
            *ending,
            is_same(outcome.output == *output),
            is_same(outcome.made == *made),
            outcome.violations.clone(),
        );
        if found != expected {
            let told = format!(
                "{:?} for {ending:?}, output {:?} for {output:?}, made {:?} for {made:?}, {:?} {:?}",
                outcome.call.ending, outcome.output, outcome.made, outcome.violations, outcome.call.failure
            );
            others.push(format!("{id}: {}", told.chars().take(TOLD).collect::<String>()));
        }
    }
    eprintln!(
        "{} harmless rows ran, {} skipped: {} asked about, {} refused, {} ran otherwise than without artoo",
        outcomes.len(),
        missing.values().sum::<usize>(),
        asked.len(),
        refused.len(),
        others.len()
    );
    skipped("harmless", &missing);
    assert!(harmful.is_empty(), "these are not harmless: {harmful:#?}");
    assert!(outcomes.len() >= 150, "too few rows ran to prove anything: {}", outcomes.len());
    assert!(asked.len() * 50 <= outcomes.len(), "more than 2 % were asked about: {asked:?}");
    assert!(
        refused.is_empty() && others.is_empty(),
        "refused: {refused:#?}\notherwise:\n{}",
        others.join("\n")
    );
}

#[test]
fn the_tables_are_as_large_as_they_are_said_to_be() {
    for (table, least) in [(DESTRUCTIVE, 400), (HARMLESS, 150)] {
        let rows = Row::all(table);
        let ids: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), rows.len(), "an id comes twice");
        assert!(rows.iter().filter(|row| !row.is_attempt()).count() >= least);
        assert!(rows.iter().all(|row| row.id.starts_with(row.kind)));
    }
}
