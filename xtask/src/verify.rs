//! The gate: formatting, lints, documentation, smoke runs and tests that must pass before a change lands.

use std::path::PathBuf;

use crate::{
    Error, Result, bench, cli,
    command::{Program, cargo},
    other_systems, schema,
    terminal::{say, step},
    test_tools, tidy,
};

/// A soak of less than a minute, with the build that the tests run.
const SHORT_SOAK: [&str; 8] = ["--tested", "--quick", "--runs", "40", "--turns", "24", "--seed", "205"];

/// `cargo xtask test`: what must pass without a model, and without a network beyond the crates registry.
///
/// # Errors
/// The first step that fails.
pub fn test() -> Result<()> {
    test_tools::check_listed()?;
    step("format", || cargo(["fmt", "--all", "--check"]).run())?;
    step("tidy", tidy::run)?;
    step("lints", || {
        let clippy = cargo(["clippy", "--workspace", "--all-targets", "--all-features"]);
        clippy.args(["--", "--deny=warnings"]).run()
    })?;
    step("documentation", || {
        let doc = cargo(["doc", "--workspace", "--no-deps", "--all-features", "--document-private-items"]);
        doc.env("RUSTDOCFLAGS", "--deny=warnings").run()
    })?;
    step("generated files", || schema::run(true))?;
    smoke(Build::Tested)?;
    step("what a process asks of the kernel", || bench::run(&cli::Bench::check_of_counts()))?;
    step("parts of the bench", bench::try_parts)?;
    cli::evaluation("check", &[])?;
    step("a short soak", || cli::evaluation("soak", &SHORT_SOAK.map(str::to_owned)))?;
    step("examples in the documentation", || {
        cargo(["test", "--workspace", "--all-features", "--doc", "--quiet"]).run()
    })?;
    step("fuzz targets", fuzz_targets)?;
    step("10,000 runs of models that stray", || with_tools(strays()).run())?;
    // Last, so that the runner's summary ends the output.
    step("tests", || with_tools(runner()).run())
}

/// `cargo xtask ci`: [`test()`], and the same smoke run with the release build.
///
/// # Errors
/// The first step that fails.
pub fn ci() -> Result<()> {
    test()?;
    smoke(Build::Release)?;
    step("other systems", other_systems::check)
}

/// Whether the fuzz targets compile: they are a workspace of their own, so that nothing else notices a renamed item. libFuzzer itself
/// is C++, which a check does not need: a compiler that does nothing stands in for one.
fn fuzz_targets() -> Result<()> {
    let check = cargo(["check", "--quiet", "--locked", "--all-targets", "--target-dir=target"]);
    check.args(["--manifest-path=fuzz/Cargo.toml"]).env("CXX", "true").env("AR", "true").run()
}

/// `cargo xtask smoke`: the binary answers a request against a mock model server.
///
/// # Errors
/// The build fails, or the binary's output is wrong.
pub fn smoke(build: Build) -> Result<()> {
    step("smoke run", || Program::new(tested("smoke")?, [artoo(build)?]).run())
}

/// The build of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// The one that the tests run: built together with them, so that nothing is built twice.
    Tested,
    /// The one that the bench measures.
    Release,
    /// The first one of a new user: it is built sooner, and only the model is as quick as in a release.
    Quickstart,
}

/// Builds the binary and returns its path, as cargo reports it: the target folder may be anywhere.
///
/// # Errors
/// The build fails.
pub fn artoo(build: Build) -> Result<PathBuf> {
    match build {
        Build::Tested => tested("artoo"),
        Build::Release => built("release"),
        Build::Quickstart => built("quickstart"),
    }
}

/// The binary alone, in a profile of the workspace.
fn built(profile: &str) -> Result<PathBuf> {
    let build = cargo(["build", "--package=artoo-cli", "--bin=artoo", "--profile", profile]);
    executable(&build.args([MESSAGES]), "artoo")
}

/// A program or example, built exactly as the tests build it.
///
/// # Errors
/// The build fails.
pub fn tested(name: &str) -> Result<PathBuf> {
    executable(&cargo(["test", "--workspace", "--all-features", "--no-run", MESSAGES]), name)
}

/// An example of this crate, optimised or with a fast build.
///
/// # Errors
/// The build fails.
pub fn example(name: &str, build: Build) -> Result<PathBuf> {
    let command = cargo(["build", "--package=xtask", MESSAGES]).args([format!("--example={name}")]);
    let command = match build {
        Build::Tested => command,
        Build::Release | Build::Quickstart => command.args(["--release"]),
    };
    executable(&command, name)
}

/// Runs a build that prints cargo's messages and returns the path of the program of that name.
///
/// # Errors
/// The build fails, or produces no such program.
pub fn executable(command: &Program, name: &str) -> Result<PathBuf> {
    let messages = command.text()?;
    let programs = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let named = programs.filter(|message| {
        let is_test = message.pointer("/profile/test").and_then(serde_json::Value::as_bool) == Some(true);
        !is_test && message.pointer("/target/name").is_some_and(|own| own == name)
    });
    let path = named.filter_map(|message| message.get("executable")?.as_str().map(Into::into)).next_back();
    path.ok_or_else(|| Error::Other(format!("`{}` built no program called {name}", command.shown())))
}

/// The cargo option that reports what was built.
pub const MESSAGES: &str = "--message-format=json-render-diagnostics";

/// With the programs that `cargo xtask test-tools` installed, if any, before those of the machine.
fn with_tools(program: Program) -> Program {
    let tools = artoo_test_needs::programs();
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let folders = [tools.clone()].into_iter().chain(std::env::split_paths(&machine));
    match std::env::join_paths(folders) {
        Ok(path) if tools.is_dir() => program.env("PATH", path),
        Ok(_) | Err(_) => program,
    }
}

/// nextest if it is installed, cargo's own runner otherwise: a fresh machine needs neither.
fn runner() -> Program {
    if cargo(["nextest", "--version"]).works() {
        // The properties of whole runs have just been tried with more cases.
        let rest = "not (package(artoo-runtime) & test(/^property::/))";
        let run =
            ["nextest", "run", "--workspace", "--all-features", "--no-fail-fast", "--status-level=fail"];
        return cargo(run).args(["-E", rest]);
    }
    say("cargo-nextest is not installed; using cargo test");
    cargo(["test", "--workspace", "--all-features", "--lib", "--bins", "--tests", "--no-fail-fast"])
}

/// The four properties of whole runs with 2,500 cases each; by default they run a tenth of that.
fn strays() -> Program {
    let program = if cargo(["nextest", "--version"]).works() {
        let filter = "package(artoo-runtime) & test(/^property::/)";
        cargo(["nextest", "run", "--workspace", "--all-features", "--status-level=fail", "-E", filter])
    } else {
        cargo(["test", "--workspace", "--all-features", "--test=it", "property::"])
    };
    program.env("PROPTEST_CASES", "2500")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_taken_from_cargos_messages() {
        let line =
            r#"{"reason":"compiler-artifact","target":{"name":"artoo"},"executable":"/t/release/artoo"}"#;
        let echo = Program::new("echo", [line]);
        assert_eq!(executable(&echo, "artoo").unwrap().to_str(), Some("/t/release/artoo"));
        assert!(
            executable(&echo, "floor").unwrap_err().to_string().ends_with("built no program called floor")
        );
    }
}
