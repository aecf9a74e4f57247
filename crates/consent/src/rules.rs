//! The user's own rules: effects to allow, to ask about or to deny, with or without a person present. Reading
//! rules resolves links; deciding by them is pure.
//!
//! Source: `docs/design/consent.md`, "Rules".

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_shell_effects::{Effects, Permission};
use artoo_types::{Effect, EffectKind, ProposedRule};

use super::path_pattern::PathPattern;
use super::{asked_about, is_in_git, on_file, programs_of, real, rest_of, rule_examples, secrets_in};

/// Programs that only print or test: they may appear beside a program that a rule allows.
pub(super) const QUIET: [&str; 7] = ["echo", "printf", "true", "false", "test", "[", "pwd"];

/// One rule, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it decides.
    pub decision: Permission,
    /// The kinds of effects that it covers. If empty, it asks about or denies every use of its programs, as far
    /// as the words of a command name them.
    pub effects: BTreeSet<EffectKind>,
    /// The programs that it covers, by name or by absolute path; all if empty.
    pub programs: Vec<String>,
    /// Globs of the files that it covers, absolute or from `~/`; all if empty.
    pub paths: Vec<String>,
    /// Why the user wants it.
    pub reason: String,
    /// Example commands that it must decide.
    pub matches: Vec<String>,
    /// Example commands that it must not decide.
    pub spares: Vec<String>,
}

/// Rules whose examples hold.
///
/// ```
/// use artoo_shell_effects::Permission;
/// use artoo_consent::{ProposedEffects, Rule, Rules};
/// use artoo_types::{Effect, EffectKind, ProposedRule};
///
/// let rule = Rule {
///     decision: Permission::Deny,
///     effects: [EffectKind::Deletes].into(),
///     programs: vec![],
///     paths: vec!["~/photos/**".into()],
///     reason: "there is no other copy".into(),
///     matches: vec!["rm ~/photos/2019/a.jpg".into(), "rm -r ~/photos".into()],
///     spares: vec!["rm ~/drafts/a.jpg".into()],
/// };
/// let rules = Rules::read("/home/ada/.config/artoo/policy.toml".into(), vec![rule], "/home/ada".as_ref())?;
/// let what = "/home/ada/photos/2019/b.jpg".to_owned();
/// let removal = [Effect { kind: EffectKind::Deletes, what, word: "b.jpg".into(), why: "`rm` removes it".into() }];
/// assert_eq!(rules.ruling(ProposedEffects::from(&removal)).map(|ruled| ruled.decision), Some(Permission::Deny));
/// # Ok::<(), artoo_consent::RuleError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    file: Option<PathBuf>,
    /// Places that no rule allows to change, nor the folders around them.
    protected: Arc<[PathBuf]>,
    checked: Arc<[Checked]>,
}

/// The effects of a call, as rules see them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProposedEffects<'a> {
    /// The programs that it is known to start.
    pub programs: &'a [String],
    /// Its effects that need consent.
    pub effects: &'a [Effect],
    /// Its effects that need none.
    pub free: &'a [Effect],
    /// Whether some of it could not be undone because it is too large for the snapshot.
    pub beyond_undo: bool,
    /// Whether some of it is a new file that a program would run without being asked to.
    pub autorun: bool,
}

/// A rule's decision about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruled<'a> {
    /// The decision: *ask* if the rule denies but it cannot be known whether it applies.
    pub decision: Permission,
    /// The rule's position in the file, from 1.
    pub number: usize,
    /// The rule.
    pub rule: &'a Rule,
}

/// An invalid rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {number}: {problem}")]
pub struct RuleError {
    /// The rule's position in the file, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub problem: String,
}

#[derive(Clone, Debug)]
struct Checked {
    rule: Rule,
    programs: Vec<String>,
    patterns: Vec<PathPattern>,
}

