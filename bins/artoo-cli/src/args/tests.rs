//! Tests of the command line parser and snapshots of every help text.

use clap::CommandFactory;

use super::*;

fn parsed(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(Into::into).collect();
    match parse(&words, 80) {
        Ok(Parsed::Command(command, common)) => format!("{command:?} {common:?}"),
        Ok(Parsed::Repl(..)) => "a conversation".to_owned(),
        Ok(Parsed::Text(text)) => text.to_string(),
        Ok(Parsed::Mistake(text)) => text.to_string(),
        Err(error) => format!("error: {error}\nhint: {}", error.next_step().unwrap_or("none")),
    }
}

#[test]
fn the_definitions_hold_together() {
    Cli::command().debug_assert();
}

#[test]
fn the_short_form_is_a_run() {
    let same = |short: &[&str], long: &[&str]| assert_eq!(parsed(short), parsed(long));
    same(&["how many files?"], &["run", "how many files?"]);
    same(&["-"], &["run", "-"]);
    same(&["--json", "数一数"], &["run", "--json", "数一数"]);
    same(&["数一数"], &["run", "数一数"]);
    same(&["--data-dir", "/d", "count it"], &["run", "--data-dir", "/d", "count it"]);
    assert_eq!(parsed(&[]), "a conversation");
    // Said outright, a single word is a request.
    assert!(parsed(&["run", "undo"]).starts_with("Run("));
}

#[test]
fn help_and_version_are_words_as_well() {
    assert_eq!(parsed(&["version"]), parsed(&["--version"]));
    assert_eq!(parsed(&["help"]), parsed(&["--help"]));
    assert_eq!(parsed(&["help", "runs", "undo"]), parsed(&["runs", "undo", "--help"]));
}

#[test]
fn a_group_without_a_command_lists_or_shows() {
    let same = |bare: &str, full: &[&str]| assert_eq!(meant(&[bare]), meant(full));
    same("runs", &["runs", "list"]);
    same("sessions", &["session", "list"]);
    same("memory", &["memories", "stats"]);
    same("model", &["models", "list"]);
    same("audit", &["audit", "report"]);
    same("policy", &["policies", "rules"]);
    same("config", &["config", "show"]);
    same("mcp", &["mcp", "list"]);
}

/// The command that is meant, with the defaults of groups in it.
fn meant(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(Into::into).collect();
    let Ok(Parsed::Command(command, _)) = parse(&words, 80) else { panic!("{words:?}") };
    #[expect(clippy::wildcard_enum_match_arm, reason = "the groups among many commands")]
    match *command {
        Command::Runs(group) => format!("{:?}", group.command()),
        Command::Sessions(group) => format!("{:?}", group.command()),
        Command::Memory(group) => format!("{:?}", group.command()),
        Command::Model(group) => format!("{:?}", group.command()),
        Command::Audit(group) => format!("{:?}", group.command()),
        Command::Policy(group) => format!("{:?}", group.command()),
        Command::Config(group) => format!("{:?}", group.command()),
        Command::Mcp(group) => format!("{:?}", group.command()),
        other => panic!("{other:?} is no group"),
    }
}

#[test]
fn short_names_mean_the_same() {
    let same = |short: &[&str], long: &[&str]| assert_eq!(parsed(short), parsed(long));
    same(&["run", "-m", "qwen3", "-C", "/d", "x"], &["run", "--model", "qwen3", "--cwd", "/d", "x"]);
    same(&["runs", "replay", "last"], &["runs", "what-if", "last"]);
    same(&["runs", "rm", "last"], &["runs", "delete", "last"]);
    same(&["run", "--yes", "outside_machine", "x"], &["run", "--yes", "outside-machine", "x"]);
}

#[test]
fn a_program_and_its_arguments_are_one_command() {
    let text = |words: &[&str]| {
        let words: Vec<_> = ["sandbox"].iter().chain(words).map(Into::into).collect();
        match parse(&words, 80) {
            Ok(Parsed::Command(command, _)) => {
                let Command::Sandbox(args) = *command else { panic!("{words:?}") };
                args.text()
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(text(&["ls | wc -l"]), "ls | wc -l");
    assert_eq!(text(&["--", "ls", "-l", "a b", "$HOME"]), "ls -l 'a b' '$HOME'");
    assert_eq!(text(&["--", "ls | wc -l"]), "'ls | wc -l'");
    for wrong in [&["sandbox"][..], &["sandbox", "ls", "--", "ls"]] {
        assert!(parsed(wrong).contains("Usage: artoo sandbox"), "{}", parsed(wrong));
    }
}

/// One table has the codes, and the help says all of them.
#[test]
fn the_help_has_every_exit_code() {
    let table = include_str!("../../../../crates/runtime/src/exit_code.rs");
    let codes: Vec<u8> = table
        .lines()
        .filter_map(|line| line.strip_prefix("/// | ")?.split_once(' ')?.0.parse().ok())
        .collect();
    assert!(codes.len() > 8, "{codes:?}");
    let help = parsed(&["--help"]);
    let (_, said) = help.split_once("Exit codes:\n").unwrap();
    for code in codes {
        let is_its = |line: &str| line.split_whitespace().next() == Some(&code.to_string());
        assert!(said.lines().any(is_its), "{code}\n{said}");
    }
}

#[test]
fn options_of_every_command_may_stand_on_either_side() {
    let check = |words: &[&str]| {
        let parsed = parsed(words);
        assert!(parsed.contains("List") && parsed.contains("data_dir: Some(\"/d\")"), "{parsed}");
    };
    check(&["runs", "list", "--data-dir", "/d"]);
    check(&["runs", "--data-dir", "/d", "list"]);
    check(&["--data-dir", "/d", "runs", "list"]);
}

#[test]
fn mistakes_are_answered_with_what_was_meant() {
    let mut text = String::new();
    for words in [
        &["docter"][..],
        &["modle", "list"],
        &["list"],
        &["status"],
        &["hello"],
        &["hello", "--json"],
        &["config_set", "key", "--unset"],
        &["undoo", "--dry-run"],
        &["--yes", "creates", "tidy-up"],
        &["--", "undo"],
        &["stop", "the", "music"],
        &["help", "runs", "unod"],
        &["how", "many", "files"],
        &["run", "how", "many"],
        &["--json", "run", "x"],
        &["count it", "runs", "list"],
        &["run", "--jsn", "x"],
        &["run", "--sandbox", "none", "x"],
        &["run", "--timeout", "5", "x"],
        &["run", "-c", "x", "y"],
        &["run", "--quiet", "--verbose", "x"],
        &["runs", "lst"],
        &["completions", "tcsh"],
    ] {
        text.push_str(&format!("$ artoo {}\n{}\n", words.join(" "), parsed(words).trim_end()));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn every_help_text() {
    let mut text = String::new();
    for mut words in short_help::tests::commands() {
        words.push("--help".to_owned());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        text.push_str(&format!("$ artoo {}\n{}\n", words.join(" "), parsed(&words)));
    }
    insta::assert_snapshot!(text);
}
