//! Measures a thousand turns of one conversation.

use std::{path::Path, time::Instant};

use xtask::bench::{
    Goal, Row,
    stats::{median, ms},
};

use crate::{
    Failure, model,
    scene::Scene,
    talk::{Talk, last_line},
};

/// The turns after which memory is measured.
const LOOKS: [usize; 3] = [10, 100, 1000];
/// Maximum growth from the middle to the end: a factor, and MiB.
const MORE: (f64, f64) = (1.1, 4.0);

/// Memory and time of turns: as a person has it, and without the memory across runs, which grows with the
/// runs in any program.
pub(crate) fn measured(artoo: &Path) -> Result<Vec<Row>, Failure> {
    let mut rows = in_one_program(artoo, &[], "")?;
    rows.extend(in_one_program(artoo, &["--no-memory"], ", with `--no-memory`")?);
    Ok(rows)
}

fn in_one_program(artoo: &Path, options: &[&str], with: &str) -> Result<Vec<Row>, Failure> {
    let step = model::counts("Count the letters", "ls *.txt | wc -l");
    let scene = Scene::new(artoo, move |call| model::says(call, &step))?;
    let (mut talk, _) = Talk::with_artoo(&scene, options)?;
    let (mut took, mut held) = (Vec::new(), Vec::new());
    let [_, middle, last] = LOOKS;
    for turn in 1..=last {
        let began = Instant::now();
        took.push(ms(asked(&mut talk, turn)?.saturating_duration_since(began)));
        if LOOKS.contains(&turn) {
            held.push((turn, talk.memory()?));
        }
    }
    talk.ends()?;
    let in_the_middle = held.iter().find(|(turn, _)| *turn == middle).map(|(_, held)| *held);
    let mut rows: Vec<Row> = Vec::new();
    for (turn, held) in held {
        let most = in_the_middle.filter(|_| turn == last).map(|middle| middle * MORE.0 + MORE.1);
        rows.push(Row {
            what: format!("memory of the program after {turn} turns{with}"),
            unit: "MiB".to_owned(),
            floor: None,
            artoo: held,
            ratio: None,
            goal: most.map(Goal::AtMost),
        });
    }
    let hundred = |turns: Option<&[f64]>| median(turns.unwrap_or_default());
    let (first, late) = (hundred(took.get(..100)), hundred(took.get(took.len().saturating_sub(100)..)));
    rows.push(Row {
        what: format!("a turn, the last hundred of these beside the first{with}"),
        unit: "ms".to_owned(),
        floor: Some(first),
        artoo: late,
        ratio: Some(late / first),
        goal: None,
    });
    Ok(rows)
}

/// One turn, until the next may be typed.
fn asked(talk: &mut Talk, turn: usize) -> Result<Instant, Failure> {
    // The text is unique to the line of the request.
    let request = format!("How many letters are there now, in turn {}?", model::word(turn as u64));
    talk.types(&format!("{request}\r"))?;
    talk.until(|shown| {
        let text = shown.text();
        let after = text.rsplit_once(&request).map(|(_, after)| after);
        after.is_some_and(|after| after.contains("✓ Done") && after.contains("recorded:"))
            && last_line(shown.screen()).starts_with(crate::talk::PROMPT.trim_end())
    })
}