impl Rules {
    /// Checks rules and their examples. The file may be empty or missing: no run may write it. Blocks.
    ///
    /// # Errors
    ///
    /// The first invalid rule.
    pub fn read(file: PathBuf, rules: Vec<Rule>, home: &Path) -> Result<Self, RuleError> {
        let homes = [home.to_owned(), real(home)];
        let mut protected: Vec<PathBuf> = homes.iter().flat_map(|home| secrets_in(home)).collect();
        protected.extend([real(&file), file.clone()]);
        let none = Self { file: Some(file), protected: protected.into(), checked: Arc::default() };
        let examined = |(at, rule)| none.examined(rule, at + 1, home);
        let checked: Result<_, RuleError> = rules.into_iter().enumerate().map(examined).collect();
        Ok(Self { checked: checked?, ..none })
    }

    /// These rules plus one more, with its examples checked. Blocks.
    ///
    /// # Errors
    ///
    /// The rule is invalid.
    pub fn and(&self, rule: Rule, home: &Path) -> Result<Self, RuleError> {
        let more = self.examined(rule, self.checked.len() + 1, home)?;
        Ok(Self { checked: self.checked.iter().cloned().chain([more]).collect(), ..self.clone() })
    }

    fn examined(&self, rule: Rule, number: usize, home: &Path) -> Result<Checked, RuleError> {
        let wrong = |problem| RuleError { number, problem };
        let checked = Checked::read(rule, home).map_err(wrong)?;
        rule_examples::check(&checked.rule, &self.only(checked.clone()), home).map_err(wrong)?;
        Ok(checked)
    }

    fn only(&self, checked: Checked) -> Self {
        Self { checked: Arc::new([checked]), ..self.clone() }
    }

    /// This rule without the others, its examples unchecked.
    pub(super) fn alone(&self, rule: Rule, home: &Path) -> Result<Self, String> {
        Checked::read(rule, home).map(|checked| self.only(checked))
    }

    /// Adds a place that no rule allows to change.
    pub fn protecting(mut self, place: &Path) -> Self {
        let more = [real(place), place.to_owned()];
        self.protected = self.protected.iter().cloned().chain(more).collect();
        self
    }

    /// The file that holds the rules.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The rules, in the order of the file.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.checked.iter().map(|checked| &checked.rule)
    }

    /// Whether the name, as recorded, is that of one of these rules.
    pub(super) fn have(&self, name: &str) -> bool {
        (1..=self.checked.len()).any(|number| name_of(number) == name)
    }

    /// Whether any rule denies something.
    pub fn deny_something(&self) -> bool {
        self.rules().any(|rule| rule.decision == Permission::Deny)
    }

    /// The strictest decision about any effect; *allow* only if every effect that needs consent is allowed.
    pub fn ruling(&self, proposed: ProposedEffects<'_>) -> Option<Ruled<'_>> {
        let about = |effect: &Effect| self.strictest(effect, proposed.programs);
        let rulings: Vec<Option<Ruled<'_>>> = proposed.effects.iter().map(about).collect();
        let by_use = self.about_use(proposed.programs);
        let all =
            rulings.iter().copied().flatten().chain(proposed.free.iter().filter_map(about)).chain(by_use);
        let strictest = first_strictest(all)?;
        match strictest.decision {
            Permission::Deny | Permission::Ask => Some(strictest),
            Permission::Allow if rulings.is_empty() || rulings.contains(&None) => None,
            Permission::Allow => Some(strictest),
        }
    }

    /// The decision about a command, by its effects.
    pub fn ruling_of(&self, effects: &Effects) -> Option<Ruled<'_>> {
        let (programs, asked, free) = (programs_of(effects), asked_about(effects), rest_of(effects));
        self.ruling(ProposedEffects {
            programs: &programs,
            effects: &asked,
            free: &free,
            ..ProposedEffects::default()
        })
    }

    /// The rules about every use of one of these programs.
    fn about_use(&self, programs: &[String]) -> impl Iterator<Item = Ruled<'_>> {
        self.checked.iter().enumerate().filter_map(move |(at, checked)| {
            let is_of_every_use = checked.rule.effects.is_empty();
            let is_named = programs.iter().any(|program| checked.names(program));
            (is_of_every_use && is_named).then_some(Ruled {
                decision: checked.rule.decision,
                number: at + 1,
                rule: &checked.rule,
            })
        })
    }

    fn touches_what_is_protected(&self, effect: &Effect) -> bool {
        on_file(effect).is_some_and(|path| {
            is_in_git(path)
                || self.protected.iter().any(|place| place.starts_with(path) || path.starts_with(place))
        })
    }

    fn strictest(&self, effect: &Effect, programs: &[String]) -> Option<Ruled<'_>> {
        first_strictest(self.checked.iter().enumerate().filter_map(|(at, checked)| {
            let decision = checked.about(effect, programs)?;
            if decision == Permission::Allow && self.touches_what_is_protected(effect) {
                return None;
            }
            Some(Ruled { decision, number: at + 1, rule: &checked.rule })
        }))
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file && self.rules().eq(other.rules())
    }
}

