//! Packages of Debian, which are installed for the whole machine.

use super::bounded;
use crate::{Error, Result, command::Program};

/// The packages of this machine.
#[derive(Debug, Default)]
pub(super) struct Debian {
    are_lists_fresh: bool,
}

/// Options of every call: a server that does not answer is given up soon, and nothing is asked.
const OPTIONS: [&str; 8] = [
    "--yes",
    "--no-install-recommends",
    "-oAcquire::Retries=1",
    "-oAcquire::http::Timeout=20",
    "-oAcquire::https::Timeout=20",
    "-oDPkg::Lock::Timeout=120",
    "-oDpkg::Options::=--force-confold",
    "-oAPT::Update::Error-Mode=any",
];

impl Debian {
    /// Installs packages in the version that Debian has today.
    ///
    /// # Errors
    /// The machine is no Debian, we are not root, or a package cannot be fetched or installed.
    pub(super) fn install(&mut self, packages: &[&str]) -> Result<()> {
        let command = format!("apt-get install {}", packages.join(" "));
        if !Program::new("apt-get", ["--version"]).works() {
            return Err(Error::Other(format!("there is no apt-get here; elsewhere it is `{command}`")));
        }
        if Program::new("id", ["-u"]).text()?.trim() != "0" {
            return Err(Error::Other(format!("only root may do it: `sudo {command}`")));
        }
        if !self.are_lists_fresh {
            // Where one source of several is gone, the package may still come from another: what matters fails below.
            let _ = apt(300, "update", &[]);
            self.are_lists_fresh = true;
        }
        // Only the fetching can hang, and only it may be ended: dpkg must not be left half way.
        apt(900, "install", &[&["--download-only"], packages].concat())?;
        apt(3600, "install", &[&["--no-download"], packages].concat())
    }
}

fn apt(seconds: u32, task: &str, arguments: &[&str]) -> Result<()> {
    bounded(seconds, "apt-get", &[&[task], &OPTIONS[..], arguments].concat())
}
