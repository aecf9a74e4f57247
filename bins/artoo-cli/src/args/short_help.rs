//! The help of `-h`: one screen of 24 rows and 80 columns. `--help` says everything.

use clap::Command;
use clap::builder::Resettable;

/// The page of `artoo -h`. A test holds it against the definitions.
const ARTOO: &str = "\
Usage: artoo [OPTIONS] \"REQUEST\"
       artoo COMMAND

  run               Work on one request; `artoo \"REQUEST\"` is the same
  sandbox           Carry out one command of your own as a run would
  undo, diff        Take back, or show, what a run did to files
  explain           Explain why a run went as it did
  stop, resume      End a run; begin one again, or go on with a conversation
  runs, sessions    List, show and delete past runs and conversations
  memory            Look at what was learned; remember and forget
  audit             Read and verify the auditor's log
  policy, config    Your rules of consent; the configuration
  setup, doctor     Choose a model; say what works on this machine
  model             List, fetch or remove embedded models
  mcp, acp          Tools of others and other agents; work in an editor
  completions, man  Completion for your shell; the manual
  help, version     Print help of a command; print the version

Options of every command: -c KEY=VALUE  --profile NAME  --data-dir DIR
                          -v  --plain  --log FILE
Options of a request: artoo run -h; of a command: artoo COMMAND -h
Everything, with examples and exit codes: artoo --help
";

/// What is left of a definition for `-h`: one list of options, without the values that they may have.
pub(super) fn short(command: Command) -> Command {
    below(command.help_template(ARTOO), "artoo")
}

/// The subcommands of a command, whose name is `path`.
fn below(command: Command, path: &str) -> Command {
    command.mut_subcommands(|command| {
        let path = format!("{path} {}", command.get_name());
        let more = format!("More: {path} --help. Options of every command: artoo -h");
        let command = command.mut_args(|arg| {
            let takes_value = arg.get_action().takes_values();
            let arg = arg.help_heading(Resettable::Reset);
            if takes_value { arg.hide_possible_values(true).hide_default_value(true) } else { arg }
        });
        below(command.after_help(more), &path)
    })
}

/// Whether the short help is asked for.
pub(super) fn is_asked(words: &[std::ffi::OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == "-h")
}

#[cfg(test)]
pub(super) mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory;

    use super::super::Cli;
    use super::super::parse::{Parsed, parse};
    use crate::terminal::width;

    /// The words of each command, the program itself first. Hidden commands are left out.
    pub(in crate::args) fn commands() -> Vec<Vec<String>> {
        let mut all = vec![vec![]];
        let mut open = vec![(vec![], Cli::command())];
        while let Some((path, command)) = open.pop() {
            for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
                let path: Vec<String> = path.iter().cloned().chain([below.get_name().to_owned()]).collect();
                all.push(path.clone());
                open.push((path, below.clone()));
            }
        }
        all.sort();
        all
    }

    fn help(path: &[String], flag: &str, columns: usize) -> String {
        let words: Vec<OsString> = path.iter().map(OsString::from).chain([flag.into()]).collect();
        match parse(&words, columns) {
            Ok(Parsed::Text(text)) => text.to_string(),
            other => panic!("{path:?}: {other:?}"),
        }
    }

    #[test]
    fn every_short_help_fits_a_screen_of_24_rows_and_80_columns() {
        let mut text = String::new();
        for path in commands() {
            let help = help(&path, "-h", 80);
            assert!(help.lines().count() < 24, "artoo {}\n{help}", path.join(" "));
            assert!(help.lines().all(|line| width(line) <= 80), "{help}");
            text.push_str(&format!("$ artoo {} -h\n{help}\n", path.join(" ")));
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn no_help_is_wider_than_100_columns() {
        for path in commands() {
            for flag in ["-h", "--help"] {
                let help = help(&path, flag, 200);
                assert!(help.lines().all(|line| width(line) <= 100), "artoo {}\n{help}", path.join(" "));
            }
        }
    }

    #[test]
    fn the_short_page_names_every_command() {
        let named: Vec<String> = super::ARTOO
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
            .filter_map(|line| line.split_once("  "))
            .flat_map(|(names, _)| names.split(", ").map(|name| name.trim().to_owned()))
            .collect();
        let mut expected: Vec<String> =
            commands().into_iter().filter(|path| path.len() == 1).flatten().collect();
        let mut named = named;
        named.sort();
        expected.sort();
        assert_eq!(named, expected);
    }

    /// The options that the page names are those of every command, and all of them.
    #[test]
    fn the_short_page_names_every_global_option() {
        let definition = Cli::command();
        for option in definition.get_arguments().filter(|arg| arg.is_global_set()) {
            let short = option.get_short().map(|short| format!(" -{short}"));
            let name = short.or_else(|| option.get_long().map(|long| format!("--{long}"))).unwrap();
            assert!(super::ARTOO.contains(&name), "{name}");
        }
    }
}
