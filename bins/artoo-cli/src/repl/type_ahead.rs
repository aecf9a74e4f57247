//! The input line while a run works: what is typed is an answer, a note to the run, or the next request.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use artoo_runtime::Noter;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use reedline::LineBuffer;

use super::parse_line::Entered;
use crate::run::Keyboard;
use crate::terminal::{
    Field, RawModeGuard, StderrWriter, Terminal, more_keys_follow, neutral_line, take_again,
};

/// Poll interval at which the reader thread checks for the end.
const LOOK: Duration = Duration::from_millis(30);
/// Prompt of the input line when no question is open.
const PROMPT: &str = "› ";
/// The command that Ctrl+D enters.
const LEAVE: &str = "/exit";

/// The input line below the view of a run.
pub(super) struct TypeAhead {
    typed: Arc<Typed>,
    reader: Option<JoinHandle<()>>,
    /// Restores the terminal on drop.
    _keys: RawModeGuard,
}

/// Text that was typed but not used by the time the run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct After {
    /// The incomplete line.
    pub(super) draft: String,
    /// Complete lines to process after the run, in order.
    pub(super) next: Vec<String>,
}

/// The input state shared with the thread that reads the keys.
struct Typed {
    state: Mutex<State>,
    over: AtomicBool,
    errors: Arc<StderrWriter>,
}

#[derive(Default)]
struct State {
    line: LineBuffer,
    /// Channel for the answer to the open question, and the line as it was before the question.
    asked: Option<(mpsc::Sender<String>, LineBuffer)>,
    /// Receiving end for the asker.
    answer: Option<mpsc::Receiver<String>>,
    /// An answer that is not sent yet.
    given: Option<(mpsc::Sender<String>, String)>,
    /// Receiver of notes to the run.
    noter: Option<Noter>,
    next: Vec<String>,
}

/// Effect of a key.
#[derive(Debug, PartialEq, Eq)]
enum Done {
    Nothing,
    Changed,
    /// A line was completed, as an answer.
    Answered(String),
    /// A line was completed, as a note to the run.
    Noted(String),
    /// A line was completed, and kept for after the run.
    Kept(String),
}

impl TypeAhead {
    /// Takes over the keyboard.
    ///
    /// # Errors
    /// Standard input is not a terminal, or no thread can be started.
    pub(super) fn begin(terminal: &Terminal) -> io::Result<Self> {
        let keys = RawModeGuard::begin()?;
        let typed = Arc::new(Typed {
            state: Mutex::default(),
            over: AtomicBool::new(false),
            errors: terminal.errors(),
        });
        typed.draw(&typed.lock());
        let theirs = Arc::clone(&typed);
        let reader =
            std::thread::Builder::new().name("artoo-keys".to_owned()).spawn(move || theirs.read())?;
        Ok(Self { typed, reader: Some(reader), _keys: keys })
    }

    /// The keyboard from which the run's questions are answered.
    pub(super) fn keyboard(&self) -> Arc<dyn Keyboard> {
        Arc::clone(&self.typed) as Arc<dyn Keyboard>
    }

    /// Releases the keyboard and returns the unused text.
    pub(super) fn end(mut self) -> After {
        self.typed.over.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            // If the thread panicked, the text read before is still returned.
            let _ = reader.join();
        }
        self.typed.errors.nothing_to_type();
        let mut state = self.typed.lock();
        state.give_up();
        After { draft: state.line.get_buffer().to_owned(), next: std::mem::take(&mut state.next) }
    }
}

impl Typed {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) {
        while !self.over.load(Ordering::Relaxed) {
            // If the terminal is gone, a signal ends the run.
            let Ok(ready) = poll(LOOK) else { return };
            if !ready {
                if take_again() {
                    self.errors.draw_anew();
                }
                continue;
            }
            let Ok(event) = read() else { return };
            let goes_on = matches!(event, Event::Key(key) if is_enter(key)) && more_keys_follow();
            let mut state = self.lock();
            let done = match event {
                Event::Key(key) if key.kind != KeyEventKind::Release && goes_on => state.line_end(key),
                Event::Key(key) if key.kind != KeyEventKind::Release => state.key(key),
                Event::Paste(text) => state.paste(&text),
                Event::Resize(..) => Done::Changed,
                Event::Key(_) | Event::Mouse(_) | Event::FocusGained | Event::FocusLost => Done::Nothing,
            };
            if matches!(done, Done::Answered(_)) {
                // An answered question is gone before anything is told: who saw it once more would answer it twice.
                self.draw(&state);
            }
            let said = match done {
                Done::Nothing => continue,
                Done::Changed => None,
                Done::Answered(line) => Some(line),
                Done::Noted(line) => Some(format!("note: {line}")),
                Done::Kept(line) => Some(format!("next: {line}")),
            };
            drop(state);
            if let Some(said) = said {
                self.errors.log(format!("{PROMPT}{}", neutral_line(&said)));
            }
            let mut state = self.lock();
            state.send();
            self.draw(&state);
        }
    }

    fn draw(&self, state: &State) {
        let at = state.line.insertion_point();
        let (before, after) = state.line.get_buffer().split_at_checked(at).unwrap_or_default();
        // An open question is already drawn before its answer by the terminal writer.
        let prompt = state.asked.is_none().then(|| PROMPT.to_owned());
        self.errors.type_into(prompt, Field { before: neutral_line(before), after: neutral_line(after) });
    }
}

