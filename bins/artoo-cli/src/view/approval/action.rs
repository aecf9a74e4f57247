//! The first line of a question: what would be done, on what, and how much of it.

use artoo_types::{Effect, PreviewedChange, PreviewedKind, ToolKind, ToolName};

use super::Asked;
use super::changes::{lines_of_diff, origin, shown, things, without_header};
use super::place::Place;
use super::told::Told;
use crate::terminal::{Style, exact, width};
use crate::view::units::{bytes, counted};

/// A longer command has lines of its own.
const SHORT: usize = 60;
/// Maximum number of paths that are named.
const NAMED: usize = 3;

/// What would be done.
pub(super) struct Action<'a> {
    /// The verb and its object, as they stand before the question mark.
    words: String,
    /// Counts or names behind it; may be empty.
    more: String,
    is_cut: bool,
    /// The lines that differ, if they stand below this line.
    diff: Option<&'a str>,
    says_command: bool,
    says_change: bool,
}

/// The action of a question. It is named after its changes if they are of one kind and all that it needs consent for, and
/// otherwise after the call.
pub(super) fn of<'a>(asked: &Asked<'a>, unsaid: &[&Effect], most: usize, place: Place<'_>) -> Action<'a> {
    // The details tell everything once more, each on its own line.
    let is_first_screen = most < usize::MAX;
    let found = match (asked.commit, asked.changes) {
        (Some(commit), _) => {
            let files = counted(commit.files.len() as u64, "file", "files");
            Action {
                says_command: true,
                ..Action::new(format!("Commit {files} to {}", exact(&commit.branch)))
            }
        }
        // The files are not all of it.
        (None, _) if asked.moves.is_some() => of_call(asked.tool, asked.command),
        (None, [only]) if unsaid.is_empty() => of_one(asked.tool, only, place),
        (None, [first, rest @ ..])
            if unsaid.is_empty() && rest.iter().all(|other| other.change == first.change) =>
        {
            of_several(asked.tool, first.change, asked.changes, place)
        }
        (None, _) => of_call(asked.tool, asked.command),
    };
    Action {
        says_command: found.says_command && is_first_screen,
        says_change: found.says_change && is_first_screen,
        diff: found.diff.filter(|_| found.says_change && is_first_screen),
        ..found
    }
}

impl<'a> Action<'a> {
    fn new(words: String) -> Self {
        Self {
            words,
            more: String::new(),
            is_cut: false,
            diff: None,
            says_command: false,
            says_change: false,
        }
    }

    /// The first line: a question to a person, or what needs consent that nobody is asked for.
    pub(super) fn head(&self, person: bool) -> Told<'a> {
        let text = if person {
            format!("{}? {}", self.words, self.more)
        } else {
            format!("needs consent: {} {}", self.words, self.more)
        };
        let told = Told::new(text.trim_end().to_owned(), self.is_cut).styled(0, Style::Notice);
        Told { diff: self.diff, ..told }
    }

    /// Whether the first line has the whole command, or what stands for one.
    pub(super) fn says_command(&self) -> bool {
        self.says_command
    }

    /// Whether the first line and what is below it have all of the only change.
    pub(super) fn says_change(&self) -> bool {
        self.says_change
    }
}

fn of_one<'a>(tool: &ToolName, change: &'a PreviewedChange, place: Place<'_>) -> Action<'a> {
    let by_words = is_by_words(tool);
    let (path, is_cut) = shown(&change.path, place);
    let size = |size: Option<u64>| size.map(|size| format!("({})", bytes(size))).unwrap_or_default();
    let (words, more) = match change.change {
        PreviewedKind::Deleted => (format!("Delete {path}"), size(change.bytes_before)),
        PreviewedKind::Changed => (format!("Edit {path}"), difference([change])),
        PreviewedKind::Renamed => {
            (format!("Rename {} -> {path}", shown(origin(change), place).0), String::new())
        }
        PreviewedKind::Attributes => (format!("Change the mode, owner or time of {path}"), String::new()),
        PreviewedKind::Created => (format!("Create {path}"), size(change.bytes_after)),
    };
    let has_more = change.autorun.is_some() || change.mode_after.is_some() || is_cut;
    let says_change = !has_more
        && match change.change {
            PreviewedKind::Deleted | PreviewedKind::Renamed => true,
            PreviewedKind::Changed | PreviewedKind::Created => by_words && change.diff.is_some(),
            PreviewedKind::Attributes => false,
        };
    let diff = change.diff.as_deref().map(without_header);
    Action { more, is_cut, diff, says_command: by_words, says_change, ..Action::new(words) }
}

