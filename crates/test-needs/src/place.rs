//! Where programs of tests are.

use std::path::{Path, PathBuf};

/// The folders of the system's programs.
const SYSTEM: &str = "/usr/local/bin:/usr/bin:/bin";

/// The folder of what `cargo xtask test-tools` installs, whether it is there or not.
pub fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.unwrap_or(Path::new(".")).join("target/test-tools")
}

/// The folder of the programs among it.
pub fn programs() -> PathBuf {
    folder().join("bin")
}

/// The search path for the commands of a test: what was installed, if anything was, then the system's programs.
pub fn path() -> String {
    joined(&programs())
}

fn joined(installed: &Path) -> String {
    match installed.to_str() {
        Some(installed) if Path::new(installed).is_dir() => format!("{installed}:{SYSTEM}"),
        Some(_) | None => SYSTEM.to_owned(),
    }
}

/// Whether a program is in a folder of the search path. Tests ask [`has`](crate::has), which says what is left out.
pub fn is_there(program: &str) -> bool {
    path().split(':').any(|folder| Path::new(folder).join(program).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_installed_comes_first_if_it_is_there() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(joined(here), format!("{}:{SYSTEM}", here.display()));
        assert_eq!(joined(&here.join("nothing")), SYSTEM);
    }

    #[test]
    fn the_folder_is_below_the_workspace() {
        assert!(folder().parent().unwrap().parent().unwrap().join("Cargo.lock").is_file());
    }
}
