//! Generates commands close to what a drafted rule allows, which the rule must not allow.
//!
//! A near miss differs in exactly one respect: the rule would decide it with another path or another program.
//! Each candidate is tested for that, so no example is spared only because it has no effect.

use std::path::{Path, PathBuf};

use artoo_types::{Effect, EffectKind, ProposedRule};

use super::rule_draft::{Setting, Trial, from_home, in_shell, without_workspace};
use super::{Question, on_file};

/// Maximum number of effects whose neighbours are generated.
const MAX_EFFECTS: usize = 3;

/// One command on a neighbouring path and one by another program, as far as they exist.
pub(super) fn near_misses(
    command: &str,
    question: &Question,
    rule: &ProposedRule,
    setting: Setting<'_>,
    holds: &Trial<'_>,
) -> Vec<String> {
    let elsewhere = elsewhere(command, question, setting).into_iter().map(|text| {
        // The rule without its paths would decide it.
        (text, ProposedRule { paths: Vec::new(), ..rule.clone() })
    });
    let by_another = by_another(command, question, setting).into_iter().map(|(text, program)| {
        // The rule with the other program would decide it.
        (text, ProposedRule { programs: vec![program], ..rule.clone() })
    });
    let is_near =
        |(text, wider): &(String, ProposedRule)| !holds.matches(rule, text) && holds.matches(wider, text);
    let first_elsewhere = elsewhere.into_iter().find(is_near);
    let first_by_another = by_another.into_iter().filter(|_| !rule.programs.is_empty()).find(is_near);
    first_elsewhere.into_iter().chain(first_by_another).map(|(text, _)| text).collect()
}

/// The simplest commands with the same effect by the same program, and the command itself, on the
/// neighbouring path.
fn elsewhere(command: &str, question: &Question, setting: Setting<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for effect in question.effects.iter().take(MAX_EFFECTS) {
        let Some((path, beside)) = on_file(effect).and_then(|path| Some((path, beside(path)?))) else {
            continue;
        };
        let word = in_shell(&beside, setting);
        let is_own = |program: &str| {
            question.programs.is_empty() || question.programs.iter().any(|name| name == program)
        };
        let plain = plainest(effect.kind, &word).into_iter();
        all.extend(plain.filter(|(_, program)| is_own(program)).map(|(text, _)| text));
        all.extend(spellings(effect, path, setting).iter().filter_map(|old| with_word(command, old, &word)));
    }
    all
}

/// The spellings by which the command may have named the path; a trial reports only the path.
fn spellings(effect: &Effect, path: &Path, setting: Setting<'_>) -> Vec<String> {
    let home = from_home(path, setting);
    let below = path.strip_prefix(setting.working_folder).ok();
    let mut all = vec![effect.word.clone(), without_workspace(&effect.word, setting)];
    all.extend(home.strip_prefix("~/").map(|below| format!("$HOME/{below}")));
    all.extend(below.map(|below| below.display().to_string()));
    all.extend([home, path.display().to_string()]);
    all
}

/// Replaces a word of the command that stands alone, together with its quotes.
fn with_word(command: &str, old: &str, new: &str) -> Option<String> {
    let old = old.trim_matches(['"', '\'']);
    let parts = |c: char| c.is_whitespace() || ";|&<>()=".contains(c);
    let (mut out, mut rest, mut found) = (String::new(), command, false);
    while let Some((before, after)) = rest.split_once(old).filter(|_| !old.is_empty()) {
        let quote = before.chars().next_back().filter(|c| "\"'".contains(*c) && after.starts_with(*c));
        let start = quote.and_then(|quote| before.strip_suffix(quote)).unwrap_or(before);
        let end = quote.and_then(|quote| after.strip_prefix(quote)).unwrap_or(after);
        let stands_alone =
            start.chars().next_back().is_none_or(parts) && end.chars().next().is_none_or(parts);
        if stands_alone {
            (found, rest) = (true, end);
            out.push_str(start);
            out.push_str(new);
        } else {
            rest = after;
            out.push_str(before);
            out.push_str(old);
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

/// Commands with the same effect on the same path, each with its program.
fn by_another(command: &str, question: &Question, setting: Setting<'_>) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for effect in question.effects.iter().take(MAX_EFFECTS) {
        match on_file(effect) {
            Some(path) => all.extend(
                plainest(effect.kind, &in_shell(path, setting))
                    .into_iter()
                    .map(|(text, program)| (text, program.to_owned())),
            ),
            None => all.extend(without_a_path(effect, command)),
        }
    }
    all.retain(|(_, program)| !question.programs.contains(program));
    all
}

/// The path with another name in the same folder.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    Some(path.with_file_name(format!("other-{name}")))
}

fn plainest(kind: EffectKind, word: &str) -> Vec<(String, &'static str)> {
    match kind {
        EffectKind::Deletes => vec![
            (format!("rm {word}"), "rm"),
            (format!("rm -r {word}"), "rm"),
            (format!("unlink {word}"), "unlink"),
        ],
        EffectKind::Overwrites => {
            vec![(format!("date > {word}"), "date"), (format!("touch {word}"), "touch")]
        }
        EffectKind::Creates => vec![
            (format!("touch {word}"), "touch"),
            (format!("date > {word}"), "date"),
            (format!("mkdir {word}"), "mkdir"),
        ],
        EffectKind::Commits
        | EffectKind::Network
        | EffectKind::OutsideMachine
        | EffectKind::Privilege
        | EffectKind::Unknown => Vec::new(),
    }
}

fn without_a_path(effect: &Effect, command: &str) -> Vec<(String, String)> {
    let named = |text: &str, program: &str| (text.to_owned(), program.to_owned());
    match effect.kind {
        EffectKind::Network => {
            vec![
                named("ping -c 1 example.org", "ping"),
                named("curl https://example.org/", "curl"),
                named("wget -qO- https://example.org/", "wget"),
            ]
        }
        EffectKind::Unknown if !effect.what.is_empty() && !effect.what.contains('/') => {
            let other = format!("other-{}", effect.what);
            vec![(command.replace(&effect.what, &other), other)]
        }
        EffectKind::Unknown
        | EffectKind::Creates
        | EffectKind::Overwrites
        | EffectKind::Deletes
        | EffectKind::Commits
        | EffectKind::OutsideMachine
        | EffectKind::Privilege => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_of_its_own_is_exchanged() {
        let table = [
            ("rm a.txt", "a.txt", Some("rm N")),
            ("rm a.txt; wc < 'a.txt' \"a.txt\"", "a.txt", Some("rm N; wc < N N")),
            ("rm ~/x/a.txt a.txt", "a.txt", Some("rm ~/x/a.txt N")),
            ("rm \"$x/a.txt\" \"a.txt", "a.txt", None),
            ("sort -o=a.txt b>a.txt", "a.txt", Some("sort -o=N b>N")),
            ("rm a.txt", "'a.txt'", Some("rm N")),
            ("rm a.txt", "", None),
            ("rm 数.txt", "数.txt", Some("rm N")),
        ];
        for (command, old, expected) in table {
            assert_eq!(with_word(command, old, "N").as_deref(), expected, "{command}");
        }
    }
}
