//! Tests of `policy.toml`: what rules allow and deny while no person can be asked.

use std::fs;
use std::path::PathBuf;

use crate::fixture::Scene;
use crate::mock_model::{count_plan, model, shell};

const REQUEST: &str = "How many files are left?";

const ALLOW: &str = r#"
[[rule]]
decision = "allow"
effects = ["deletes"]
program = "rm"
paths = ["~/artoo_workspace/*.txt"]
reason = "notes are short-lived"
matches = ["rm ~/artoo_workspace/a.txt"]
spares = ["rm ~/a.txt", "rm -r ~/artoo_workspace", "find ~/artoo_workspace -name '*.txt' -delete"]
"#;

const DENY: &str = r#"
[[rule]]
decision = "deny"
effects = ["deletes", "overwrites"]
paths = ["~/artoo_workspace/**"]
reason = "there is no other copy"
matches = ["rm ~/artoo_workspace/a.txt"]
spares = ["rm ~/a.txt"]
"#;

/// A model that runs this command to answer, in a home folder with these rules.
fn scene(rules: &str, command: &'static str) -> Scene {
    let scene = Scene::new(model(count_plan("Remove the notes and count the rest"), move |_| shell(command)));
    let folder = scene.home().join(".config/artoo");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("policy.toml"), rules).unwrap();
    fs::create_dir_all(notes(&scene).parent().unwrap()).unwrap();
    fs::write(notes(&scene), "a year's work\n").unwrap();
    scene
}

fn notes(scene: &Scene) -> PathBuf {
    scene.home().join("artoo_workspace/notes.txt")
}

const REMOVAL: &str = "rm ~/artoo_workspace/notes.txt\necho 0";

#[test]
fn what_a_rule_allows_is_done_where_nobody_is_there_and_the_record_names_the_rule() {
    let scene = scene(ALLOW, REMOVAL);
    let said = scene.say(&["run", REQUEST]).ended(0);
    assert!(!notes(&scene).exists());
    assert!(said.err.contains("rule 1 of policy.toml: notes are short-lived"), "{}", said.err);
    let journal = scene.journal();
    let decided = journal.lines().find(|line| line.contains("approval_decided")).unwrap();
    assert!(decided.contains("rule 1 of policy.toml: notes are short-lived"), "{decided}");
}

#[test]
fn what_a_rule_denies_is_refused_whatever_else_allows_it() {
    let both = format!("{ALLOW}{DENY}");
    for line in [&["run", REQUEST][..], &["run", "--yes", "deletes", REQUEST]] {
        let scene = scene(&both, REMOVAL);
        scene.say(line).ended(5);
        assert!(notes(&scene).exists());
        assert!(scene.journal().contains("rule 2 of policy.toml: there is no other copy"));
    }
}

/// If commands can be tried first, the rules judge the list of changes; otherwise
/// unknown effects need a person's approval.
#[test]
fn what_only_shows_when_it_runs_is_denied_too() {
    let scene = scene(DENY, "x=rm; printf -v y %s notes.txt; \"$x\" ~/artoo_workspace/\"$y\"; echo 0");
    scene.say(&["run", REQUEST]).ended(5);
    assert!(notes(&scene).exists());
}

#[test]
fn no_rule_opens_a_protected_place_and_the_rules_are_one() {
    let wide = ALLOW
        .replace("~/artoo_workspace/*.txt", "/**")
        .replace("spares = [\"rm ~/a.txt\", ", "spares = [\"ls\", ")
        .replace("\"rm -r ~/artoo_workspace\", ", "");
    let removals = ["~/.ssh/id_rsa", "~/.config/artoo/policy.toml", "~/.config/artoo/config.toml"];
    for removed in removals {
        let command: &'static str = format!("rm {removed}\necho 0").leak();
        let scene = scene(&wide, command);
        fs::write(scene.home().join(".config/artoo/config.toml"), "").unwrap();
        fs::create_dir_all(scene.home().join(".ssh")).unwrap();
        fs::write(scene.home().join(".ssh/id_rsa"), "key").unwrap();
        // What is never allowed lacks no consent.
        let said = scene.say(&["run", REQUEST]).ended(4);
        assert!(said.out.contains("Never allowed, whoever agrees"), "{}", said.out);
        assert!(removals.iter().all(|path| scene.home().join(path.trim_start_matches("~/")).exists()));
        let checked = scene.say(&["policy", "check", "--json", command]).ended(0);
        assert!(checked.out.contains("\"begins\":\"refuse\""), "{}", checked.out);
    }
}

#[test]
fn a_rule_whose_example_fails_ends_with_2_and_nothing_runs() {
    let wrong = ALLOW.replace("rm ~/a.txt", "rm ~/artoo_workspace/b.txt");
    let scene = scene(&wrong, REMOVAL);
    for line in [&["run", REQUEST][..], &["policy", "rules"], &["policy", "check", "ls"]] {
        let said = scene.say(line).ended(2);
        said.explains(
            "rule 1: its example in `spares` is not spared: `rm ~/artoo_workspace/b.txt`",
            "correct",
        );
        assert!(said.err.contains("policy.toml:2:"), "{}", said.err);
    }
    assert!(notes(&scene).exists() && scene.runs().is_empty());
}

#[test]
fn a_check_says_which_rule_decides_and_a_list_where_the_rules_stand() {
    let scene = scene(&format!("{ALLOW}{DENY}"), REMOVAL);
    let said = scene.say(&["policy", "check", "rm ~/artoo_workspace/notes.txt"]).ended(0);
    let line = "refuse  rule 2 of policy.toml: there is no other copy";
    assert!(said.out.contains(line), "{}", said.out);
    let said = scene.say(&["policy", "check", "--json", "rm ~/artoo_workspace/notes.txt"]).ended(0);
    let checked: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let rule = &checked["rule"];
    assert_eq!(
        (&checked["begins"], &rule["name"], &rule["decision"]),
        (&"refuse".into(), &"policy-rule-2".into(), &"deny".into())
    );
    let said = scene.say(&["policy", "rules"]).ended(0);
    assert!(
        said.out.contains(".config/artoo/policy.toml\n  1  allow  deletes by rm in ~/artoo_w"),
        "{}",
        said.out
    );
    let said = scene.say(&["policy", "rules", "--json"]).ended(0);
    let listed: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(listed["rules"][1]["reason"], "there is no other copy");
    // The working folder is not searched.
    fs::write(scene.folder().join("policy.toml"), "nonsense").unwrap();
    scene.say(&["policy", "rules"]).ended(0);
}
