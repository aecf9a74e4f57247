//! Sets of packages, which a committed file pins with all that they need. Each goes below `target/test-tools` as a whole.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use artoo_test_needs::{Locked, Set, Source, TOOLS};

use super::{bounded, make_way};
use crate::{Error, Result, files};

/// Looks whether what is installed is what the tree pins.
///
/// # Errors
/// It is another set, or none.
pub(super) fn check(set: Set) -> Result<()> {
    compare(&pinned(set), &folder(set), set)
}

/// Installs a set, and writes what starts its programs.
///
/// # Errors
/// A package cannot be fetched, is another one, or cannot be unpacked.
pub(super) fn install(set: Set) -> Result<()> {
    let (folder, unfinished) = (folder(set), artoo_test_needs::folder().join(format!(".{}", set.name())));
    files::remove_folder(&unfinished)?;
    files::copy_folder(&pinned(set), &unfinished)?;
    match set {
        Set::Npm => npm(&unfinished)?,
        Set::Python => python(&unfinished)?,
    }
    // What has the right name is whole.
    files::remove_folder(&folder)?;
    fs::rename(&unfinished, &folder).map_err(Error::file("rename", &unfinished))?;
    for tool in TOOLS {
        if let Source::Locked(locked) = tool.source
            && locked.set == set
        {
            launcher(&artoo_test_needs::programs().join(tool.name), &locked)?;
        }
    }
    Ok(())
}

/// The files that pin a set.
fn pinned(set: Set) -> PathBuf {
    files::root().join("crates/test-needs").join(set.name())
}

/// What was installed of a set.
fn folder(set: Set) -> PathBuf {
    artoo_test_needs::folder().join(set.name())
}

/// Compares the file that pins a set with the one beside what was installed by it.
fn compare(pinned: &Path, installed: &Path, set: Set) -> Result<()> {
    let wanted = files::read(pinned.join(set.lock()))?;
    if files::read(installed.join(set.lock()))? == wanted {
        return Ok(());
    }
    Err(Error::Other(format!("{} was installed by another {}", installed.display(), set.lock())))
}

/// The certificates that the machine trusts. Node has a list of its own, which lacks what the owner of the machine has added.
const TRUSTED: &str = "/etc/ssl/certs/ca-certificates.crt";

/// Installs what the lock in a folder lists. No package runs a script.
fn npm(folder: &Path) -> Result<()> {
    let folder = folder.to_string_lossy();
    let trusted = format!("--cafile={TRUSTED}");
    let names_its_own = std::env::var_os("NODE_EXTRA_CA_CERTS").is_some();
    let trust: &[&str] = if Path::new(TRUSTED).exists() && !names_its_own { &[&trusted] } else { &[] };
    let pinned = ["ci", "--ignore-scripts", "--prefix", &*folder];
    let quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
    let limits = ["--fetch-timeout=20000", "--fetch-retries=1"];
    bounded(600, "npm", &[&pinned[..], &quiet, &limits, trust].concat())
}

/// Makes an environment of Python and installs in it what the requirements list. The programs start without leave to write, so what
/// Python compiles is compiled here.
fn python(folder: &Path) -> Result<()> {
    let (list, inside) = (folder.join(Set::Python.lock()), folder.join("bin/python3"));
    let (folder, list, inside) = (folder.to_string_lossy(), list.to_string_lossy(), inside.to_string_lossy());
    bounded(60, "python3", &["-m", "venv", "--without-pip", &*folder])?;
    let pip = ["-m", "pip", "--python", &*inside, "install", "--quiet", "--disable-pip-version-check"];
    let pinned = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--compile"];
    let limits = ["--timeout=20", "--retries=1", "--requirement", &*list];
    bounded(600, "python3", &[&pip[..], &pinned, &limits].concat())
}

/// Writes the program that starts a package. It finds the package from its own place, so it may be started from any folder, and it writes
/// nothing.
fn launcher(path: &Path, locked: &Locked) -> Result<()> {
    make_way(path)?;
    files::write(path, launches(locked))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(Error::file("set the mode of", path))
}

fn launches(locked: &Locked) -> String {
    let (package, starts) = (locked.package, locked.starts);
    let what = match locked.set {
        Set::Npm => {
            format!("\"${{0%/*}}/node\" \"${{0%/*}}/../npm/node_modules/{package}/{starts}\"")
        }
        Set::Python => format!("\"${{0%/*}}/../python/bin/python3\" -B {starts}"),
    };
    format!("#!/bin/sh\nexec {} \"$@\"\n", what.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Program;

    #[test]
    fn what_was_installed_by_another_lock_is_not_there() {
        let place = tempfile::tempdir().unwrap();
        let (pinned, installed) = (place.path().join("pinned"), place.path().join("installed"));
        let compared = || compare(&pinned, &installed, Set::Npm).map_err(|error| error.to_string());
        files::write(pinned.join("package-lock.json"), "new").unwrap();
        assert!(compared().unwrap_err().starts_with("cannot read "), "nothing was installed");
        files::write(installed.join("package-lock.json"), "old").unwrap();
        assert!(compared().unwrap_err().ends_with("was installed by another package-lock.json"));
        files::write(installed.join("package-lock.json"), "new").unwrap();
        assert_eq!(compared(), Ok(()));
    }

    #[test]
    fn a_launcher_starts_what_lies_beside_it_from_any_folder() {
        let place = tempfile::tempdir().unwrap();
        let bin = place.path().join("a folder/bin");
        for (path, locked) in [
            ("acpx", Locked { set: Set::Npm, package: "@a/b", starts: "dist/cli.js" }),
            ("acp-python", Locked { set: Set::Python, package: "b", starts: "" }),
            ("time", Locked { set: Set::Python, package: "b", starts: "-m b" }),
        ] {
            launcher(&bin.join(path), &locked).unwrap();
        }
        let echo = "#!/bin/sh\nprintf '%s,' \"$@\"\n";
        for double in [bin.join("node"), place.path().join("a folder/python/bin/python3")] {
            files::write(&double, echo).unwrap();
            fs::set_permissions(&double, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let search = format!("{}:/usr/bin:/bin", bin.display());
        let said = |program: &str| {
            let started = Program::new(program, ["x y", "z"]).env("PATH", &search).folder("/");
            started.text().unwrap()
        };
        assert_eq!(said("time"), "-B,-m,b,x y,z,");
        assert_eq!(said("acp-python"), "-B,x y,z,");
        let script = format!("{}/../npm/node_modules/@a/b/dist/cli.js,x y,z,", bin.display());
        assert_eq!(said("acpx"), script);
        assert_eq!(said(&bin.join("acpx").to_string_lossy()), script);
    }
}
