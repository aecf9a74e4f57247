//! A program at a pseudo-terminal, driven by typed input.

use std::{
    process::{Child, Command},
    time::{Duration, Instant},
};

use artoo_pseudo_terminal::{PseudoTerminal, Shown, Size, vt100};
use rustix::process::{Pid, Signal, kill_process};

use crate::{Failure, scene::Scene};

/// The terminal size.
pub(crate) const SIZE: (u16, u16) = (28, 90);
/// The end of artoo's prompt among the letters, and of the line below the view of a run.
pub(crate) const PROMPT: &str = "~/letters › ";
pub(crate) const BELOW_A_RUN: &str = "› ";
/// The floor's prompt.
pub(crate) const FLOOR_PROMPT: &str = "floor$ ";

/// Timeout.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A conversation.
pub(crate) struct Talk {
    terminal: PseudoTerminal,
    child: Child,
    prompt: String,
}

impl Talk {
    /// Starts artoo with these options.
    pub(crate) fn with_artoo(scene: &Scene, options: &[&str]) -> Result<(Self, Duration), Failure> {
        Self::begin(scene.artoo(options), scene.prompt())
    }

    /// Starts bash.
    pub(crate) fn with_floor(scene: &Scene) -> Result<(Self, Duration), Failure> {
        let mut command = scene.program("bash".as_ref(), &["--norc", "--noprofile", "-i"]);
        command.env("PS1", FLOOR_PROMPT);
        Self::begin(command, FLOOR_PROMPT.to_owned())
    }

    /// Starts a program, and waits for its first prompt. Returns how long that took.
    fn begin(mut command: Command, prompt: String) -> Result<(Self, Duration), Failure> {
        let terminal = PseudoTerminal::open(Size::of(SIZE.0, SIZE.1))?;
        command.stdin(terminal.stream()?).stdout(terminal.stream()?).stderr(terminal.stream()?);
        let started = Instant::now();
        let child = command.spawn()?;
        drop(command);
        let talk = Self { terminal, child, prompt };
        let at = talk.until_at_prompt()?;
        Ok((talk, at.duration_since(started)))
    }

    /// Types text.
    pub(crate) fn types(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.terminal.types(text)?)
    }

    /// Presses Ctrl+C: by its signal, as the terminal does in a run.
    pub(crate) fn interrupts(&self) -> Result<(), Failure> {
        Ok(kill_process(Pid::from_child(&self.child), Signal::INT)?)
    }

    /// Waits until the screen satisfies a condition. Returns the time of the last output.
    pub(crate) fn until(&self, is_so: impl FnMut(&Shown) -> bool) -> Result<Instant, Failure> {
        Ok(self.terminal.wait(PATIENCE, is_so)?)
    }

    /// Waits until this text is on the screen.
    pub(crate) fn until_seen(&self, text: &str) -> Result<Instant, Failure> {
        self.until(|shown| shown.text().contains(text)).map_err(|error| format!("{text:?}: {error}").into())
    }

    /// Waits until the next line may be typed.
    pub(crate) fn until_at_prompt(&self) -> Result<Instant, Failure> {
        let prompt = self.prompt.trim_end();
        self.until(|shown| last_line(shown.screen()).starts_with(prompt))
    }

    /// Inspects the screen.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&Shown) -> T) -> T {
        self.terminal.look(at)
    }

    /// The program's memory, in MiB.
    pub(crate) fn memory(&self) -> Result<f64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kib.ok_or("the system does not say how much memory the program holds")? / 1024.0)
    }

    /// Leaves with Ctrl+D.
    pub(crate) fn ends(mut self) -> Result<(), Failure> {
        self.types("\u{4}")?;
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("the program ended with {status}").into()) }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Fails if it has already ended; either way no process is left.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last non-empty line.
pub(crate) fn last_line(screen: &vt100::Screen) -> String {
    let text = screen.contents();
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}
