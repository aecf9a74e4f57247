//! `artoo man`: a single manual page, generated from the command line definitions.

use std::io;

use artoo_tools::SystemProgram;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Cli, WIDEST};
use crate::error::{CommandError, Exit};
use crate::machine::Environment;
use crate::terminal::{Streams, Terminal, given_to, paged};

/// The program that formats manual pages.
const READER: &str = "man";

/// Shows the page at a terminal, and prints its source elsewhere.
pub(crate) fn run(
    terminal: &mut Terminal,
    environment: &Environment,
    streams: Streams,
) -> Result<Exit, CommandError> {
    let page = page(&Cli::command())
        .map_err(|error| CommandError::failed("cannot write the manual page").because(error))?;
    if !streams.stdout {
        terminal.data(&page)?;
        return Ok(Exit::OK);
    }
    let reader = SystemProgram::find(READER, &environment.search_path());
    if !reader.is_some_and(|reader| given_to(&reader, environment, &["-l", "-"], &page)) {
        // Without a reader of manual pages the same is in the help texts.
        paged(terminal, environment, &plain(&mut Cli::command(), terminal.data_look().columns))?;
    }
    Ok(Exit::OK)
}

/// The help of every command, one after the other.
fn plain(program: &mut Command, columns: usize) -> String {
    program.build();
    let mut open = vec![program.clone().term_width(columns.min(WIDEST))];
    let mut texts = Vec::new();
    while let Some(mut command) = open.pop() {
        texts.push(command.render_long_help().to_string());
        let below: Vec<Command> =
            command.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
        open.extend(below.into_iter().rev());
    }
    texts.join("\n\n")
}

/// The program's own sections, then one section per command with subsections.
fn page(program: &Command) -> io::Result<String> {
    let mut program = program.clone().disable_help_flag(true);
    program.build();
    let version = program.get_version().unwrap_or_default();
    let whole = Man::new(program.clone()).source(format!("artoo {version}")).manual("artoo");
    let mut text = Vec::new();
    whole.render_title(&mut text)?;
    whole.render_name_section(&mut text)?;
    let mut page = text_of(text) + &body(&program)?;
    for command in program.get_subcommands() {
        section(command, &mut page)?;
    }
    Ok(page)
}

/// A command with its subcommands.
fn section(command: &Command, page: &mut String) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    page.push_str(&format!(".SH \"{}\"\n", escaped(&name.to_uppercase())));
    page.push_str(&body(command)?.replace("\n.SH ", "\n.SS ").replacen(".SH ", ".SS ", 1));
    command.get_subcommands().try_for_each(|below| section(below, page))
}

/// Description, synopsis, options and examples of a command.
fn body(command: &Command) -> io::Result<String> {
    // The examples are added verbatim, because the generator would fill them into paragraphs.
    let examples = command.get_after_help().map(ToString::to_string);
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    let mut text = text_of(text);
    for block in examples.iter().flat_map(|examples| examples.split("\n\n")) {
        let (head, lines) = block.split_once('\n').unwrap_or((block, ""));
        let head = head.trim_end_matches(':').to_uppercase();
        text.push_str(&format!(".SH \"{}\"\n.nf\n", escaped(&head)));
        for line in lines.lines() {
            text.push_str(&format!("{}\n", escaped(line.trim_start())));
        }
        text.push_str(".fi\n");
    }
    Ok(text)
}

/// Escapes what roff would interpret.
fn escaped(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-").replace('"', "\\(dq");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_section_and_its_examples_as_they_stand() {
        let page = page(&Cli::command()).unwrap();
        assert_eq!(page.matches(".TH ").count(), 1, "one page");
        for command in Cli::command().get_subcommands() {
            let name = command.get_name().to_uppercase();
            assert!(page.contains(&format!(".SH \"ARTOO {name}\"")), "no {name}");
            for below in command.get_subcommands() {
                let below = escaped(&below.get_name().to_uppercase());
                let section = format!(".SH \"ARTOO {name} {below}\"");
                assert!(page.contains(&section), "no {section}");
            }
        }
        for line in [
            "artoo runs explain last \\-\\-json",
            "echo \\(dqWhich file in docs is the largest?\\(dq | artoo run",
        ] {
            assert!(page.lines().any(|known| known == line), "no `{line}`");
        }
        assert_eq!(page.matches("\n.nf\n").count(), page.matches("\n.fi\n").count());
    }

    #[test]
    fn without_a_reader_every_help_is_shown() {
        let text = plain(&mut Cli::command(), 80);
        for expected in ["Usage: artoo runs what-if", "Usage: artoo memory remember", "Exit codes:"] {
            assert!(text.contains(expected), "no {expected}");
        }
        assert!(text.lines().all(|line| crate::terminal::width(line) <= 100));
    }

    #[test]
    fn nothing_in_a_line_is_taken_for_the_formatters_own() {
        assert_eq!(escaped(".TH x"), "\\&.TH x");
        assert_eq!(escaped("'\\fB --a"), "\\&'\\efB \\-\\-a");
    }
}
