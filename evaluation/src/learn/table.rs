//! Formats the result of the learning suite as a document.

use std::fmt::Write;

use super::{
    results::{Learning, Memory, Run},
    statistics::{Paired, paired},
};

/// Maximum extra cost of wrong memory over none, in percent.
const MAY_HURT: f64 = 5.0;

/// A figure of a run.
type Figure = (&'static str, fn(&Run) -> f64);

const COSTS: [Figure; 3] = [
    ("model calls", |run| run.calls as f64),
    ("tokens", |run| run.tokens as f64),
    ("replans", |run| run.replans as f64),
];

/// The tables with their explanation.
pub(super) fn document(learning: &Learning) -> String {
    let conditions = &learning.conditions;
    let mut text = format!(
        "# The learning suite\n\n\
         Written by `{}`; do not edit. What memory is worth in requests that come after one that taught something.\n\n\
         - date: {}\n- machine: {}\n- model: {}\n",
        conditions.command, conditions.date, conditions.machine, conditions.model
    );
    if learning.runs.len() < conditions.planned {
        let _ = writeln!(text, "- {} of {} runs", learning.runs.len(), conditions.planned);
    }
    text.push_str(&verdict(learning));
    text.push_str(&sums(learning));
    text.push_str(&comparisons(learning));
    text.push_str(&sequences(learning));
    text.push_str(&course(learning));
    text.push('\n');
    text.push_str(include_str!("about.md"));
    text
}

/// The two goals, in a sentence each.
fn verdict(learning: &Learning) -> String {
    let said = |holds: bool| if holds { "yes" } else { "**no**" };
    let calls = |first| compared(learning, None, first, |run| run.calls as f64);
    let tokens = |first| compared(learning, None, first, |run| run.tokens as f64);
    let solved = |memory| later(learning, memory).filter(|run| run.solved).count();
    let (off, on, shuffled) = (solved(Memory::Off), solved(Memory::On), solved(Memory::Shuffled));
    let percent = |paired: &Paired| paired.change.map_or(0.0, |change| change.percent);
    let mut text = "\n| goal, over later requests | reached |\n|---|---|\n".to_owned();
    let on_calls = calls(Memory::On);
    let beats = on_calls.less > on_calls.more && on >= off;
    let _ = writeln!(text, "| on beats off: fewer calls, and no fewer solved | {} |", said(beats));
    if later(learning, Memory::Shuffled).next().is_some() {
        let hurts = [
            ("model calls", percent(&calls(Memory::Shuffled))),
            ("tokens", percent(&tokens(Memory::Shuffled))),
            ("requests solved", 100.0 * (off as f64 - shuffled as f64) / (off as f64).max(1.0)),
        ];
        for (what, hurt) in hurts {
            let _ = writeln!(
                text,
                "| shuffled hurts by at most {MAY_HURT} %, in {what}: {hurt:+.1} % | {} |",
                said(hurt <= MAY_HURT)
            );
        }
    }
    text
}

fn sums(learning: &Learning) -> String {
    let mut text = "\n| memory | later requests | solved | accepted, but wrong | model calls | tokens | replans | entries known, at the end |\n\
        |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for memory in Memory::ALL {
        let runs: Vec<&Run> = later(learning, memory).collect();
        if runs.is_empty() {
            continue;
        }
        let sum = |of: fn(&Run) -> f64| runs.iter().map(|run| of(run)).sum::<f64>();
        let last: usize = learning
            .sequences
            .iter()
            .filter_map(|sequence| runs.iter().rfind(|run| run.sequence == sequence.id))
            .map(|run| run.megrams)
            .sum();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.0} | {:.0} | {:.0} | {last} |",
            memory.name(),
            runs.len(),
            runs.iter().filter(|run| run.solved).count(),
            runs.iter().filter(|run| run.wrong).count(),
            sum(|run| run.calls as f64),
            sum(|run| run.tokens as f64),
            sum(|run| run.replans as f64),
        );
    }
    text
}

fn comparisons(learning: &Learning) -> String {
    let mut text = "\n| compared, later requests | of | change | 95 % | fewer, more, the same | p | sequences with fewer, with more |\n\
        |---|---|---|---|---|---|---|\n"
        .to_owned();
    for memory in [Memory::On, Memory::Shuffled] {
        if later(learning, memory).next().is_none() {
            continue;
        }
        for (what, figure) in COSTS {
            let all = compared(learning, None, memory, figure);
            let (change, bounds) = all.change.map_or(("-".to_owned(), "-".to_owned()), |change| {
                (format!("{:+.1} %", change.percent), format!("{:+.1} to {:+.1} %", change.low, change.high))
            });
            let each = |wanted: fn(&Paired) -> bool| {
                let of = |sequence: &super::results::Taught| {
                    compared(learning, Some(&sequence.id), memory, figure)
                };
                learning.sequences.iter().filter(|sequence| wanted(&of(sequence))).count()
            };
            let same = all.pairs.saturating_sub(all.less).saturating_sub(all.more);
            let _ = writeln!(
                text,
                "| {} against off | {what} | {change} | {bounds} | {}, {}, {same} | {} | {}, {} |",
                memory.name(),
                all.less,
                all.more,
                probability(all.p),
                each(|paired| paired.first < paired.second),
                each(|paired| paired.first > paired.second),
            );
        }
        let solved = compared(learning, None, memory, |run| f64::from(u8::from(!run.solved)));
        let _ = writeln!(
            text,
            "| {} against off | not solved | {:.0} → {:.0} | - | {}, {}, {} | {} | - |",
            memory.name(),
            solved.second,
            solved.first,
            solved.less,
            solved.more,
            solved.pairs.saturating_sub(solved.less).saturating_sub(solved.more),
            probability(solved.p),
        );
    }
    text
}

