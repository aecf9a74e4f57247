//! What the two programs ask of the kernel, counted with strace: figures that a busy machine does not change, and a faster one neither.

use std::{ffi::OsString, path::Path, process::Stdio};

use artoo_llm_http::doubles::{MockServer, Reply};
use tokio::process::Command;
use xtask::bench::{Counts, Row};

use crate::{Failure, job, measure, ours};

/// New homes, and the runs in each after the first one. Of runs that should ask the same, the least is told: on a busy machine records are
/// written in more pieces.
const HOMES: usize = 3;
const LATER: usize = 4;

/// The counts of both programs: in a new home, and later there.
pub(crate) async fn counted(floor: &Path, artoo: &Path) -> Result<Vec<Row>, Failure> {
    let (mut floors, mut first, mut later) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..HOMES {
        let place = crate::place()?;
        ours::folders(place.path())?;
        let (home, log) = (place.path().join("home"), place.path().join("strace"));
        floors.push(sample(floor, |url| vec![url.into()], &home, &log).await?);
        for run in 0..=LATER {
            let arguments = |url: &str| measure::artoo_arguments(url, place.path());
            let counts = sample(artoo, arguments, &home, &log).await?;
            if run == 0 { first.push(counts) } else { later.push(counts) }
        }
    }
    let mut rows = compared("the first run in a home", &floors, &first);
    rows.extend(compared("a later run", &floors, &later));
    Ok(rows)
}

fn compared(which: &str, floors: &[Counts], ours: &[Counts]) -> Vec<Row> {
    let row = |what: &str, unit: &str, pick: fn(&Counts) -> u32| {
        let least = |counts: &[Counts]| f64::from(counts.iter().map(pick).min().unwrap_or_default());
        let (floor, artoo) = (least(floors), least(ours));
        let what = format!("{which}: {what}");
        Row { what, unit: unit.to_owned(), floor: Some(floor), artoo, ratio: Some(artoo / floor), goal: None }
    };
    vec![
        row("processes", "processes", |counts| counts.processes),
        row("threads besides the first of each", "threads", |counts| counts.threads),
        row("files opened", "calls", |counts| counts.opened),
        row("other uses of a file's name", "calls", |counts| counts.names),
        row("calls about memory", "calls", |counts| counts.memory),
        row("system calls, but for waiting", "calls", |counts| counts.calls),
    ]
}

/// The same on every machine: each folder is searched for programs.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Starts the program below strace, against a server of its own.
async fn sample(
    program: &Path,
    arguments: impl Fn(&str) -> Vec<OsString>,
    home: &Path,
    log: &Path,
) -> Result<Counts, Failure> {
    let server = MockServer::start(|call| Reply::text(job::answer_http(&call.body))).await?;
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "0", "-e", "signal=none", "-o"]).arg(log).arg(program);
    command.args(arguments(&server.base_url())).current_dir(home).env_clear();
    command.env("HOME", home).env("PATH", PATH);
    let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output().await?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(
            format!("{} below strace ended with {}: {stderr}", program.display(), output.status).into()
        );
    }
    Ok(Counts::read(&String::from_utf8_lossy(&std::fs::read(log)?)))
}
