//! Files that some program runs without being asked to: each way to leave one is asked about, with the reason, and what nobody runs
//! is not. That a program really runs it is tried without artoo, where the program is installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_consent::{Answer, Consent, Question};
use artoo_tools::{ToolContext, Toolbox};
use artoo_types::{CallId, EffectKind, ToolCall, ToolName};
use serde_json::{Value, json};

use crate::by_execution::tree::{Fence, Tree, Way};
use crate::by_execution::{can_try, each, skipped};
use crate::consents::{Person, person};
use crate::fixture::{can_confine, shown};

const VICTIMS: &str = include_str!("autorun/victims.tsv");
const PLANTS: &str = include_str!("autorun/plants.tsv");
const FREE: &str = include_str!("autorun/free.tsv");

/// What somebody has, and what they start.
#[derive(Debug, Clone, Copy)]
struct Victim {
    id: &'static str,
    folder: &'static str,
    needs: &'static str,
    setup: &'static str,
    run: &'static str,
}

/// A way to leave a file.
#[derive(Debug, Clone, Copy)]
struct Plant {
    id: &'static str,
    victim: Victim,
    tool: &'static str,
    needs: &'static str,
    /// The path that is asked about, below the home; and part of the reason. Empty where nothing is asked.
    path: &'static str,
    reason: &'static str,
    request: &'static str,
    calls: &'static str,
}

fn rows<const N: usize>(table: &'static str) -> Vec<[&'static str; N]> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &'static str| {
        line.splitn(N, '\t').collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("not a row: {line}"))
    };
    lines.map(row).collect()
}

fn victim(id: &str) -> Victim {
    let all = rows(VICTIMS).into_iter().map(|[id, folder, needs, setup, run]| Victim {
        id,
        folder,
        needs,
        setup,
        run,
    });
    all.into_iter().find(|victim| victim.id == id).unwrap_or_else(|| panic!("there is no victim {id}"))
}

fn plants() -> Vec<Plant> {
    let plant = |[id, of, tool, needs, path, reason, calls]: [&'static str; 7]| Plant {
        id,
        victim: victim(of),
        tool,
        needs,
        path,
        reason,
        request: "",
        calls,
    };
    rows(PLANTS).into_iter().map(plant).collect()
}

fn free() -> Vec<Plant> {
    let plant = |[id, of, tool, request, calls]: [&'static str; 5]| Plant {
        id,
        victim: victim(of),
        tool,
        needs: "-",
        path: "",
        reason: "",
        request,
        calls,
    };
    rows(FREE).into_iter().map(plant).collect()
}

/// The folder of the cargo that built this test, which needs no home of its own.
fn cargo_folder() -> PathBuf {
    Path::new(env!("CARGO")).parent().unwrap().to_owned()
}

fn is_here(program: &str) -> bool {
    program == "-" || artoo_test_needs::is_there(program) || cargo_folder().join(program).exists()
}

/// A tree in which the victim lies. A shell script makes it, which may need its programs only to start it later.
async fn tree_of(victim: Victim) -> Tree {
    let tree = Tree::empty();
    for folder in [tree.folder(), tree.workspace()] {
        fs::create_dir_all(folder).unwrap();
    }
    run(&tree, victim, victim.setup).await;
    tree
}

/// Runs shell text in the victim's folder, without artoo.
async fn run(tree: &Tree, victim: Victim, text: &str) {
    let folder = tree.top().join(victim.folder);
    let script =
        format!("export PATH=\"$PATH:{}\"; cd '{}'; {text}", cargo_folder().display(), folder.display());
    tree.without_artoo(&script, Fence::Tree).await;
}

/// Whether what was planted was run.
fn ran(tree: &Tree) -> bool {
    tree.home().join("ran").exists()
}

impl Plant {
    fn calls(&self) -> impl Iterator<Item = String> {
        self.calls.split('⏭').map(|call| call.replace('⏎', "\n"))
    }

    /// A context of a run that works where the victim lies, with its tools in `PATH`.
    fn context(&self, tree: &Tree, consent: Arc<dyn Consent>) -> ToolContext {
        let folder = tree.top().join(self.victim.folder);
        let path = format!("{}:{}", folder.join("tools/bin").display(), artoo_test_needs::path());
        let mut cx = tree.context(Way::Trial, consent);
        cx.environment.insert("PATH".into(), path.into());
        ToolContext { working_folder: folder, request: self.request.into(), ..cx }
    }

