//! Prompt sections for a judge: lines by code and foreign texts, cut to the limits of its model.

use std::{borrow::Cow, fmt::Write as _, path::Path};

use artoo_checks::{Content, Filesystem};
use artoo_llm_client::{ModelProfile, Origin, fair_share, fenced, fenced_file, fenced_output, inline};
use artoo_types::{
    Arguments, CallEnding, EarlierResult, FileChange, FileChangeKind, Law, OutputRecord, ToolCall, ToolKind,
};

use serde_json::Value;

use crate::excerpt;

/// The longest call that is shown on the line of its number, in bytes.
const ONE_LINE: usize = 200;

/// Builder of such a prompt, section by section.
///
/// A text that fits is shown in full. If there is not room for all, the long ones are cut evenly, to the
/// lines that bear on what is judged, and each cut says how much is missing. Binary content is only named.
///
/// ```
/// use artoo_judging::{Exhibits, conformance::call};
/// use artoo_llm_client::ModelProfile;
///
/// let count = call(1, "3\n", true);
/// let mut shown = Exhibits::default();
/// shown.line("Step: Count the files");
/// shown.call(1, &count);
/// let text = shown.render(&ModelProfile::default(), "It is a number");
/// assert_eq!(
///     text,
///     "Step: Count the files\nCall 1: shell do 1 (exit status 0)\n<<<data: tool output\n3\ndata>>>\n"
/// );
/// ```
#[derive(Debug, Default)]
pub struct Exhibits<'a> {
    parts: Vec<Part<'a>>,
    excerpts: Excerpts,
}

/// How much of each output, file and script is shown, around what is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Excerpts {
    /// As much as there is room for.
    #[default]
    Whole,
    /// At most 12,000 characters, for a judge of the model that did the work. Of 4,000, deciding lines were missing.
    Long,
    /// At most 4,000 characters, for a judge of another model, which pays for all that it reads.
    Short,
}

impl Excerpts {
    fn limit(self) -> usize {
        match self {
            Self::Whole => usize::MAX,
            Self::Long => 12_000,
            Self::Short => 4_000,
        }
    }
}

#[derive(Debug)]
enum Part<'a> {
    Line(String),
    Text { fence: Fence<'a>, text: Cow<'a, str> },
}

#[derive(Debug)]
enum Fence<'a> {
    Output(Option<&'a str>),
    Of(Origin),
    File(String),
}

impl Fence<'_> {
    /// Whether it holds what is looked at, of which an excerpt may be enough. A result is judged whole.
    fn is_of_evidence(&self) -> bool {
        match self {
            Self::Output(_)
            | Self::File(_)
            | Self::Of(Origin::Arguments | Origin::ToolOutput | Origin::File) => true,
            Self::Of(Origin::SubTask | Origin::Memory | Origin::Person) => false,
        }
    }
}

impl<'a> Exhibits<'a> {
    /// Nothing yet, of which excerpts are shown.
    pub fn of(excerpts: Excerpts) -> Self {
        Self { excerpts, ..Self::default() }
    }

    /// Adds a line. Foreign text in it must have been passed through [`inline`].
    pub fn line(&mut self, line: impl Into<String>) {
        self.parts.push(Part::Line(line.into()));
    }

    /// Adds a block of lines by code, in which foreign text is fenced already; nothing if it is empty.
    pub fn block(&mut self, block: &str) {
        if !block.is_empty() {
            self.line(block.trim_end());
        }
    }

    /// Adds the person's laws, which are words of the person like the request.
    pub fn laws(&mut self, laws: &[Law]) {
        self.block(&artoo_llm_client::laws(laws));
    }

    /// Adds a foreign text.
    pub fn text(&mut self, origin: Origin, text: impl Into<Cow<'a, str>>) {
        self.parts.push(Part::Text { fence: Fence::Of(origin), text: text.into() });
    }

    /// Adds the line of a call whose arguments and output the reader has before it.
    pub fn mention(&mut self, number: usize, call: &ToolCall) {
        let made = inline(&format!("{} {}", call.tool, made(call)));
        let shown: String = made.chars().take(ONE_LINE).collect();
        let cut = if shown.len() < made.len() { " [...]" } else { "" };
        self.line(format!("Call {number}: {shown}{cut} ({})", ending(call)));
    }

    /// Adds a call with its number: the arguments, the ending and the output.
    pub fn call(&mut self, number: usize, call: &'a ToolCall) {
        let (ending, made) = (ending(call), made(call));
        if made.len() <= ONE_LINE && !made.contains('\n') {
            self.line(format!("Call {number}: {} ({ending})", inline(&format!("{} {made}", call.tool))));
        } else {
            self.line(format!("Call {number}: {} ({ending}), made with", call.tool));
            self.text(Origin::Arguments, made);
        }
        self.output(&call.output);
        if !call.stderr.shown.trim().is_empty() {
            self.line("Its stderr:");
            self.output(&call.stderr);
        }
    }

