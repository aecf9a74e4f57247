//! What is typed while a run works: an answer where something is asked, otherwise a note to the run or the next request.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use artoo_runtime::Noter;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use reedline::LineBuffer;

use super::entered::Entered;
use crate::run::Keyboard;
use crate::terminal::{ErrorStream, Field, KeyByKey, Terminal, neutral_line, take_again};

/// How soon the reader sees that it is over.
const LOOK: Duration = Duration::from_millis(30);
/// What stands before a note.
const PROMPT: &str = "› ";
/// What Ctrl+D stands for.
const LEAVE: &str = "/exit";

/// The line below the view of a run.
pub(super) struct TypeAhead {
    typed: Arc<Typed>,
    reader: Option<JoinHandle<()>>,
    /// Puts the terminal in order when this is dropped.
    _keys: KeyByKey,
}

/// What was typed and not used when the run was over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct After {
    /// An unfinished line.
    pub(super) draft: String,
    /// Lines for afterwards, in order.
    pub(super) next: Vec<String>,
}

/// What is typed, shared with the thread that reads the keys.
struct Typed {
    state: Mutex<State>,
    over: AtomicBool,
    errors: Arc<ErrorStream>,
}

#[derive(Default)]
struct State {
    line: LineBuffer,
    /// Where the answer to the open question goes; what was typed before it was put.
    asked: Option<(mpsc::Sender<String>, LineBuffer)>,
    /// Where the one who asked waits.
    answer: Option<mpsc::Receiver<String>>,
    /// An answer that is not sent yet.
    given: Option<(mpsc::Sender<String>, String)>,
    /// The run that hears what is said unasked.
    noter: Option<Noter>,
    next: Vec<String>,
}

/// What a key does.
#[derive(Debug, PartialEq, Eq)]
enum Done {
    Nothing,
    Changed,
    /// A line is finished, and was an answer.
    Answered(String),
    /// A line is finished, and the run was told it.
    Noted(String),
    /// A line is finished, and is for afterwards.
    Kept(String),
}

impl TypeAhead {
    /// Takes the keyboard.
    ///
    /// # Errors
    /// Standard input is no terminal, or no thread can be started.
    pub(super) fn begin(terminal: &Terminal) -> io::Result<Self> {
        let keys = KeyByKey::begin()?;
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

    /// Where the questions of the run get their answers.
    pub(super) fn keyboard(&self) -> Arc<dyn Keyboard> {
        Arc::clone(&self.typed) as Arc<dyn Keyboard>
    }

    /// Gives the keyboard back.
    pub(super) fn end(mut self) -> After {
        self.typed.over.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            // What it did before a panic is kept.
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
            // A terminal that is gone ends the run by a signal.
            let Ok(ready) = poll(LOOK) else { return };
            if !ready {
                if take_again() {
                    self.errors.draw_anew();
                }
                continue;
            }
            let Ok(event) = read() else { return };
            let mut state = self.lock();
            let done = match event {
                Event::Key(key) if key.kind != KeyEventKind::Release => state.key(key),
                Event::Paste(text) => state.paste(&text),
                Event::Resize(..) => Done::Changed,
                Event::Key(_) | Event::Mouse(_) | Event::FocusGained | Event::FocusLost => Done::Nothing,
            };
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
        // What is asked stands before its answer: the terminal has put it there.
        let prompt = state.asked.is_none().then(|| PROMPT.to_owned());
        self.errors.type_into(prompt, Field { before: neutral_line(before), after: neutral_line(after) });
    }
}

impl State {
    fn key(&mut self, key: KeyEvent) -> Done {
        if matches!(key.code, KeyCode::Enter)
            || key == KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL)
        {
            return self.enter();
        }
        if key == KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL) && self.line.is_empty() {
            // It leaves, when the run is over; Ctrl+C ends the run.
            return self.keep(LEAVE.to_owned());
        }
        if edit(&mut self.line, key) { Done::Changed } else { Done::Nothing }
    }

    /// The ends of pasted lines send nothing.
    fn paste(&mut self, text: &str) -> Done {
        self.line.insert_str(&text.replace("\r\n", "\n").replace('\r', "\n"));
        Done::Changed
    }

    fn enter(&mut self) -> Done {
        let line = self.line.get_buffer().to_owned();
        self.line.clear();
        // A command, or what says itself that it is the next request, is no note, and no answer to anything.
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

    /// Sends an answer, after it stands on the screen: what comes of it follows.
    fn send(&mut self) {
        if let Some((asker, answer)) = self.given.take() {
            // Who asked may have gone.
            let _ = asker.send(answer);
        }
    }

    fn keep(&mut self, line: String) -> Done {
        self.next.push(line.clone());
        Done::Kept(line)
    }

    /// What was typed as an answer is none any more; what was typed before it is there again.
    fn give_up(&mut self) {
        if let Some((_, before)) = self.asked.take() {
            self.line = before;
        }
        self.answer = None;
    }
}

/// Whether a line is for afterwards: the next request, or a command there is. A path that begins with a slash may be an answer.
fn is_next(line: &str) -> bool {
    line.trim_start().starts_with('>')
        || matches!(Entered::of(line), Ok(Entered::Slash(_) | Entered::Command(_)))
}

/// What a key does within a line; `false` where it does nothing.
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
        // Nothing, where the question was given up.
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
        // One that is given up is answered by nothing, and what was typed before is there again.
        typed.begin();
        typing(&mut typed.lock(), "never sent");
        Keyboard::give_up(&typed);
        assert_eq!(typed.line(), "");
        assert_eq!(typed.lock().line.get_buffer(), "y");
    }

    /// Lesson: `> and then this`, typed at the question about a plan, refused the plan.
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
