//! Similarity search: words and parts of words of any script, weighted by their rarity.
//!
//! Tags find a request that begins with the same three words. This finds "how many .txt are there" for "count
//! the text files", if their words or those of the lesson match; inflected words and typos match by their
//! parts. No word list of any language decides: a word that most pairs have weighs least, and so does a short
//! one, because in every language the words of every text are its shortest.
//!
//! Source: `docs/design/memory.md`, "Finding".

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use artoo_text::is_unspaced;
use artoo_types::{Entity, Level, Megram, TagPair};
use unicode_segmentation::UnicodeSegmentation;

/// Maximum number of parts of a text; those of its first words.
pub const MAX_GRAMS: usize = 96;
/// Maximum number of candidates of one query; the first ones.
pub const MAX_CANDIDATES: usize = 16_384;
/// Maximum number of results of a query.
pub const MAX_SIMILAR: usize = 6;
/// Minimum score. Measured: `docs/design/memory.md`, "Finding".
pub const FLOOR: f64 = 0.25;

/// The least that the shared words must say by themselves: what a word of three letters says. A request of one letter
/// is like nothing.
const LEAST: f64 = 0.25;

/// Maximum characters read of a text.
const READ_CHARS: usize = 2_048;
/// Maximum number of indexed lessons of a pair, and of characters of each.
const LESSONS: usize = 8;
const LESSON_CHARS: usize = 900;
/// Number of characters of a part of a word.
const PART_CHARS: usize = 3;
/// From this many letters on, a word of a script with blanks has its whole weight.
const WHOLE_WORD: f64 = 6.0;
/// Maximum number of words and parts in an explanation.
const EXPLAINED: usize = 6;

/// The words of a text and their parts, as hashes that are the same on every machine and in every release.
/// ```
/// use artoo_mkct_memory::similar::Grams;
/// assert_eq!(Grams::of("Count the .txt files"), Grams::of("files: count THE txt"));
/// assert!(Grams::of(" … ").is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Grams(Vec<u32>);

impl Grams {
    /// The hashes of a text; of a long one, those of its first words.
    pub fn of(text: &str) -> Self {
        Self(weighed(text).into_keys().collect())
    }

    /// Restores stored hashes, as returned by [`as_slice`](Self::as_slice).
    pub fn from_hashes(mut hashes: Vec<u32>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(MAX_GRAMS);
        Self(hashes)
    }

    /// The hashes, ascending.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    fn has(&self, gram: u32) -> bool {
        self.0.binary_search(&gram).is_ok()
    }

    /// Whether the text had no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Which of these another text has, as a bit set of positions.
    fn shared_with(&self, other: &Self) -> u128 {
        let mut theirs = other.0.iter().peekable();
        let mut shared = 0;
        for (position, mine) in self.0.iter().enumerate() {
            while theirs.next_if(|their| *their < mine).is_some() {}
            if theirs.peek() == Some(&mine) {
                shared |= 1 << position;
            }
        }
        shared
    }
}

/// The words of a text, and how much each of them says.
fn weighed(text: &str) -> BTreeMap<u32, f64> {
    let mut weights: BTreeMap<u32, f64> = BTreeMap::new();
    let words = words(text);
    let whole =
        words.iter().filter(|word| word.has_parts()).map(|word| (hash(b'w', &word.text), word.weight()));
    // Whole words first: if a text is too long, they say more than parts.
    let parts = words
        .iter()
        .flat_map(|word| parts(word).into_iter().map(|part| (hash(b'p', part.text), word.weight())));
    for (gram, weight) in whole.chain(parts) {
        if weights.len() == MAX_GRAMS && !weights.contains_key(&gram) {
            break;
        }
        let known = weights.entry(gram).or_default();
        *known = known.max(weight);
    }
    weights
}

/// The words of a question, each with what it says by itself: a name or a long word much, a short word little.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    grams: Grams,
    /// In the order of the hashes, from 0 to 1.
    weights: Vec<f64>,
}

impl Question {
    /// The words of a question; of a long one, its first words.
    pub fn of(text: &str) -> Self {
        let (grams, weights) = weighed(text).into_iter().unzip();
        Self { grams: Grams(grams), weights }
    }

    /// Whether a text is about what is asked: it covers at least [`FLOOR`] of the question.
    /// ```
    /// use artoo_mkct_memory::similar::{Grams, Question};
    /// let question = Question::of("How many .txt files are in the folder docs?");
    /// assert!(question.is_like(&Grams::of("Count the .txt files below docs")));
    /// assert!(!question.is_like(&Grams::of("How many people are in the kitchen?")));
    /// ```
    pub fn is_like(&self, other: &Grams) -> bool {
        let shared = self.grams.shared_with(other);
        let weigh = |which: u128| -> f64 {
            let weighed = self.weights.iter().enumerate().filter(|(at, _)| which >> at & 1 == 1);
            weighed.map(|(_, weight)| weight).sum()
        };
        weigh(shared) >= LEAST && weigh(shared) >= FLOOR * weigh(u128::MAX)
    }
}

