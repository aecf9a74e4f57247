//! Composes the text of a rule by code from its source experiences.
//!
//! Source: `docs/deviations.md`, "Promotion".

use std::collections::BTreeMap;

use artoo_types::{Megram, Polarity};

/// Maximum number of different lessons quoted by a rule.
const LESSONS: usize = 3;
/// Maximum characters of each.
const LESSON_CHARS: usize = 300;

/// The polarity of an experience: a negative valence forbids, any other recommends.
pub fn polarity(sigma: f64) -> Polarity {
    if sigma < 0.0 { Polarity::Constraint } else { Polarity::Practice }
}

/// Writes a rule from its sources: how many of them support it, when the last one was, and what they taught,
/// the most frequent lesson first. Sources of the other polarity are counted but not quoted. A constraint says
/// what failed: the same request may be made again, and done in another way.
/// ```
/// # use artoo_mkct_memory::{compose, matrix};
/// # use artoo_types::{Entity, MegramState, Polarity, Space};
/// # let at = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let lesson = "shell: wc -c docs/*.txt".to_owned();
/// let source = matrix::megram(id, MegramState::Accept, at, Space::intent("count"), Entity::local(), lesson);
/// assert_eq!(
///     compose(Polarity::Practice, &[&source]),
///     "Prefer this (1 of 1 experiences, last 2026-03-09): shell: wc -c docs/*.txt"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compose(polarity: Polarity, sources: &[&Megram]) -> String {
    let speaking: Vec<&Megram> =
        sources.iter().copied().filter(|source| speaks_for(source, polarity)).collect();
    let verb = match polarity {
        Polarity::Practice => "Prefer this",
        Polarity::Constraint => "What failed",
    };
    let last = speaking.iter().map(|source| source.created_at).max();
    let last = last.map(|at| format!(", last {}", at.format("%Y-%m-%d"))).unwrap_or_default();
    let lessons = lessons(&speaking);
    let lessons =
        if lessons.is_empty() { "the sources hold no words".to_owned() } else { lessons.join("; ") };
    format!("{verb} ({} of {} experiences{last}): {lessons}", speaking.len(), sources.len())
}

/// Whether an experience is evidence for a rule of this polarity. One of valence 0 is evidence for none.
pub(crate) fn speaks_for(megram: &Megram, polarity: Polarity) -> bool {
    match polarity {
        Polarity::Practice => megram.sigma > 0.0,
        Polarity::Constraint => megram.sigma < 0.0,
    }
}

/// The different lessons: most frequent first, then newest, then by their text, so that the same sources
/// always give the same text.
fn lessons(sources: &[&Megram]) -> Vec<String> {
    let mut found: BTreeMap<String, (usize, i64)> = BTreeMap::new();
    for source in sources {
        let words = source.content.split_whitespace().collect::<Vec<_>>().join(" ");
        if !words.is_empty() {
            let (count, newest) = found.entry(words).or_insert((0, i64::MIN));
            *count += 1;
            *newest = (*newest).max(source.created_at.timestamp_millis());
        }
    }
    let mut ranked: Vec<(String, (usize, i64))> = found.into_iter().collect();
    ranked.sort_by(|(_, a), (_, b)| b.cmp(a));
    ranked.into_iter().take(LESSONS).map(|(words, _)| cut(&words)).collect()
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(LESSON_CHARS) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or(words)),
        None => words.to_owned(),
    }
}
