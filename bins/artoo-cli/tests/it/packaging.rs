//! The tests of what the packages have besides the program, each in its own language: they start the program that was built here.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a program of the machine in the root of the workspace, and fails with its output.
#[expect(clippy::disallowed_methods, reason = "Python and Node run their own tests")]
fn succeeds(program: &str, arguments: &[&str]) {
    let packaging = root().join("packaging");
    let modules = std::env::join_paths([packaging.join("python"), packaging.join("python/tests")]).unwrap();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).env("ARTOO_BINARY", env!("CARGO_BIN_EXE_artoo"));
    command
        .env("PYTHONPATH", modules)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PATH", artoo_test_needs::path());
    let output = command.output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}\n{}", said(&output.stdout), said(&output.stderr));
}

#[test]
fn the_python_package_runs_requests() {
    if artoo_test_needs::has("python3") {
        succeeds("python3", &["-m", "unittest", "discover", "-s", "packaging/python/tests"]);
    }
}

#[test]
fn the_installer_installs_and_uninstalls() {
    if artoo_test_needs::has("python3") {
        succeeds("python3", &["-m", "unittest", "discover", "-s", "packaging/tests"]);
    }
}

#[test]
fn the_npm_package_starts_the_program() {
    if artoo_test_needs::has("node") {
        succeeds("node", &["--test", "packaging/npm/test/launcher.test.js"]);
    }
}
