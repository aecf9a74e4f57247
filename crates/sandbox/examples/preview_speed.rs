//! Benchmark of confinement and previews.
//!
//! `cargo run --release -p artoo-sandbox --example preview_speed [ROUNDS [FOLDER]]`
//!
//! Each round runs the same small change (append to one file, create another) in a workspace of 2,000 files:
//! unconfined, confined, confined with a sealed `.git`, as a preview, and on overlays staged without one of
//! the files. Prints rows for `cargo xtask bench`: the median cost of each beyond the unconfined run of the
//! same round, and of the seal beyond confinement alone. Everything happens in a temporary folder, inside
//! FOLDER if one is given.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures is what this program is for"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use artoo_sandbox::preview::{Preview, Staging, preview, rehearse};
use artoo_sandbox::{Capture, Confinement, Ending, Invocation, PrivateNetwork, SandboxMode, run};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const FILES: usize = 2_000;
const CHANGE: &str = "echo x >> 7; echo y > new";
/// Protected places in the home folder, hidden from each confined command: folders that exist, and as many
/// names that do not as artoo protects.
const HIDDEN: [&str; 6] = [".ssh", ".aws", ".gnupg", ".mozilla", ".config/gh", ".artoo"];
const MISSING: usize = 46;
/// Entries of a home folder that has been in use for some years, and of the folders of settings in it.
const ENTRIES: [(&str, usize); 4] = [("", 80), (".config", 60), (".cache", 60), (".local/share", 40)];
/// Goals in milliseconds beyond an unconfined run. Before protected places were hidden, a command that could
/// read everything took 0.66; hiding may add at most 1 ms.
const READ: f64 = 1.66;
const TRIAL: f64 = 15.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().map_or(Ok(31), |rounds| rounds.parse())?;
    let below = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let temporary = tempfile::tempdir_in(below)?;
    let home = temporary.path().canonicalize()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let workspace = home.join("workspace");
    fs::create_dir(&workspace)?;
    HIDDEN.iter().try_for_each(|place| fs::create_dir_all(home.join(place)))?;
    for (folder, entries) in ENTRIES {
        let folder = home.join(folder);
        (0..entries).try_for_each(|number| fs::create_dir_all(folder.join(format!("entry-{number}"))))?;
    }
    for number in 0..FILES {
        fs::write(workspace.join(number.to_string()), "text\n".repeat(20))?;
    }
    // Exists in every round, so that sealing is the only difference.
    let git = workspace.join(".git");
    fs::create_dir(&git)?;
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    let may_seal = settled(&runtime, bound(&workspace, &home, &[&git]), "no sealed parts here");
    // As artoo has it: where nothing shows that it comes and goes.
    let store = home.join(".artoo/store");
    let has_previews =
        Preview::supported(&store).inspect_err(|reason| eprintln!("no previews here: {reason}"));
    let [mut plain, mut confined, mut alone, mut sealed, mut previewed, mut rehearsed] =
        [(); 6].map(|()| Vec::new());
    // The first round warms caches.
    for round in 0..=rounds {
        let took = [
            timed(&runtime, plainly(&workspace))?,
            timed(&runtime, bound(&workspace, &home, &[]))?,
            if may_seal { timed(&runtime, bound(&workspace, &home, &[&git]))? } else { 0.0 },
            if has_previews.is_ok() { timed(&runtime, looked_at(&workspace, &home, &store))? } else { 0.0 },
            if has_previews.is_ok() { timed(&runtime, elsewhere(&workspace, &home, &store))? } else { 0.0 },
        ];
        if round > 0 {
            let [floor, bound, with_seal, looked_at, elsewhere] = took;
            plain.push(floor);
            confined.push(bound - floor);
            alone.push(bound);
            sealed.push(with_seal - bound);
            previewed.push(looked_at - floor);
            rehearsed.push(elsewhere - floor);
        }
    }
    let row = |what: &str, floor: &[f64], extra: Vec<f64>, goal: Option<f64>| {
        json!({
            "what": what, "unit": "ms", "floor": median(floor.to_vec()), "artoo": median(extra), "ratio": null,
            "goal": goal.map(|goal| json!({ "under": goal })),
        })
    };
    let mut rows = vec![row("a confined command, beyond its plain start", &plain, confined, Some(READ))];
    if may_seal {
        rows.push(row("a sealed `.git`, beyond a confined command without", &alone, sealed, None));
    }
    if has_previews.is_ok() {
        let what = "a preview of a small change, beyond its plain start";
        rows.push(row(what, &plain, previewed, Some(TRIAL)));
        let what = "the same in a world without one of the files, beyond its plain start";
        rows.push(row(what, &plain, rehearsed, Some(TRIAL)));
    }
    println!("{}", serde_json::Value::from(rows));
    Ok(())
}

