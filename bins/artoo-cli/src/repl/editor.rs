//! The line editor of the prompt: `reedline` with artoo's completion, history, key bindings and highlighting.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reedline::{
    ColumnarMenu, EditCommand, EditMode, Emacs, Highlighter, KeyCode, KeyModifiers, Keybindings,
    MenuBuilder as _, Reedline, ReedlineEvent, ReedlineMenu, Signal, SimpleMatchHighlighter, StyledText,
    ValidationResult, Validator, Vi, default_emacs_keybindings, default_vi_insert_keybindings,
    default_vi_normal_keybindings, default_vi_visual_keybindings,
};
use rustix::process::{Signal as Number, getpid, kill_process};

use super::complete::Words;
use super::history::FolderHistory;
use super::parse_line::is_command;
use super::prompt::{Line, Said};
use super::state::State;
use crate::commands::Loaded;
use crate::config::{Given, Keys};
use crate::dispatch::Context;
use crate::error::CommandError;
use crate::terminal::{input_follows, more_keys_follow};

const COMPLETION: &str = "completion";
/// Host command that the Ctrl+Z key binding sends; it starts with NUL, so it cannot be typed.
const STOP: &str = "\u{0}stop";

/// Reads the user's next line.
pub(super) struct Editor {
    line: Reedline,
    /// The folder that history and completion were set up for.
    folder: std::path::PathBuf,
    /// Whether the last key was Ctrl+C at an empty prompt.
    leaving: bool,
    shown: Shown,
    /// Lines that were completed before the prompt was drawn.
    ahead: VecDeque<Read>,
}

/// Result of one read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    Line(String),
    Leave,
}

impl Editor {
    /// Creates the editor for this conversation.
    pub(super) fn new(context: &mut Context<'_>, state: &State) -> Result<Self, CommandError> {
        let settings = Loaded::load(context, Given::default())?.settings;
        let data_folder = settings.data_dir;
        let keys: Box<dyn EditMode> = match settings.keys {
            Keys::Emacs => Box::new(Emacs::new(bound(default_emacs_keybindings()))),
            Keys::Vi => Box::new(Vi::new(
                bound(default_vi_insert_keybindings()),
                default_vi_normal_keybindings(),
                default_vi_visual_keybindings(),
            )),
        };
        let folder = state.folder().to_owned();
        let history = FolderHistory::open(&data_folder, &folder).unwrap_or_else(|error| {
            context.terminal.warning(&format!("what you type is not kept for later: {error}"));
            FolderHistory::in_memory()
        });
        let shown = Shown::default();
        let menu = Box::new(ColumnarMenu::default().with_name(COMPLETION));
        let line = Reedline::create()
            .with_ansi_colors(context.terminal.look().colour)
            .use_bracketed_paste(true)
            .with_history(Box::new(history))
            .with_history_exclusion_prefix(Some(" ".to_owned()))
            .with_completer(Box::new(Words { folder: folder.clone(), data_folder }))
            .with_menu(ReedlineMenu::EngineCompleter(menu))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_validator(Box::new(Unfinished))
            .with_highlighter(Box::new(shown.clone()))
            .with_external_printer(state.background.printer())
            .with_break_signal(Arc::clone(&state.continued.0))
            .with_edit_mode(keys);
        Ok(Self { line, folder, leaving: false, shown, ahead: VecDeque::new() })
    }

    /// Reads a line; `draft` is prefilled.
    ///
    /// # Errors
    /// The terminal can no longer be read.
    pub(super) fn read(
        &mut self,
        context: &mut Context<'_>,
        state: &State,
        draft: &str,
    ) -> Result<Read, CommandError> {
        if self.folder != state.folder() {
            let (leaving, ahead) = (self.leaving, std::mem::take(&mut self.ahead));
            *self = Self { leaving, ahead, ..Self::new(context, state)? };
        }
        if !draft.is_empty() {
            self.line.run_edit_commands(&[EditCommand::InsertString(draft.to_owned())]);
        }
        loop {
            let prompt = prompt(context, state);
            self.shown.0.store(false, Ordering::Relaxed);
            self.ahead.extend(pasted_together(finished_lines()));
            if let Some(read) = self.ahead.pop_front() {
                return Ok(read);
            }
            let read = self.line.read_line(&prompt).map_err(|error| {
                CommandError::failed("the terminal cannot be read")
                    .because(error)
                    .hint("see: artoo run --help")
            })?;
            if let Some(error) = self.line.take_history_save_error() {
                context.terminal.warning(&format!("what you type is not kept for later: {error}"));
            }
            match read {
                Signal::Success(line) => {
                    self.leaving = false;
                    if let Err(error) = self.line.sync_history() {
                        context.terminal.warning(&format!("what you type is not kept for later: {error}"));
                    }
                    return Ok(Read::Line(line));
                }
                Signal::CtrlD => return Ok(Read::Leave),
                Signal::CtrlC if self.shown.0.load(Ordering::Relaxed) => self.leaving = false,
                Signal::CtrlC if self.leaving => return Ok(Read::Leave),
                Signal::CtrlC => {
                    self.leaving = true;
                    context.terminal.note("Ctrl+C again, or Ctrl+D, leaves");
                }
                // Suspends like any program started from a shell; the typed
                // text is still there after resuming.
                Signal::HostCommand(_) => {
                    let _ = kill_process(getpid(), Number::TSTP);
                }
                // The program was stopped and goes on: the next turn takes the terminal's modes again.
                Signal::ExternalBreak(_) => {}
                // A signal that this version of the editor does not know.
                _ => {}
            }
        }
    }
}

