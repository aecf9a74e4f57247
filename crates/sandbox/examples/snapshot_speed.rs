//! What a snapshot costs: `cargo run --release -p artoo-sandbox --example snapshot_speed [FOLDER]`.
//!
//! Prints the median time of the two looks around a call in an empty workspace and in one of 2,000 small files, of the first
//! look, which keeps 64 MiB, and beside it of `cp -a` of the same files. Everything happens in a temporary folder, below FOLDER where
//! one is given. Figures of a noisy machine: compare them with others of the same minute only.

#![expect(clippy::print_stdout, reason = "printing figures is what this program is for")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use artoo_sandbox::snapshot::{Snapshot, SnapshotLimits};

const SMALL_FILES: usize = 2_000;
const LARGE_FILES: usize = 16;
const LARGE: usize = 4 * 1024 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let below = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let temporary = tempfile::tempdir_in(below)?;
    let home = temporary.path().canonicalize()?;
    for (name, files, size) in [("empty", 0, 0), ("small", SMALL_FILES, 100), ("large", LARGE_FILES, LARGE)] {
        let folder = home.join(name);
        fs::create_dir(&folder)?;
        for number in 0..files {
            // No two alike: equal contents would be kept once.
            let mut content = vec![b'x'; size];
            content.splice(..8.min(size), number.to_le_bytes());
            fs::write(folder.join(number.to_string()), content)?;
        }
        let first = median(7, |round| first_look(&folder, &home.join(format!("{name}-{round}"))))?;
        let next = next_looks(&folder, &home.join(format!("{name}-next")))?;
        let copied = median(7, |round| copy(&folder, &home.join(format!("{name}-copy-{round}"))))?;
        println!(
            "{name}: {files} files of {size} bytes: first call {first:?}, next calls {next:?}, cp -a {copied:?}"
        );
    }
    Ok(())
}

fn first_look(folder: &Path, record: &Path) -> Result<Duration, Box<dyn Error>> {
    let snapshot = Snapshot::new(record.to_owned(), Vec::new(), SnapshotLimits::default());
    let begun = Instant::now();
    let call = snapshot.before(&[folder.to_owned()])?;
    call.after()?;
    Ok(begun.elapsed())
}

fn next_looks(folder: &Path, record: &Path) -> Result<Duration, Box<dyn Error>> {
    let snapshot = Snapshot::new(record.to_owned(), Vec::new(), SnapshotLimits::default());
    snapshot.before(&[folder.to_owned()])?.after()?;
    median(50, |_| {
        let begun = Instant::now();
        snapshot.before(&[folder.to_owned()])?.after()?;
        Ok(begun.elapsed())
    })
}

#[expect(clippy::disallowed_methods, reason = "the floor that a snapshot is compared with is a program")]
fn copy(folder: &Path, to: &Path) -> Result<Duration, Box<dyn Error>> {
    let begun = Instant::now();
    let status = Command::new("cp").arg("-a").arg(folder).arg(to).status()?;
    if !status.success() {
        return Err("cp failed".into());
    }
    Ok(begun.elapsed())
}

fn median(
    rounds: usize,
    mut round: impl FnMut(usize) -> Result<Duration, Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let mut times = (0..rounds).map(&mut round).collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    Ok(times.get(rounds / 2).copied().unwrap_or_default())
}
