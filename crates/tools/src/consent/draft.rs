//! The rule that would answer a question for good: drafted out of the question, and offered only where it says exactly what was asked.
//!
//! Source: `docs/design/consent.md`, "Always".

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use artoo_sandbox::{Paths, Seen};
use artoo_types::{EffectKind, ProposedRule};

use super::near_miss::near_misses;
use super::rules::{QUIET, is_of_files};
use super::{Question, Rule, Rules, examples, on_file};

/// The most bytes of a command, and the most paths, of a rule that a person can review at a prompt.
const MAX_COMMAND: usize = 2_000;
const MAX_PATHS: usize = 20;

/// Programs that do what their words, their input or a file tell them. That one of them may do what cannot be known would allow
/// everything, for ever.
const DO_AS_THEY_ARE_TOLD: [&str; 32] = [
    "ash", "awk", "bash", "busybox", "csh", "dash", "docker", "env", "fish", "gawk", "ksh", "lua", "make",
    "mawk", "nice", "node", "nohup", "npx", "parallel", "perl", "php", "podman", "python", "ruby", "sh",
    "ssh", "sudo", "tclsh", "time", "timeout", "xargs", "zsh",
];

/// Where a question was asked.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    /// What `~` means. Absolute.
    pub(super) home: &'a Path,
    /// Where the command would run. Absolute.
    pub(super) working_folder: &'a Path,
    /// What `$WORKSPACE` means. Absolute.
    pub(super) workspace: &'a Path,
    /// What is where.
    pub(super) paths: &'a dyn Paths,
}

/// The rule that allows what a question asks about, and nothing else of other programs or elsewhere. Its examples hold: the command of the
/// question, or what stands for it, and commands close to it. Looks up links, and is pure otherwise.
///
/// `None` where no rule says that: what acts on other machines or with the rights of others, what cannot be known and has no program of
/// its own, what lies in a protected place or a repository, what a rule asks about, and what a rule of the user would overrule.
pub(super) fn draft(question: &Question, rules: &Rules, setting: Setting<'_>) -> Option<ProposedRule> {
    rules.file()?;
    // A rule is no answer to that it cannot be undone.
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
    // The check that loading does, and then the question itself, beside the rules that are there.
    let with_it = rules.and(as_rule(&rule), setting.home).ok()?;
    with_it.ruling(question.deed()).is_some_and(|ruled| ruled.allows()).then_some(rule)
}

/// What a rule would decide about commands, without the others.
pub(super) struct Trial<'a> {
    rules: &'a Rules,
    home: &'a Path,
}

impl Trial<'_> {
    /// Whether it allows a command.
    pub(super) fn matches(&self, rule: &ProposedRule, text: &str) -> bool {
        let rule = as_rule(rule);
        let alone = self.rules.alone(rule.clone(), self.home);
        alone.is_ok_and(|alone| examples::may_match(&rule, &alone, self.home, text))
    }
}

/// Examples are judged without the reason, which is the person's to give.
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
        EffectKind::OutsideMachine | EffectKind::Privilege => false,
    };
    let kinds: BTreeSet<EffectKind> = question.effects.iter().map(|effect| effect.kind).collect();
    (!kinds.is_empty() && kinds.iter().all(|kind| may_be_allowed(*kind))).then_some(kinds)
}

