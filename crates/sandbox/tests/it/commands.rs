//! The table of commands: what is dangerous is never taken for harmless. Nothing of it is run.

use artoo_sandbox::Class;

use crate::world::effects;

struct Row {
    dangerous: bool,
    kind: &'static str,
    text: String,
}

fn table() -> Vec<Row> {
    let lines = include_str!("commands.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut parts = line.splitn(3, '\t');
        let mut next = || parts.next().unwrap_or_else(|| panic!("a part is missing: {line}"));
        let (side, kind, text) = (next(), next(), next());
        assert!(["dangerous", "harmless"].contains(&side), "{line}");
        Row { dangerous: side == "dangerous", kind, text: text.replace('⏎', "\n") }
    };
    lines.map(row).collect()
}

fn passes(text: &str) -> bool {
    matches!(effects(text).class(), Class::ReadOnly | Class::Reversible)
}

#[test]
fn fact_9_nothing_dangerous_passes() {
    let table = table();
    let dangerous: Vec<&Row> = table.iter().filter(|row| row.dangerous).collect();
    assert!(dangerous.len() >= 250, "{} dangerous commands", dangerous.len());
    let passed: Vec<String> = dangerous
        .iter()
        .filter(|row| passes(&row.text))
        .map(|row| format!("{}: {:?}: {:?}", row.kind, row.text, effects(&row.text)))
        .collect();
    eprintln!("{} of {} dangerous commands pass", passed.len(), dangerous.len());
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}

#[test]
fn fact_9_what_is_harmless_needs_no_question() {
    let table = table();
    let harmless: Vec<&Row> = table.iter().filter(|row| !row.dangerous).collect();
    assert!(harmless.len() >= 80, "{} harmless commands", harmless.len());
    let asked: Vec<String> = harmless
        .iter()
        .filter(|row| !passes(&row.text))
        .map(|row| format!("{}: {:?}: {:?}", row.kind, row.text, effects(&row.text).unknown))
        .collect();
    let share = asked.len() as f64 / harmless.len() as f64;
    eprintln!(
        "{} of {} harmless commands need a question ({:.1} %)",
        asked.len(),
        harmless.len(),
        share * 100.0
    );
    eprintln!("{}", asked.join("\n"));
    assert!(share <= 0.03, "{}", asked.join("\n"));
}

#[test]
fn every_effect_has_a_reason_that_names_a_word_of_the_command() {
    for row in table() {
        let effects = effects(&row.text);
        for kind in artoo_sandbox::Kind::ALL {
            for cause in effects.of(kind) {
                assert!(!cause.what.is_empty() && !cause.why.is_empty(), "{:?}: {cause:?}", row.text);
            }
        }
    }
}
