//! A pseudo-terminal with test helpers, and tests of the live view at 20 and 80 columns.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Duration;

use artoo_llm_http::doubles::{Reply, Step};
use artoo_pseudo_terminal::{PseudoTerminal, Shown, Size};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, counting, schema};
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
    shown_of(&Scene::new(counting()), columns, variables)
}

fn shown_of(scene: &Scene, columns: u16, variables: &[(&str, &str)]) -> (String, String) {
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

/// A model that thinks for five seconds and then writes for another three: the status line stands still at no time.
#[test]
fn the_status_line_moves_while_a_model_works() {
    let answer = counting();
    let scene = Scene::new(move |call| match schema(call) {
        "plan" => {
            let plan = count_plan("Count the .txt files in docs").to_string();
            let letters: Vec<char> = plan.chars().collect();
            let pieces = letters.chunks(letters.len().div_ceil(12)).map(String::from_iter);
            let pieces =
                pieces.flat_map(|piece| [Step::delta(&piece), Step::Wait(Duration::from_millis(250))]);
            Reply::steps(
                [Step::Wait(Duration::from_secs(5))].into_iter().chain(pieces).chain([Step::finish()]),
            )
        }
        _ => answer(call),
    });
    for columns in [40, 80] {
        let (_, raw) = shown_of(&scene, columns, &[("NO_COLOR", "1")]);
        let frames: BTreeSet<&str> = raw
            .split("\r\u{1b}[2K")
            .filter_map(|frame| frame.split(['\n', '\r', '\u{1b}']).next())
            .filter_map(|frame| Some(frame.split_once(' ')?.1))
            .collect();
        let of = |words: &str| frames.iter().filter(|frame| frame.starts_with(words)).count();
        assert!(of("waiting for the model") >= 3, "{columns}: {frames:#?}");
        assert!(of("receiving ") >= 3, "{columns}: {frames:#?}");
    }
}