/// The programs that act; those that only say something need no name beside them.
fn programs(question: &Question, setting: Setting<'_>) -> Option<Vec<String>> {
    let is_told = |program: &str| {
        let name = program.rsplit('/').next().unwrap_or(program);
        // `python3.12` is `python`.
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        DO_AS_THEY_ARE_TOLD.contains(&name)
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
    // Without a program a rule is about all of them, and then only its paths bound it.
    if named.is_empty() && !files {
        return None;
    }
    Some(named.into_iter().map(|name| from_home(Path::new(name), setting)).collect())
}

/// The paths of the effects as globs: each as it is, and all below a folder that goes.
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

/// Ways to write the command so that it means the same in the user's home, where examples are read.
fn spellings(question: &Question, rule: &ProposedRule, setting: Setting<'_>) -> Vec<String> {
    let command = &question.command;
    let there = format!("cd {}", in_shell(setting.working_folder, setting));
    let whole = without_workspace(command, setting);
    let mut all = vec![command.clone(), whole.clone()];
    all.extend([command, &whole].map(|command| format!("{there}\n{command}")));
    // Whoever writes there without a program does what a redirection does.
    if let ([effect], []) = (&question.effects[..], &rule.programs[..]) {
        all.extend(on_file(effect).map(|path| format!("date > {}", in_shell(path, setting))));
    }
    all
}

/// A text of the shell in which the workspace has no name of its own.
pub(super) fn without_workspace(text: &str, setting: Setting<'_>) -> String {
    let workspace = match from_home(setting.workspace, setting).strip_prefix("~/") {
        Some(below) => format!("$HOME/{below}"),
        None => setting.workspace.display().to_string(),
    };
    text.replace("${WORKSPACE}", &workspace).replace("$WORKSPACE", &workspace)
}

/// A path with `~/` where it lies in the home.
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

/// A glob that means this path alone.
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
mod tests {
    use artoo_sandbox::{Decision, Place, effects_of};
    use artoo_types::{Effect, FileChangeKind, PreviewedChange, ToolName};
    use proptest::prelude::*;

    use super::super::judged::{asked_about, programs_of, rest_of};
    use super::*;

    const HOME: &str = "/home/nobody-here";

    /// Names that end in a digit are folders, `new` is nothing, everything else is a file.
    struct Table;

    impl Paths for Table {
        fn look(&self, path: &Path) -> Seen {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let path = path.to_owned();
            match name.as_str() {
                "new" => Seen::Nothing(path),
                name if Path::new(HOME).starts_with(&path) || name.ends_with(char::is_numeric) => {
                    Seen::Folder(path)
                }
                _ => Seen::File(path),
            }
        }
    }

    fn home(below: &str) -> PathBuf {
        Path::new(HOME).join(below)
    }

    fn asked(command: &str) -> Question {
        let (home, folder, workspace) = (home(""), home("p1"), home("w2"));
        let free = [folder.clone(), workspace.clone()];
        let place = Place {
            home: &home,
            working_folder: &folder,
            workspace: &workspace,
            free: &free,
            protected: &[],
            paths: &Table,
        };
        let effects = effects_of(command, place);
        Question {
            tool: ToolName::new("shell"),
            command: command.to_owned(),
            programs: programs_of(&effects),
            effects: asked_about(&effects),
            free: rest_of(&effects),
            changes: Vec::new(),
            rule: "consent-to-change".to_owned(),
            reason: String::new(),
            beyond_undo: None,
            always: None,
        }
    }

    fn no_rules() -> Rules {
        Rules::read(home(".config/artoo/policy.toml"), Vec::new(), Path::new(HOME)).unwrap()
    }

    fn drafted_by(question: &Question, rules: &Rules) -> Option<ProposedRule> {
        let (folder, workspace) = (home("p1"), home("w2"));
        let setting =
            Setting { home: Path::new(HOME), working_folder: &folder, workspace: &workspace, paths: &Table };
        draft(question, rules, setting)
    }

    fn drafted(command: &str) -> Option<ProposedRule> {
        drafted_by(&asked(command), &no_rules())
    }

    #[test]
    fn a_rule_says_what_was_asked_and_no_more() {
        let commands = [
            "rm ~/notes/a.txt",
            "rm ~/notes/a.txt\necho 0",
            "rm -r old3 b.txt",
            "rm '~/odd name[1].txt' \"$HOME/odd name[1].txt\"",
            "sed -i s/1/2/ \"$WORKSPACE/b.txt\"",
            "sed -i s/1/2/ \"${WORKSPACE}/b.txt\" b.txt | wc -l",
            "date > report.md",
            "> report.md",
            "echo x > report.md",
            "mv a.txt b.txt",
            "curl https://example.org/a",
            "deployer plan",
            "find ~/notes/x5 -name '*.tmp' -delete",
            "chmod 600 ~/notes/a.txt",
        ];
        let page: Vec<String> = commands
            .iter()
            .map(|command| match drafted(command) {
                Some(rule) => {
                    let ProposedRule { effects, programs, paths, matches, spares } = rule;
                    format!(
                        "$ {command}\n{effects:?} by {programs:?} in {paths:?}\n  matches {matches:?}\n  spares  {spares:?}"
                    )
                }
                None => format!("$ {command}\nnone"),
            })
            .collect();
        insta::assert_snapshot!(page.join("\n\n"));
    }

    #[test]
    fn where_no_honest_rule_can_be_said_there_is_none() {
        let commands = [
            // With the rights of others, on other machines.
            "sudo rm ~/notes/a.txt",
            "curl -X POST https://example.org/ -d x",
            // What cannot be known, of programs that do as they are told, and of none that a rule may name.
            "bash x.sh",
            "python3.12 x.py",
            "./x.sh",
            "$x ~/notes/a.txt",
            "env deployer plan",
            // Protected places, what lies around them, and repositories.
            "rm ~/.ssh/id_rsa",
            "rm -r ~/.config",
            "rm -r ~",
            "rm ~/notes/.git/config",
            "rm ~/.config/artoo/policy.toml",
            // Paths that cannot be known.
            "rm \"$x\"",
            "rm $(cat list)",
            // Nothing to allow.
            "ls",
            "",
        ];
        for command in commands {
            assert_eq!(drafted(command), None, "{command}");
        }
        assert_eq!(drafted(&format!("rm ~/notes/a.txt{}", " ".repeat(MAX_COMMAND))), None);
        let many: Vec<String> = (0..=MAX_PATHS).map(|at| format!("{at}.txt")).collect();
        assert_eq!(drafted(&format!("rm {}", many.join(" "))), None);
        let question = asked("rm ~/notes/a.txt");
        assert_eq!(drafted_by(&question, &Rules::default()), None, "there is no file to write to");
        let large = Question { beyond_undo: Some("too large".to_owned()), ..question };
        assert_eq!(drafted_by(&large, &no_rules()), None);
    }

    #[test]
    fn what_the_users_rules_say_is_not_overruled() {
        let question = asked("rm ~/notes/a.txt");
        for (decision, offered) in [(Decision::Ask, false), (Decision::Deny, false), (Decision::Allow, true)]
        {
            let own = Rule {
                decision,
                effects: [EffectKind::Deletes].into(),
                programs: Vec::new(),
                paths: vec!["~/notes/**".to_owned()],
                reason: "r".to_owned(),
                matches: vec!["rm ~/notes/x.txt".to_owned()],
                spares: vec!["rm ~/x.txt".to_owned()],
            };
            let rules = no_rules().and(own, Path::new(HOME)).unwrap();
            assert_eq!(drafted_by(&question, &rules).is_some(), offered, "{decision:?}");
            // Asked by a rule about something else of the call.
            let by_a_rule = Question { rule: "policy-rule-1".to_owned(), ..asked("rm ~/other/a.txt") };
            assert_eq!(drafted_by(&by_a_rule, &rules), None);
        }
    }

    #[test]
    fn what_only_a_trial_showed_is_offered_where_the_words_say_it_too() {
        let seen = |command: &str, paths: &[&str]| {
            let question = asked(command);
            let effects = paths.iter().map(|below| Effect {
                kind: EffectKind::Deletes,
                what: home(below.trim_end_matches('/')).display().to_string(),
                word: String::new(),
                why: "deleted when it was tried where nothing lasts".to_owned(),
            });
            let changes = paths.iter().map(|below| PreviewedChange {
                path: home(below),
                change: FileChangeKind::Deleted,
                bytes_before: None,
                bytes_after: None,
                diff: None,
            });
            let question = Question { effects: effects.collect(), changes: changes.collect(), ..question };
            drafted_by(&question, &no_rules())
        };
        let rule = seen("rm -r ~/old", &["old/", "old/a", "old/b/", "old/b/c"]).unwrap();
        assert_eq!(rule.paths, ["~/old", "~/old/**"]);
        assert_eq!(seen("rm -r ~/old", &["old/", "elsewhere"]).unwrap().paths.len(), 3);
        assert_eq!(seen("./clean.sh", &["old/a"]), None);
        assert_eq!(seen("cleaner", &["old/a"]), None);
    }

    #[test]
    fn a_file_that_is_written_without_a_program_needs_none_in_its_rule() {
        let question = Question {
            tool: ToolName::new("write_file"),
            command: "write_file ./report.md".to_owned(),
            programs: Vec::new(),
            effects: vec![Effect {
                kind: EffectKind::Overwrites,
                what: home("p1/report.md").display().to_string(),
                word: String::new(),
                why: "the file was there before the run".to_owned(),
            }],
            ..asked("ls")
        };
        let rule = drafted_by(&question, &no_rules()).unwrap();
        assert_eq!((rule.programs.len(), rule.paths), (0, vec!["~/p1/report.md".to_owned()]));
        assert_eq!(rule.matches, ["date > ~/p1/report.md"]);
        assert_eq!(rule.spares, ["date > ~/p1/other-report.md"]);
    }

    /// Commands over names with everything that a shell, a glob and TOML know.
    fn any_command() -> impl Strategy<Value = String> {
        let program = prop::sample::select(vec![
            "rm",
            "rm -r",
            "rmdir",
            "sed -i s/a/b/",
            "touch",
            "truncate -s 0",
            "chmod 600",
            "date >",
            ">",
            "deployer",
            "mv x.txt",
            "shred -u",
            "find",
            "tee",
        ]);
        let folder =
            prop::sample::select(vec!["", "~/", "$HOME/", "$WORKSPACE/", "../", "sub4/", "/srv/x1/"]);
        let name = "[a-z0-9 .*?\\[\\]{}'\"\\\\!#é数-]{1,8}";
        (program, folder, name, prop::sample::select(vec!["", "; echo 0", "\nls", " && rm b.txt", " | sh"]))
            .prop_map(|(program, folder, name, rest)| {
                let quoted = format!("'{}'", name.replace('\'', r"'\''"));
                format!("{program} {folder}{quoted}{rest}")
            })
    }

    proptest! {
        #[test]
        fn every_drafted_rule_holds_and_stays_with_its_programs_and_paths(
            command in any_command(), other in any_command(),
        ) {
            let question = asked(&command);
            let Some(rule) = drafted_by(&question, &no_rules()) else { return Ok(()) };
            let rules = no_rules().and(Rule::allowing(rule.clone(), "r".to_owned()), Path::new(HOME));
            let rules = rules.map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert!(rules.ruling(question.deed()).is_some_and(|ruled| ruled.allows()), "{rule:?}");
            prop_assert!(!rule.matches.is_empty() && !rule.spares.is_empty(), "{rule:?}");
            // Whatever else it allows is of the same kinds, on the same paths or below a folder that goes, by the same programs.
            let another = asked(&other);
            if rules.ruling(another.deed()).is_some() {
                let is_asked = |effect: &Effect| {
                    let kinds = question.effects.iter().any(|asked| asked.kind == effect.kind);
                    let path = on_file(effect);
                    kinds && question.effects.iter().any(|asked| match (on_file(asked), path) {
                        (Some(asked), Some(path)) => path.starts_with(asked),
                        (None, None) => asked.what == effect.what,
                        (None, _) | (_, None) => false,
                    })
                };
                prop_assert!(another.effects.iter().all(is_asked), "{rule:?} allows {other}");
                let is_named = |name: &String| {
                    question.programs.contains(name) || QUIET.contains(&name.as_str())
                };
                prop_assert!(
                    rule.programs.is_empty() || another.programs.iter().all(is_named),
                    "{rule:?} allows {other}"
                );
            }
        }

        /// What is beside, above and below, by each of the programs.
        #[test]
        fn a_rule_does_not_reach_beside_its_paths(name in "[a-z*?\\[\\]{}]{1,6}", more in "[a-z*?]{1,3}") {
            let rm = |name: &str| format!("rm ~/notes/'{name}'");
            let Some(rule) = drafted(&rm(&name)) else { return Ok(()) };
            let rules = no_rules().and(Rule::allowing(rule, "r".to_owned()), Path::new(HOME)).unwrap();
            let allows = |command: &str| rules.ruling(asked(command).deed()).is_some();
            prop_assert!(allows(&rm(&name)));
            let [longer, below] = [format!("{name}{more}"), format!("{name}/{more}")];
            for other in [&longer, &below, "q", "new", "x/q"] {
                prop_assert!(other == name || !allows(&rm(other)), "{name} {other}");
            }
            let by_another = format!("shred -u ~/notes/'{name}'");
            prop_assert!(!allows("rm -r ~/notes") && !allows(&by_another));
        }
    }
}
