//! Which rules are drafted from a question, and which never are.

use artoo_shell_effects::{Permission, Place, effects_of};
use artoo_types::{Effect, PreviewedChange, PreviewedKind, ToolName};
use proptest::prelude::*;

use super::super::{asked_about, programs_of, rest_of};
use super::*;

const HOME: &str = "/home/nobody-here";

/// Fake file system: names that end in a digit are folders, `new` does not exist, everything else is a file.
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
    let place =
        Place { home: &home, working_folder: &folder, workspace: &workspace, protected: &[], paths: &Table };
    let effects = effects_of(command, place);
    Question {
        tool: ToolName::new("shell"),
        command: command.to_owned(),
        programs: programs_of(&effects),
        effects: asked_about(&effects),
        free: rest_of(&effects),
        changes: Vec::new(),
        commit: None,
        moves: None,
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
        // With another user's rights, or on other machines.
        "sudo rm ~/notes/a.txt",
        "curl -X POST https://example.org/ -d x",
        // Unknown effects: of interpreters, and of programs that a rule cannot name.
        "bash x.sh",
        "python3.12 x.py",
        "python3.99 x.py",
        "deno run x.ts",
        "flock x deployer plan",
        "./x.sh",
        "$x ~/notes/a.txt",
        "env deployer plan",
        // Protected places, folders around them, and repositories.
        "rm ~/.ssh/id_rsa",
        "rm -r ~/.config",
        "rm -r ~",
        "rm ~/notes/.git/config",
        "rm ~/.config/artoo/policy.toml",
        // Unknown paths.
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
    for (decision, offered) in
        [(Permission::Ask, false), (Permission::Deny, false), (Permission::Allow, true)]
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
        // Asked because of a rule about another effect of the call.
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
            change: PreviewedKind::Deleted,
            from: None,
            bytes_before: None,
            bytes_after: None,
            mode_before: None,
            mode_after: None,
            diff: None,
            autorun: None,
            build_output: None,
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

/// Commands over names with every special character of the shell, globs and TOML.
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
    let folder = prop::sample::select(vec!["", "~/", "$HOME/", "$WORKSPACE/", "../", "sub4/", "/srv/x1/"]);
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
        prop_assert!(rules.ruling(question.proposed()).is_some_and(|ruled| ruled.allows()), "{rule:?}");
        prop_assert!(!rule.matches.is_empty() && !rule.spares.is_empty(), "{rule:?}");
        // Anything else that the rule allows has the same kinds, the same programs, and the same paths or
        // paths below a deleted folder.
        let another = asked(&other);
        if rules.ruling(another.proposed()).is_some() {
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

    /// Sibling, parent and child paths, by each of the programs.
    #[test]
    fn a_rule_does_not_reach_beside_its_paths(name in "[a-z*?\\[\\]{}]{1,6}", more in "[a-z*?]{1,3}") {
        let rm = |name: &str| format!("rm ~/notes/'{name}'");
        let Some(rule) = drafted(&rm(&name)) else { return Ok(()) };
        let rules = no_rules().and(Rule::allowing(rule, "r".to_owned()), Path::new(HOME)).unwrap();
        let allows = |command: &str| rules.ruling(asked(command).proposed()).is_some();
        prop_assert!(allows(&rm(&name)));
        let [longer, below] = [format!("{name}{more}"), format!("{name}/{more}")];
        for other in [&longer, &below, "q", "new", "x/q"] {
            prop_assert!(other == name || !allows(&rm(other)), "{name} {other}");
        }
        let by_another = format!("shred -u ~/notes/'{name}'");
        prop_assert!(!allows("rm -r ~/notes") && !allows(&by_another));
    }
}
