//! The tarball with its installer.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{Binary, Pages, Release};
use crate::{Error, Result, command::Program, files};

/// The time of every file in an archive, so that the same tree gives the same bytes: 2026-01-01.
pub(super) const TIME: &str = "@1767225600";

/// Builds `artoo-VERSION-TARGET.tar.gz`.
///
/// # Errors
/// A file cannot be copied, or tar fails.
pub(super) fn build(release: &Release, binary: &Binary, pages: &Pages) -> Result<()> {
    let name = format!("artoo-{}-{}", release.version, binary.system.target);
    let folder = release.stage.join(&name);
    let root = files::root();
    place(&binary.path, &folder.join("artoo"), 0o755)?;
    place(&root.join("packaging/install.sh"), &folder.join("install.sh"), 0o755)?;
    place(&root.join("README.md"), &folder.join("README.md"), 0o644)?;
    place(&root.join("LICENSE-APACHE"), &folder.join("LICENSE-APACHE"), 0o644)?;
    place(&root.join("LICENSE-MIT"), &folder.join("LICENSE-MIT"), 0o644)?;
    place(&binary.licences, &folder.join("THIRD-PARTY-LICENSES.txt"), 0o644)?;
    place(&pages.manual, &folder.join("man/artoo.1"), 0o644)?;
    place(&pages.bash, &folder.join("completions/artoo.bash"), 0o644)?;
    place(&pages.zsh, &folder.join("completions/_artoo"), 0o644)?;
    place(&pages.fish, &folder.join("completions/artoo.fish"), 0o644)?;
    sums(&folder)?;
    let file = release.out.join(format!("{name}.tar.gz"));
    let tar = Program::new("tar", ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    let tar = tar.args([&format!("--mtime={TIME}"), "--use-compress-program=gzip -9n", "--create"]);
    tar.args(["--file".as_ref(), file.as_os_str()]).args([&name]).folder(&release.stage).run()
}

/// The sums of the unpacked files, which the installer checks before it copies anything.
fn sums(folder: &Path) -> Result<()> {
    let names: Vec<PathBuf> = files::walk(folder, |_| true)?
        .iter()
        .filter_map(|path| path.strip_prefix(folder).ok().map(Path::to_path_buf))
        .collect();
    let sums = Program::new("sha256sum", &names).folder(folder).text()?;
    files::write(folder.join("SHA256SUMS"), sums)
}

/// Copies a file to a place in a package, with this mode.
///
/// # Errors
/// It cannot be read or written.
pub(super) fn place(from: &Path, to: &Path, mode: u32) -> Result<()> {
    files::write(to, fs::read(from).map_err(Error::file("read", from))?)?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode)).map_err(Error::file("set the mode of", to))
}
