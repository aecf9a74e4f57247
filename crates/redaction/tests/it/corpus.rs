//! Recall and false positives on a corpus of secrets that real tools print and store, and of harmless texts
//! that resemble them.
//!
//! `cargo test -p artoo-redaction --test it corpus -- --nocapture` prints the table in
//! `docs/design/trust.md`; with `CORPUS=develop` in the environment of the build, also every text of that
//! half that is judged wrongly.
//!
//! An entry starts with `%% GROUP: NAME`. Text between `⟦` and `⟧` must not survive, and `‹h32›` stands for
//! 32 characters of a class, so that no key in the tree triggers a secret scanner.

use std::collections::BTreeMap;

use artoo_redaction::Redactor;

struct Half {
    name: &'static str,
    /// The number of forms known to be missed, and of harmless texts known to be changed.
    known: (usize, usize),
    forms: &'static str,
    harmless: &'static str,
}

/// The rules were written against the first half and measured on the second.
const HALVES: [Half; 2] = [
    Half {
        name: "develop",
        known: (10, 0),
        forms: include_str!("../corpus/develop/forms.txt"),
        harmless: include_str!("../corpus/develop/harmless.txt"),
    },
    Half {
        name: "measure",
        known: (12, 1),
        forms: include_str!("../corpus/measure/forms.txt"),
        harmless: include_str!("../corpus/measure/harmless.txt"),
    },
];

/// The shortest part of a longer secret that must not survive, in characters.
const PART: usize = 12;

/// An entry of the corpus.
struct Entry {
    name: &'static str,
    text: String,
    secrets: Vec<String>,
}

impl Entry {
    fn group(&self) -> &'static str {
        self.name.split_once(':').map_or(self.name, |(group, _)| group)
    }

    /// Whether no part of its secrets is left.
    fn is_gone(&self) -> bool {
        let redacted = Redactor::new().apply(&self.text).into_owned();
        let parts = |secret: &str| -> Vec<String> {
            let chars: Vec<char> = secret.chars().collect();
            chars.windows(chars.len().clamp(1, PART)).map(|part| part.iter().collect()).collect()
        };
        // A part that also occurs outside of the secret proves nothing.
        let outside = self.secrets.iter().fold(self.text.clone(), |text, secret| text.replace(secret, "\0"));
        let survives = |part: &String| redacted.contains(part.as_str()) && !outside.contains(part.as_str());
        !self.secrets.iter().any(|secret| parts(secret).iter().any(survives))
    }

    fn stays(&self) -> bool {
        Redactor::new().apply(&self.text) == self.text
    }
}

fn entries(corpus: &'static str) -> Vec<Entry> {
    let texts = corpus.split("%% ").skip(1);
    texts
        .map(|entry| {
            let (name, text) = entry.split_once('\n').expect("a name and a text");
            let text = expanded(text.strip_suffix('\n').unwrap_or(text));
            let mut secrets = Vec::new();
            for part in text.split('⟦').skip(1) {
                let (secret, _) = part.split_once('⟧').expect("an end of a secret");
                // A key of several lines survives if any of its lines does.
                secrets.extend(secret.lines().filter(|line| line.len() > 4).map(str::to_owned));
            }
            Entry { name, text: text.replace(['⟦', '⟧'], ""), secrets }
        })
        .collect()
}

/// Replaces `‹h32›` by characters derived from the text, the same on every run.
fn expanded(text: &str) -> String {
    let mut state = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut parts = text.split('‹');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (run, rest) = part.split_once('›').expect("an end of a run");
        let class = characters(&run[..1]);
        for _ in 0..run[1..].parse::<usize>().expect("a length") {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            out.push(class[(state >> 33) as usize % class.len()]);
        }
        out.push_str(rest);
    }
    out
}

fn characters(class: &str) -> Vec<char> {
    let (lower, upper, digits) = ('a'..='z', 'A'..='Z', '0'..='9');
    match class {
        "d" => digits.collect(),
        "h" => digits.chain('a'..='f').collect(),
        "H" => digits.chain('A'..='F').collect(),
        "l" => digits.chain(lower).collect(),
        "u" => digits.chain(upper).collect(),
        "a" => digits.chain(lower).chain(upper).collect(),
        "b" => digits.chain(lower).chain(upper).chain(['-', '_']).collect(),
        "s" => digits.chain(lower).chain(upper).chain(['+', '/']).collect(),
        other => panic!("{other} is no class of characters"),
    }
}

/// All texts of the corpus.
pub(crate) fn texts() -> &'static [String] {
    static TEXTS: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| {
        let all =
            HALVES.iter().flat_map(|half| entries(half.forms).into_iter().chain(entries(half.harmless)));
        all.map(|entry| entry.text).collect()
    });
    &TEXTS
}

struct Measured {
    forms: Vec<Entry>,
    missed: Vec<Entry>,
    harmless: Vec<Entry>,
    alarms: Vec<Entry>,
}

fn measure(half: &Half) -> Measured {
    let (forms, missed) = entries(half.forms).into_iter().partition(Entry::is_gone);
    let (harmless, alarms) = entries(half.harmless).into_iter().partition(Entry::stays);
    Measured { forms, missed, harmless, alarms }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

fn show(half: &Half, measured: &Measured) {
    let forms = measured.forms.len() + measured.missed.len();
    let harmless = measured.harmless.len() + measured.alarms.len();
    println!(
        "{}: {} of {forms} forms gone ({:.1} %), {} of {harmless} harmless texts changed ({:.1} %)",
        half.name,
        measured.forms.len(),
        percent(measured.forms.len(), forms),
        measured.alarms.len(),
        percent(measured.alarms.len(), harmless),
    );
    let mut groups: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for entry in &measured.forms {
        groups.entry(entry.group()).or_default().0 += 1;
    }
    for entry in &measured.missed {
        groups.entry(entry.group()).or_default().1 += 1;
    }
    for (group, (gone, missed)) in groups {
        println!("    {group:<12} {gone:>3} of {:>3}", gone + missed);
    }
    if option_env!("CORPUS") == Some(half.name) {
        measured
            .missed
            .iter()
            .for_each(|entry| println!("MISSED {}\n{}", entry.name, Redactor::new().apply(&entry.text)));
        measured
            .alarms
            .iter()
            .for_each(|entry| println!("ALARM {}\n{}", entry.name, Redactor::new().apply(&entry.text)));
    }
}

#[test]
fn recall_and_false_alarms() {
    let (mut forms, mut harmless) = (0, 0);
    for half in &HALVES {
        let measured = measure(half);
        show(half, &measured);
        let (missed, alarms) = (measured.missed.len(), measured.alarms.len());
        assert!(missed <= half.known.0 && alarms <= half.known.1, "{}: {missed}, {alarms}", half.name);
        forms += measured.forms.len() + missed;
        harmless += measured.harmless.len() + alarms;
    }
    assert!(forms >= 200 && harmless >= 200, "{forms}, {harmless}");
}
