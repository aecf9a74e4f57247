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
    let mut all = vec![vec![]];
    for command in Cli::command().get_subcommands() {
        all.push(vec![command.get_name().to_owned()]);
        for below in command.get_subcommands() {
            all.push(vec![command.get_name().to_owned(), below.get_name().to_owned()]);
        }
    }
    for mut words in all {
        words.push("--help".to_owned());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        text.push_str(&format!("$ artoo {}\n{}\n", words.join(" "), parsed(&words)));
    }
    insta::assert_snapshot!(text);
}
