//! The binary of a system, and the wheel that it comes in.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{Release, licences, tools::Tools};
use crate::{Error, Result, command::Program, files};

/// The oldest glibc that the binary runs with, as Python's tags name it: that of Debian 10, Ubuntu 18.10 and RHEL 8.
const COMPATIBILITY: &str = "manylinux_2_28";

/// A system that packages are made for, under the names that others give it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct System {
    /// For rustc.
    pub(super) target: &'static str,
    /// For the kernel, and in the name of the wheel.
    pub(super) machine: &'static str,
    /// For Debian.
    pub(super) debian: &'static str,
    /// For Node.
    pub(super) node: &'static str,
}

/// Every system that packages are made for.
pub(super) const SYSTEMS: [System; 2] = [
    System { target: "x86_64-unknown-linux-gnu", machine: "x86_64", debian: "amd64", node: "x64" },
    System { target: "aarch64-unknown-linux-gnu", machine: "aarch64", debian: "arm64", node: "arm64" },
];

/// A built binary with the licences of what is linked into it.
#[derive(Debug)]
pub(super) struct Binary {
    /// The system that it runs on.
    pub(super) system: &'static System,
    /// The executable file.
    pub(super) path: PathBuf,
    /// A file with the licences of every crate in it.
    pub(super) licences: PathBuf,
}

/// Builds the wheel, and takes the binary out of it.
///
/// # Errors
/// The standard library of the system is missing, or the build fails.
pub(super) fn build(release: &Release, tools: &Tools, system: &'static System) -> Result<Binary> {
    // On a machine where it is installed this changes nothing; without rustup it fails, and so does the build, which says why.
    let _ = Program::new("rustup", ["target", "add", system.target]).output();
    let project = release.stage.join(format!("python-{}", system.machine));
    files::copy_folder(&files::root().join("packaging/python"), &project)?;
    let licences = project.join("THIRD-PARTY-LICENSES.txt");
    files::write(&licences, licences::of(system.target)?)?;
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files::write(project.join(name), files::read(files::root().join(name))?)?;
    }
    let manifest = project.join("pyproject.toml");
    let settings = files::read(&manifest)?.replace("{{root}}", &files::root().to_string_lossy());
    files::write(&manifest, settings)?;
    let maturin = tools.program("maturin").args(["build", "--zig", "--locked", "--profile=dist"]);
    let maturin = maturin.args(["--compatibility", COMPATIBILITY, "--target", system.target, "--out"]);
    maturin.args([&release.out]).folder(&project).run()?;
    let path = unpacked(&wheel(release, system)?, &release.stage.join(format!("wheel-{}", system.machine)))?;
    Ok(Binary { system, path, licences })
}

fn wheel(release: &Release, system: &System) -> Result<PathBuf> {
    let all = files::walk(&release.out, |_| false)?;
    let is_wheel = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("artoo-") && name.ends_with(&format!("{}.whl", system.machine))
    };
    let found = all.iter().find(is_wheel).cloned();
    found.ok_or_else(|| Error::Other(format!("maturin left no wheel in {}", release.out.display())))
}

/// The binary in a wheel, which is a zip archive.
fn unpacked(wheel: &Path, folder: &Path) -> Result<PathBuf> {
    files::remove_folder(folder)?;
    Program::new("python3", ["-m", "zipfile", "-e"]).args([wheel, folder]).run()?;
    let all = files::walk(folder, |_| true)?;
    let found = all.into_iter().find(|path| path.ends_with("scripts/artoo"));
    let found = found.ok_or_else(|| Error::Other(format!("{} holds no binary", wheel.display())))?;
    // Python's module forgets the mode.
    fs::set_permissions(&found, fs::Permissions::from_mode(0o755))
        .map_err(Error::file("set the mode of", &found))?;
    Ok(found)
}