fn of_several<'a>(
    tool: &ToolName,
    kind: PreviewedKind,
    changes: &[PreviewedChange],
    place: Place<'_>,
) -> Action<'a> {
    let all: Vec<&PreviewedChange> = changes.iter().collect();
    let things = things(&all);
    let (words, counts) = match kind {
        PreviewedKind::Deleted => (format!("Delete {things}"), String::new()),
        PreviewedKind::Changed => (format!("Edit {things}"), difference(changes)),
        PreviewedKind::Renamed => (format!("Rename {things}"), String::new()),
        PreviewedKind::Attributes => (format!("Change the mode, owner or time of {things}"), String::new()),
        PreviewedKind::Created => (format!("Create {things}"), String::new()),
    };
    let names: Vec<String> = changes.iter().take(NAMED).map(|change| shown(&change.path, place).0).collect();
    let names = names.join(", ");
    let is_short = changes.len() <= NAMED && width(&names) <= SHORT && kind != PreviewedKind::Renamed;
    let more = match (is_short, counts.is_empty()) {
        (false, _) => counts,
        (true, true) => names,
        (true, false) => format!("{counts} {names}"),
    };
    Action { more, says_command: is_by_words(tool), ..Action::new(words) }
}

/// Named after the call.
fn of_call<'a>(tool: &ToolName, command: &str) -> Action<'a> {
    let words = match tool.kind() {
        Some(ToolKind::Shell) => {
            let whole = exact(command);
            let is_short = !command.trim().is_empty() && !command.contains('\n') && width(&whole) <= SHORT;
            let words = if is_short { format!("Run {whole}") } else { "Run this command".to_owned() };
            return Action { says_command: is_short, ..Action::new(words) };
        }
        Some(ToolKind::EditFile) => "Edit this file",
        Some(ToolKind::WriteFile) => "Write this file",
        Some(ToolKind::GitCommit) => "Commit this",
        Some(ToolKind::UndoRun) => "Take back an earlier run",
        Some(ToolKind::AppleScript) => "Run this AppleScript",
        Some(ToolKind::Shortcuts) => "Run this shortcut",
        Some(ToolKind::Job) => "Do this with the command in the background",
        Some(ToolKind::Search) => "Search the web",
        Some(ToolKind::Fetch) => "Fetch this page",
        Some(
            ToolKind::Mdfind | ToolKind::Glob | ToolKind::Grep | ToolKind::ReadFile | ToolKind::ReadEvidence,
        ) => "Read this",
        None => return Action::new(format!("Let {} do this", exact(tool.as_str()))),
    };
    Action::new(words.to_owned())
}

/// Whether the change is all that the call is: its command only says it in other words.
fn is_by_words(tool: &ToolName) -> bool {
    matches!(tool.kind(), Some(ToolKind::EditFile | ToolKind::WriteFile))
}

/// How many lines come and go, if all of them are known: `(+3 -1)`.
pub(super) fn difference<'a>(changes: impl IntoIterator<Item = &'a PreviewedChange>) -> String {
    let mut sum = (0, 0);
    for change in changes {
        let Some((come, go)) = change.diff.as_deref().map(lines_of_diff) else { return String::new() };
        sum = (sum.0 + come, sum.1 + go);
    }
    format!("(+{} -{})", sum.0, sum.1)
}