/// Whether the measurement works on this machine. If not, the reason goes to standard error and its row is
/// left out.
fn settled(
    runtime: &tokio::runtime::Runtime,
    work: impl Future<Output = Result<(), Box<dyn Error>>>,
    otherwise: &str,
) -> bool {
    runtime.block_on(work).inspect_err(|reason| eprintln!("{otherwise}: {reason}")).is_ok()
}

/// In milliseconds.
fn timed(
    runtime: &tokio::runtime::Runtime,
    work: impl Future<Output = Result<(), Box<dyn Error>>>,
) -> Result<f64, Box<dyn Error>> {
    let begun = Instant::now();
    runtime.block_on(work)?;
    Ok(begun.elapsed().as_secs_f64() * 1000.0)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the floor that a confined command is compared with is a plain start"
)]
async fn plainly(workspace: &Path) -> Result<(), Box<dyn Error>> {
    let invocation = invocation(workspace);
    let output = std::process::Command::new(&invocation.program)
        .args(&invocation.arguments)
        .current_dir(&invocation.folder)
        .env_clear()
        .envs(&invocation.environment)
        .output()?;
    settle(workspace, output.status.success())
}

async fn bound(workspace: &Path, home: &Path, sealed: &[&Path]) -> Result<(), Box<dyn Error>> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let sealed = sealed.iter().map(|part| part.to_path_buf()).collect();
    let confinement = Confinement { sealed, ..confinement(workspace, home) };
    let outcome = run(&invocation(workspace), &confinement, capture, &CancellationToken::new()).await?;
    settle(workspace, outcome.ending == Ending::Exited(0))
}

async fn looked_at(workspace: &Path, home: &Path, store: &Path) -> Result<(), Box<dyn Error>> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let roots = [workspace.to_owned()];
    let (invocation, confinement) = (invocation(workspace), confinement(workspace, home));
    let cancel = CancellationToken::new();
    let preview = preview(&invocation, &confinement, &roots, store, capture, &cancel).await?;
    match preview.changes.iter().count() {
        2 => Ok(()),
        other => Err(format!("{other} changes instead of 2").into()),
    }
}

async fn elsewhere(workspace: &Path, home: &Path, store: &Path) -> Result<(), Box<dyn Error>> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let roots = [workspace.to_owned()];
    let (invocation, confinement) = (invocation(workspace), confinement(workspace, home));
    let without = Staging { absent: vec![workspace.join("7")], written: Vec::new() };
    let (world, cancel) = ((roots.as_slice(), &without), CancellationToken::new());
    let rehearsed = rehearse(&invocation, &confinement, world, store, capture, &cancel).await?;
    if rehearsed.outcome().ending == Ending::Exited(0) { Ok(()) } else { Err("the command failed".into()) }
}

/// Restores the workspace for the next run.
fn settle(workspace: &Path, is_fine: bool) -> Result<(), Box<dyn Error>> {
    fs::remove_file(workspace.join("new"))?;
    if is_fine { Ok(()) } else { Err("the command failed".into()) }
}

fn invocation(workspace: &Path) -> Invocation {
    Invocation {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), CHANGE.into()],
        folder: workspace.to_owned(),
        environment: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
        timeout: Duration::from_secs(60),
        keep: 1024,
    }
}

/// The network of the run that all these commands belong to.
static NETWORK: OnceLock<PrivateNetwork> = OnceLock::new();

fn confinement(workspace: &Path, home: &Path) -> Confinement {
    Confinement {
        hidden: hidden(home),
        own_network: Some(NETWORK.get_or_init(PrivateNetwork::default).clone()),
        writable: vec![workspace.to_owned()],
        ..Confinement::new(SandboxMode::WorkspaceWrite, home.join(".artoo/tmp"))
    }
}

fn hidden(home: &Path) -> Vec<PathBuf> {
    let missing = (0..MISSING).map(|number| {
        let (folder, _) = ENTRIES.get(number % ENTRIES.len()).copied().unwrap_or_default();
        home.join(folder).join(format!("token-{number}"))
    });
    HIDDEN.iter().map(|place| home.join(place)).chain(missing).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
