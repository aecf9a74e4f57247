//! The inventory of programs: what a planner may count on.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Programs worth telling the planner about. Standard ones (`ls`, `grep`, `sort`) are assumed.
const WORTH_KNOWING: [&str; 24] = [
    "python3",
    "git",
    "jq",
    "rg",
    "curl",
    "wget",
    "node",
    "perl",
    "ruby",
    "sqlite3",
    "ffmpeg",
    "ffprobe",
    "convert",
    "magick",
    "pandoc",
    "pdftotext",
    "exiftool",
    "unzip",
    "zip",
    "tar",
    "make",
    "cargo",
    "docker",
    "tree",
];

/// Those programs that are installed and executable in one of the folders.
pub fn installed_programs(search_path: &[PathBuf]) -> Vec<String> {
    // A `PATH` has folders that are nowhere: each is looked for once, and not for every program.
    let folders: Vec<&PathBuf> = search_path.iter().filter(|folder| folder.is_dir()).collect();
    let there = |name: &str| folders.iter().any(|folder| is_executable(&folder.join(name)));
    WORTH_KNOWING.into_iter().filter(|name| there(name)).map(str::to_owned).collect()
}

/// Whether the path is an executable file.
pub fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_executed_counts() {
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in [("jq", 0o755), ("git", 0o644), ("unheard-of", 0o755)] {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!(installed_programs(&[folder.path().to_path_buf()]), ["jq"]);
    }
}
