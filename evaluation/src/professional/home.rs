//! The home of a task on disk: creation, and reading it back.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::task::{Files, Task};
use crate::{Error, Result, command::Program, files};

/// Folders of the home that belong to artoo and are not graded.
const OWN: [&str; 5] = [".artoo", ".config", ".local", ".cache", "artoo_workspace"];

/// Creates the home of a task, with the same contents and times each time.
///
/// # Errors
/// An I/O error, or git fails.
pub(super) fn make(task: &Task, home: &Path, environment: &[(String, String)]) -> Result<()> {
    let folder = home.join(task.folder);
    fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
    let commits = (task.commits)();
    let git = |arguments: &[&str], date: &str| -> Result<()> {
        let program = environment
            .iter()
            .fold(Program::new("git", arguments).alone().folder(&folder), |program, (name, value)| {
                program.env(name, value)
            });
        let program = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"]
            .into_iter()
            .fold(program, |program, name| program.env(name, date));
        program.text().map(drop)
    };
    if !commits.is_empty() {
        git(&["init", "--quiet", "--initial-branch=main"], "")?;
    }
    let mut branch = "main";
    for commit in &commits {
        if commit.branch != branch {
            let is_known = commits.iter().take_while(|other| !std::ptr::eq(*other, commit));
            let is_known = is_known.into_iter().any(|other| other.branch == commit.branch);
            let new: &[&str] = if is_known { &[] } else { &["-c"] };
            git(&[&["switch", "--quiet"], new, &[commit.branch]].concat(), &commit.date)?;
            branch = commit.branch;
        }
        put(&folder, &commit.files)?;
        let (name, mail) = commit.author.split_once(" <").unwrap_or((commit.author, ""));
        let name = format!("user.name={name}");
        let mail = format!("user.email={}", mail.trim_end_matches('>'));
        git(&["add", "--all"], &commit.date)?;
        git(&["-c", &name, "-c", &mail, "commit", "--quiet", "-m", commit.message], &commit.date)?;
    }
    put(home, &(task.files)())
}

/// Writes files with reproducible times.
fn put(folder: &Path, contents: &Files) -> Result<()> {
    /// 2026-10-05 08:00 UTC.
    const FIRST: u64 = 1_791_187_200;
    const MINUTE: u64 = 60;
    for (number, (path, bytes)) in (0_u64..).zip(contents) {
        let path = folder.join(path);
        files::write(&path, bytes)?;
        let time =
            SystemTime::UNIX_EPOCH + Duration::from_secs(FIRST.saturating_add(number.saturating_mul(MINUTE)));
        let file = File::options().write(true).open(&path).map_err(Error::file("open", &path))?;
        file.set_modified(time).map_err(Error::file("date", &path))?;
    }
    Ok(())
}

/// The files of a home, without those of artoo, git or a script compiler.
///
/// # Errors
/// Something cannot be read.
pub(super) fn read(home: &Path) -> Result<Files> {
    let is_left_out = |folder: &Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_own = folder.parent() == Some(home) && OWN.contains(&name.as_str());
        is_own || name == ".git" || name == "__pycache__"
    };
    let mut contents = Files::new();
    for path in files::walk(home, |folder| !is_left_out(folder))? {
        let name: PathBuf = path.strip_prefix(home).unwrap_or(&path).to_path_buf();
        let bytes = fs::read(&path).map_err(Error::file("read", &path))?;
        contents.insert(name.to_string_lossy().into_owned(), bytes);
    }
    Ok(contents)
}
