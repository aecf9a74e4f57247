//! Packages of Debian, which are installed for the whole machine.

use super::bounded;
use crate::{Error, Result, command::Program, terminal::say};

/// Options of every call: a server that does not answer is given up soon, and nothing is asked.
const OPTIONS: [&str; 7] = [
    "--yes",
    "--no-install-recommends",
    "-oAcquire::Retries=1",
    "-oAcquire::http::Timeout=20",
    "-oAcquire::https::Timeout=20",
    "-oDPkg::Lock::Timeout=120",
    "-oDpkg::Options::=--force-confold",
];

/// Installs packages in the versions that Debian has today.
///
/// # Errors
/// The machine is no Debian, we are not root, or a package cannot be fetched or installed.
pub(super) fn install(packages: &[&str]) -> Result<()> {
    if !Program::new("apt-get", ["--version"]).works() {
        return Err(Error::Other("there is no apt-get here".to_owned()));
    }
    if Program::new("id", ["-u"]).text()?.trim() != "0" {
        return Err(Error::Other("only root may install packages of Debian".to_owned()));
    }
    say(format!("apt-get install {}", packages.join(" ")));
    // Where one source of several is gone, the packages may still come from another: what matters fails below.
    let _ = apt(300, "update", &[]);
    // Only the fetching can hang, and only it may be ended: dpkg must not be left half way.
    apt(900, "install", &[&["--download-only"], packages].concat())?;
    apt(3600, "install", &[&["--no-download"], packages].concat())
}

fn apt(seconds: u32, task: &str, arguments: &[&str]) -> Result<()> {
    bounded(seconds, "apt-get", &[&[task], &OPTIONS[..], arguments].concat())
}