    fn output(&mut self, output: &'a OutputRecord) {
        let text = if is_text(&output.shown) {
            Cow::Borrowed(output.shown.as_str())
        } else {
            Cow::Owned(format!("[no text: {} bytes of binary data]", output.bytes))
        };
        self.parts.push(Part::Text { fence: Fence::Output(output.origin.as_deref()), text });
    }

    /// Adds a file by its name, with as much content as the model can be shown; nothing if it does not exist, which is
    /// returned. The name may come from a model or from a tool.
    pub fn file(&mut self, what: &str, path: &Path, world: &Filesystem, profile: &ModelProfile) -> bool {
        let Some(content) = world.content(path, profile.shown_bytes()) else { return false };
        let name = path.display().to_string();
        match content {
            Content::Text { head, more } => {
                self.line(format!("{what}:"));
                let text = if more == 0 { head } else { format!("{head}\n[... {more} more bytes ...]") };
                self.parts.push(Part::Text { fence: Fence::File(name), text: Cow::Owned(text) });
            }
            Content::Other { kind, bytes } => {
                self.line(format!("{what}: {} ({kind}, {bytes} bytes)", inline(&name)));
            }
        }
        true
    }

    /// Adds the files that a call changed: for at most `most` of them the changed lines, or the current
    /// content if the diff is unknown; for the rest how many there are. What was deleted and moved comes first, since it
    /// is seen nowhere else. Content that the call itself shows is not repeated: a whole file among its arguments, and
    /// the diff that an edit outputs.
    pub fn written(&mut self, call: &'a ToolCall, world: &Filesystem, profile: &ModelProfile, most: usize) {
        let mut files: Vec<&FileChange> = call.files.iter().collect();
        files.sort_by_key(|file| order(file));
        let (shown, rest) = files.split_at(files.len().min(most));
        let is_given = |path: &Path| {
            is_edit(call)
                || matches!(world.content(path, profile.shown_bytes()), Some(Content::Text { head, more: 0 }) if gives(call, &head))
        };
        for file in shown.iter().copied() {
            let name = |path: &Path| inline(&path.display().to_string());
            let what = match file.change {
                FileChangeKind::Created => "Created",
                FileChangeKind::Changed => "Changed",
                FileChangeKind::Deleted => "Deleted",
            };
            // What moved in a repository says more than that its folder is another one.
            if let Some((place, lines)) = moved_in_git(file) {
                self.line(format!("Moved in the git repository {}:", name(place)));
                self.text(Origin::ToolOutput, lines.join("\n"));
                continue;
            }
            match (&file.moved_from, &file.diff, file.change) {
                (None, _, FileChangeKind::Created | FileChangeKind::Changed) if is_given(&file.path) => {
                    self.line(format!("{what}: {}", name(&file.path)));
                }
                (Some(from), ..) => self.line(format!("Moved: {} to {}", name(from), name(&file.path))),
                (None, Some(diff), _) => {
                    self.line(format!("{what}: {}", name(&file.path)));
                    self.text(Origin::File, diff.as_str());
                }
                (None, None, FileChangeKind::Created | FileChangeKind::Changed)
                    if self.file(what, &file.path, world, profile) => {}
                (None, None, FileChangeKind::Created | FileChangeKind::Changed | FileChangeKind::Deleted) => {
                    self.line(format!("{what}: {}", name(&file.path)));
                }
            }
        }
        if !rest.is_empty() {
            let count = |change| rest.iter().filter(|file| file.change == change).count();
            let counts: Vec<String> =
                [FileChangeKind::Deleted, FileChangeKind::Changed, FileChangeKind::Created]
                    .into_iter()
                    .map(|change| (count(change), change.name()))
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, name)| format!("{count} {name}"))
                    .collect();
            self.line(format!("[... {} more files: {} ...]", rest.len(), counts.join(", ")));
        }
    }

    /// Adds the results of earlier steps.
    pub fn earlier(&mut self, earlier: &'a [EarlierResult]) {
        for result in earlier {
            self.line(format!("Result of an earlier step ({}):", inline(&result.intent)));
            let text = match result.left_out_bytes {
                0 => Cow::Borrowed(result.output.as_str()),
                more => Cow::Owned(format!("{}\n[... {more} more bytes ...]", result.output)),
            };
            self.text(Origin::SubTask, text);
        }
    }

    /// Renders the prompt. Each text is at most as long as the profile and the [`Excerpts`] say, and all of them at most
    /// half of the model's context. `sought` is what is judged.
    pub fn render(self, profile: &ModelProfile, sought: &str) -> String {
        let lengths = self.parts.iter().map(|part| match part {
            Part::Line(_) => 0,
            Part::Text { text, .. } => text.len(),
        });
        let limit = fair_share(lengths, half_of_the_context(profile)).min(profile.shown_bytes());
        let mut prompt = String::new();
        for part in self.parts {
            // Writing to a string cannot fail.
            let _ = match part {
                Part::Line(line) => writeln!(prompt, "{line}"),
                Part::Text { fence, text } => {
                    let most = if fence.is_of_evidence() { self.excerpts.limit() } else { usize::MAX };
                    let shown = excerpt(&text, limit.min(most), sought);
                    writeln!(
                        prompt,
                        "{}",
                        match fence {
                            Fence::Output(from) => fenced_output(from, &shown),
                            Fence::Of(origin) => fenced(origin, &shown),
                            Fence::File(name) => fenced_file(&name, &shown),
                        }
                    )
                }
            };
        }
        prompt
    }
}

