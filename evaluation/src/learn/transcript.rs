//! Transcript of two runs of a sequence: one that has to learn, and one that benefits.

use std::path::Path;

use super::{Memory, Sequence, Suite};
use crate::{Error, Result, command::Program, files};

/// The sequence whose first request needs another plan.
pub(super) const SEQUENCE: &str = "program-out-of-order";

/// Runs the first two requests of a sequence, each in its own process, queries memory about the second, and
/// writes the output.
///
/// # Errors
/// A program cannot be started, the sequence is too short, or the file cannot be written.
pub(super) fn write(suite: &Suite, sequence: &Sequence, command: &str, to: &Path) -> Result<()> {
    let [first, second, ..] = sequence.requests.as_slice() else {
        return Err(Error::Other(format!("{} has fewer than two requests", sequence.id)));
    };
    let data = suite.data(sequence, Memory::On, 0);
    let home = suite.home(sequence)?;
    let workspace = suite.place.join("workspace");
    let mut text = format!(
        "# A lesson that is remembered\n\n\
         Written by `{command}`; do not edit.\n\n\
         The model is the simulated one of the [learning suite](../learning.md), which knows of this home what its prompt says.\n\
         {}\n\
         Each request has a process of its own, with the same data folder. What artoo says of its work stands before the answer.\n",
        sequence.about
    );
    for (heading, asks) in [("The first request", &first.asks), ("The next one", &second.asks)] {
        let mut options = vec!["run".to_owned()];
        options.extend(suite.model_options());
        let run = suite.program(options, &data).folder(&home);
        let run = run.args(["--workspace".as_ref(), workspace.as_os_str()]).args(["--", asks]);
        text.push_str(&shown(heading, &format!("artoo run {asks:?}"), &run, &suite.place)?);
    }
    for (heading, arguments) in [
        ("What the second was told of the first", ["memory", "why", "last"]),
        ("What the controller made of it", ["runs", "explain", "last"]),
    ] {
        let asked = suite.program(arguments, &data);
        text.push_str(&shown(heading, &format!("artoo {}", arguments.join(" ")), &asked, &suite.place)?);
    }
    files::write(to, text)
}

/// A command with its output, run first.
fn shown(heading: &str, command: &str, program: &Program, place: &Path) -> Result<String> {
    let output = program.output()?;
    let both = format!("{}{}", output.stderr, output.stdout);
    let both = both.replace(&place.display().to_string(), "~");
    Ok(format!("\n## {heading}\n\n`{command}`:\n\n```text\n{}\n```\n", both.trim()))
}
