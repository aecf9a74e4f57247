//! Shell text: any has effects, and nothing that stands behind a destructive command hides it. Nothing is run.
//!
//! The text is read as it is, and once more behind a command that destroys. Its last bytes choose which one, how that is
//! written and where it stands: the spellings and the files are those of the property tests.

#![no_main]

use artoo_fuzz::Choices;
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/shell-effects/tests/it/simulated_files.rs"]
mod simulated_files;
#[path = "../../crates/shell-effects/tests/it/spellings.rs"]
mod spellings;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let _ = simulated_files::effects(&text);
    let mut choices = Choices::of(input);
    let before = dangerous(&mut choices);
    let between = if choices.number().is_multiple_of(2) { "\n" } else { "; " };
    let script = format!("{before}{between}{text}");
    let effects = simulated_files::effects(&script);
    assert!(simulated_files::warns(&effects), "{script:?}: {effects:?}");
});

/// A command that destroys, in one of its spellings, in up to two places that run it.
fn dangerous(choices: &mut Choices<'_>) -> String {
    let words = spellings::DANGEROUS.get(choices.number() % spellings::DANGEROUS.len()).copied();
    let gap = spellings::GAPS.get(choices.number() % spellings::GAPS.len()).copied().unwrap_or(" ");
    let words: Vec<String> = words.unwrap_or_default().iter().map(|word| respelled(word, choices)).collect();
    let mut command = words.join(gap);
    for _ in 0..choices.number() % 3 {
        command = spellings::around(&command, choices.number() % spellings::PLACES);
    }
    command
}

fn respelled(word: &str, choices: &mut Choices<'_>) -> String {
    spellings::respelled(word, choices.number() % spellings::WAYS, choices.place(word.len()))
}
