//! Benchmark of snapshots: `cargo run --release -p artoo-sandbox --example snapshot_speed [ROUNDS [FOLDER]]`.
//!
//! Prints rows for `cargo xtask bench`. The first scan of 64 MiB in 16 files and of 2,000 small files, which
//! keeps all of them, is compared with `cp -a` of the same files, alternating; then the two scans around a
//! later call are measured. Where trials are supported, the commit of a trial that creates 1,000 files or
//! appends to as many, including the snapshot of the touched paths, is compared with `cp -a` of 1,000 files.
//! Neither side forces data to disk. Everything happens in a temporary folder, inside FOLDER if one is given.
//! The output of a round is removed only at the end, because creating files is slower for some minutes after
//! many were deleted. The figures are noisy: compare them only with others of the same minute.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures is what this program is for"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use artoo_sandbox::preview::{Preview, preview};
use artoo_sandbox::{Capture, Confinement, Ending, Invocation, SandboxMode};
use artoo_snapshot::{Snapshot, SnapshotLimits};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A set of files of one kind.
struct Files {
    what: &'static str,
    count: usize,
    /// The size of each file, in bytes.
    size: usize,
}

const KINDS: [Files; 2] = [
    Files { what: "64 MiB in 16 files", count: 16, size: 4 * 1024 * 1024 },
    Files { what: "2,000 small files", count: 2_000, size: 100 },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rounds: usize = arguments.next().map_or(Ok(7), |rounds| rounds.parse())?;
    let below = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let temporary = tempfile::tempdir_in(below)?;
    let home = temporary.path().canonicalize()?;
    let mut rows = Vec::new();
    for kind in KINDS {
        let scene = home.join(kind.count.to_string());
        let folder = scene.join("files");
        kind.make(&folder)?;
        rows.push(beside_a_copy(&kind, &folder, &scene, rounds)?);
        rows.push(later(&kind, &folder, &scene, rounds)?);
    }
    match Preview::supported(&home.join("preview")) {
        Ok(()) => {
            for (what, script) in CHANGES {
                rows.push(committed(what, script, &home, rounds)?);
            }
        }
        Err(reason) => eprintln!("no previews here: {reason}"),
    }
    println!("{}", Value::from(rows));
    Ok(())
}

/// The scripts whose changes are committed.
const CHANGES: [(&str, &str); 2] = [
    ("a commit of 1,000 new files", "i=0; while test $i -lt 1000; do echo text > new-$i; i=$((i+1)); done"),
    ("a commit of 1,000 changed files", "for file in *; do echo more >> $file; done"),
];

/// Compares the snapshot of the touched paths, the commit and the scan after it with `cp -a` of as many
/// files.
fn committed(what: &str, script: &str, home: &Path, rounds: usize) -> Result<Value, Box<dyn Error>> {
    let scene = home.join(what.replace([' ', ','], "-"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let [mut copies, mut commits, mut ratios] = [(); 3].map(|()| Vec::new());
    for round in 0..=rounds {
        let folder = scene.join(format!("files-{round}"));
        Files { what: "", count: 1_000, size: 100 }.make(&folder)?;
        let tried = runtime.block_on(tried(script, &folder, home))?;
        let copied = timed(|| copy(&folder, &scene.join(format!("copy-{round}"))))?;
        let undo = scene.join(format!("undo-{round}"));
        let took = timed(|| {
            let snapshot = Snapshot::new(undo, Vec::new(), SnapshotLimits::default());
            let call = snapshot.before_paths(&tried.touched())?;
            tried.commit()?;
            call.after()?;
            Ok(())
        })?;
        if round > 0 {
            copies.push(copied);
            commits.push(took);
            ratios.push(took / copied);
        }
    }
    Ok(json!({
        "what": format!("{what}, kept for undo, beside `cp -a` of 1,000"), "unit": "ms",
        "floor": median(copies), "artoo": median(commits), "ratio": median(ratios), "goal": null,
    }))
}

async fn tried(script: &str, folder: &Path, home: &Path) -> Result<Preview, Box<dyn Error>> {
    let invocation = Invocation {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        folder: folder.to_owned(),
        environment: BTreeMap::from([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]),
        timeout: Duration::from_secs(60),
        keep: artoo_sandbox::DEFAULT_KEEP,
    };
    let confinement = Confinement::new(SandboxMode::WorkspaceWrite, home.join("tmp"));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
    let (roots, store) = ([folder.to_owned()], home.join("preview"));
    let preview =
        preview(&invocation, &confinement, &roots, &store, capture, &CancellationToken::new()).await?;
    if preview.outcome.ending == Ending::Exited(0) { Ok(preview) } else { Err("the command failed".into()) }
}

impl Files {
    fn make(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        fs::create_dir_all(folder)?;
        for number in 0..self.count {
            // Every file differs: equal contents would be stored once.
            let mut content = vec![b'x'; self.size];
            content.splice(..8.min(self.size), number.to_le_bytes());
            fs::write(folder.join(number.to_string()), content)?;
        }
        Ok(())
    }
}

fn beside_a_copy(kind: &Files, folder: &Path, scene: &Path, rounds: usize) -> Result<Value, Box<dyn Error>> {
    let [mut copies, mut looks, mut ratios] = [(); 3].map(|()| Vec::new());
    // The first round warms caches.
    for round in 0..=rounds {
        let copied = timed(|| copy(folder, &scene.join(format!("copy-{round}"))))?;
        let snapshot =
            Snapshot::new(scene.join(format!("store-{round}")), Vec::new(), SnapshotLimits::default());
        let looked = timed(|| look(&snapshot, folder))?;
        if round > 0 {
            copies.push(copied);
            looks.push(looked);
            ratios.push(looked / copied);
        }
    }
    Ok(json!({
        "what": format!("the first snapshot of {}, beside `cp -a`", kind.what), "unit": "ms",
        "floor": median(copies), "artoo": median(looks), "ratio": median(ratios), "goal": null,
    }))
}

fn later(kind: &Files, folder: &Path, scene: &Path, rounds: usize) -> Result<Value, Box<dyn Error>> {
    let snapshot = Snapshot::new(scene.join("store"), Vec::new(), SnapshotLimits::default());
    look(&snapshot, folder)?;
    let looks = (0..rounds).map(|_| timed(|| look(&snapshot, folder))).collect::<Result<Vec<_>, _>>()?;
    Ok(json!({
        "what": format!("the looks around a later call, {}", kind.what), "unit": "ms",
        "floor": null, "artoo": median(looks), "ratio": null, "goal": null,
    }))
}

/// The scans before and after a call.
fn look(snapshot: &Snapshot, folder: &Path) -> Result<(), Box<dyn Error>> {
    snapshot.before(&[folder.to_owned()])?.after()?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the floor that a snapshot is compared with is a program")]
fn copy(folder: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new("cp").arg("-a").arg(folder).arg(to).status()?;
    if status.success() { Ok(()) } else { Err("cp failed".into()) }
}

/// In milliseconds.
fn timed(work: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed().as_secs_f64() * 1000.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
