//! Benchmark of the conversation at a terminal: startup, key latency, and the cost of many turns.

use super::{rounds, rows, table::rows_table};
use crate::{
    Result, cli,
    command::Program,
    machine,
    terminal::step,
    verify::{self, Build},
};

/// Measures it and returns a section of the document.
pub(super) fn section(options: &cli::Bench) -> Result<String> {
    let (artoo, program) = match &options.binary {
        Some(binary) => (binary.clone(), "one that was built before, by `--binary`"),
        None => (step("build artoo", || verify::artoo(Build::Release))?, "a release build of this tree"),
    };
    let terminal = step("build the terminal", || verify::example("terminal", Build::Tested))?;
    let load = machine::load();
    let printed = step("measure the conversation", || {
        Program::new(terminal, ["measure", rounds(options).as_str()]).args([&artoo]).text()
    })?;
    Ok(document(&Conditions::now(options.rounds, program, load), &rows_table(&rows(&printed)?)))
}

/// The conditions of the measurement.
struct Conditions {
    rounds: u32,
    program: &'static str,
    date: String,
    machine: String,
    load: String,
}

impl Conditions {
    fn now(rounds: u32, program: &'static str, load: String) -> Self {
        let date = chrono::Local::now().format("%Y-%m-%d %H:%M").to_string();
        Self { rounds, program, date, machine: machine::description(), load }
    }
}

fn document(conditions: &Conditions, table: &str) -> String {
    let Conditions { rounds, program, date, machine, load } = conditions;
    format!(
        "## The conversation\n\n\
         `artoo` alone, the program that a person runs, at a pseudo-terminal of 28 lines of 90 columns; the model is scripted and answers at once, from\n\
         the process that measures. The floor is `bash` at another such terminal, key by key in turn. A key counts as answered when what was typed\n\
         stands on the screen, behind all that was drawn before. Eight runs: eight times `/bg`, each of which runs one small command after the\n\
         other, as fast as it can, until it is stopped. Turns are requests of one session with one confined command each; without memory\n\
         nothing is remembered from run to run, which else grows with the runs. Written by `cargo xtask bench --only conversation --rounds {rounds}`.\n\n\
         - program: {program}\n- date: {date}\n- machine: {machine}\n- load average when it began (minute, 5, 15): {load}\n\n{table}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_says_under_what_conditions() {
        let conditions = Conditions {
            rounds: 5,
            program: "a release build",
            date: "2026-01-01 10:00".to_owned(),
            machine: "2 cores".to_owned(),
            load: "0.10 0.20 0.30".to_owned(),
        };
        let text = document(&conditions, "| what |\n");
        assert!(text.starts_with("## The conversation\n\n"), "{text}");
        for part in [
            "--rounds 5`",
            "- program: a release build\n",
            "2026-01-01 10:00",
            "2 cores",
            "15): 0.10 0.20 0.30\n\n| what |\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
