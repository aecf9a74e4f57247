//! Writes the first inputs of each target below `fuzz/corpus`: `cargo run --example seeds`, in `fuzz`.
//!
//! The commands are those of the sandbox's table; nothing of it is run. The secrets are made up.

use std::fs;
use std::io;
use std::path::Path;

const COMMANDS: &str = include_str!("../../crates/shell-effects/tests/it/commands.tsv");
const SECRETS: &str = include_str!("../seeds/redaction.txt");
const CHECKS: &str = include_str!("../seeds/checks.txt");
const WIRE: &str = include_str!("../seeds/wire.txt");

fn main() -> io::Result<()> {
    let commands = COMMANDS.lines().filter_map(|line| line.splitn(3, '\t').nth(2));
    write("effects", commands.map(|command| command.replace('⏎', "\n")))?;
    // Blocks with an empty line between them.
    write("redaction", SECRETS.split("\n\n").map(str::to_owned))?;
    write("checks", CHECKS.split("\n\n").map(str::to_owned))?;
    // In a stream an empty line ends an event; here it ends a seed.
    write("wire", WIRE.split("\n\n").map(|seed| seed.replace('\n', "\n\n")))
}

fn write(target: &str, inputs: impl Iterator<Item = String>) -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&folder)?;
    for (number, input) in inputs.enumerate() {
        fs::write(folder.join(format!("seed-{number:03}")), input)?;
    }
    Ok(())
}
