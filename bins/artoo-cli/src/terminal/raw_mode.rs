//! Key-by-key mode of the terminal: no echo, no line buffering; signal keys keep working.

use std::io::{self, Write as _, stderr, stdin};
use std::sync::{Mutex, PoisonError};

use nix::unistd::{getpgrp, tcgetpgrp};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Bracketed paste: pasted text is marked, so that its line ends do not send anything.
const MARK_PASTES: &str = "\x1b[?2004h";
const DO_NOT_MARK_PASTES: &str = "\x1b[?2004l";

/// The terminal's original modes. A static, because a program that exits early has to restore them too.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Guard of key-by-key mode; restores the terminal on drop.
#[derive(Debug)]
pub(crate) struct RawModeGuard(());

impl RawModeGuard {
    /// Switches the terminal to key-by-key mode.
    ///
    /// # Errors
    /// Standard input is not a terminal.
    pub(crate) fn begin() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        set(before.clone())?;
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        tell(MARK_PASTES);
        Ok(Self(()))
    }
}

/// Re-enters the mode if a shell has owned the terminal meanwhile (Ctrl+Z,
/// `fg`); returns whether that was the case.
pub(crate) fn take_again() -> bool {
    let Ok(modes) = tcgetattr(stdin()) else { return false };
    let taken = modes.local_modes.contains(LocalModes::ICANON) && is_ours() && set(modes).is_ok();
    if taken {
        tell(MARK_PASTES);
    }
    taken
}

/// Gives the terminal back the modes of the line editor, which reads at the moment, after a shell has owned it
/// (stopped by a signal, `fg`). Without them the editor would wait for an answer of the terminal that comes with the
/// next line end.
pub(crate) fn take_again_for_editor() {
    if !crossterm::terminal::is_raw_mode_enabled().unwrap_or(false) || !is_ours() {
        return;
    }
    if let Ok(mut modes) = tcgetattr(stdin()) {
        modes.make_raw();
        // If the terminal is gone, the editor learns it by itself.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &modes);
    }
}

/// Whether the terminal is this program's. In the background, changing its modes would stop the program (`SIGTTOU`).
fn is_ours() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp())
}

fn set(mut modes: Termios) -> rustix::io::Result<()> {
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Now, &modes)
}

impl Drop for RawModeGuard {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal's original modes.
pub(crate) fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        tell(DO_NOT_MARK_PASTES);
        // If the terminal is gone, there is nothing to restore.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    }
}

/// Writes to standard error; an error is ignored, because there is no other stream to report it on.
fn tell(sequence: &str) {
    let mut out = stderr();
    let _ = out.write_all(sequence.as_bytes()).and_then(|()| out.flush());
}