/// The order in which changes are shown.
fn order(file: &FileChange) -> u8 {
    match (file.change, &file.moved_from) {
        _ if file.moves.is_some() => 0,
        (FileChangeKind::Deleted, _) => 0,
        (FileChangeKind::Created | FileChangeKind::Changed, Some(_)) => 1,
        (FileChangeKind::Changed, None) => 2,
        (FileChangeKind::Created, None) => 3,
    }
}

/// The repository in which a call moved something, and what.
fn moved_in_git(file: &FileChange) -> Option<(&Path, Vec<String>)> {
    let moves = file.moves.as_ref()?;
    Some((moves.repository.as_path(), moves.lines())).filter(|(_, lines)| !lines.is_empty())
}

/// How a call ended, in words.
fn ending(call: &ToolCall) -> String {
    let ending = match &call.ending {
        CallEnding::Exited { status } => format!("exit status {status}"),
        CallEnding::Signalled { signal } => format!("ended by signal {signal}"),
        CallEnding::Returned if call.succeeded() => "done".to_owned(),
        CallEnding::Returned => "failed".to_owned(),
        CallEnding::TimedOut => "took too long and was stopped".to_owned(),
        CallEnding::Cancelled => "cancelled".to_owned(),
        CallEnding::Refused => "refused, not run".to_owned(),
    };
    let ending = match &call.untried {
        Some(untried) => format!("{ending}; {}", untried.words()),
        None => ending,
    };
    match &call.lacked {
        // An exit status of 0 would hide it.
        Some(program) => format!("{ending}; {} is not on this machine", inline(program)),
        None => ending,
    }
}

/// What a call was made with.
fn made(call: &ToolCall) -> String {
    if is_edit(call) { the_file(&call.arguments) } else { made_with(&call.arguments) }
}

/// Whether a call edited a file and its output shows the edit.
fn is_edit(call: &ToolCall) -> bool {
    call.tool.is(ToolKind::EditFile) && call.succeeded()
}

/// Whether a call has this text as an argument.
fn gives(call: &ToolCall, text: &str) -> bool {
    call.arguments.values().any(|value| value.as_str() == Some(text))
}

/// The path argument of a call.
fn the_file(arguments: &Arguments) -> String {
    arguments.get("path").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The arguments of a call, verbatim: a script is judged by its lines.
fn made_with(arguments: &Arguments) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    };
    let given: Vec<_> = arguments.iter().filter(|(_, value)| !value.is_null()).collect();
    if let [(_, only)] = given.as_slice() {
        return text(only);
    }
    let named: Vec<String> = given.iter().map(|(name, value)| format!("{name}: {}", text(value))).collect();
    let is_long = named.iter().any(|one| one.contains('\n'));
    named.join(if is_long { "\n" } else { ", " })
}

/// Half of the context in bytes, at about four bytes per token.
fn half_of_the_context(profile: &ModelProfile) -> usize {
    usize::try_from(profile.context_tokens).unwrap_or(usize::MAX).saturating_mul(2)
}

/// Whether a record is text: invalid characters were replaced by marks, and text has few of those.
fn is_text(shown: &str) -> bool {
    let (mut marks, mut all) = (0_usize, 0_usize);
    for c in shown.chars() {
        all += 1;
        marks += usize::from(matches!(c, char::REPLACEMENT_CHARACTER | '\0'));
    }
    marks * 10 <= all
}

#[cfg(test)]
#[path = "exhibits_tests.rs"]
mod tests;
