//! The conformance suite of the protocol drives this crate as a client.

use std::path::PathBuf;
use std::process::Command;

/// Runs a suite against the example `conformance_client` and compares how many scenarios passed.
#[expect(clippy::disallowed_methods, reason = "the suite starts the client under test, and no run starts it")]
fn passes(suite: &str, scenarios: usize) {
    if !artoo_test_needs::has("mcp-conformance") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(artoo_test_needs::programs().join("mcp-conformance"));
    command.args(["client", "--suite", suite, "--command", &format!("'{}'", client().display())]);
    command.env_clear().env("PATH", artoo_test_needs::path()).env("HOME", home.path());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix('✓')).count();
    let all_passed =
        text.lines().any(|line| line.starts_with("Total: ") && line.contains(" passed, 0 failed,"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && all_passed, "{text}\n{errors}");
    assert_eq!(lines, scenarios, "{text}\n{errors}");
}

/// The example lies beside the folder of the test programs.
fn client() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let client = own.ancestors().nth(2).unwrap().join("examples/conformance_client");
    assert!(client.exists(), "{} is built with the tests", client.display());
    client
}

#[test]
fn the_core_of_the_protocol() {
    passes("core", 18);
}

#[test]
fn logins() {
    passes("auth", 14);
}
