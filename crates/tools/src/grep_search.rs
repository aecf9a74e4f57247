//! Searches the content of files, one after the other.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use artoo_types::printable;
use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};

use crate::grep_excerpt::excerpt;
use crate::grep_pieces::{Cuts, Pieces};
use crate::open_file::open_file;
use crate::read_text::is_binary;
use crate::{ToolContext, ToolError, paths};

/// Bytes from the beginning of a file that decide whether it is text.
const BEGINNING: u64 = 8 * 1024;
/// Maximum characters listed of a line.
const LINE: usize = 400;
/// Memory limit for the lines that are held at once.
const HEAP: usize = 64 * 1024 * 1024;
/// A longer line is searched in pieces of this many bytes; with context lines, of which many are held, in shorter ones.
const PIECE: usize = 16 * 1024 * 1024;
const PIECE_IN_CONTEXT: usize = 1024 * 1024;
/// The most matches of one line that are looked for.
const MATCHES: usize = 1_000;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Lines,
    Counts,
    Files,
}

/// The parameters of a search.
pub(crate) struct Search<'a> {
    pub(crate) matcher: &'a RegexMatcher,
    pub(crate) form: Form,
    /// Context lines around a match.
    pub(crate) context: usize,
    pub(crate) cx: &'a ToolContext,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    pub(crate) sums: Sums,
    pub(crate) lines: Vec<String>,
}

/// Totals over all files.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// Matching lines.
    pub(crate) matches: u64,
    /// Files with a match.
    pub(crate) files: u64,
    pub(crate) searched: u64,
    /// Matches, or files with a match, beyond the cap of the list.
    pub(crate) unlisted: u64,
    pub(crate) binary: u64,
    pub(crate) protected: u64,
    pub(crate) unreadable: u64,
    /// The search timed out.
    pub(crate) incomplete: bool,
    /// Files with lines that were searched in pieces.
    pub(crate) in_pieces: u64,
    /// Whether a line is listed in part.
    pub(crate) is_in_part: bool,
}

/// The result for one file.
enum Looked<'a> {
    Searched(InFile<'a>),
    Binary,
    Protected,
}

impl Search<'_> {
    /// Searches the files in order until the end, the time limit or cancellation. Blocks.
    ///
    /// # Errors
    ///
    /// The only file cannot be searched.
    pub(crate) fn run<'p>(&self, files: impl ExactSizeIterator<Item = &'p Path>) -> Result<Hits, ToolError> {
        let until = Instant::now() + self.cx.limits.walk_time;
        let mut searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .before_context(self.context)
            .after_context(self.context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(HEAP))
            .build();
        let is_only = files.len() == 1;
        let mut hits = Hits::default();
        for path in files {
            if self.is_over(until) {
                hits.sums.incomplete = true;
                break;
            }
            let shown = paths::show(path, self.cx);
            match self.look(path, &shown, &mut searcher, until, hits.lines.len()) {
                Ok(Looked::Searched(found)) => hits.add(found),
                Ok(Looked::Binary) if is_only => {
                    let bytes = path.metadata().map_or(0, |found| found.len());
                    return Err(ToolError::Binary { path: shown, bytes });
                }
                Ok(Looked::Protected) if is_only => return Err(ToolError::Protected { path: shown }),
                Ok(Looked::Binary) => hits.sums.binary += 1,
                Ok(Looked::Protected) => hits.sums.protected += 1,
                Err(_) if self.is_over(until) => {
                    hits.sums.incomplete = true;
                    break;
                }
                Err(error) if is_only => return Err(error),
                Err(_) => hits.sums.unreadable += 1,
            }
        }
        Ok(hits)
    }

    fn is_over(&self, until: Instant) -> bool {
        self.cx.cancel.is_cancelled() || Instant::now() > until
    }

    fn look<'s>(
        &'s self,
        path: &Path,
        shown: &'s str,
        searcher: &mut Searcher,
        until: Instant,
        listed: usize,
    ) -> Result<Looked<'s>, ToolError> {
        let failed = |source| ToolError::Io { action: "search", path: shown.to_owned(), source };
        let (mut file, real) = match open_file(path, shown, self.cx) {
            Err(ToolError::Protected { .. }) => return Ok(Looked::Protected),
            opened => opened?,
        };
        let mut beginning = Vec::new();
        (&mut file).take(BEGINNING).read_to_end(&mut beginning).map_err(failed)?;
        if is_binary(&beginning) {
            return Ok(Looked::Binary);
        }
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let cuts = Cuts::default();
        let mut found = InFile {
            matcher: self.matcher,
            cuts: cuts.clone(),
            last_matched: 0,
            is_in_part: false,
            shown,
            form: self.form,
            room: self.cx.limits.listed.saturating_sub(listed),
            lines: Vec::new(),
            matches: 0,
            unlisted: 0,
            is_binary: false,
        };
        let from = Bounded { file, is_over: || self.is_over(until) };
        let most = if self.context == 0 { PIECE } else { PIECE_IN_CONTEXT };
        let from = Pieces::new(from, most, cuts);
        searcher.search_reader(self.matcher, from, &mut found).map_err(failed)?;
        if !found.lines.is_empty() {
            self.cx.seen.note(&real);
        }
        Ok(if found.is_binary { Looked::Binary } else { Looked::Searched(found) })
    }
}

