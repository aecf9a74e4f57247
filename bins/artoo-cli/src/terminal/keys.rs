//! The terminal key by key: what is typed is not shown by the terminal, and comes before its line ends. Signals stay as they are.

use std::io::{self, Write as _, stderr, stdin};
use std::sync::{Mutex, PoisonError};

use nix::unistd::{getpgrp, tcgetpgrp};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Pasted text comes marked, so that the ends of its lines send nothing.
const MARK_PASTES: &str = "\x1b[?2004h";
const DO_NOT_MARK_PASTES: &str = "\x1b[?2004l";

/// How the terminal was before. It outlives every owner: a program that ends in between must put it in order, too.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal gives every key as it comes, until this is dropped.
#[derive(Debug)]
pub(crate) struct KeyByKey(());

impl KeyByKey {
    /// Begins.
    ///
    /// # Errors
    /// Standard input is no terminal.
    pub(crate) fn begin() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        set(before.clone())?;
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        tell(MARK_PASTES);
        Ok(Self(()))
    }
}

/// Takes the keys again where a shell has had the terminal meanwhile (Ctrl+Z, `fg`), and says whether it was so.
pub(crate) fn take_again() -> bool {
    let Ok(modes) = tcgetattr(stdin()) else { return false };
    // From the background nothing may be changed: the system would stop the program.
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

impl Drop for KeyByKey {
    fn drop(&mut self) {
        restore();
    }
}

/// Puts the terminal in order.
pub(crate) fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        tell(DO_NOT_MARK_PASTES);
        // A terminal that is gone needs no order.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    }
}

/// Nobody can be told that the terminal is gone.
fn tell(sequence: &str) {
    let mut out = stderr();
    let _ = out.write_all(sequence.as_bytes()).and_then(|()| out.flush());
}
