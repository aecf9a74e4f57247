//! A pseudo-terminal with test helpers, and tests of the live view at 20 and 80 columns.

use std::process::{Command, Stdio};

use artoo_pseudo_terminal::{PseudoTerminal, Shown, Size};

use crate::fixture::Scene;
use crate::mock_model::counting;
use crate::process::{PATIENCE, ended};

/// High enough that nothing scrolls off the screen in a test.
const ROWS: u16 = 60;

/// A terminal of sixty lines.
pub(crate) struct Screen(PseudoTerminal);

impl Screen {
    pub(crate) fn new(columns: u16) -> Self {
        Self::telling(columns, ROWS)
    }

    /// A terminal of sixty lines that reports `rows` to programs.
    pub(crate) fn telling(columns: u16, rows: u16) -> Self {
        let terminal = PseudoTerminal::open(Size::of(ROWS, columns)).unwrap();
        terminal.tell_size(rows, columns).unwrap();
        Self(terminal)
    }

    /// Types text.
    pub(crate) fn types(&mut self, text: &str) {
        self.0.types(text).unwrap();
    }

    /// Waits until this text has been shown.
    pub(crate) fn until_shown(&self, text: &str) {
        self.until_shown_times(text, 1);
    }

    /// Waits until this text has been shown that often.
    pub(crate) fn until_shown_times(&self, text: &str, times: usize) {
        self.until(text, |shown| String::from_utf8_lossy(shown.bytes()).matches(text).count() >= times);
    }

    /// Waits until this text is on the screen.
    pub(crate) fn until_seen(&self, text: &str) {
        self.until(text, |shown| shown.text().contains(text));
    }

    /// Waits until the screen meets the condition.
    pub(crate) fn until(&self, what: &str, is_so: impl FnMut(&Shown) -> bool) {
        self.0.wait(PATIENCE, is_so).unwrap_or_else(|error| panic!("{what:?}: {error}"));
    }

    /// The current screen.
    pub(crate) fn seen(&self) -> String {
        self.0.look(Shown::text)
    }

    /// Sets the width.
    pub(crate) fn resize(&self, columns: u16) {
        self.0.resize(Size::of(ROWS, columns)).unwrap();
    }

    pub(crate) fn stream(&self) -> Stdio {
        self.0.stream().unwrap()
    }

    /// Runs a program at this terminal; waits for each shown text and types the answer to it. Returns the
    /// exit code, the final screen, and all output bytes.
    pub(crate) fn talk(
        mut self,
        mut command: Command,
        steps: &[(&str, &str)],
    ) -> (Option<i32>, String, String) {
        command.env("TERM", "dumb").stdin(self.stream()).stdout(self.stream()).stderr(self.stream());
        let mut child = command.spawn().unwrap();
        drop(command);
        for (at, (shown, typed)) in steps.iter().enumerate() {
            let times = steps[..=at].iter().filter(|(other, _)| other == shown).count();
            self.until_shown_times(shown, times);
            self.types(typed);
        }
        let code = ended(&mut child).code();
        let (screen, raw) = self.end();
        (code, screen, raw)
    }

    /// The final screen and all output bytes.
    pub(crate) fn end(self) -> (String, String) {
        let shown = self.0.end();
        (shown.text(), String::from_utf8(shown.bytes().to_vec()).unwrap())
    }
}

fn shown(columns: u16, variables: &[(&str, &str)]) -> (String, String) {
    let scene = Scene::new(counting());
    let screen = Screen::new(columns);
    let mut command = scene.artoo(&["run", "数一数 docs 里有多少个 .txt 文件? كم عددها؟ 😀"]);
    command.env("TERM", "xterm-256color").envs(variables.iter().copied());
    let mut child =
        command.stdin(screen.stream()).stdout(screen.stream()).stderr(screen.stream()).spawn().unwrap();
    drop(command);
    assert_eq!(ended(&mut child).code(), Some(0), "{}", screen.end().0);
    screen.end()
}

#[test]
fn twenty_columns_are_enough() {
    let (screen, raw) = shown(20, &[]);
    for part in ["» 数一数 docs", "plan: ", "✓ Done", "\n3"] {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    // A wrapped status line would stay on the screen.
    for beat in ['◐', '◓', '◑', '◒'] {
        assert!(!screen.contains(beat), "{screen}");
    }
    assert!(raw.contains('\u{1b}'), "a terminal gets colours");
}

#[test]
fn colour_and_cursor_are_left_alone_where_they_are_not_wanted() {
    let (_, raw) = shown(80, &[("TERM", "dumb")]);
    assert!(!raw.contains('\u{1b}'), "{raw:?}");
    let (_, raw) = shown(80, &[("NO_COLOR", "1")]);
    assert!(!raw.contains("\u{1b}[3"), "{raw:?}");
    assert!(!raw.contains("\u{1b}[1m"), "{raw:?}");
}
