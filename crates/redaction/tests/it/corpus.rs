//! Forms that real tools print and store, and harmless texts like them: how many go, how many stay.
//!
//! `cargo test -p artoo-redaction --test it corpus -- --nocapture` prints the table that `docs/design/trust.md` has, and
//! `CORPUS=develop` in the environment of the build every text of that half that is judged wrongly.
//!
//! A text of the corpus begins with `%% GROUP: NAME`. What must not survive stands between `⟦` and `⟧`, and `‹h32›` is a run of 32
//! characters of a class: nothing in the tree is a key that somebody's scanner would find.

use std::collections::BTreeMap;

use artoo_redaction::Redactor;

struct Half {
    name: &'static str,
    /// How many forms are known to be missed, and how many harmless texts to be changed.
    known: (usize, usize),
    forms: &'static str,
    harmless: &'static str,
}

/// The rules were written with the first half in sight, and measured with the second.
const HALVES: [Half; 2] = [
    Half {
        name: "develop",
        known: (7, 0),
        forms: include_str!("../corpus/develop/forms.txt"),
        harmless: include_str!("../corpus/develop/harmless.txt"),
    },
    Half {
        name: "measure",
        known: (8, 1),
        forms: include_str!("../corpus/measure/forms.txt"),
        harmless: include_str!("../corpus/measure/harmless.txt"),
    },
];

/// The shortest part of a longer secret that must not survive, in characters.
const PART: usize = 12;

/// One text of the corpus.
struct Entry {
    name: &'static str,
    text: String,
    secrets: Vec<String>,
}

impl Entry {
    fn group(&self) -> &'static str {
        self.name.split_once(':').map_or(self.name, |(group, _)| group)
    }

    /// Whether nothing of its secrets is left.
    fn is_gone(&self) -> bool {
        let redacted = Redactor::new().apply(&self.text).into_owned();
        let parts = |secret: &str| -> Vec<String> {
            let chars: Vec<char> = secret.chars().collect();
            chars.windows(chars.len().clamp(1, PART)).map(|part| part.iter().collect()).collect()
        };
        // A part that stands outside of the secret as well says nothing.
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
                // A key of several lines is there as long as one of its lines is.
                secrets.extend(secret.lines().filter(|line| line.len() > 4).map(str::to_owned));
            }
            Entry { name, text: text.replace(['⟦', '⟧'], ""), secrets }
        })
        .collect()
}

/// The text with runs of characters in place of `‹h32›`, always the same ones.
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

/// Every text of the corpus.
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
