//! `cargo xtask test-tools`: installs what the tests use beyond Rust and a C compiler. The table is that of `artoo-test-needs`.

mod debian;
mod locked;
mod wheel;

use std::{collections::BTreeMap, fs, io, path::Path};

use artoo_test_needs::{Needs, Pin, Set, Source, TOOLS, Tool, VARIABLE};

use crate::{
    Error, Result,
    command::Program,
    terminal::{data, say},
};

/// Installs what is missing, and says of each tool what became of it. What is there is left as it is.
///
/// # Errors
/// A tool could not be had.
pub fn run() -> Result<()> {
    let found: Vec<(&Tool, Result<String>)> = TOOLS.iter().map(|tool| (tool, right_version(tool))).collect();
    let missing = found.iter().filter(|(_, version)| version.is_err());
    let packages: Vec<&str> = missing.flat_map(|(tool, _)| packages(tool)).copied().collect();
    let debian = if packages.is_empty() { Ok(()) } else { debian::install(&packages) };
    let debian = debian.map_err(|error| error.to_string());
    let mut tried = Tried { debian, sets: BTreeMap::new() };
    let mut lacking = Vec::new();
    for (tool, version) in found {
        let state = version.map_or_else(|_| installed(tool, &mut tried), State::There);
        say(format!("{}: {}", tool.name, state.words()));
        if matches!(state, State::Lacking(_)) {
            lacking.push(tool.name);
        }
    }
    if lacking.is_empty() {
        return Ok(());
    }
    Err(Error::Other(format!("could not be had: {}", lacking.join(", "))))
}

/// Prints every name that `ARTOO_TESTS_NEED` may list, separated by commas.
pub fn names() {
    data(artoo_test_needs::names().join(","));
}

/// Whether every name in `ARTOO_TESTS_NEED` is known: a test looks only where it is about to skip something.
///
/// # Errors
/// A name is unknown.
pub fn check_listed() -> Result<()> {
    let listed = std::env::var_os(VARIABLE).unwrap_or_default();
    Needs::read(&listed.to_string_lossy()).map(drop).map_err(|unknown| Error::Other(unknown.to_string()))
}

/// What became of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// In this version, before anything was done.
    There(String),
    /// In this version.
    Installed(String),
    /// Why.
    Lacking(String),
}

impl State {
    fn words(&self) -> String {
        match self {
            Self::There(version) => format!("there ({version})"),
            Self::Installed(version) => format!("installed ({version})"),
            Self::Lacking(why) => format!("could NOT be had: {why}"),
        }
    }
}

/// What was tried for several tools at once, and what came of it.
#[derive(Debug)]
struct Tried {
    debian: Result<(), String>,
    sets: BTreeMap<Set, Result<(), String>>,
}

/// Installs a tool, unless what it belongs to has been tried already, and looks what came of it.
fn installed(tool: &Tool, before: &mut Tried) -> State {
    let tried = match tool.source {
        Source::Debian(packages) => {
            let by_hand = packages.join(" ");
            before.debian.clone().map_err(|why| format!("{why}; by hand: `apt-get install {by_hand}`"))
        }
        Source::Wheel(wheel) => wheel::install(tool, wheel).map_err(|error| error.to_string()),
        Source::Locked(locked) => {
            let install = || locked::install(locked.set).map_err(|error| error.to_string());
            before.sets.entry(locked.set).or_insert_with(install).clone()
        }
    };
    match (right_version(tool), tried) {
        (Ok(version), _) => State::Installed(version),
        (Err(_), Err(why)) => State::Lacking(why),
        (Err(error), Ok(())) => State::Lacking(error.to_string()),
    }
}

fn packages(tool: &Tool) -> &'static [&'static str] {
    match tool.source {
        Source::Debian(packages) => packages,
        Source::Wheel(_) | Source::Locked(_) => &[],
    }
}

/// The version that is there, if it will do.
fn right_version(tool: &Tool) -> Result<String> {
    if let Source::Locked(locked) = tool.source {
        locked::check(locked.set)?;
    }
    let asked = Program::new("sh", ["-c", tool.version]).env("PATH", artoo_test_needs::path()).output()?;
    if !asked.status.success() {
        return Err(Error::Other(format!("`{}` fails: {}", tool.version, last_line(&asked.stderr))));
    }
    // Some programs tell their version on standard error, others complain there.
    let said = if asked.stdout.trim().is_empty() { asked.stderr } else { asked.stdout };
    let version = said.trim().lines().next().unwrap_or_default();
    if tool.pin.accepts(version) {
        return Ok(version.chars().take(60).collect());
    }
    let wanted = match tool.pin {
        Pin::Exactly(version) => version.to_owned(),
        Pin::AtLeast(version) => format!("{version} or later"),
    };
    Err(Error::Other(format!("{version} is there, and {wanted} is wanted")))
}

