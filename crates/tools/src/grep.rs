//! `grep` tool: finds lines by their content.

use std::sync::Arc;

use artoo_types::{Arguments, Excerpt, ToolKind, ToolName};
use async_trait::async_trait;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde_json::{Value, json};

use crate::arguments::Given;
use crate::blocking::blocking_until;
use crate::glob_pattern::Pattern;
use crate::glob_walk::{Found, Order, Walk, Wanted, check_base};
use crate::grep_search::{Form, Hits, Search};
use crate::listing::left_out;
use crate::protected::Protected;
use crate::{Tool, ToolContext, ToolEffect, ToolError, ToolReport, paths};

/// Finds the lines of text files that match a regular expression, with ripgrep's own libraries: in linear
/// time, whatever the expression.
///
/// Files of a folder are selected as for `glob`: hidden names, `.git`, `node_modules` and `target` are
/// skipped, `.gitignore` is respected only with `gitignore`, links are not followed, and the output says what
/// was skipped. Protected places, private keys and binary files are not searched. The list is sorted by path
/// and capped, the totals count everything; no match is a success. Of a long line the matches are listed, with a little
/// around each. A search that times out fails, with the
/// matches found so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Grep;

/// Maximum context lines around a match.
const MOST_CONTEXT: u64 = 20;
/// Memory limit of a compiled expression.
const EXPRESSION: usize = 4 * 1024 * 1024;

#[async_trait]
impl Tool for Grep {
    fn name(&self) -> ToolName {
        ToolKind::Grep.into()
    }

    fn summary(&self) -> &str {
        "find lines in files by regular expression: path:line: text"
    }

    fn description(&self) -> &str {
        "Find lines in files by a regular expression. The output has path:line: text."
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
                "pattern": { "type": "string", "maxLength": 1000, "description": "regular expression, without look-around" },
                "literal": { "type": "boolean", "description": "take the pattern as plain text" },
                "path": { "type": "string", "maxLength": 400, "description": "file or folder to search; default: the working folder" },
                "glob": { "type": "string", "maxLength": 200, "description": "search only files like this: *.rs" },
                "ignore_case": { "type": "boolean", "description": "ignore upper and lower case" },
                "context": { "type": "integer", "minimum": 0, "maximum": MOST_CONTEXT, "description": "lines to show around each match" },
                "files_only": { "type": "boolean", "description": "show only the paths of the files" },
                "count": { "type": "boolean", "description": "show only the number of matches per file" },
                "hidden": { "type": "boolean", "description": "include hidden names" },
                "gitignore": { "type": "boolean", "description": "leave out what .gitignore names" },
            },
            "required": ["pattern"],
            "additionalProperties": false,
        })
    }

    /// As for `glob`.
    fn output_is_answer(&self) -> bool {
        false
    }

    async fn call(&self, arguments: &Arguments, cx: &ToolContext) -> ToolReport {
        match call(arguments, cx).await {
            Ok(report) => report,
            Err(error) => error.into(),
        }
    }
}

/// The parsed arguments.
struct Asked {
    pattern: String,
    matcher: RegexMatcher,
    path: String,
    glob: Option<String>,
    context: usize,
    form: Form,
    hidden: bool,
    gitignore: bool,
}

impl Asked {
    fn read(arguments: &Arguments) -> Result<Self, ToolError> {
        let known = [
            "pattern",
            "literal",
            "path",
            "glob",
            "ignore_case",
            "context",
            "files_only",
            "count",
            "hidden",
            "gitignore",
        ];
        let given = Given::new(arguments, &known)?;
        let pattern = given.any_text("pattern")?.filter(|pattern| !pattern.is_empty());
        let pattern = pattern.ok_or_else(|| ToolError::argument("pattern", "is missing"))?.to_owned();
        let matcher = RegexMatcherBuilder::new()
            .fixed_strings(given.flag("literal")?)
            .case_insensitive(given.flag("ignore_case")?)
            .size_limit(EXPRESSION)
            .crlf(true)
            .build(&pattern)
            .map_err(|error| ToolError::argument("pattern", format!("cannot be searched: {error}")))?;
        let optional = |name| {
            let text = given.any_text(name)?.filter(|text| !text.trim().is_empty());
            text.map(|_| given.path(name).map(str::to_owned)).transpose()
        };
        let form = match (given.flag("files_only")?, given.flag("count")?) {
            (true, _) => Form::Files,
            (false, true) => Form::Counts,
            (false, false) => Form::Lines,
        };
        let context = given.whole("context", 0..=MOST_CONTEXT)?.unwrap_or(0);
        Ok(Self {
            pattern,
            matcher,
            path: optional("path")?.unwrap_or_else(|| ".".to_owned()),
            glob: optional("glob")?,
            context: usize::try_from(context).unwrap_or_default(),
            form,
            hidden: given.flag("hidden")?,
            gitignore: given.flag("gitignore")?,
        })
    }

