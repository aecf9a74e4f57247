//! Drafts the rule that would answer a question permanently ("always"). A rule is offered only if it covers
//! exactly what was asked.
//!
//! Source: `docs/design/consent.md`, "Always".

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_shell_effects::{Paths, Seen, knows_program};
use artoo_types::{EffectKind, ProposedRule};

use super::rule_near_miss::near_misses;
use super::rules::{QUIET, is_of_files};
use super::{Question, Rule, Rules, on_file, rule_examples};

/// Maximum bytes of a command, and number of paths, in a rule that a person can review at a prompt.
const MAX_COMMAND: usize = 2_000;
const MAX_PATHS: usize = 20;

/// The environment in which a question was asked.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// What `~` means. Absolute.
    pub home: &'a Path,
    /// Where the command would run. Absolute.
    pub working_folder: &'a Path,
    /// The path of `$WORKSPACE`. Absolute.
    pub workspace: &'a Path,
    /// Looks up paths on the disk.
    pub paths: &'a dyn Paths,
}

/// The rule that allows the effects of a question, and nothing by other programs or in other places. Its
/// examples are checked: the command of the question or an equivalent, and commands close to it. Resolves
/// links, and is pure otherwise.
///
/// `None` if no rule can say that: effects on other machines or with another user's rights, unknown effects
/// without a program of their own, protected places and repositories, effects that a rule asks about, and
/// effects for which a rule of the user would win.
pub fn draft(question: &Question, rules: &Rules, setting: Setting<'_>) -> Option<ProposedRule> {
    rules.file()?;
    // A rule cannot answer the concern that the change is not undoable.
    let is_beyond = question.beyond_undo.is_some();
    if is_beyond || question.command.len() > MAX_COMMAND || rules.have(&question.rule) {
        return None;
    }
    let mut rule = ProposedRule {
        effects: kinds(question)?,
        programs: programs(question, setting)?,
        paths: paths(question, setting)?,
        matches: Vec::new(),
        spares: Vec::new(),
    };
    let holds = Trial { rules, home: setting.home };
    let command = spellings(question, &rule, setting).into_iter().find(|text| holds.matches(&rule, text))?;
    rule.spares = near_misses(&command, question, &rule, setting, &holds);
    rule.matches = vec![command];
    // The check that loading does, then the question itself against all rules, old and new.
    let with_it = rules.and(as_rule(&rule), setting.home).ok()?;
    with_it.ruling(question.proposed()).is_some_and(|ruled| ruled.allows()).then_some(rule)
}

/// Evaluates one rule alone.
pub(super) struct Trial<'a> {
    rules: &'a Rules,
    home: &'a Path,
}

impl Trial<'_> {
    /// Whether the rule allows a command.
    pub(super) fn matches(&self, rule: &ProposedRule, text: &str) -> bool {
        let rule = as_rule(rule);
        let alone = self.rules.alone(rule.clone(), self.home);
        alone.is_ok_and(|alone| rule_examples::may_match(&rule, &alone, self.home, text))
    }
}

/// A [`Rule`] to judge examples with; the reason is left empty, because the person gives it.
fn as_rule(proposed: &ProposedRule) -> Rule {
    Rule::allowing(proposed.clone(), "-".to_owned())
}

fn kinds(question: &Question) -> Option<BTreeSet<EffectKind>> {
    let may_be_allowed = |kind: EffectKind| match kind {
        EffectKind::Creates
        | EffectKind::Overwrites
        | EffectKind::Deletes
        | EffectKind::Network
        | EffectKind::Unknown => true,
        // Of each commit the files and the message are to be seen.
        EffectKind::Commits | EffectKind::OutsideMachine | EffectKind::Privilege => false,
    };
    let kinds: BTreeSet<EffectKind> = question.effects.iter().map(|effect| effect.kind).collect();
    (!kinds.is_empty() && kinds.iter().all(|kind| may_be_allowed(*kind))).then_some(kinds)
}

