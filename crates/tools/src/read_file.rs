//! `read_file`: the text of a file, or some lines of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use artoo_types::{Arguments, ToolName};
use async_trait::async_trait;
use rustix::fs::OFlags;
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::protected::{Protected, is_private_key};
use crate::read_text::{Selected, decode, from_utf16, is_binary, is_utf16, select};
use crate::{Excerpt, Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths};

/// Reads a text file: UTF-8, UTF-16 with a byte order mark, or else Latin-1. Folders, devices, pipes and binary files
/// are refused with what to do instead; protected places and private keys are denied. `evidence:ID` reads the full
/// output of an earlier call.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadFile;

/// As much of a file as decides whether it is text, and whether it is a key.
const BEGINNING: u64 = 8 * 1024;
/// The largest file in UTF-16 that is read; it is decoded as a whole.
const LARGEST_UTF16: u64 = 16 * 1024 * 1024;
/// Marks a path as the id of an earlier output.
const EVIDENCE: &str = "evidence:";

#[async_trait]
impl Tool for ReadFile {
    fn name(&self) -> ToolName {
        ToolName::new("read_file")
    }

    fn summary(&self) -> &str {
        "read a text file, or some lines of a long one"
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Reads
    }

    fn excerpt(&self) -> Excerpt {
        Excerpt::Head
    }

    fn arguments(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "maxLength": 400, "description": "the file; ~ is the home folder" },
                "first_line": { "type": "integer", "minimum": 1, "maximum": 1000000000, "description": "default 1" },
                "last_line": { "type": "integer", "minimum": 1, "maximum": 1000000000, "description": "default: the end" },
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(text) => ToolReport::text(text),
            Err(error) => error.into(),
        }
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<String, ToolError> {
    let given = Given::new(arguments, &["path", "first_line", "last_line"])?;
    let path = given.path("path")?.to_owned();
    let first = given.whole("first_line", 1..=u64::MAX)?.unwrap_or(1);
    let last = given.whole("last_line", 1..=u64::MAX)?.unwrap_or(u64::MAX);
    if last < first {
        return Err(ToolError::argument("last_line", format!("must not be less than first_line, {first}")));
    }
    let (cancel, cx) = (cx.cancel.clone(), cx.clone());
    let work = tokio::task::spawn_blocking(move || read(&path, first..=last, &cx));
    tokio::select! {
        done = work => done.unwrap_or_else(|panic| {
            Err(ToolError::Panicked { tool: ReadFile.name(), message: panic.to_string() })
        }),
        () = cancel.cancelled() => Err(ToolError::Cancelled),
    }
}

fn read(text: &str, lines: RangeInclusive<u64>, cx: &ToolContext) -> Result<String, ToolError> {
    if let Some(id) = text.strip_prefix(EVIDENCE) {
        let failed = |source| ToolError::Io { action: "read", path: text.to_owned(), source };
        let found = cx.evidence.find(id.trim()).map_err(failed)?;
        let found =
            found.ok_or_else(|| ToolError::argument("path", "names no earlier output, or more than one"))?;
        let output = cx.evidence.get(&found).map_err(failed)?;
        let bytes = output.len() as u64;
        return lines_of(
            Source { file: io::Cursor::new(output), bytes, is_evidence: true },
            text.to_owned(),
            &lines,
            cx,
        );
    }
    let path = paths::resolve(text, cx);
    let shown = paths::show(&path, cx);
    let failed = |source| ToolError::Io { action: "read", path: shown.clone(), source };
    let file = open(&path, &shown)?;
    // The path that was really opened, whatever links led there.
    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).or_else(|_| path.canonicalize());
    if Protected::of(cx).covers(&real.map_err(failed)?) {
        return Err(ToolError::Protected { path: shown });
    }
    let bytes = file.metadata().map_err(failed)?.len();
    lines_of(Source { file, bytes, is_evidence: false }, shown, &lines, cx)
}

/// What is read.
struct Source<R> {
    file: R,
    bytes: u64,
    /// Whether it is an earlier output, which may be anything.
    is_evidence: bool,
}

fn lines_of<R: Read + Seek>(
    source: Source<R>,
    shown: String,
    lines: &RangeInclusive<u64>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let Source { mut file, bytes, is_evidence } = source;
    let failed = |source| ToolError::Io { action: "read", path: shown.clone(), source };
    let mut beginning = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut beginning).map_err(failed)?;
    if is_private_key(&beginning) {
        return Err(ToolError::Protected { path: shown });
    }
    if is_binary(&beginning) && !is_evidence {
        return Err(ToolError::Binary { path: shown, bytes });
    }
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let (cap, time) = (cx.limits.read, cx.limits.walk_time);
    let selected = if is_utf16(&beginning) {
        let mut whole = Vec::new();
        file.take(LARGEST_UTF16).read_to_end(&mut whole).map_err(failed)?;
        select(from_utf16(&whole).as_bytes(), lines, cap, time, &cx.cancel)
    } else {
        select(BufReader::with_capacity(64 * 1024, file), lines, cap, time, &cx.cancel)
    };
    let selected = selected.map_err(|error| {
        if error.kind() != io::ErrorKind::TimedOut {
            failed(error)
        } else if cx.cancel.is_cancelled() {
            ToolError::Cancelled
        } else {
            ToolError::TimedOut { tool: ReadFile.name(), after: time }
        }
    })?;
    if selected.last < *lines.start() && *lines.start() > 1 {
        let problem = format!("is beyond the end: {shown} has {} lines", selected.last);
        return Err(ToolError::argument("first_line", problem));
    }
    Ok(with_notes(selected, &shown, bytes, *lines.start()))
}

/// Opens a regular file and nothing else. A pipe or a device is not even opened, because that alone may wait for ever
/// or have an effect.
fn open(path: &Path, shown: &str) -> Result<File, ToolError> {
    let failed = |source| ToolError::Io { action: "read", path: shown.to_owned(), source };
    check_kind(&fs::metadata(path).map_err(failed)?, shown)?;
    // In case it was exchanged in between: do not wait, do not take a terminal, and look again.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file =
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path).map_err(failed)?;
    check_kind(&file.metadata().map_err(failed)?, shown)?;
    Ok(file)
}

fn check_kind(metadata: &fs::Metadata, shown: &str) -> Result<(), ToolError> {
    let kind = metadata.file_type();
    let not_a_file = |kind| Err(ToolError::NotAFile { path: shown.to_owned(), kind });
    match kind {
        _ if kind.is_file() => Ok(()),
        _ if kind.is_dir() => Err(ToolError::Folder { path: shown.to_owned() }),
        _ if kind.is_fifo() => not_a_file("a pipe"),
        _ if kind.is_socket() => not_a_file("a socket"),
        _ => not_a_file("a device"),
    }
}

/// The text, and after it what a reader could not know from it.
fn with_notes(selected: Selected, shown: &str, bytes: u64, first: u64) -> String {
    let (last, cut) = (selected.last, selected.cut);
    let (mut text, latin1) = decode(selected.bytes, cut);
    let mut note = |line: String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    };
    if latin1 {
        note("[not valid UTF-8: read as Latin-1]\n".to_owned());
    }
    if cut {
        note(format!(
            "[{shown} has {bytes} bytes; this ends within line {last} (from line {first}): go on with first_line {last}]\n"
        ));
    }
    text
}
