//! The live view in a real terminal of 20 and of 80 columns.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::model::counting;
use crate::process::{ended, until};
use crate::scene::Scene;

/// What a program writes that wants to know where the cursor is.
const ASKS_FOR_CURSOR: &[u8] = b"\x1b[6n";

/// A terminal and what it shows.
pub(crate) struct Screen {
    keyboard: File,
    parser: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
    slave: OwnedFd,
    reader: std::thread::JoinHandle<()>,
}

impl Screen {
    pub(crate) fn new(columns: u16) -> Self {
        Self::telling(columns, 60)
    }

    /// One of sixty lines that tells that it has so many.
    pub(crate) fn telling(columns: u16, rows: u16) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        tcsetwinsize(&slave, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let (rows, wide) = (NonZero::new(60).unwrap(), NonZero::new(columns).unwrap());
        let parser = Arc::new(Mutex::new(vt100::Parser::new(rows, wide, 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let (to_parser, to_raw) = (Arc::clone(&parser), Arc::clone(&raw));
        let keyboard = File::from(master.try_clone().unwrap());
        let reader = std::thread::spawn(move || {
            let mut master = File::from(master);
            let mut buffer = [0; 4096];
            // The last program that leaves a terminal makes its other end fail.
            while let Ok(count @ 1..) = master.read(&mut buffer) {
                let piece = &buffer[..count];
                to_parser.lock().unwrap().process(piece);
                to_raw.lock().unwrap().extend_from_slice(piece);
                // A terminal says where its cursor is when it is asked.
                if piece.windows(ASKS_FOR_CURSOR.len()).any(|bytes| bytes == ASKS_FOR_CURSOR) {
                    let (row, column) = to_parser.lock().unwrap().screen().cursor_position();
                    let _ = master.write_all(format!("\x1b[{};{}R", row + 1, column + 1).as_bytes());
                }
            }
        });
        Self { keyboard, parser, raw, slave, reader }
    }

    /// What a person types.
    pub(crate) fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until this was shown.
    pub(crate) fn until_shown(&self, text: &str) {
        self.until_shown_times(text, 1);
    }

    /// Waits until this was shown so many times.
    pub(crate) fn until_shown_times(&self, text: &str, times: usize) {
        until(text, || String::from_utf8_lossy(&self.raw.lock().unwrap()).matches(text).count() >= times);
    }

    /// Waits until this is on the screen.
    pub(crate) fn until_seen(&self, text: &str) {
        let seen = || self.parser.lock().unwrap().screen().contents();
        let started = std::time::Instant::now();
        while !seen().contains(text) {
            assert!(started.elapsed() < crate::process::PATIENCE, "no {text:?} on the screen:\n{}", seen());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// What is on the screen now.
    pub(crate) fn seen(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// Makes it so wide.
    pub(crate) fn resize(&self, columns: u16) {
        tcsetwinsize(&self.slave, Winsize { ws_row: 60, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
            .unwrap();
        let wide = NonZero::new(columns).unwrap();
        self.parser.lock().unwrap().screen_mut().set_size(NonZero::new(60).unwrap(), wide);
    }

    pub(crate) fn stream(&self) -> Stdio {
        self.slave.try_clone().unwrap().into()
    }

    /// A program at this terminal with somebody who is shown a text, types one, and so on: the exit code, what is on the screen at the end, and
    /// every byte that came.
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

    /// What is on the screen at the end, and every byte that came.
    pub(crate) fn end(self) -> (String, String) {
        drop(self.slave);
        self.reader.join().unwrap();
        let raw = String::from_utf8(self.raw.lock().unwrap().clone()).unwrap();
        (self.parser.lock().unwrap().screen().contents(), raw)
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
    for part in ["» 数一数 docs", "plan 1", "✓ accept", "\n3"] {
        assert!(screen.contains(part), "no `{part}` in\n{screen}");
    }
    // A status line that wraps is left behind on the screen.
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
