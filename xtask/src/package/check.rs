//! Installs every package in clean roots of Debian, uses it there as a new user would, and removes it.
//!
//! A root is made by debootstrap, once for each release, and is not changed: each check gets a layer above it. It has Python and no
//! compiler. The model server is scripted and runs outside, on the loopback that the root shares.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::Release;
use crate::{
    Error, Result,
    command::Program,
    files,
    terminal::{data, say},
    verify,
};

/// The kinds of packages, as `packaging/check/try.sh` names them.
const KINDS: [&str; 4] = ["tarball", "deb", "wheel", "npm"];

/// What a root has beyond Debian's smallest system.
const INCLUDED: &str = "ca-certificates,python3,python3-venv,python3-pip";

/// Checks every package in every root, and prints the table.
///
/// # Errors
/// A root cannot be made, or a package does not do what it should; all of them are tried first.
pub(super) fn run(release: &Release, suites: &[String]) -> Result<()> {
    if Program::new("id", ["-u"]).text()?.trim() != "0" {
        return Err(Error::Other("only root can enter a clean root; run this as root".to_owned()));
    }
    let tools = node()?;
    let server = Program::new(verify::tested("smoke")?, ["--serve"]).serve()?;
    let mut wrong = Vec::new();
    data("| root | package | install | --version | request | doctor | import | uninstall | first result |");
    data("|---|---|---|---|---|---|---|---|---|");
    for suite in suites {
        let root = debian(suite)?;
        for kind in KINDS {
            let attempt = Attempt { release, root: &root, tools: &tools, kind, base_url: server.line() };
            let found = attempt.run()?;
            data(found.row(suite, kind));
            wrong.extend(found.faults().into_iter().map(|fault| format!("{suite}, {kind}: {fault}")));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::Other(format!(
        "{}\nthe output of each command lies in target/package-roots/result",
        wrong.join("\n")
    )))
}

/// One package in one root.
#[derive(Debug)]
struct Attempt<'a> {
    release: &'a Release,
    root: &'a Path,
    tools: &'a Path,
    kind: &'a str,
    base_url: &'a str,
}

impl Attempt<'_> {
    fn run(&self) -> Result<Found> {
        let base = roots();
        let (changes, result) = (base.join("changes"), base.join("result").join(self.kind));
        files::remove_folder(&changes)?;
        files::remove_folder(&result)?;
        for folder in [&changes, &result] {
            std::fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
        }
        let scripts = files::root().join("packaging/check");
        std::fs::copy(scripts.join("try.sh"), result.join("try.sh"))
            .map_err(Error::file("copy", result.join("try.sh")))?;
        let entered =
            Program::new("unshare", ["--mount", "--propagation", "private", "--pid", "--fork", "sh"])
                .args([scripts.join("in-root.sh")])
                .args([self.root, &changes, &self.release.out, self.tools])
                .args([files::root().join("fixtures/homes/sample"), result.clone()])
                .args(["sh", "/mnt/result/try.sh", self.kind, self.base_url]);
        let entered = entered.output()?;
        let text = files::read(result.join("result")).map_err(|error| {
            Error::Other(format!(
                "{} in {}: {error}: {}",
                self.kind,
                self.root.display(),
                entered.stderr.trim()
            ))
        })?;
        Ok(Found::read(&text))
    }
}

/// What the script wrote: a value for each name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found(BTreeMap<String, String>);

impl Found {
    fn read(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        Self(pairs.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect())
    }

    fn value(&self, name: &str) -> &str {
        self.0.get(name).map_or("-", String::as_str)
    }

    fn row(&self, suite: &str, kind: &str) -> String {
        let codes =
            ["install", "version", "run", "doctor", "import", "uninstall"].map(|name| self.value(name));
        let first: f64 = self.value("milliseconds").parse().unwrap_or(f64::NAN);
        format!("| {suite} | {kind} | {} | {:.1} s |", codes.join(" | "), first / 1000.0)
    }

