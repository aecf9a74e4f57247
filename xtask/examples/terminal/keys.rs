//! Measures the time from a key to its echo: at the prompt, below the view of a run, and while eight runs
//! work.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;
use xtask::bench::{
    Goal, Row,
    stats::{median, ms, quantile, ratio},
};

use crate::{
    Failure, model,
    scene::Scene,
    talk::{BELOW_A_RUN, FLOOR_PROMPT, PATIENCE, PROMPT, Talk, last_line},
};

/// The text typed, letter by letter, before the line is deleted again.
const TYPED: &str = "howmanyoftheselettersarefrommarch";
/// Interval between the keys of a fast typist.
const PACE: Duration = Duration::from_millis(25);
/// Lines per round.
const LINES: u32 = 2;
/// Number of background runs.
const RUNS: usize = 8;
/// One frame of a 60 Hz screen.
const FRAME: f64 = 16.0;

/// Runs go on for as long as keys are typed.
const NEVER_ASKS: &str = "[run]\nask_after_turns = 0\nask_after_tokens = 0\n";

/// The number of commands that each run has requested; the last is the watched run.
type Counts = Arc<[AtomicUsize; RUNS + 1]>;

/// Key latencies in each of the three situations, interleaved with bash's.
pub(crate) fn measured(rounds: u32, artoo: &Path) -> Result<Vec<Row>, Failure> {
    let counts = Counts::default();
    let scene = Scene::new(artoo, endless(Arc::clone(&counts)))?;
    xtask::files::write(scene.home().join(".config/artoo/config.toml"), NEVER_ASKS)?;
    let (mut ours, mut floor) = (Talk::with_artoo(&scene, &[])?.0, Talk::with_floor(&scene)?.0);
    let mut rows = rows("at the prompt", &in_turn(rounds, (&mut ours, PROMPT), &mut floor)?, None);

    ours.types("Work, number 8\r")?;
    ours.until_seen("$ echo")?;
    rows.extend(self::rows(
        "below the view of a run",
        &in_turn(rounds, (&mut ours, BELOW_A_RUN), &mut floor)?,
        None,
    ));
    ours.interrupts()?;
    ours.until_seen("interrupted")?;
    ours.until_at_prompt()?;

    begin(&mut ours, &counts)?;
    let (before, began) = (asked(&counts), Instant::now());
    let keys = in_turn(rounds, (&mut ours, PROMPT), &mut floor)?;
    let (after, took) = (asked(&counts), began.elapsed());
    let done: Vec<usize> =
        after.iter().zip(&before).map(|(after, before)| after.saturating_sub(*before)).collect();
    if let Some(idle) = done.iter().position(|commands| *commands == 0) {
        return Err(format!("run {idle} of the background did nothing meanwhile").into());
    }
    rows.extend(self::rows("at the prompt while eight runs work", &keys, Some(Goal::Under(FRAME))));
    rows.push(Row {
        what: "commands of the eight runs meanwhile".to_owned(),
        unit: "a second".to_owned(),
        floor: None,
        artoo: done.iter().sum::<usize>() as f64 / took.as_secs_f64(),
        ratio: None,
        goal: None,
    });
    for id in ours.look(|shown| background(shown.bytes())) {
        let stopped = scene.artoo(&["runs", "stop", &id]).output()?;
        if !stopped.status.success() {
            return Err(String::from_utf8_lossy(&stopped.stderr).into());
        }
    }
    ours.ends()?;
    floor.ends()?;
    Ok(rows)
}

/// Starts the background runs, and waits until all of them are working.
fn begin(ours: &mut Talk, counts: &Counts) -> Result<(), Failure> {
    for run in 0..RUNS {
        ours.types(&format!("/bg Work, number {run}\r"))?;
        ours.until(|shown| background(shown.bytes()).len() > run)?;
        ours.until_at_prompt()?;
    }
    let began = Instant::now();
    while asked(counts).contains(&0) {
        if began.elapsed() > PATIENCE {
            return Err(format!("not all runs of the background work: {:?}", asked(counts)).into());
        }
        std::thread::sleep(PACE);
    }
    Ok(())
}

/// The number of commands that each background run has requested.
fn asked(counts: &Counts) -> Vec<usize> {
    counts.iter().take(RUNS).map(|count| count.load(Ordering::Relaxed)).collect()
}

/// A model that lets each run execute one small command after the other.
fn endless(counts: Counts) -> impl Fn(&artoo_llm_http::doubles::Call) -> artoo_llm_http::doubles::Reply {
    let next = AtomicU64::new(0);
    move |call| {
        let is_action = model::asked(call) == model::ACTION;
        let messages = call.body.get("messages").map(Value::to_string).unwrap_or_default();
        let run = (0..=RUNS).find(|run| messages.contains(&format!("Work, number {run}")));
        if let Some(count) = run.filter(|_| is_action).and_then(|run| counts.get(run)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let mut step =
            model::counts("Work", format!("echo {}", model::word(next.fetch_add(1, Ordering::Relaxed))));
        step.is_answer = false;
        model::says(call, &step)
    }
}

/// The ids of the background runs.
fn background(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let ids = text.split("works in the background: ").skip(1);
    ids.filter_map(|rest| rest.split_once(';')).map(|(id, _)| id.to_owned()).collect()
}

/// Milliseconds of artoo's keys and of the floor's.
type Keys = (Vec<f64>, Vec<f64>);

/// Types into both alternately.
fn in_turn(rounds: u32, (ours, prompt): (&mut Talk, &str), floor: &mut Talk) -> Result<Keys, Failure> {
    let mut keys = Keys::default();
    for _ in 0..rounds * LINES {
        let mut typed = String::new();
        for letter in TYPED.chars() {
            typed.push(letter);
            keys.0.push(key(ours, prompt, &typed)?);
            keys.1.push(key(floor, FLOOR_PROMPT, &typed)?);
        }
        for (talk, prompt) in [(&mut *ours, prompt), (&mut *floor, FLOOR_PROMPT)] {
            talk.types("\u{15}")?;
            talk.until(|shown| !last_line(shown.screen()).contains(&format!("{prompt}{typed}")))?;
        }
    }
    Ok(keys)
}

/// The latency of the last letter typed, from the key to the screen.
fn key(talk: &mut Talk, prompt: &str, typed: &str) -> Result<f64, Failure> {
    std::thread::sleep(PACE);
    let letter = typed.chars().next_back().unwrap_or_default();
    let pressed = Instant::now();
    talk.types(&letter.to_string())?;
    let at = talk.until(|shown| shown.text().contains(&format!("{prompt}{typed}")))?;
    Ok(ms(at.saturating_duration_since(pressed)))
}

/// The rows of one situation; the goal applies to the slow keys.
fn rows(where_: &str, (ours, floor): &Keys, goal: Option<Goal>) -> Vec<Row> {
    let row = |what: String, of: &dyn Fn(&[f64]) -> f64, ratio, goal| Row {
        what,
        unit: "ms".to_owned(),
        floor: Some(of(floor)),
        artoo: of(ours),
        ratio,
        goal,
    };
    let first = format!("a key to its echo, {where_}, {} keys", ours.len());
    vec![
        row(first, &median, Some(ratio(ours, floor)), None),
        row("the same, p95".to_owned(), &|keys| quantile(keys, 0.95), None, goal),
        row("the same, worst".to_owned(), &|keys| quantile(keys, 1.0), None, None),
    ]
}