    async fn by_tool(&self, cx: &ToolContext) -> Vec<ToolCall> {
        let mut done = Vec::new();
        for call in self.calls() {
            let arguments = match call.split_once('⇥') {
                Some((path, content)) => json!({ "path": path, "content": content }),
                None => json!({ "command": call }),
            };
            done.push(called(self.tool, arguments, cx).await);
        }
        done
    }

    async fn without_artoo(&self, tree: &Tree) {
        for call in self.calls() {
            match call.split_once('⇥') {
                Some((path, content)) => {
                    let path = tree.top().join(self.victim.folder).join(path);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, content).unwrap();
                }
                None => run(tree, self.victim, &call).await,
            }
        }
    }
}

async fn called(tool: &str, arguments: Value, cx: &ToolContext) -> ToolCall {
    let id = CallId::new(uuid::Uuid::from_u128(7));
    let arguments = arguments.as_object().unwrap().clone();
    Toolbox::standard().call(id, &ToolName::new(tool), arguments, cx).await
}

/// The rows whose commands can run here, and how many each missing program leaves out.
fn runnable(rows: Vec<Plant>) -> (Vec<Plant>, BTreeMap<&'static str, usize>) {
    // A virtual environment is made by Python, and a repository by git.
    let needs = |row: &Plant| [row.needs, if row.victim.setup.contains("git init") { "git" } else { "-" }];
    let (here, missing): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| needs(row).into_iter().all(is_here));
    let mut programs = BTreeMap::new();
    for program in missing.iter().flat_map(needs).filter(|program| !is_here(program)) {
        *programs.entry(program).or_default() += 1;
    }
    (here, programs)
}

/// A victim, and a run in its place with somebody who gives this answer.
async fn scene(plant: Plant, answer: Answer) -> (Tree, ToolContext, Arc<Person>) {
    let (tree, person) = (tree_of(plant.victim).await, Arc::new(person(answer)));
    let cx = plant.context(&tree, Arc::clone(&person) as Arc<dyn Consent>);
    (tree, cx, person)
}

fn no() -> Answer {
    Answer::No { reason: "not this".to_owned() }
}

/// Whether the one question is about the file of this row, with its reason.
fn is_about(questions: &[Question], plant: &Plant, path: &Path) -> bool {
    let [question] = questions else { return false };
    let effect = question.effects.iter().find(|effect| Path::new(&effect.what) == path);
    let told = question.changes.iter().find(|change| change.path == path);
    effect.is_some_and(|effect| {
        effect.kind == EffectKind::Creates
            && effect.why.contains(plant.reason)
            && told.and_then(|change| change.autorun.as_ref()) == Some(&effect.why)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_way_to_leave_a_file_that_is_run_later_is_asked_about() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let (rows, missing) = runnable(plants());
    skipped("autorun", &missing);
    assert!(rows.len() >= 25, "too few rows ran to prove anything: {}", rows.len());
    let wrong = each(rows, |plant| async move {
        let (tree, cx, person) = scene(plant, no()).await;
        let calls = plant.by_tool(&cx).await;
        let (questions, path) = (person.heard(), tree.home().join(plant.path));
        let is_right = is_about(&questions, &plant, &path) && path.symlink_metadata().is_err();
        (!is_right).then(|| format!("{}: {questions:#?}\n{calls:#?}", plant.id))
    });
    let wrong: Vec<String> = wrong.await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_runs_where_somebody_names_it_or_asked_for_it_is_not_asked_about() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let (rows, missing) = runnable(free());
    skipped("autorun", &missing);
    assert!(rows.len() >= 15, "too few rows ran to prove anything: {}", rows.len());
    let wrong = each(rows, |plant| async move {
        let (_tree, cx, person) = scene(plant, no()).await;
        let calls = plant.by_tool(&cx).await;
        let is_free = person.heard().is_empty()
            && calls.iter().all(|call| call.failure.is_none() && !call.files.is_empty());
        (!is_free).then(|| format!("{}: {calls:#?}", plant.id))
    });
    let wrong: Vec<String> = wrong.await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

/// A program has a word for a name, and a request that names a file that is there means that one.
#[tokio::test]
async fn a_word_of_the_request_that_means_something_else_asks_for_nothing() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let request =
        "Run ls, read the makefile, bump the version in package.json, look into bin, and at HEAD of x.";
    let ids = ["path-1", "path-8", "make-3", "node-4", "git-3"];
    for plant in plants().into_iter().filter(|plant| ids.contains(&plant.id)) {
        let plant = Plant { request, ..plant };
        let (tree, cx, person) = scene(plant, no()).await;
        plant.by_tool(&cx).await;
        let questions = person.heard();
        assert!(is_about(&questions, &plant, &tree.home().join(plant.path)), "{}: {questions:#?}", plant.id);
    }
}

/// Counter-check of the table: without artoo the victim runs what a row leaves, and nothing where it leaves nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_asked_about_is_really_run() {
    if !can_confine() {
        return;
    }
    let (rows, mut missing) = runnable(plants());
    let (rows, left): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| is_here(row.victim.needs));
    left.iter().for_each(|row| *missing.entry(row.victim.needs).or_default() += 1);
    skipped("autorun", &missing);
    let idle = each(rows, |plant| async move {
        let (before, after) = (tree_of(plant.victim).await, tree_of(plant.victim).await);
        run(&before, plant.victim, plant.victim.run).await;
        plant.without_artoo(&after).await;
        let at_once = ran(&after);
        run(&after, plant.victim, plant.victim.run).await;
        let outcome = (ran(&before), at_once, ran(&after));
        (outcome != (false, false, true)).then_some((plant.id, outcome))
    });
    let idle: Vec<_> = idle.await.into_iter().flatten().collect();
    assert!(idle.is_empty(), "run before, when it was planted, and when the victim started: {idle:?}");
}