/// Complete lines that were typed while a command of the program owned the terminal. The
/// terminal has already terminated them, with a line end that would not act as Enter at the
/// prompt. An incomplete line reaches the prompt unchanged.
fn finished_lines() -> Vec<Read> {
    let mut lines = Vec::new();
    let mut bytes = [0; 4096];
    while input_follows(Duration::ZERO) {
        // In canonical mode, a read returns one line, and zero bytes for Ctrl+D.
        match rustix::io::read(std::io::stdin(), &mut bytes) {
            Ok(0) => {
                lines.push(Read::Leave);
                break;
            }
            Ok(count) => {
                let line = String::from_utf8_lossy(bytes.get(..count).unwrap_or_default()).into_owned();
                lines.push(Read::Line(line.trim_end_matches('\n').to_owned()));
            }
            Err(_) => break,
        }
    }
    lines
}

/// Lines of requests that follow one another were pasted: they are one request. A command is a line.
fn pasted_together(lines: Vec<Read>) -> Vec<Read> {
    let mut together: Vec<Read> = Vec::new();
    for line in lines {
        match (together.last_mut(), line) {
            (Some(Read::Line(before)), Read::Line(line)) if !is_command(before) && !is_command(&line) => {
                before.push('\n');
                before.push_str(&line);
            }
            (_, line) => together.push(line),
        }
    }
    together
}

/// The prompt for the current state.
fn prompt(context: &mut Context<'_>, state: &State) -> Line {
    let model = state.model(context);
    let folder = state.folder();
    let home = &context.folders.home;
    let short = match folder.strip_prefix(home) {
        Ok(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => folder.display().to_string(),
    };
    let session = state.session_id().map(crate::view::short_id);
    let granted = state.args.permissions.yes.iter().map(|kind| kind.name()).collect();
    let (plan, approval) = (state.args.plan, state.args.permissions.approval);
    let said = Said { folder: short, model: model.as_deref(), session, plan, approval, granted };
    Line::of(said, context.terminal.look().columns)
}

/// Adds artoo's bindings to `keys`.
fn bound(mut keys: Keybindings) -> Keybindings {
    let menu =
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(COMPLETION.to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, menu);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let new_line = || ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line());
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::Enter, new_line());
    // A terminal without bracketed paste sends the line ends of pasted text as Ctrl+J.
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('j'), new_line());
    let stop = ReedlineEvent::ExecuteHostCommand(STOP.to_owned());
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('z'), stop);
    keys
}

/// Whether the line was non-empty when it was last drawn: by the time Ctrl+C
/// is reported, the line has been cleared.
#[derive(Clone, Debug, Default)]
struct Shown(Arc<AtomicBool>);

impl Highlighter for Shown {
    fn highlight(&self, line: &str, at: usize) -> StyledText {
        self.0.store(!line.is_empty(), Ordering::Relaxed);
        // Unstyled, in the terminal's own text colour.
        SimpleMatchHighlighter::default().highlight(line, at)
    }
}

/// Continues the input after a line that ends with a backslash, inside an open code block, and inside a paste.
struct Unfinished;

impl Validator for Unfinished {
    fn validate(&self, line: &str) -> ValidationResult {
        // A terminal that does not mark pastes sends their line ends as Enter.
        if !is_command(line) && more_keys_follow() {
            return ValidationResult::Incomplete;
        }
        let fences = line.lines().filter(|line| line.trim_start().starts_with("```")).count();
        if line.ends_with('\\') || fences % 2 == 1 {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Complete
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_waited_are_one_request_and_commands_stay_alone() {
        let line = |text: &str| Read::Line(text.to_owned());
        let waited = ["/cost", "how many", "files", "! ls", "and now", "", "the rest"].map(line);
        let mut waited = waited.into_iter().collect::<Vec<_>>();
        waited.push(Read::Leave);
        let expected = vec![
            line("/cost"),
            line("how many\nfiles"),
            line("! ls"),
            line("and now\n\nthe rest"),
            Read::Leave,
        ];
        assert_eq!(pasted_together(waited), expected);
    }
}