fn sequences(learning: &Learning) -> String {
    let mut text = "\n| sequence, later requests | to learn | language | solved: off, on, shuffled | model calls | tokens | replans |\n\
        |---|---|---|---|---|---|---|\n"
        .to_owned();
    for sequence in &learning.sequences {
        let each = |of: fn(&Run) -> f64| {
            let sum = |memory| {
                later(learning, memory).filter(|run| run.sequence == sequence.id).map(of).sum::<f64>()
            };
            Memory::ALL.map(|memory| format!("{:.0}", sum(memory))).join(", ")
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            sequence.id,
            sequence.teaches,
            sequence.language,
            each(|run| f64::from(u8::from(run.solved))),
            each(|run| run.calls as f64),
            each(|run| run.tokens as f64),
            each(|run| run.replans as f64),
        );
    }
    text
}

/// The number of calls of a request, by its place in the sequence.
fn course(learning: &Learning) -> String {
    let mut text = "\n| model calls a request, by its place | 1st | 2nd | 3rd | 4th to 10th | 11th to 20th |\n|---|---|---|---|---|---|\n".to_owned();
    for memory in Memory::ALL {
        let mean = |(from, to): (usize, usize)| {
            let calls: Vec<f64> = learning
                .runs
                .iter()
                .filter(|run| run.memory == memory && (from..=to).contains(&run.number))
                .map(|run| run.calls as f64)
                .collect();
            if calls.is_empty() {
                return "-".to_owned();
            }
            format!("{:.1}", calls.iter().sum::<f64>() / calls.len() as f64)
        };
        let places = [(1, 1), (2, 2), (3, 3), (4, 10), (11, 20)].map(mean).join(" | ");
        let _ = writeln!(text, "| {} | {places} |", memory.name());
    }
    text
}

fn later(learning: &Learning, memory: Memory) -> impl Iterator<Item = &Run> {
    learning.runs.iter().filter(move |run| run.memory == memory && run.is_later())
}

/// Compares the later requests with this memory and without.
fn compared(learning: &Learning, sequence: Option<&str>, memory: Memory, figure: fn(&Run) -> f64) -> Paired {
    let wanted = |run: &&Run| sequence.is_none_or(|sequence| run.sequence == sequence);
    let pairs: Vec<(f64, f64)> = later(learning, memory)
        .filter(wanted)
        .filter_map(|run| {
            let same = |off: &&Run| off.sequence == run.sequence && off.number == run.number;
            Some((figure(run), figure(later(learning, Memory::Off).find(same)?)))
        })
        .collect();
    paired(&pairs)
}

fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval::results::Conditions, learn::results::Taught};

    fn learning() -> Learning {
        let sequence = |id: &str, teaches: &str, language: &str| Taught {
            id: id.into(),
            teaches: teaches.into(),
            language: language.into(),
        };
        let mut runs = Vec::new();
        for sequence in ["one", "two"] {
            for memory in Memory::ALL {
                for number in 1..=4 {
                    let is_costly = memory == Memory::Off || number == 1;
                    let is_misled = memory == Memory::Shuffled && sequence == "two";
                    runs.push(Run {
                        sequence: sequence.into(),
                        number,
                        memory,
                        megrams: if memory == Memory::Off { 0 } else { 2 * (number - 1) },
                        directive: if is_misled && number == 4 { "abandon" } else { "accept" }.into(),
                        solved: !(is_misled && number == 4),
                        wrong: memory == Memory::Off && number == 3,
                        calls: 2
                            + 2 * u64::from(is_costly || memory == Memory::Shuffled)
                            + u64::from(is_misled),
                        tokens: 1000 + 100 * number as u64 * u64::from(memory != Memory::Off),
                        replans: u64::from(is_costly),
                    });
                }
            }
        }
        Learning {
            conditions: Conditions {
                date: "2026-01-01".into(),
                machine: "2 cores".into(),
                model: "m".into(),
                command: "cargo xtask learn".into(),
                planned: 24,
            },
            sequences: vec![
                sequence("one", "a folder that is elsewhere", "English"),
                sequence("two", "a name that is spelled differently", "German"),
            ],
            runs,
        }
    }

    #[test]
    fn the_document_as_a_person_reads_it() {
        let document = document(&learning());
        insta::assert_snapshot!(document.split("\n## ").next().unwrap());
        assert!(document.contains("\n## What the simulated model is\n"));
    }

    #[test]
    fn the_first_request_is_in_no_comparison() {
        let mut learning = learning();
        let of = |learning: &Learning| compared(learning, None, Memory::On, |run| run.calls as f64);
        let before = of(&learning);
        learning.runs.iter_mut().filter(|run| run.number == 1).for_each(|run| run.calls = 100);
        assert_eq!(of(&learning), before);
        assert_eq!((before.pairs, before.less, before.more), (6, 6, 0));
        assert_eq!(compared(&learning, Some("one"), Memory::On, |run| run.calls as f64).pairs, 3);
    }

    #[test]
    fn a_goal_that_is_missed_is_said() {
        let mut learning = learning();
        learning.runs.iter_mut().filter(|run| run.memory == Memory::On).for_each(|run| run.calls = 9);
        assert!(verdict(&learning).contains("no fewer solved | **no** |"));
        learning.runs.retain(|run| run.memory != Memory::Shuffled);
        assert!(!verdict(&learning).contains("shuffled"));
    }
}