impl Eq for Rules {}

impl Ruled<'_> {
    /// Whether the decision is *allow*.
    pub fn allows(&self) -> bool {
        self.decision == Permission::Allow
    }

    /// Whether the decision is *deny*.
    pub fn denies(&self) -> bool {
        self.decision == Permission::Deny
    }

    /// The name of the rule, for a record.
    pub fn name(&self) -> String {
        name_of(self.number)
    }

    /// The rule in words.
    pub fn words(&self) -> String {
        format!("rule {} of policy.toml: {}", self.number, self.rule.reason)
    }
}

fn name_of(number: usize) -> String {
    format!("policy-rule-{number}")
}

impl Rule {
    /// A rule that allows the drafted effects, for this reason.
    pub fn allowing(proposed: ProposedRule, reason: String) -> Self {
        let ProposedRule { effects, programs, paths, matches, spares } = proposed;
        Self { decision: Permission::Allow, effects, programs, paths, reason, matches, spares }
    }
}

impl Checked {
    fn read(rule: Rule, home: &Path) -> Result<Self, String> {
        if rule.reason.trim().is_empty() {
            return Err("`reason` is empty".to_owned());
        }
        let is_of_every_use = !rule.programs.is_empty() && rule.decision != Permission::Allow;
        if rule.effects.is_empty() && !is_of_every_use {
            return Err(
                "`effects` is empty; only a rule that asks or denies, and names a program, goes without"
                    .to_owned(),
            );
        }
        if rule.effects.is_empty() && !rule.paths.is_empty() {
            return Err("without `effects` it is about every use, so `paths` does not go with it".to_owned());
        }
        if let Some(kind) = rule.effects.iter().find(|kind| !rule.paths.is_empty() && !is_of_files(**kind)) {
            return Err(format!("`{kind}` has no path, so `paths` does not go with it"));
        }
        let allows = rule.decision == Permission::Allow;
        if allows && rule.effects.contains(&EffectKind::Unknown) && rule.programs.is_empty() {
            return Err("what is `unknown` is allowed only with a `program`".to_owned());
        }
        let programs: Result<Vec<String>, String> =
            rule.programs.iter().map(|name| program(name, home)).collect();
        let patterns: Result<Vec<Vec<PathPattern>>, String> =
            rule.paths.iter().map(|text| PathPattern::read(text, home)).collect();
        let (programs, patterns) = (programs?, patterns?.into_iter().flatten().collect());
        Ok(Self { rule, programs, patterns })
    }

