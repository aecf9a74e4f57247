//! The measurements, each interleaved: floor, artoo, floor, artoo, so that a busy machine slows both.

use std::{
    ffi::OsString,
    path::Path,
    time::{Duration, Instant},
};

use futures_util::future::try_join_all;
use xtask::bench::{Goal, Row};

use crate::{
    Failure, first_message, floor, ours,
    programs::{self, Sample},
    project, scripted,
    server::Server,
    stats,
};

/// The job over HTTP with the shell: wall time and own CPU time.
pub(crate) async fn with_shell(rounds: u32, folder: &Path) -> Result<Vec<Row>, Failure> {
    let server = Server::start(Duration::ZERO).await?;
    let client = floor::client()?;
    let artoo = ours::artoo(ours::remote(&server.url)?, folder)?;
    let (mut wall, mut cpu) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    // The first round of each opens connections and warms caches.
    for round in 0..=rounds {
        let floor = timed(async { floor::run(&client, &server.url).await.map(drop) }).await?;
        let ours = timed(ours::run(&artoo, folder)).await?;
        if round > 0 {
            wall.0.push(floor.0);
            wall.1.push(ours.0);
            cpu.0.push(floor.1);
            cpu.1.push(ours.1);
        }
    }
    artoo.close().await;
    Ok(vec![
        row("one run over HTTP with the shell, wall", "ms", &wall, Some(Goal::RatioAtMost(1.5))),
        row("the same, own processor time", "ms", &cpu, None),
    ])
}

/// The job in-process with a scripted model, `read_file` instead of the shell, including the journal.
pub(crate) async fn in_process(rounds: u32, folder: &Path) -> Result<Row, Failure> {
    let artoo = ours::artoo(scripted::model(), folder)?;
    let mut wall = Vec::new();
    for round in 0..=rounds * 10 {
        let took = timed(ours::run(&artoo, folder)).await?;
        if round > 0 {
            wall.push(took.0);
        }
    }
    artoo.close().await;
    Ok(Row {
        what: "one run in the process, scripted model, no shell, journal included".to_owned(),
        unit: "ms".to_owned(),
        floor: None,
        artoo: stats::median(&wall),
        ratio: None,
        goal: Some(Goal::Under(1.0)),
    })
}

/// A hundred concurrent runs against a model that takes 50 ms per call.
pub(crate) async fn throughput(rounds: u32, folder: &Path) -> Result<Row, Failure> {
    const AT_A_TIME: usize = 100;
    let server = Server::start(Duration::from_millis(50)).await?;
    let client = floor::client()?;
    let artoo = ours::artoo(ours::remote(&server.url)?, folder)?;
    let mut rates = (Vec::new(), Vec::new());
    for round in 0..=rounds.div_ceil(3) {
        let floor = try_join_all((0..AT_A_TIME).map(|_| floor::run(&client, &server.url)));
        let floor = timed(async { floor.await.map(drop) }).await?;
        let ours = try_join_all((0..AT_A_TIME).map(|_| ours::run(&artoo, folder)));
        let ours = timed(async { ours.await.map(drop) }).await?;
        if round > 0 {
            rates.0.push(AT_A_TIME as f64 * 1000.0 / floor.0);
            rates.1.push(AT_A_TIME as f64 * 1000.0 / ours.0);
        }
    }
    artoo.close().await;
    Ok(row("100 runs at a time, 50 ms a model call", "runs/s", &rates, Some(Goal::RatioAtLeast(0.8))))
}

/// How many runs artoo has made in the same home before the figures of a later run are taken.
const EARLIER: u32 = 30;