/// A candidate similar to the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similar<K> {
    /// Its key.
    pub key: K,
    /// The similarity, from [`FLOOR`] to 1.
    pub score: f64,
}

/// The candidates similar to a query, the most similar first, at most `limit` and [`MAX_SIMILAR`].
///
/// The score is the share of the query that a candidate covers, with each word and part weighted by its
/// rarity among the candidates and by what it says by itself.
/// ```
/// use artoo_mkct_memory::similar::{Grams, Question, rank};
/// let known = ["how many .txt files are there", "what is the weather in Oulu"].map(Grams::of);
/// let found = rank(&Question::of("count the txt files"), known.iter().enumerate(), 6);
/// assert_eq!(found.iter().map(|similar| similar.key).collect::<Vec<_>>(), [0]);
/// ```
pub fn rank<K: Ord, G: Borrow<Grams>>(
    question: &Question,
    candidates: impl IntoIterator<Item = (K, G)>,
    limit: usize,
) -> Vec<Similar<K>> {
    let mut having = [0_u32; MAX_GRAMS];
    let mut met = Vec::new();
    for (key, grams) in candidates.into_iter().take(MAX_CANDIDATES) {
        let shared = question.grams.shared_with(grams.borrow());
        having
            .iter_mut()
            .enumerate()
            .filter(|(at, _)| shared >> at & 1 == 1)
            .for_each(|(_, count)| *count += 1);
        met.push((key, shared));
    }
    let weights = having.map(|count| (1.0 + (met.len() as f64 + 1.0) / (f64::from(count) + 1.0)).ln());
    let weigh = |shared: u128| {
        let weighed = weights.iter().zip(&question.weights).enumerate();
        weighed.filter(|(at, _)| shared >> at & 1 == 1).map(|(_, (rare, says))| rare * says).sum::<f64>()
    };
    let says = |shared: u128| {
        let weighed = question.weights.iter().enumerate();
        weighed.filter(|(at, _)| shared >> at & 1 == 1).map(|(_, says)| says).sum::<f64>()
    };
    let whole = weigh(u128::MAX);
    let mut found: Vec<Similar<K>> = met
        .into_iter()
        .filter(|(_, shared)| says(*shared) >= LEAST)
        .map(|(key, shared)| Similar { key, score: weigh(shared) / whole })
        .filter(|similar| similar.score >= FLOOR)
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    found.truncate(limit.min(MAX_SIMILAR));
    found
}

/// The indexed text of a pair: the words of its tags, then the lessons of its rules, then those of its
/// experiences, newest first. `live` are its entries that are neither forgotten nor consolidated; laws are in
/// every reply anyway.
pub fn pair_text<'a>(pair: &TagPair, live: impl IntoIterator<Item = &'a Megram>) -> String {
    let mut lessons: Vec<&Megram> = live.into_iter().filter(|megram| megram.level != Level::T).collect();
    lessons.sort_by_key(|megram| (megram.level != Level::C, Reverse((megram.created_at, megram.id))));
    let place = if pair.entity == Entity::local() { "" } else { without_kind(pair.entity.as_str()) };
    let mut text = format!("{} {place}", without_kind(pair.space.as_str()));
    for lesson in lessons.into_iter().take(LESSONS) {
        text.push('\n');
        text.push_str(beginning(&lesson.content, LESSON_CHARS));
    }
    text
}

/// The indexed text of one Megram.
/// ```
/// # use artoo_mkct_memory::{matrix, similar::indexed_text};
/// # use artoo_types::{Entity, MegramState, Space};
/// # let now = chrono::DateTime::parse_from_rfc3339("2026-03-09T09:00:00+01:00")?;
/// # let id = "01970000-0000-7000-8000-000000000001".parse()?;
/// let (space, place) = (Space::intent("how many .txt are there"), Entity::path("/home/aino/docs"));
/// let megram = matrix::megram(id, MegramState::Accept, now, space, place, "count files: find".to_owned());
/// assert_eq!(indexed_text(&megram), "how_many_txt /home/aino/docs\ncount files: find");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn indexed_text(megram: &Megram) -> String {
    pair_text(&megram.pair(), [megram])
}

