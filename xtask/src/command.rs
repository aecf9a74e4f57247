//! Starts child processes of a task: cargo, and the binary that it built.

use std::{
    ffi::{OsStr, OsString},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use crate::{Error, Result, files};

/// A program with its arguments, not started yet.
#[derive(Clone, Debug)]
pub struct Program {
    program: OsString,
    arguments: Vec<OsString>,
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
    alone: bool,
}

/// The output of a program.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its exit status.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: String,
    /// Standard error; empty if it went to the terminal.
    pub stderr: String,
}

/// A program that serves until this is dropped.
#[derive(Debug)]
pub struct Served {
    process: Child,
    line: String,
}

impl Served {
    /// The first line of its output, for example its address.
    pub fn line(&self) -> &str {
        &self.line
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Fails if it has already ended; either way it is reaped, so that no process is left.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Cargo in the root of the workspace: the one that runs this task, if any.
pub fn cargo<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Program {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Program::new(cargo, arguments)
}

impl Program {
    /// A program to be started in the root of the workspace.
    pub fn new<A: AsRef<OsStr>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(|argument| argument.as_ref().to_owned()).collect(),
            folder: files::root(),
            environment: Vec::new(),
            alone: false,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Clears the environment except for [added](Self::env) variables.
    #[must_use]
    pub fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// Sets another working folder.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Runs it with its output on the terminal and without input: a task never waits for input.
    ///
    /// # Errors
    /// It could not be started, or its exit status was not 0.
    pub fn run(&self) -> Result<()> {
        let status = self.status()?;
        if status.success() { Ok(()) } else { Err(self.failed(status)) }
    }

    /// Runs it with its output on the terminal and returns any exit status.
    ///
    /// # Errors
    /// It could not be started.
    pub fn status(&self) -> Result<ExitStatus> {
        self.command().stdin(Stdio::null()).status().map_err(|source| self.unstarted(source))
    }

    /// Runs it and returns both outputs with any exit status.
    ///
    /// # Errors
    /// It could not be started.
    pub fn output(&self) -> Result<Output> {
        let output = self.command().stdin(Stdio::null()).output().map_err(|source| self.unstarted(source))?;
        Ok(Output {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs it with its standard error on the terminal and returns its standard output.
    ///
    /// # Errors
    /// It could not be started.
    pub fn stdout(&self) -> Result<Output> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|source| self.unstarted(source))?;
        Ok(Output {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::new(),
        })
    }

    /// The standard output of a program that must succeed.
    ///
    /// # Errors
    /// It could not be started, or its exit status was not 0.
    pub fn text(&self) -> Result<String> {
        let output = self.stdout()?;
        if output.status.success() { Ok(output.stdout) } else { Err(self.failed(output.status)) }
    }

    /// Starts it, and waits for the first line of its output. Its input stays open until this is dropped.
    ///
    /// # Errors
    /// It could not be started, or ended without a line.
    pub fn serve(&self) -> Result<Served> {
        let mut command = self.command();
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| self.unstarted(source))?;
        let output = process.stdout.take();
        let mut served = Served { process, line: String::new() };
        let read = output.map(|output| BufReader::new(output).read_line(&mut served.line)).transpose();
        match read.map_err(|source| self.unstarted(source))? {
            Some(1..) => {
                served.line.truncate(served.line.trim_end().len());
                Ok(served)
            }
            Some(0) | None => {
                Err(self.unstarted(std::io::Error::other("it ended before it said where it serves")))
            }
        }
    }

    /// Whether it can be started and succeeds, without output.
    pub fn works(&self) -> bool {
        self.output().is_ok_and(|output| output.status.success())
    }

    /// The command as one would type it.
    pub fn shown(&self) -> String {
        let name = Path::new(&self.program).file_name().unwrap_or(&self.program);
        let mut shown = name.to_string_lossy().into_owned();
        for argument in &self.arguments {
            let argument = argument.to_string_lossy();
            let plain = !argument.is_empty()
                && !argument.contains(|c: char| c.is_whitespace() || "\"'$`\\".contains(c));
            shown.push(' ');
            if plain { shown.push_str(&argument) } else { shown.push_str(&format!("{argument:?}")) }
        }
        shown
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "xtask starts developer tools, never what a model asked for"
    )]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if self.alone {
            command.env_clear();
        }
        // `cargo run` tells this program of its own package. A cargo below it would take the same for a change of what it builds with, and
        // build the cryptography and all above it again whenever a person and a task take turns.
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_a_package(name)) {
            command.env_remove(name);
        }
        command.args(&self.arguments).current_dir(&self.folder);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn failed(&self, status: ExitStatus) -> Error {
        Error::Failed { command: self.shown(), status: status.to_string() }
    }

    fn unstarted(&self, source: std::io::Error) -> Error {
        Error::Start { command: self.shown(), source }
    }
}

/// Whether cargo sets a variable to tell a program of its package.
fn is_of_a_package(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_child_is_told_of_our_package() {
        let names = Program::new("sh", ["-c", "env | cut -d= -f1"]).text().unwrap();
        assert!(names.lines().any(|name| name == "PATH"), "{names}");
        assert!(!names.lines().any(|name| is_of_a_package(OsStr::new(name))), "{names}");
    }

    #[test]
    fn a_command_is_shown_as_one_would_type_it() {
        let program = Program::new("/usr/bin/artoo", ["run", "How many?", ""]);
        assert_eq!(program.shown(), r#"artoo run "How many?" """#);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Program::new("no-such-program-here", ["x"]).run().unwrap_err();
        assert!(error.to_string().starts_with("cannot start `no-such-program-here x`"), "{error}");
    }

    #[test]
    fn a_server_is_known_by_its_first_line_and_ends_with_its_owner() {
        let served = Program::new("sh", ["-c", "echo here; echo there; cat"]).serve().unwrap();
        assert_eq!(served.line(), "here");
        drop(served);
        let error = Program::new("true", [""; 0]).serve().unwrap_err();
        assert!(error.to_string().contains("before it said where it serves"), "{error}");
    }

    #[test]
    fn a_failure_names_command_and_status() {
        let error = Program::new("sh", ["-c", "exit 3"]).run().unwrap_err();
        assert_eq!(error.to_string(), r#"`sh -c "exit 3"` failed (exit status: 3)"#);
    }
}
