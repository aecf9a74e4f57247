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
    // In the background, changing the modes would stop the program (`SIGTTOU`).
    let is_ours = || tcgetpgrp(stdin()).is_ok_and(|group| group == getpgrp());
    let taken = modes.local_modes.contains(LocalModes::ICANON) && is_ours() && set(modes).is_ok();
    if taken {
        tell(MARK_PASTES);
    }
    taken
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