/// Why a text is similar to a query: the words that both have, or the shared parts of words. Longest first,
/// as long words are rare in every language.
/// ```
/// use artoo_mkct_memory::similar::shared;
/// assert_eq!(shared("laske tekstitiedostot", "montako tiedostoa, laske"), ["tiedosto", "laske"]);
/// ```
pub fn shared(question: &str, known: &str) -> Vec<String> {
    let known = Grams::of(known);
    let mut found: Vec<String> = Vec::new();
    for word in words(question) {
        if word.has_parts() && known.has(hash(b'w', &word.text)) {
            found.push(word.text);
            continue;
        }
        let mut run = 0..0;
        for part in parts(&word).into_iter().filter(|part| known.has(hash(b'p', part.text))) {
            if part.start >= run.end {
                found.extend(word.text.get(run.clone()).map(str::to_owned));
                run.start = part.start;
            }
            run.end = part.start + part.text.len();
        }
        found.extend(word.text.get(run).map(str::to_owned));
    }
    let mut seen = BTreeSet::new();
    found.retain(|piece| !piece.is_empty() && seen.insert(piece.clone()));
    found.sort_by_key(|piece| Reverse(piece.chars().count()));
    found.truncate(EXPLAINED);
    found
}

/// A tag without `intent:`, `tool:` or `path:`, which all tags have.
fn without_kind(tag: &str) -> &str {
    tag.split_once(':').map_or(tag, |(_, words)| words)
}

fn beginning(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

struct Word {
    text: String,
    is_unspaced: bool,
    /// Whether it stands in a name of a file, in a path or in an identifier, or holds a digit.
    is_name: bool,
}

impl Word {
    /// How much it says by itself, from 0 to 1.
    fn weight(&self) -> f64 {
        if self.is_unspaced || self.is_name {
            return 1.0;
        }
        let letters = self.text.chars().take(WHOLE_WORD as usize).count() as f64;
        (letters / WHOLE_WORD).powi(2)
    }

    /// Whether it has more than one part.
    fn has_parts(&self) -> bool {
        !self.is_unspaced && self.text.chars().nth(PART_CHARS).is_some()
    }
}

/// The words of the beginning of a text, in lower case. A run of a script without spaces is one word.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut run = String::new();
    let pieces: Vec<&str> = beginning(text, READ_CHARS).split_word_bounds().collect();
    for (at, piece) in pieces.iter().enumerate() {
        if piece.starts_with(is_unspaced) {
            run.push_str(piece);
            continue;
        }
        if !run.is_empty() {
            words.push(Word { text: std::mem::take(&mut run), is_unspaced: true, is_name: false });
        }
        let before = at.checked_sub(1).and_then(|before| pieces.get(before));
        let is_joined = is_joint(before) || is_joint(pieces.get(at + 1).filter(|next| **next != "."));
        // `notes.txt`, `it's` and `snake_case` are one word each to Unicode.
        let spaced = piece.split(|c: char| c == '’' || c.is_ascii_punctuation());
        let spaced = spaced.filter(|word| word.chars().any(char::is_alphanumeric));
        let is_name = is_joined || piece.contains(['.', '_']) || piece.chars().any(|c| c.is_ascii_digit());
        words.extend(spaced.map(|word| Word { text: word.to_lowercase(), is_unspaced: false, is_name }));
    }
    if !run.is_empty() {
        words.push(Word { text: run, is_unspaced: true, is_name: false });
    }
    words.truncate(MAX_GRAMS);
    words
}

/// Whether a piece of a text joins the parts of a name. A full stop does so only before a part: `.txt`.
fn is_joint(piece: Option<&&str>) -> bool {
    piece.is_some_and(|piece| matches!(*piece, "." | "/" | "_" | "~"))
}

/// A unit of comparison, and its offset in its word.
struct Part<'a> {
    start: usize,
    text: &'a str,
}

/// The parts of a word: pairs of graphemes in scripts without word boundaries, otherwise runs of three
/// characters. A shorter word is its own part.
fn parts(word: &Word) -> Vec<Part<'_>> {
    let (starts, length): (Vec<usize>, usize) = if word.is_unspaced {
        (word.text.grapheme_indices(true).map(|(start, _)| start).collect(), 2)
    } else {
        (word.text.char_indices().map(|(start, _)| start).collect(), PART_CHARS)
    };
    let ends = starts.iter().copied().skip(length).chain([word.text.len()]);
    let spans = starts.iter().copied().zip(ends);
    let parts = spans.filter_map(|(start, end)| Some(Part { start, text: word.text.get(start..end)? }));
    // Hiragana writes endings and politeness, which all requests share.
    let is_ending = |text: &str| word.is_unspaced && text.chars().all(is_hiragana);
    if is_ending(&word.text) { parts.collect() } else { parts.filter(|part| !is_ending(part.text)).collect() }
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309F}')
}

/// FNV-1a.
fn hash(kind: u8, text: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(step(0x811C_9DC5, kind), step)
}