impl State {
    fn key(&mut self, key: KeyEvent) -> Done {
        if is_enter(key) {
            return self.enter();
        }
        if key == KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL) && self.line.is_empty() {
            // Leaves after the run; Ctrl+C ends the run itself.
            return self.keep(LEAVE.to_owned());
        }
        if edit(&mut self.line, key) { Done::Changed } else { Done::Nothing }
    }

    /// Enter within a paste that the terminal did not mark: it sends a command, and nothing else.
    fn line_end(&mut self, key: KeyEvent) -> Done {
        if is_slashed(self.line.get_buffer()) && self.asked.is_none() {
            return self.key(key);
        }
        self.line.insert_newline();
        Done::Changed
    }

    /// Line ends in pasted text do not send anything.
    fn paste(&mut self, text: &str) -> Done {
        self.line.insert_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
        Done::Changed
    }

    fn enter(&mut self) -> Done {
        let line = self.line.get_buffer().to_owned();
        self.line.clear();
        // A command or an explicit next request (`>`) is neither a note nor an answer.
        if is_next(&line) {
            return self.keep(line);
        }
        if let Some((asker, before)) = self.asked.take() {
            self.line = before;
            let answer = line.trim().to_owned();
            self.given = Some((asker, answer.clone()));
            return Done::Answered(answer);
        }
        if line.trim().is_empty() {
            return Done::Changed;
        }
        if self.noter.as_ref().is_some_and(|noter| noter.note(&line).is_ok()) {
            return Done::Noted(line);
        }
        self.keep(line)
    }

    /// Sends the pending answer. Called after it is drawn, so that the run's reaction appears below it.
    fn send(&mut self) {
        if let Some((asker, answer)) = self.given.take() {
            // The asker may be gone.
            let _ = asker.send(answer);
        }
    }

    fn keep(&mut self, line: String) -> Done {
        self.next.push(line.clone());
        Done::Kept(line)
    }

    /// Discards the answer typed so far and restores the line as it was before the question.
    fn give_up(&mut self) {
        if let Some((_, before)) = self.asked.take() {
            self.line = before;
        }
        self.answer = None;
    }
}

/// Whether a line is kept for after the run: the next request, or an existing command. A path that begins
/// with a slash may be an answer.
fn is_next(line: &str) -> bool {
    line.trim_start().starts_with('>') || is_slashed(line)
}

fn is_slashed(line: &str) -> bool {
    matches!(Entered::of(line), Ok(Entered::Slash(_) | Entered::Command(_)))
}

fn is_enter(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::Enter) || key == KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL)
}

/// Applies a key to the line; returns `false` if the key has no effect.
fn edit(line: &mut LineBuffer, key: KeyEvent) -> bool {
    let control = key.modifiers == KeyModifiers::CONTROL;
    let held = key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match (key.code, control) {
        (KeyCode::Char('a'), true) | (KeyCode::Home, _) => line.move_to_start(),
        (KeyCode::Char('e'), true) | (KeyCode::End, _) => line.move_to_end(),
        (KeyCode::Char('b'), true) | (KeyCode::Left, _) => line.move_left(),
        (KeyCode::Char('f'), true) | (KeyCode::Right, _) => line.move_right(),
        (KeyCode::Char('w'), true) => line.delete_word_left(),
        (KeyCode::Char('u'), true) => line.clear_to_insertion_point(),
        (KeyCode::Char('k'), true) => line.clear_to_end(),
        (KeyCode::Char('h'), true) => line.delete_left_grapheme(),
        (KeyCode::Backspace, _) if held => line.delete_word_left(),
        (KeyCode::Backspace, _) => line.delete_left_grapheme(),
        (KeyCode::Delete, _) => line.delete_right_grapheme(),
        (KeyCode::Char(character), false) if !held => line.insert_char(character),
        (_, true | false) => return false,
    }
    true
}