/// The two programs as a person starts them: one process for one request.
pub(crate) async fn from_outside(
    rounds: u32,
    (floor, artoo): (&Path, &Path),
    folder: &Path,
) -> Result<Vec<Row>, Failure> {
    let home = folder.join("home");
    let (mut floors, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..=rounds {
        floors.push(programs::sample(floor, |url| vec![url.into()], (&home, &home)).await?);
        ours.push(programs::sample(artoo, |url| artoo_arguments(url, folder), (&home, &home)).await?);
    }
    // The first round reads the programs from the disk.
    floors.remove(0);
    ours.remove(0);
    for _ in 0..EARLIER {
        programs::sample(artoo, |url| artoo_arguments(url, folder), (&home, &home)).await?;
    }
    let mut later = Vec::new();
    for _ in 0..rounds {
        later.push(programs::sample(artoo, |url| artoo_arguments(url, folder), (&home, &home)).await?);
    }
    let of = |pick: fn(&Sample) -> f64| -> (Vec<f64>, Vec<f64>) {
        (floors.iter().map(pick).collect(), ours.iter().map(pick).collect())
    };
    let start = of(|sample| sample.first_request_ms);
    let ends: fn(&Sample) -> f64 = |sample| sample.end_ms;
    let at_the_end = (ours.iter().map(ends).collect(), later.iter().map(ends).collect());
    let mut rows = vec![
        row(
            "wall, from its start to its end",
            "ms",
            &of(|sample| sample.wall_ms),
            Some(Goal::RatioAtMost(1.6)),
        ),
        in_sum(
            "processor time of it and of what it started",
            "ms",
            &of(|sample| sample.cpu_ms),
            Some(Goal::RatioAtMost(2.5)),
        ),
        row("most memory", "MiB", &of(|sample| sample.peak_mib), Some(Goal::Under(20.0))),
        row("start to the first request", "ms", &start, Some(Goal::Under(15.0))),
        row("the same, beside the floor", "ms", &start, Some(Goal::RatioAtMost(3.0))),
        row("first to last request", "ms", &of(|sample| sample.requests_ms), None),
        row("last request to the end", "ms", &of(ends), None),
        row(
            &format!("the same of artoo alone, {EARLIER} runs later beside before"),
            "ms",
            &at_the_end,
            Some(Goal::RatioAtMost(1.2)),
        ),
        row("model calls of the job", "calls", &of(|sample| sample.calls), None),
        row(
            "prompt tokens of the job",
            "tokens",
            &of(|sample| sample.prompt_tokens),
            Some(Goal::AtMost(3000.0)),
        ),
    ];
    rows.extend(in_a_project(rounds, (floor, artoo), folder).await?);
    rows.extend(first_messages(rounds, artoo, &home).await?);
    Ok(rows)
}

/// How soon an editor and another agent are answered, beside the same program with nothing to do.
async fn first_messages(rounds: u32, artoo: &Path, home: &Path) -> Result<Vec<Row>, Failure> {
    let (mut floors, mut editors, mut agents) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        let floor = first_message::of_nothing(artoo, home).await?;
        let editor = first_message::of_an_editor(artoo, home).await?;
        let agent = first_message::of_an_agent(artoo, home).await?;
        if round > 0 {
            floors.push(floor);
            editors.push(editor);
            agents.push(agent);
        }
    }
    let goal = || Some(Goal::Under(30.0));
    let agents = (floors.clone(), agents);
    Ok(vec![
        row(
            "`artoo acp`, start to its first answer; floor: `artoo --version`",
            "ms",
            &(floors, editors),
            goal(),
        ),
        row("`artoo mcp serve`, the same", "ms", &agents, goal()),
    ])
}

/// The same in a working folder as developers have it: a repository with as many tracked files as build output.
async fn in_a_project(
    rounds: u32,
    (floor, artoo): (&Path, &Path),
    folder: &Path,
) -> Result<Vec<Row>, Failure> {
    let (home, project) = (folder.join("home"), folder.join("home/project"));
    project::make(&project).await?;
    let (mut floors, mut ours) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let one = programs::sample(floor, |url| vec![url.into()], (&home, &project)).await?;
        let other = programs::sample(artoo, |url| artoo_arguments(url, folder), (&home, &project)).await?;
        if round > 0 {
            floors.push(one);
            ours.push(other);
        }
    }
    let of = |pick: fn(&Sample) -> f64| -> (Vec<f64>, Vec<f64>) {
        (floors.iter().map(pick).collect(), ours.iter().map(pick).collect())
    };
    let place = format!("in a repository of {} files and as much build output", project::FILES);
    Ok(vec![
        row(&format!("wall, {place}"), "ms", &of(|sample| sample.wall_ms), None),
        in_sum("the same, processor time", "ms", &of(|sample| sample.cpu_ms), None),
        row("the same, start to the first request", "ms", &of(|sample| sample.first_request_ms), None),
    ])
}

pub(crate) fn artoo_arguments(url: &str, folder: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> =
        ["run", "--quiet", "--model", "mock", "--base-url", url].map(Into::into).into();
    for (option, name) in [("--data-dir", "data"), ("--workspace", "workspace")] {
        arguments.extend([option.into(), folder.join(name).into()]);
    }
    arguments.push(crate::job::REQUEST.into());
    arguments
}

/// Wall time and own CPU time of a piece of work, in milliseconds.
async fn timed(work: impl Future<Output = Result<(), Failure>>) -> Result<(f64, f64), Failure> {
    let (started, cpu) = (Instant::now(), stats::own_cpu());
    work.await?;
    Ok((stats::ms(started.elapsed()), stats::ms(stats::own_cpu() - cpu)))
}

fn row(what: &str, unit: &str, (floor, artoo): &(Vec<f64>, Vec<f64>), goal: Option<Goal>) -> Row {
    Row {
        what: what.to_owned(),
        unit: unit.to_owned(),
        floor: Some(stats::median(floor)),
        artoo: stats::median(artoo),
        ratio: Some(stats::ratio(artoo, floor)),
        goal,
    }
}

/// A row of figures that are too coarse one by one: means, and the ratio of the sums.
fn in_sum(what: &str, unit: &str, (floor, artoo): &(Vec<f64>, Vec<f64>), goal: Option<Goal>) -> Row {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (floor, artoo) = (mean(floor), mean(artoo));
    let what = format!("{what}, means");
    Row { what, unit: unit.to_owned(), floor: Some(floor), artoo, ratio: Some(artoo / floor), goal }
}
