//! The pseudo-terminal: input, output and size.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::{Error, Shown};

/// Size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Height in lines.
    pub rows: NonZeroU16,
    /// Width in columns.
    pub columns: NonZeroU16,
}

/// A pseudo-terminal. A thread updates its screen for as long as a program holds the other end.
pub struct PseudoTerminal {
    keyboard: File,
    program_end: OwnedFd,
    latest: Arc<Latest>,
    reader: JoinHandle<()>,
}

/// The current output, and the signal that it has changed.
struct Latest {
    shown: Mutex<Shown>,
    came: Condvar,
}

impl Size {
    /// Creates a size; zero is raised to one.
    pub fn of(rows: u16, columns: u16) -> Self {
        let positive = |number| NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN);
        Self { rows: positive(rows), columns: positive(columns) }
    }
}

impl PseudoTerminal {
    /// Opens a terminal of this size.
    ///
    /// # Errors
    /// The system refuses a pseudo-terminal.
    pub fn open(size: Size) -> Result<Self, Error> {
        let (master, program_end) = ends()?;
        let keyboard = File::from(master.try_clone().map_err(Error::Open)?);
        let latest = Arc::new(Latest { shown: Mutex::new(Shown::nothing(size)), came: Condvar::new() });
        let theirs = Arc::clone(&latest);
        let thread = std::thread::Builder::new().name("pseudo-terminal".to_owned());
        let reader = thread.spawn(move || theirs.read(File::from(master))).map_err(Error::Open)?;
        let terminal = Self { keyboard, program_end, latest, reader };
        terminal.tell_size(u16::from(size.rows), u16::from(size.columns))?;
        Ok(terminal)
    }

    /// Reports this size to programs, without changing the screen.
    ///
    /// # Errors
    /// The system refuses the size.
    pub fn tell_size(&self, rows: u16, columns: u16) -> Result<(), Error> {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.program_end, size).map_err(|errno| Error::Use(errno.into()))
    }

    /// Resizes the screen and reports the size to programs.
    ///
    /// # Errors
    /// The system refuses the size.
    pub fn resize(&self, size: Size) -> Result<(), Error> {
        self.tell_size(u16::from(size.rows), u16::from(size.columns))?;
        self.latest.lock().resize(size);
        Ok(())
    }

    /// A handle of the programs' end, for a standard stream of a program.
    ///
    /// # Errors
    /// The process has too many files open.
    pub fn stream(&self) -> Result<Stdio, Error> {
        self.program_end.try_clone().map(Stdio::from).map_err(Error::Use)
    }

    /// Types text.
    ///
    /// # Errors
    /// The input can no longer be written.
    pub fn types(&mut self, text: &str) -> Result<(), Error> {
        self.keyboard.write_all(text.as_bytes()).map_err(Error::Type)
    }

    /// Reads the current output.
    pub fn look<T>(&self, at: impl FnOnce(&Shown) -> T) -> T {
        at(&self.latest.lock())
    }

    /// Waits until the output meets a condition, for at most `patience`. Returns when the last output
    /// arrived.
    ///
    /// # Errors
    /// The condition was not met in time.
    pub fn wait(&self, patience: Duration, mut is_so: impl FnMut(&Shown) -> bool) -> Result<Instant, Error> {
        let wait = self.latest.came.wait_timeout_while(self.latest.lock(), patience, |shown| !is_so(shown));
        let (shown, waited) = wait.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(Error::NeverShown { patience, screen: shown.text() });
        }
        Ok(shown.at())
    }

    /// Waits until the last program has closed the terminal and returns the final output.
    pub fn end(self) -> Shown {
        drop(self.program_end);
        // If the reader panicked, its output so far is still returned.
        let _ = self.reader.join();
        let nothing = Shown::nothing(Size::of(1, 1));
        std::mem::replace(&mut self.latest.lock(), nothing)
    }
}

/// Opens a terminal and returns its two ends: the user's and the programs'. Closing the first one hangs up
/// the programs.
///
/// # Errors
/// The system refuses a pseudo-terminal.
pub fn ends() -> Result<(OwnedFd, OwnedFd), Error> {
    let own = |errno: Errno| Error::Open(errno.into());
    let person = opened().map_err(own)?;
    grantpt(&person).map_err(own)?;
    unlockpt(&person).map_err(own)?;
    let name = ptsname(&person, Vec::new()).map_err(own)?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let programs = rustix::fs::open(name.as_c_str(), flags, Mode::empty()).map_err(own)?;
    Ok((person, programs))
}

/// The user's end, which no program that is started inherits.
#[cfg(target_os = "linux")]
fn opened() -> Result<OwnedFd, Errno> {
    openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
}

/// The same, in two steps: a program that another thread starts between them inherits it.
#[cfg(not(target_os = "linux"))]
fn opened() -> Result<OwnedFd, Errno> {
    use rustix::io::{FdFlags, fcntl_setfd};
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    fcntl_setfd(&person, FdFlags::CLOEXEC)?;
    Ok(person)
}

impl Latest {
    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, mut master: File) {
        let mut buffer = [0; 4096];
        // Reading fails when the last program has closed the other end.
        while let Ok(count @ 1..) = master.read(&mut buffer) {
            let answer = self.lock().show(buffer.get(..count).unwrap_or_default());
            self.came.notify_all();
            if let Some(answer) = answer {
                // The program may have exited meanwhile.
                let _ = master.write_all(answer.as_bytes());
            }
        }
    }
}