impl Keyboard for Typed {
    fn begin(&self) {
        let mut state = self.lock();
        state.give_up();
        let (send, receive) = mpsc::channel();
        let before = std::mem::take(&mut state.line);
        state.asked = Some((send, before));
        state.answer = Some(receive);
        self.draw(&state);
    }

    fn line(&self) -> String {
        let answer = self.lock().answer.take();
        // Empty if the question was withdrawn.
        answer.and_then(|answer| answer.recv().ok()).unwrap_or_default()
    }

    fn give_up(&self) {
        let mut state = self.lock();
        state.give_up();
        self.draw(&state);
    }

    fn hear(&self, noter: Noter) {
        self.lock().noter = Some(noter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typing(state: &mut State, text: &str) {
        for character in text.chars() {
            assert_eq!(state.key(KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE)), Done::Changed);
        }
    }

    fn enter(state: &mut State) -> Done {
        state.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE))
    }

    #[test]
    fn lines_are_for_afterwards_and_blank_ones_are_nothing() {
        let mut state = State::default();
        typing(&mut state, "数e\u{301}x");
        state.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
        state.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
        assert_eq!(state.line.get_buffer(), "数");
        assert_eq!(state.paste("a\r\nb"), Done::Changed);
        assert_eq!(enter(&mut state), Done::Kept("数a\nb".to_owned()));
        typing(&mut state, "  ");
        assert_eq!(enter(&mut state), Done::Changed);
        assert_eq!(state.next, ["数a\nb"]);
    }

    #[test]
    fn a_paste_without_marks_is_one_line_and_agrees_to_nothing() {
        let typed = Typed {
            state: Mutex::default(),
            over: AtomicBool::new(false),
            errors: Terminal::for_nobody().errors(),
        };
        let line_end =
            |typed: &Typed| typed.lock().line_end(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        typing(&mut typed.lock(), "first");
        assert_eq!(line_end(&typed), Done::Changed);
        typing(&mut typed.lock(), "second");
        assert_eq!(enter(&mut typed.lock()), Done::Kept("first\nsecond".to_owned()));
        typing(&mut typed.lock(), "/cost");
        assert_eq!(line_end(&typed), Done::Kept("/cost".to_owned()));
        typed.begin();
        typing(&mut typed.lock(), "y");
        assert_eq!(line_end(&typed), Done::Changed);
        typing(&mut typed.lock(), "rm -rf docs");
        assert_eq!(enter(&mut typed.lock()), Done::Answered("y\nrm -rf docs".to_owned()));
    }

    #[test]
    fn what_was_typed_before_a_question_is_no_answer_to_it() {
        let typed = Typed {
            state: Mutex::default(),
            over: AtomicBool::new(false),
            errors: Terminal::for_nobody().errors(),
        };
        typing(&mut typed.lock(), "y");
        typed.begin();
        typing(&mut typed.lock(), "no");
        assert_eq!(enter(&mut typed.lock()), Done::Answered("no".to_owned()));
        typed.lock().send();
        assert_eq!(typed.line(), "no");
        assert_eq!(typed.lock().line.get_buffer(), "y");
        // A withdrawn question gets an empty answer, and the line typed before it is restored.
        typed.begin();
        typing(&mut typed.lock(), "never sent");
        Keyboard::give_up(&typed);
        assert_eq!(typed.line(), "");
        assert_eq!(typed.lock().line.get_buffer(), "y");
    }

    /// Lesson: `> and then this`, typed while the question about a plan was open, refused the plan.
    #[test]
    fn lesson_commands_and_the_next_request_answer_no_question() {
        let typed = Typed {
            state: Mutex::default(),
            over: AtomicBool::new(false),
            errors: Terminal::for_nobody().errors(),
        };
        typed.begin();
        let said = |line: &str| {
            typing(&mut typed.lock(), line);
            enter(&mut typed.lock())
        };
        for line in ["> and then 2024", "/diff", "! ls"] {
            assert_eq!(said(line), Done::Kept(line.to_owned()));
        }
        let leave = KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL);
        assert_eq!(typed.lock().key(leave), Done::Kept("/exit".to_owned()));
        // A path, and what only looks like a command, is an answer.
        assert_eq!(said("/etc"), Done::Answered("/etc".to_owned()));
        typed.lock().send();
        assert_eq!(typed.line(), "/etc");
        assert_eq!(typed.lock().next, ["> and then 2024", "/diff", "! ls", "/exit"]);
    }
}