impl Hits {
    fn add(&mut self, found: InFile<'_>) {
        let InFile { shown, form, room, mut lines, matches, mut unlisted, cuts, is_in_part, .. } = found;
        self.sums.searched += 1;
        self.sums.in_pieces += u64::from(cuts.are_any());
        self.sums.is_in_part |= is_in_part;
        self.sums.matches += matches;
        self.sums.files += u64::from(matches > 0);
        let line = match form {
            Form::Lines => None,
            Form::Counts => Some(format!("{shown}: {matches}")),
            Form::Files => Some(shown.to_owned()),
        };
        match line.filter(|_| matches > 0) {
            Some(_) if room == 0 => unlisted = 1,
            Some(line) => lines.push(line),
            None => {}
        }
        self.sums.unlisted += unlisted;
        self.lines.append(&mut lines);
    }
}

/// Collects the matches of one file.
struct InFile<'a> {
    matcher: &'a RegexMatcher,
    /// Where long lines were ended early.
    cuts: Cuts,
    /// The last line that matched: its other pieces are no other lines.
    last_matched: u64,
    /// Whether a line is listed in part.
    is_in_part: bool,
    shown: &'a str,
    form: Form,
    /// Number of lines that may still be listed.
    room: usize,
    lines: Vec<String>,
    matches: u64,
    unlisted: u64,
    is_binary: bool,
}

impl InFile<'_> {
    /// Lists a line if there is room.
    fn list(&mut self, number: Option<u64>, mark: char, bytes: &[u8]) -> bool {
        if self.lines.len() >= self.room {
            return false;
        }
        let bytes = without_ending(bytes);
        let (number, offset) = self.cuts.in_file(number.unwrap_or_default());
        let text = printable(&String::from_utf8_lossy(bytes));
        let is_long = offset > 0 || text.chars().nth(LINE).is_some();
        let text = match mark {
            ':' if is_long => excerpt(bytes, offset, &self.places(bytes)),
            _ if is_long => {
                let cut = text.char_indices().nth(LINE).map_or(text.len(), |(cut, _)| cut);
                let (kept, left) = text.split_at(cut);
                format!("{kept} [... {} bytes more]", left.len())
            }
            _ => text,
        };
        self.is_in_part |= is_long;
        self.lines.push(format!("{}{mark}{number}{mark} {text}", self.shown));
        true
    }

    /// Where a line matches.
    fn places(&self, line: &[u8]) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        // The matcher has no errors.
        let _ = self.matcher.find_iter(line, |found| {
            places.push(found.start()..found.end());
            places.len() < MATCHES
        });
        places
    }
}

fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl Sink for InFile<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let (line, _) = self.cuts.in_file(found.line_number().unwrap_or_default());
        self.matches += u64::from(line != self.last_matched);
        self.last_matched = line;
        match self.form {
            Form::Lines => self.unlisted += u64::from(!self.list(found.line_number(), ':', found.bytes())),
            Form::Counts => {}
            // One match is enough.
            Form::Files => return Ok(false),
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        if self.form == Form::Lines {
            self.list(around.line_number(), '-', around.bytes());
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        if self.form == Form::Lines && self.lines.len() < self.room {
            self.lines.push("--".to_owned());
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A reader that stops at the time limit.
struct Bounded<F> {
    file: File,
    is_over: F,
}

impl<F: Fn() -> bool> Read for Bounded<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if (self.is_over)() { Err(io::ErrorKind::TimedOut.into()) } else { self.file.read(into) }
    }
}