    /// What is not as it should be. A package leaves nothing but the user's data folder behind.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for name in ["install", "version", "run", "doctor", "import", "uninstall"] {
            let code = self.value(name);
            if code != "0" && !(name == "import" && code == "-") {
                faults.push(format!("{name} ended with {code}"));
            }
        }
        if self.value("output") != "accept" {
            faults.push(format!("the request ended with `{}`", self.value("output")));
        }
        let left: Vec<&str> =
            self.value("left").split_whitespace().filter(|name| !KEPT.contains(name)).collect();
        if !left.is_empty() {
            faults.push(format!("left behind: {}", left.join(" ")));
        }
        if let Some(compiler) = self.0.get("compiler") {
            faults.push(format!("the root has a compiler: {compiler}"));
        }
        if let Some(file) = self.0.get("missing") {
            faults.push(format!("the package has not installed: {file}"));
        }
        faults
    }
}

/// What stays in a home: the user's data, and folders that the user's other programs share.
const KEPT: [&str; 4] = ["./.artoo", "./artoo_workspace", "./.local", "./.cache"];

/// Where roots are kept.
fn roots() -> PathBuf {
    files::root().join("target/package-roots")
}

/// A root of a release of Debian. One that was made before is taken again.
fn debian(suite: &str) -> Result<PathBuf> {
    let root = roots().join(suite);
    let whole = roots().join(format!("{suite}.whole"));
    if whole.is_file() {
        return Ok(root);
    }
    say(format!("debootstrap {suite}: a few minutes, the first time"));
    files::remove_folder(&root)?;
    let made = Program::new("debootstrap", ["--variant=minbase"]).args([format!("--include={INCLUDED}")]);
    let made = made.args([suite.as_ref(), root.as_os_str()]).output()?;
    if !made.status.success() {
        let last = made.stdout.lines().next_back().unwrap_or_default().to_owned();
        return Err(Error::Other(format!("debootstrap {suite}: {last}; is it installed?")));
    }
    files::write(&whole, "")?;
    Ok(root)
}

/// Node and npm of this machine in a folder of their own: the releases of Debian are too old for npm packages of today.
fn node() -> Result<PathBuf> {
    let folder = roots().join("tools");
    files::remove_folder(&folder)?;
    std::fs::create_dir_all(folder.join("bin")).map_err(Error::file("create", &folder))?;
    let script = "set -e; cp \"$(readlink -f \"$(command -v node)\")\" bin/node; \
        cp -r \"$(npm root --global)/npm\" npm; \
        printf '#!/bin/sh\\nexec node /mnt/tools/npm/bin/npm-cli.js \"$@\"\\n' > bin/npm; chmod +x bin/npm";
    Program::new("sh", ["-c", script]).folder(&folder).run()?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "install=0\nversion=0\nrun=0\nmilliseconds=4210\noutput=accept\ndoctor=0\nuninstall=0\nleft=./.artoo \n";

    #[test]
    fn a_package_that_works_has_no_fault() {
        let found = Found::read(GOOD);
        assert_eq!(found.faults(), [""; 0]);
        assert_eq!(found.row("bookworm", "deb"), "| bookworm | deb | 0 | 0 | 0 | 0 | - | 0 | 4.2 s |");
    }

    #[test]
    fn everything_that_is_wrong_is_a_fault() {
        let found = Found::read(
            "install=0\nversion=127\nrun=3\noutput=success\ndoctor=0\nuninstall=0\nleft=./venv ./.artoo\ncompiler=gcc\nmissing=manual\n",
        );
        let faults = [
            "version ended with 127",
            "run ended with 3",
            "the request ended with `success`",
            "left behind: ./venv",
            "the root has a compiler: gcc",
            "the package has not installed: manual",
        ];
        assert_eq!(found.faults(), faults);
        assert_eq!(Found::default().faults().len(), 7, "what was not tried did not work");
    }
}
