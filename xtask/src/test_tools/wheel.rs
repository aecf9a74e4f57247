//! Wheels of Python's index, which are unpacked below `target/test-tools`.

use std::{fs, path::Path};

use artoo_test_needs::{Pin, Tool, Wheel};

use super::{bounded, make_way};
use crate::{Error, Result, files};

/// Installs a wheel whose bytes are those of the table, and links its programs.
///
/// # Errors
/// It cannot be fetched, is another one, or cannot be unpacked.
pub(super) fn install(tool: &Tool, wheel: Wheel) -> Result<()> {
    let (Pin::Exactly(version) | Pin::AtLeast(version)) = tool.pin;
    let whole = format!("{}-{version}", wheel.package);
    let (root, unfinished) = (artoo_test_needs::folder(), format!(".{whole}"));
    let (list, unfinished) = (root.join("requirements.txt"), root.join(unfinished));
    files::write(&list, requirement(wheel, version))?;
    files::remove_folder(&unfinished)?;
    pip(&list, &unfinished)?;
    // What has the right name is whole.
    files::remove_folder(&root.join(&whole))?;
    fs::rename(&unfinished, root.join(&whole)).map_err(Error::file("rename", &unfinished))?;
    for (program, inside) in wheel.programs {
        let inside = Path::new("..").join(&whole).join(inside);
        link(&inside, &artoo_test_needs::programs().join(program))?;
    }
    Ok(())
}

/// A line of pip's file of requirements: the version, and what its files may be.
fn requirement(wheel: Wheel, version: &str) -> String {
    let sums: String = wheel.sha256.iter().map(|sum| format!(" --hash=sha256:{sum}")).collect();
    format!("{}=={version}{sums}\n", wheel.package)
}

fn pip(list: &Path, folder: &Path) -> Result<()> {
    let (list, folder) = (list.to_string_lossy(), folder.to_string_lossy());
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let pinned = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--no-compile"];
    let limits = ["--timeout=20", "--retries=1"];
    let where_to = ["--target", &*folder, "--requirement", &*list];
    bounded(600, "python3", &[&pip[..], &pinned, &limits, &where_to].concat())
}

/// Makes a link, in place of whatever has its name.
fn link(to: &Path, link: &Path) -> Result<()> {
    make_way(link)?;
    std::os::unix::fs::symlink(to, link).map_err(Error::file("link", link))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_names_version_and_bytes() {
        let wheel = Wheel { package: "a-package", sha256: &["00", "ff"], programs: &[] };
        assert_eq!(requirement(wheel, "1.2.3"), "a-package==1.2.3 --hash=sha256:00 --hash=sha256:ff\n");
    }

    #[test]
    fn a_link_takes_the_place_of_another() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("bin/program");
        for to in ["../old", "../new"] {
            link(Path::new(to), &path).unwrap();
            assert_eq!(fs::read_link(&path).unwrap(), Path::new(to));
        }
    }
}
