//! How each remedy is had on the command line. Libraries say what helps; this is the one table that says by which command or option.

use artoo_types::Remedy;

/// The command or option.
const fn way(remedy: Remedy) -> &'static str {
    match remedy {
        Remedy::ChooseModel => "artoo setup",
        Remedy::ShowConfiguration => "artoo config show",
        Remedy::CheckModelFiles => "artoo model list, artoo model pull",
        Remedy::FetchModel => "artoo model pull",
        Remedy::FetchModelElsewhere => "artoo model pull --from PATH, or artoo setup",
        Remedy::ChooseDataFolder => "--data-dir DIR",
        Remedy::CheckAuditLog => "artoo audit verify, or --data-dir DIR",
        Remedy::CheckMemory => "artoo memory verify",
        Remedy::RebuildMemory => "artoo memory rebuild",
        Remedy::ExportMemory => "artoo memory export --output FILE",
        Remedy::CheckMachine => "artoo doctor",
        Remedy::ListRuns => "artoo runs list",
        Remedy::AttachToRun => "artoo runs attach RUN",
        Remedy::ResumeUndo => "artoo undo RUN --dry-run, or --as-it-is",
        Remedy::ListSessions => "artoo sessions list",
        Remedy::AskAnew => "artoo run \"REQUEST\"",
        Remedy::AllowTokens => "--max-tokens N",
        Remedy::AllowCost => "--max-cost AMOUNT",
        Remedy::AllowReplans => "--max-replans N",
        Remedy::AllowTime => "--time-budget TIME",
        Remedy::AllowToGoOn => "at a terminal, or with --ask-after-turns N and --ask-after-tokens N",
        Remedy::AgreeToPlan => "at a terminal, with neither --json nor --quiet, or without --plan",
    }
}

/// A hint as it is said at the terminal: what helps, and how it is had.
pub(crate) fn worded(hint: &str, remedy: Option<Remedy>) -> String {
    match remedy {
        Some(remedy) => format!("{hint}: {}", way(remedy)),
        None => hint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_and_option_is_there() {
        let cli = Cli::command();
        let mut options = Vec::new();
        let mut open = vec![cli.clone()];
        while let Some(command) = open.pop() {
            options.extend(command.get_arguments().filter_map(|option| option.get_long().map(str::to_owned)));
            open.extend(command.get_subcommands().cloned());
        }
        for remedy in Remedy::ALL {
            let words = way(remedy);
            for after in words.split("artoo ").skip(1) {
                let mut command = &cli;
                for name in after
                    .split([' ', ','])
                    .take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
                {
                    let known = command.find_subcommand(name);
                    command =
                        known.unwrap_or_else(|| panic!("{remedy:?}: there is no {name} in `artoo {after}`"));
                }
            }
            for option in words.split("--").skip(1) {
                let name = option.split([' ', ',']).next().unwrap();
                assert!(options.iter().any(|known| known == name), "{remedy:?}: there is no --{name}");
            }
        }
    }

    #[test]
    fn a_hint_stands_before_the_way() {
        assert_eq!(worded("list them", Some(Remedy::ListRuns)), "list them: artoo runs list");
        assert_eq!(worded("try again", None), "try again");
    }
}
