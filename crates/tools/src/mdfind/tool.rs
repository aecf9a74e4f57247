//! `mdfind` tool: finds files anywhere below the home folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use artoo_types::{Arguments, Excerpt, ToolKind, ToolName};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::filter::{Reason, Rules, Sifted};
use super::index::{Answer, Index};
use super::query::{KINDS, Kind, Query};
use super::walk::{Walked, walk};
use crate::arguments::Given;
use crate::blocking::blocking_until;
use crate::glob_walk::check_base;
use crate::listing::line;
use crate::protected::Protected;
use crate::{SystemProgram, Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths};

/// Finds the user's files by words of their names, by kind or by extension: with Spotlight or `plocate` if
/// available, else by a walk with a time limit. If an index finds nothing or cannot be used, a walk follows.
///
/// Hidden names, folders of generated files and protected places are skipped and counted in the output; the
/// newest files come first.
/// ```
/// use artoo_tools::{Mdfind, Tool};
///
/// let tool = Mdfind::probe(&["/nowhere".into()]);
/// assert_eq!(tool.index(), None);
/// assert_eq!(tool.arguments()["properties"]["words"]["maxLength"], 100);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Mdfind {
    index: Option<Index>,
}

impl Mdfind {
    /// With the index that a program of the system in the search path can query under the kernel's rules, if there is one.
    pub fn probe(search_path: &[PathBuf]) -> Self {
        Self { index: Index::probe(search_path) }
    }

    /// With Spotlight, queried by this program.
    pub fn with_spotlight(mdfind: SystemProgram) -> Self {
        Self { index: Some(Index::Spotlight(mdfind)) }
    }

    /// With the database of `plocate`, queried by this program.
    pub fn with_plocate(plocate: SystemProgram) -> Self {
        Self { index: Some(Index::Plocate(plocate)) }
    }

    /// The name of the index that it queries.
    pub fn index(&self) -> Option<&'static str> {
        self.index.as_ref().map(Index::name)
    }
}

#[async_trait]
impl Tool for Mdfind {
    fn name(&self) -> ToolName {
        ToolKind::Mdfind.into()
    }

    fn summary(&self) -> &str {
        "find files anywhere below ~ by name"
    }

    fn description(&self) -> &str {
        "Find files anywhere below ~ by words of their names."
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Reads
    }

    /// A listing is no answer by itself.
    fn output_is_answer(&self) -> bool {
        false
    }

    fn excerpt(&self) -> Excerpt {
        Excerpt::Head
    }

    fn arguments(&self) -> Value {
        let kinds = KINDS.map(|(word, _)| word);
        json!({
            "type": "object",
            "properties": {
                "words": { "type": "string", "maxLength": 100, "description": "words that are all in the name" },
                "kind": { "enum": kinds, "description": "default any" },
                "extension": { "type": "string", "maxLength": 20, "description": "for example pdf" },
            },
            "additionalProperties": false,
        })
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        self.find(arguments, cx).await.unwrap_or_else(ToolReport::from)
    }
}

impl Mdfind {
    async fn find(&self, arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
        let given = Given::new(arguments, &["words", "kind", "extension"])?;
        let (words, ending) =
            (given.any_text("words")?.unwrap_or_default(), given.any_text("extension")?.unwrap_or_default());
        let query = Query::new(words, given.word("kind", &KINDS, Kind::Any)?, ending)?;
        let asked = asked(arguments);
        let looked = match &self.index {
            None => Looked::no_index(),
            Some(index) => Looked::of(index, index.ask(&query, cx).await),
        };
        let (cx, cancel) = (cx.clone(), cx.cancel.clone());
        blocking_until(cancel, ToolKind::Mdfind.into(), move || sift(query, looked, &asked, &cx)).await
    }
}

/// The result of the index.
struct Looked {
    candidates: Vec<PathBuf>,
    cut: bool,
    by: String,
    /// The index result is not trustworthy; the error.
    error: Option<ToolError>,
}

impl Looked {
    fn no_index() -> Self {
        Self { candidates: Vec::new(), cut: false, by: String::new(), error: None }
    }