/// After a yes the file is the run's, which may write it again without a question.
#[tokio::test]
async fn a_yes_makes_the_file_and_the_run_may_write_it_again() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let make = plants().into_iter().find(|plant| plant.id == "make-1").unwrap();
    let (_tree, cx, person) = scene(make, Answer::Yes).await;
    let file = cx.working_folder.join("GNUmakefile");
    shown(&called("shell", json!({ "command": "echo 'all: ; true' > GNUmakefile" }), &cx).await);
    let [question] = person.heard().try_into().unwrap();
    assert_eq!((question.rule.as_str(), question.proposed().autorun), ("autorun", true));
    shown(&called("shell", json!({ "command": "echo 'all: ; false' >> GNUmakefile" }), &cx).await);
    shown(&called("write_file", json!({ "path": "./GNUmakefile", "content": "all: ; date\n" }), &cx).await);
    assert_eq!((person.heard().len(), fs::read_to_string(&file).unwrap().as_str()), (0, "all: ; date\n"));
    // What is not of the table is free as before, also beside it.
    shown(&called("shell", json!({ "command": "echo 1 > other.mk" }), &cx).await);
    assert_eq!(person.heard().len(), 0);
}

/// A file of somebody's in a folder of `PATH` that becomes a program by its mode alone.
#[tokio::test]
async fn a_mode_that_makes_a_program_is_asked_about_with_the_reason() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let tools = plants().into_iter().find(|plant| plant.id == "path-1").unwrap();
    let (_tree, cx, person) = scene(tools, no()).await;
    for (command, is_program) in [("chmod 755 tools/bin/date", true), ("chmod 600 tools/bin/date", false)] {
        called("shell", json!({ "command": command }), &cx).await;
        let [question] = person.heard().try_into().unwrap();
        let [change] = question.changes.try_into().unwrap();
        assert_eq!(change.autorun.is_some(), is_program, "{change:?}");
        assert_eq!(question.effects[0].kind, EffectKind::Overwrites);
        assert_eq!(question.effects[0].why.contains("its folder is in PATH"), is_program);
    }
}

/// Of a command that failed nothing is made real, and nobody is asked.
#[tokio::test]
async fn a_command_that_failed_leaves_nothing() {
    if !can_confine() || !can_try(Way::Trial) {
        return;
    }
    let make = plants().into_iter().find(|plant| plant.id == "make-1").unwrap();
    let (_tree, cx, person) = scene(make, Answer::Yes).await;
    let call = called("shell", json!({ "command": "echo 'all: ; true' > GNUmakefile; exit 3" }), &cx).await;
    assert!(call.failure.is_some() && person.heard().is_empty());
    assert!(!cx.working_folder.join("GNUmakefile").exists());
}

#[test]
fn the_tables_are_what_they_say() {
    let (plants, free) = (plants(), free());
    assert!(plants.len() >= 25 && free.len() >= 15);
    let ids: std::collections::BTreeSet<&str> = plants.iter().chain(&free).map(|plant| plant.id).collect();
    assert_eq!(ids.len(), plants.len() + free.len(), "an id comes twice");
    let used: std::collections::BTreeSet<&str> =
        plants.iter().chain(&free).map(|plant| plant.victim.id).collect();
    assert_eq!(used.len(), rows::<5>(VICTIMS).len(), "a victim of no row");
}