/// The programs that cause the effects. Quiet programs ([`QUIET`]) need not be named in a rule.
fn programs(question: &Question, setting: Setting<'_>) -> Option<Vec<String>> {
    // An interpreter can do anything: allowing its unknown effects would allow everything, permanently.
    let is_told = |program: &str| {
        // `python3.99` is `python`.
        let unversioned = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        knows_program(program) || knows_program(unversioned)
    };
    let is_open = question.effects.iter().any(|effect| effect.kind == EffectKind::Unknown);
    if is_open && question.programs.iter().any(|program| is_told(program)) {
        return None;
    }
    let all: BTreeSet<&String> = question.programs.iter().collect();
    let acting: BTreeSet<&String> =
        all.iter().copied().filter(|name| !QUIET.contains(&name.as_str())).collect();
    let named = if acting.is_empty() { all } else { acting };
    let files = question.effects.iter().all(|effect| is_of_files(effect.kind));
    // A rule without programs covers all of them, so only its paths limit it.
    if named.is_empty() && !files {
        return None;
    }
    Some(named.into_iter().map(|name| from_home(Path::new(name), setting)).collect())
}

/// The paths of the effects as globs: each path itself, and everything below a folder that is deleted.
fn paths(question: &Question, setting: Setting<'_>) -> Option<Vec<String>> {
    let mut whole: BTreeSet<PathBuf> = BTreeSet::new();
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for effect in question.effects.iter().filter(|effect| is_of_files(effect.kind)) {
        let path = on_file(effect)?;
        if effect.what.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) {
            return None;
        }
        if effect.kind == EffectKind::Deletes && is_folder(path, question, setting) {
            folders.insert(path.to_owned());
        }
        whole.insert(path.to_owned());
    }
    let is_below = |path: &PathBuf| path.ancestors().skip(1).any(|above| folders.contains(above));
    let mut globs = Vec::new();
    for path in whole.iter().filter(|path| !is_below(path)) {
        let glob = escaped(&from_home(path, setting));
        globs.push(glob.clone());
        if folders.contains(path) {
            globs.push(format!("{glob}/**"));
        }
    }
    (globs.len() <= MAX_PATHS).then_some(globs)
}

fn is_folder(path: &Path, question: &Question, setting: Setting<'_>) -> bool {
    let ends_in_a_slash = |path: &Path| path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let is_listed =
        question.changes.iter().any(|change| change.path == path && ends_in_a_slash(&change.path));
    is_listed || matches!(setting.paths.look(path), Seen::Folder(_))
}

/// Spellings of the command that mean the same in the user's home, where examples are evaluated.
fn spellings(question: &Question, rule: &ProposedRule, setting: Setting<'_>) -> Vec<String> {
    let command = &question.command;
    let there = format!("cd {}", in_shell(setting.working_folder, setting));
    let whole = without_workspace(command, setting);
    let mut all = vec![command.clone(), whole.clone()];
    all.extend([command, &whole].map(|command| format!("{there}\n{command}")));
    // A write without a program is equivalent to a redirection.
    if let ([effect], []) = (&question.effects[..], &rule.programs[..]) {
        all.extend(on_file(effect).map(|path| format!("date > {}", in_shell(path, setting))));
    }
    all
}

/// The shell text with `$WORKSPACE` replaced by its path.
pub(super) fn without_workspace(text: &str, setting: Setting<'_>) -> String {
    let workspace = match from_home(setting.workspace, setting).strip_prefix("~/") {
        Some(below) => format!("$HOME/{below}"),
        None => setting.workspace.display().to_string(),
    };
    text.replace("${WORKSPACE}", &workspace).replace("$WORKSPACE", &workspace)
}

/// A path, with `~/` if it is below the home folder.
pub(super) fn from_home(path: &Path, setting: Setting<'_>) -> String {
    let real = match setting.paths.look(setting.home) {
        Seen::Folder(real) | Seen::File(real) | Seen::Nothing(real) => real,
        Seen::Unsure => setting.home.to_owned(),
    };
    let below = [setting.home, &real].into_iter().find_map(|home| path.strip_prefix(home).ok());
    match below.filter(|below| !below.as_os_str().is_empty()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

/// A path as one word of a command.
pub(super) fn in_shell(path: &Path, setting: Setting<'_>) -> String {
    let text = from_home(path, setting);
    let (tilde, rest) = match text.strip_prefix("~/") {
        Some(rest) => ("~/", rest),
        None => ("", text.as_str()),
    };
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%".contains(c);
    if !rest.is_empty() && rest.chars().all(is_plain) {
        text
    } else {
        format!("{tilde}'{}'", rest.replace('\'', r"'\''"))
    }
}

/// A glob that matches only this path.
fn escaped(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for c in path.chars() {
        if "*?[]{}\\".contains(c) {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

#[cfg(test)]
mod tests;
