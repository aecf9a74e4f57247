//! The programs that build packages: maturin and zig, from Python's index, in the versions and with the bytes that
//! `packaging/requirements.txt` names.

use std::path::PathBuf;

use crate::{Error, Result, command::Program, files};

/// An environment of Python with the tools.
#[derive(Debug)]
pub(super) struct Tools {
    folder: PathBuf,
}

impl Tools {
    /// A tool, which finds the others.
    pub(super) fn program(&self, name: &str) -> Program {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let search = [self.folder.join("bin")].into_iter().chain(std::env::split_paths(&path));
        let program = Program::new(self.folder.join("bin").join(name), [""; 0]);
        match std::env::join_paths(search) {
            Ok(search) => program.env("PATH", search),
            Err(_) => program,
        }
    }
}

/// Installs the tools below `target`, unless the same ones are there.
///
/// # Errors
/// There is no Python, or a tool cannot be fetched or has other bytes.
pub(super) fn install() -> Result<Tools> {
    let list = files::root().join("packaging/requirements.txt");
    let folder = files::root().join("target/package-tools");
    let wanted = files::read(&list)?;
    let mark = folder.join("requirements.txt");
    if files::read(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(Tools { folder });
    }
    files::remove_folder(&folder)?;
    Program::new("python3", ["-m", "venv"]).args([&folder]).run()?;
    let pip = Program::new(folder.join("bin/python"), ["-m", "pip", "install", "--quiet"]);
    let pip = pip.args(["--disable-pip-version-check", "--require-hashes", "--no-deps"]);
    pip.args(["--only-binary=:all:", "--requirement"]).args([&list]).run()?;
    std::fs::copy(&list, &mark).map_err(Error::file("write", &mark))?;
    Ok(Tools { folder })
}