    /// The decision about one effect of a call that starts these programs.
    fn about(&self, effect: &Effect, programs: &[String]) -> Option<Permission> {
        if !self.rule.effects.contains(&effect.kind) {
            return None;
        }
        match self.rule.decision {
            Permission::Allow => self.allows(effect, programs).then_some(Permission::Allow),
            strict @ (Permission::Ask | Permission::Deny) => {
                let is_named = |program: &String| self.names(program);
                (self.programs.is_empty() || programs.iter().any(is_named)).then_some(())?;
                self.concerns(effect, strict)
            }
        }
    }

    /// Whether it names this program, by its name or its path.
    fn names(&self, program: &str) -> bool {
        let last = program.rsplit('/').next().unwrap_or(program);
        self.programs.iter().any(|name| name == program || name == last)
    }

    /// Whether the rule allows the effect; any doubt means no.
    fn allows(&self, effect: &Effect, programs: &[String]) -> bool {
        let is_named = |program: &String| self.programs.contains(program);
        let is_quiet = |program: &String| QUIET.contains(&program.as_str());
        let by_program = self.programs.is_empty()
            || programs.iter().any(is_named)
                && programs.iter().all(|program| is_named(program) || is_quiet(program));
        // An unknown effect must be the named program itself, and nothing else of the command.
        let is_known = effect.kind != EffectKind::Unknown || is_named(&effect.what);
        let by_path = match on_file(effect) {
            Some(path) => self.patterns.is_empty() || self.patterns.iter().any(|one| one.means(path)),
            None => self.patterns.is_empty() && !is_of_files(effect.kind),
        };
        by_program && is_known && by_path
    }

    /// The decision if the rule covers the effect; any doubt means *ask*.
    fn concerns(&self, effect: &Effect, decision: Permission) -> Option<Permission> {
        if self.patterns.is_empty() {
            return Some(decision);
        }
        let Some(path) = on_file(effect) else { return Some(Permission::Ask) };
        let takes_all_below = matches!(effect.kind, EffectKind::Overwrites | EffectKind::Deletes);
        // A new path has nothing below it, and nothing around it changes.
        let is_concerned = |one: &PathPattern| {
            if takes_all_below { one.concerns(path) } else { path.ancestors().any(|path| one.means(path)) }
        };
        if self.patterns.iter().any(is_concerned) {
            Some(decision)
        } else if takes_all_below && self.patterns.iter().any(|one| one.may_lie_below(path)) {
            Some(Permission::Ask)
        } else {
            None
        }
    }
}

/// Validates a program: a name that the shell looks up, or an absolute path, because a relative path depends
/// on the folder.
fn program(name: &str, home: &Path) -> Result<String, String> {
    let whole = match name.strip_prefix("~/") {
        Some(below) => home.join(below).display().to_string(),
        None => name.to_owned(),
    };
    let is_plain = !whole.is_empty() && !whole.contains(char::is_whitespace);
    if is_plain && (whole.starts_with('/') || !whole.contains('/')) {
        Ok(whole)
    } else {
        Err(format!("the program `{name}` must be a name or a whole path"))
    }
}

/// Whether effects of this kind act on files.
pub fn is_of_files(kind: EffectKind) -> bool {
    match kind {
        EffectKind::Creates | EffectKind::Overwrites | EffectKind::Deletes => true,
        EffectKind::Commits
        | EffectKind::Network
        | EffectKind::OutsideMachine
        | EffectKind::Privilege
        | EffectKind::Unknown => false,
    }
}

fn first_strictest<'a>(all: impl Iterator<Item = Ruled<'a>>) -> Option<Ruled<'a>> {
    let strictness = |ruled: &Ruled<'_>| match (ruled.decision, ruled.rule.decision) {
        (Permission::Allow, _) => 0,
        // Asks only in doubt.
        (Permission::Ask, Permission::Allow | Permission::Deny) => 1,
        (Permission::Ask, Permission::Ask) => 2,
        (Permission::Deny, _) => 3,
    };
    all.reduce(|first, next| if strictness(&next) > strictness(&first) { next } else { first })
}