    /// The files of the folder, or the single file.
    fn files(&self, cx: &ToolContext) -> Result<Found, ToolError> {
        let named = paths::resolve(&self.path, cx);
        let shown = paths::show(&named, cx);
        let failed = |source| ToolError::Io { action: "search", path: shown.clone(), source };
        if !named.metadata().map_err(failed)?.is_dir() {
            return Ok(Found::of_file(named));
        }
        // As in git and ripgrep: a pattern without a slash matches the name at any depth.
        let glob = match self.glob.as_deref() {
            None => "**/*".to_owned(),
            Some(glob) if glob.contains('/') => glob.trim_start_matches('/').to_owned(),
            Some(glob) => format!("**/{glob}"),
        };
        let mut pattern = Pattern::parse(&glob, Some(&self.path), cx)
            .map_err(|error| ToolError::argument("glob", error.to_string()))?;
        let real_base = check_base(&pattern.base).map_err(failed)?;
        let protected = Arc::clone(Protected::of(cx));
        if protected.covers(&real_base) {
            return Err(ToolError::Protected { path: shown });
        }
        pattern.base = real_base.clone();
        let walk = Walk {
            pattern,
            real_base,
            wanted: Wanted::Files,
            order: Order::Name,
            hidden: self.hidden,
            gitignore: self.gitignore,
            most: usize::MAX,
            time: cx.limits.walk_time,
            protected,
            cancel: cx.cancel.clone(),
        };
        Ok(walk.run())
    }
}

async fn call(arguments: &Arguments, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let asked = Asked::read(arguments)?;
    let (cx, cancel) = (cx.clone(), cx.cancel.clone());
    blocking_until(cancel, Grep.name(), move || search(&asked, &cx)).await
}

fn search(asked: &Asked, cx: &ToolContext) -> Result<ToolReport, ToolError> {
    let files = asked.files(cx)?;
    let search = Search { matcher: &asked.matcher, form: asked.form, context: asked.context, cx };
    let Hits { sums, lines } = search.run(files.listed.iter().map(|item| item.path.as_path()))?;
    let place = paths::show(&paths::resolve(&asked.path, cx), cx);
    let found = match asked.form {
        Form::Lines | Form::Counts => format!("{} lines in {} files", sums.matches, sums.files),
        Form::Files => format!("{} files", sums.files),
    };
    let mut text = format!(
        "matches: {found}; files searched: {}; searched: {place}; for: {}\n",
        sums.searched, asked.pattern
    );
    for line in &lines {
        text.push_str(line);
        text.push('\n');
    }
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            text.push_str(&format!("[{what}: {count}]\n"));
        }
    };
    note(sums.unlisted, "not listed, more matches");
    note(sums.binary, "left out, binary files");
    note(sums.protected, "left out, protected files");
    note(sums.unreadable, "could not be searched, files");
    note(sums.in_pieces, "searched in pieces, files with very long lines");
    if sums.is_in_part {
        text.push_str(
            "[long lines in part: read_file shows more of them, with first_line and first_column in bytes]\n",
        );
    }
    text.push_str(&left_out(&Found { incomplete: files.incomplete || sums.incomplete, ..files }));
    let mut report = ToolReport::text(text);
    if files.incomplete || sums.incomplete {
        let error = if cx.cancel.is_cancelled() {
            ToolError::Cancelled
        } else {
            ToolError::TimedOut { tool: Grep.name(), after: cx.limits.walk_time }
        };
        report.ending = error.ending();
        report.failure = Some(error.failure());
    }
    Ok(report)
}