    fn of(index: &Index, answer: Result<Answer, ToolError>) -> Self {
        let name = index.name();
        match answer {
            Ok(Answer::Candidates(candidates, cut)) => {
                Self { candidates, cut, by: name.to_owned(), error: None }
            }
            Ok(Answer::Unusable(reason)) => {
                Self { by: format!("{name} could not be used ({reason}), so by "), ..Self::no_index() }
            }
            Err(ToolError::Cancelled) => Self { error: Some(ToolError::Cancelled), ..Self::no_index() },
            Err(error) => {
                Self { by: format!("{name} could not be used ({error}), so by "), ..Self::no_index() }
            }
        }
    }
}

fn sift(query: Query, looked: Looked, asked: &str, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    if let Some(error) = looked.error {
        return Err(error);
    }
    let shown = paths::show(&cx.home, cx);
    let real_home =
        check_base(&cx.home).map_err(|source| ToolError::Io { action: "search", path: shown, source })?;
    let rules = Rules { query, home: cx.home.clone(), real_home, protected: Arc::clone(Protected::of(cx)) };
    let most = cx.limits.listed.max(1);

    let mut sifted = Sifted::default();
    looked.candidates.iter().for_each(|path| rules.candidate(path, &mut sifted));
    sifted.keep(most);
    if sifted.fits > 0 {
        let mut text = told(asked, &looked.by, &sifted, cx);
        text.push_str("[an index may not know the newest files]\n");
        if looked.cut {
            text.push_str("[the index knows more than was read: use more words]\n");
        }
        return Ok(ToolReport::text(text));
    }
    let by = match looked.by.as_str() {
        "" => "a walk".to_owned(),
        prefix if prefix.ends_with(' ') => format!("{prefix}a walk"),
        index => format!("{index}, which found nothing, and a walk"),
    };
    let walked = walk(&rules, most, cx.limits.walk_time, &cx.cancel);
    Ok(of_walk(&walked, told(asked, &by, &walked.sifted, cx), cx))
}

fn of_walk(walked: &Walked, mut text: String, cx: &ToolContext) -> ToolReport {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[entries seen: {}]", walked.seen);
    if walked.unreadable > 0 {
        let _ = writeln!(text, "[could not be read: {}]", walked.unreadable);
    }
    if walked.incomplete {
        text.push_str("[the time was up before the end: there may be more]\n");
    }
    let mut report = ToolReport::text(text);
    if walked.incomplete {
        let error = if cx.cancel.is_cancelled() {
            ToolError::Cancelled
        } else {
            ToolError::TimedOut { tool: ToolKind::Mdfind.into(), after: cx.limits.walk_time }
        };
        (report.ending, report.failure) = (error.ending(), Some(error.failure()));
    }
    report
}

/// A line with the totals, a line for each file, and the caveats a reader needs.
fn told(asked: &str, by: &str, sifted: &Sifted, cx: &ToolContext) -> String {
    let home: &Path = &cx.home;
    let mut text =
        format!("found: {}; searched: all below {}; by {by}; for: {asked}\n", sifted.fits, home.display());
    for item in &sifted.listed {
        let _ = writeln!(text, "{}", line(item, cx));
    }
    let unlisted = sifted.fits.saturating_sub(sifted.listed.len() as u64);
    if unlisted > 0 {
        let _ = writeln!(text, "[not listed: {unlisted} older ones]");
    }
    for (reason, count) in &sifted.left_out {
        let _ = match reason {
            Reason::Hidden => writeln!(text, "[left out: {count} hidden; glob finds them]"),
            Reason::Generated => {
                writeln!(text, "[left out: {count} in folders of generated files; glob finds them]")
            }
            Reason::Protected => writeln!(text, "[left out: {count} protected]"),
            Reason::Gone => writeln!(text, "[left out: {count} that the index knows and that are gone]"),
        };
    }
    text
}

/// The arguments on one line.
fn asked(arguments: &Arguments) -> String {
    let parts = arguments.iter().filter(|(_, value)| !value.is_null());
    parts.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}