/// The last line of a complaint, which usually says what went wrong.
fn last_line(text: &str) -> &str {
    text.trim().lines().next_back().unwrap_or("it does not say why")
}

/// What went wrong. npm says so in its first lines, and ends with where its log is.
fn complaint(text: &str) -> String {
    let npm: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("npm error ")).take(2).collect();
    if npm.is_empty() { last_line(text).to_owned() } else { npm.join(", ") }
}

/// Runs a program that may need the network, for so many seconds at most.
fn bounded(seconds: u32, program: &str, arguments: &[&str]) -> Result<()> {
    let limit = seconds.to_string();
    let bounded = Program::new("timeout", [limit.as_str(), program]).args(arguments);
    let ran = bounded
        .env("PATH", searched())
        .env("LC_ALL", "C")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .output()?;
    match ran.status.code() {
        Some(0) => Ok(()),
        Some(124) => Err(Error::Other(format!("{program} had not ended after {seconds} s"))),
        Some(_) | None => Err(Error::Other(format!("{program} says: {}", complaint(&ran.stderr)))),
    }
}

/// Removes what is at a path, if anything is, and creates its folder if it is missing.
fn make_way(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Where tests look for programs, and the folders of the administrator's, which Debian's tools start.
fn searched() -> String {
    format!("{}:/usr/local/sbin:/usr/sbin:/sbin", artoo_test_needs::path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use artoo_test_needs::Locked;

    fn tool(version: &'static str, pin: Pin) -> Tool {
        Tool { name: "x", also: &[], version, pin, source: Source::Debian(&["no-such-package"]) }
    }

    #[test]
    fn a_tool_is_there_only_in_a_version_that_will_do() {
        let version = |text, pin| right_version(&tool(text, pin)).map_err(|error| error.to_string());
        assert_eq!(version("echo x 1.4", Pin::AtLeast("1.3")), Ok("x 1.4".to_owned()));
        assert_eq!(version("echo x 1.4 >&2", Pin::Exactly("1.4")), Ok("x 1.4".to_owned()));
        let old = version("echo x 1.2", Pin::AtLeast("1.3"));
        assert_eq!(old, Err("x 1.2 is there, and 1.3 or later is wanted".to_owned()));
        let broken = version("echo x 1.4; echo no header >&2; false", Pin::AtLeast("1.3"));
        assert!(broken.unwrap_err().ends_with("fails: no header"));
    }

    #[test]
    fn what_hangs_is_ended_and_what_fails_is_quoted() {
        let error = bounded(1, "sleep", &["60"]).unwrap_err().to_string();
        assert_eq!(error, "sleep had not ended after 1 s");
        let error = bounded(60, "sh", &["-c", "echo first >&2; echo last >&2; exit 3"]).unwrap_err();
        assert_eq!(error.to_string(), "sh says: last");
        let npm = "npm error code EINTEGRITY\nnpm error Wrong sum.\nnpm error A complete log is in /x\n";
        assert_eq!(complaint(npm), "code EINTEGRITY, Wrong sum.");
    }

    #[test]
    fn what_could_not_be_installed_says_why_and_what_to_do() {
        let tried = |debian| Tried { debian, sets: BTreeMap::new() };
        let mut refused = tried(Err("only root may do it".to_owned()));
        let lacking = installed(&tool("false", Pin::AtLeast("1")), &mut refused);
        let why = "only root may do it; by hand: `apt-get install no-such-package`".to_owned();
        assert_eq!(lacking, State::Lacking(why));
        let old = installed(&tool("echo x 1.2", Pin::AtLeast("1.3")), &mut tried(Ok(())));
        assert_eq!(old, State::Lacking("x 1.2 is there, and 1.3 or later is wanted".to_owned()));
        let there = installed(&tool("echo x 1.3", Pin::AtLeast("1.3")), &mut refused);
        assert_eq!(there, State::Installed("x 1.3".to_owned()), "what another package spoiled");
    }

    #[test]
    fn a_set_is_tried_once_for_all_its_tools() {
        let source = Source::Locked(Locked { set: Set::Npm, package: "x", starts: "" });
        let tool = Tool { source, ..tool("false", Pin::Exactly("1")) };
        let failed = Err("npm says: no network".to_owned());
        let mut tried = Tried { debian: Ok(()), sets: BTreeMap::from([(Set::Npm, failed)]) };
        let why = "npm says: no network".to_owned();
        assert_eq!(installed(&tool, &mut tried), State::Lacking(why));
    }

    #[test]
    fn what_became_of_a_tool_is_one_line() {
        assert_eq!(State::There("1.4".to_owned()).words(), "there (1.4)");
        assert_eq!(State::Lacking("no network".to_owned()).words(), "could NOT be had: no network");
    }
}
