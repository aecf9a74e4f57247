//! The packages for npm: a launcher, and one package per system that holds the binary.

use std::path::{Path, PathBuf};

use super::{Binary, Release, archive::place};
use crate::{Result, command::Program, files};

/// Builds the package of a system, and the launcher that names all of them as optional dependencies.
///
/// # Errors
/// A template cannot be read, or npm is missing or fails.
pub(super) fn build(release: &Release, binary: &Binary) -> Result<()> {
    let templates = files::root().join("packaging/npm");
    let platform = release.stage.join(format!("npm-{}", binary.system.node));
    place(&binary.path, &platform.join("bin/artoo"), 0o755)?;
    place(&binary.licences, &platform.join("THIRD-PARTY-LICENSES.txt"), 0o644)?;
    let launcher = release.stage.join("npm-launcher");
    place(&templates.join("bin/artoo.js"), &launcher.join("bin/artoo.js"), 0o755)?;
    for name in ["package.json", "README.md"] {
        let fill = |template: PathBuf, to: PathBuf| {
            let text = files::read(template)?.replace("{{version}}", &release.version);
            files::write(to, text.replace("{{cpu}}", binary.system.node))
        };
        fill(templates.join("platform").join(name), platform.join(name))?;
        fill(templates.join(name), launcher.join(name))?;
    }
    for folder in [&platform, &launcher] {
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            place(&files::root().join(name), &folder.join(name), 0o644)?;
        }
        pack(folder, &release.out)?;
    }
    Ok(())
}

fn pack(folder: &Path, out: &Path) -> Result<()> {
    let quiet = ["pack", "--silent", "--ignore-scripts", "--no-update-notifier", "--pack-destination"];
    Program::new("npm", quiet).args([out]).folder(folder).text().map(drop)
}
