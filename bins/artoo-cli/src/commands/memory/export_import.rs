//! `artoo memory export` and `import`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use artoo_memory_store::import_export::{self, ExchangeError, Imported};

use super::{Work, remember, wait};
use crate::commands::runs::as_json;
use crate::dispatch::Context;
use crate::error::{CommandError, Exit};
use crate::terminal::{Terminal, neutral_json, neutral_line, worded};
use crate::view::counted;

pub(super) fn export(
    context: &mut Context<'_>,
    work: &Work<'_>,
    output: Option<&Path>,
) -> Result<Exit, CommandError> {
    let memory = work.memory.as_ref();
    let Some(output) = output else {
        let mut out = Lines { terminal: context.terminal, failed: None };
        let done = import_export::export(memory, work.now, &mut BufWriter::new(&mut out));
        return match (out.failed, done) {
            (Some(error), _) => Err(error),
            (None, done) => done.map(|_| Exit::OK).map_err(explained),
        };
    };
    let path = context.folders.whole(output)?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(|error| {
        CommandError::usage(format!("{} cannot be made", path.display()))
            .because(error)
            .hint("name a file that is not there yet, in a folder that is")
    })?;
    let mut file = BufWriter::new(file);
    let count = import_export::export(memory, work.now, &mut file).map_err(explained)?;
    file.get_ref().sync_all().map_err(|error| explained(ExchangeError::Write(error)))?;
    let count = counted(count, "entry", "entries");
    context
        .terminal
        .note(&neutral_line(&format!("{count} written to {}, for your eyes alone", path.display())));
    Ok(Exit::OK)
}

/// Writer of JSON lines to standard output.
struct Lines<'a> {
    terminal: &'a mut Terminal,
    failed: Option<CommandError>,
}

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The chunk may end within a UTF-8 sequence; only the complete part is written.
        let whole = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
            }
        };
        match self.terminal.data(&neutral_json(whole)) {
            Ok(()) => Ok(whole.len()),
            Err(error) => {
                self.failed = Some(error);
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn import(
    context: &mut Context<'_>,
    work: &Work<'_>,
    file: &Path,
    json: bool,
) -> Result<Exit, CommandError> {
    let mut from: Box<dyn BufRead + Send> = if file == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let path = context.folders.whole(file)?;
        let opened = File::open(&path).and_then(|file| {
            if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
        });
        let opened = opened.map_err(|error| {
            CommandError::usage(format!("{} cannot be read", path.display()))
                .because(error)
                .hint("name a file that `artoo memory export` made, or - for standard input")
        })?;
        Box::new(BufReader::new(opened))
    };
    let redactor = remember::redactor(context.environment);
    let redact = |text: &str| redactor.apply(text).into_owned();
    let imported = wait(import_export::import(work.memory.as_ref(), work.now, &redact, &mut from))?
        .map_err(explained)?;
    let text = if json { as_json(&imported)? + "\n" } else { page(&imported) };
    context.terminal.data(&text)?;
    for refused in imported.told.iter().filter(|_| !json) {
        context.terminal.warning(&format!("line {}: {}", refused.line, refused.why));
    }
    Ok(if imported.refused > 0 { Exit::FAILED } else { Exit::OK })
}

/// Summary of an import.
pub(super) fn page(imported: &Imported) -> String {
    let Imported { taken, lowered, duplicates, consolidated, missing, refused, told: _ } = imported;
    let mut text = format!("imported: {}\n", counted(*taken, "entry", "entries"));
    let mut row = |count: u64, what: &str| {
        if count > 0 {
            text.push_str(&format!("  {count} {what}\n"));
        }
    };
    row(*lowered, "among them came as rules or laws: here they are experiences until they prove themselves");
    row(*duplicates, "left out: they are in memory already");
    row(*consolidated, "left out: they were part of a rule there, and counted no more");
    row(*missing, "missing: the file has fewer than its first line says");
    row(*refused, "refused");
    text
}

fn explained(error: ExchangeError) -> CommandError {
    let hint = worded(error.hint(), error.remedy());
    match error {
        ExchangeError::Header(_) | ExchangeError::Version(_) => {
            CommandError::usage(error.to_string()).hint(hint)
        }
        ExchangeError::Read(_) | ExchangeError::Write(_) => {
            CommandError::failed(error.to_string()).hint(hint)
        }
        ExchangeError::Store(error) => super::explained(error),
        // The library's error enum is non-exhaustive.
        other => CommandError::failed(other.to_string()).hint(hint),
    }
}
