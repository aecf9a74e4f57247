//! Measures the time from the start of the program to its prompt.

use std::path::Path;

use xtask::bench::{
    Goal, Row,
    stats::{median, ms, quantile, ratio},
};

use crate::{Failure, model, scene::Scene, talk::Talk};

/// Starts per round.
const STARTS: u32 = 5;

/// artoo and bash alternately.
pub(crate) fn measured(rounds: u32, artoo: &Path) -> Result<Vec<Row>, Failure> {
    let scene = Scene::new(artoo, |call| model::says(call, &model::counts("Count", "ls | wc -l")))?;
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    // The first start creates folders and fills caches.
    for start in 0..=rounds * STARTS {
        let (talk, took) = Talk::with_artoo(&scene, &[])?;
        talk.ends()?;
        let (other, others) = Talk::with_floor(&scene)?;
        other.ends()?;
        if start > 0 {
            ours.push(ms(took));
            floor.push(ms(others));
        }
    }
    let row = |what: String, of: fn(&[f64]) -> f64, ratio, goal| Row {
        what,
        unit: "ms".to_owned(),
        floor: Some(of(&floor)),
        artoo: of(&ours),
        ratio,
        goal,
    };
    Ok(vec![
        row(
            format!("start to the prompt, {} starts", ours.len()),
            median,
            Some(ratio(&ours, &floor)),
            Some(Goal::Under(30.0)),
        ),
        row("the same, p95".to_owned(), |values| quantile(values, 0.95), None, None),
    ])
}
