//! A home as a value: made by a generator, put onto a disk, and read again after a run.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::{
    Error, Result,
    command::{Program, Served},
    files,
};

/// How long ago a file was changed of which nothing else is said.
const MONTH: u64 = 30 * 24 * 60;

/// What a home holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Home {
    entries: BTreeMap<String, Entry>,
    /// How many minutes ago files were changed.
    ages: BTreeMap<String, u64>,
    repository: Option<Repository>,
    running: Option<Running>,
}

/// What a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A link to this.
    Link(String),
    /// A folder without anything in it.
    Empty,
}

/// A git repository in a folder of the home.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repository {
    /// The folder.
    pub folder: String,
    /// From the first commit to the last.
    pub commits: Vec<Commit>,
}

/// One commit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Commit {
    /// Whose it is.
    pub author: String,
    /// What it says.
    pub message: String,
    /// The file that it changes.
    pub file: String,
    /// What that holds then.
    pub text: String,
}

/// Programs that run beside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Running {
    /// Their file, of which their name is the last part.
    pub program: String,
    /// How many of them.
    pub count: usize,
}

impl Home {
    /// Puts a file there, or another one in its place.
    pub(crate) fn put(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.entries.insert(path.into(), Entry::File(bytes.into()));
    }

    /// Puts something there.
    pub(crate) fn place(&mut self, path: impl Into<String>, entry: Entry) {
        self.entries.insert(path.into(), entry);
    }

    /// Puts a file there that was changed so many minutes ago.
    pub(crate) fn put_aged(&mut self, path: &str, bytes: impl Into<Vec<u8>>, minutes: u64) {
        self.put(path, bytes);
        self.ages.insert(path.to_owned(), minutes);
    }

    /// Takes something away and gives it.
    pub(crate) fn take(&mut self, path: &str) -> Option<Entry> {
        self.entries.remove(path)
    }

    /// Gives something another path.
    pub(crate) fn rename(&mut self, from: &str, to: impl Into<String>) {
        if let Some(entry) = self.take(from) {
            self.place(to, entry);
        }
    }

    /// Adds a repository. Its files are those of the last commits.
    pub(crate) fn keep_in_git(&mut self, repository: Repository) {
        for Commit { file, text, .. } in &repository.commits {
            self.put(format!("{}/{file}", repository.folder), text.as_str());
        }
        self.repository = Some(repository);
    }

    /// Adds programs that run beside.
    pub(crate) fn run_beside(&mut self, running: Running) {
        // It says that it is there, and stays until its input is closed.
        self.put(running.program.as_str(), "#!/bin/sh\necho up\nread wait\n");
        self.running = Some(running);
    }

    /// What is there, by path.
    pub(crate) fn entries(&self) -> &BTreeMap<String, Entry> {
        &self.entries
    }

    /// How long ago a file was changed, in minutes.
    pub(crate) fn age(&self, path: &str) -> u64 {
        self.ages.get(path).copied().unwrap_or(MONTH)
    }

    /// A file's bytes; none where there is no such file.
    pub(crate) fn bytes(&self, path: &str) -> &[u8] {
        match self.entries.get(path) {
            Some(Entry::File(bytes)) => bytes,
            Some(Entry::Link(_) | Entry::Empty) | None => &[],
        }
    }

    /// A file's text; none where it is no text.
    pub(crate) fn text(&self, path: &str) -> &str {
        std::str::from_utf8(self.bytes(path)).unwrap_or_default()
    }

    /// The files below a folder: paths and bytes.
    pub(crate) fn below(&self, folder: &str) -> impl Iterator<Item = (&str, &[u8])> {
        let start = format!("{folder}/");
        self.entries.iter().filter_map(move |(path, entry)| match entry {
            Entry::File(bytes) if path.starts_with(&start) => Some((path.as_str(), bytes.as_slice())),
            Entry::File(_) | Entry::Link(_) | Entry::Empty => None,
        })
    }

    /// Makes it on the disk. What runs beside ends when the result is dropped.
    ///
    /// # Errors
    /// The system refuses, or git does.
    pub(crate) fn make(&self, place: &Path) -> Result<Vec<Served>> {
        fs::create_dir_all(place).map_err(Error::file("create", place))?;
        if let Some(repository) = &self.repository {
            commit(repository, &place.join(&repository.folder))?;
        }
        for (path, entry) in &self.entries {
            let at = place.join(path);
            match entry {
                Entry::File(bytes) => files::write(&at, bytes)?,
                Entry::Empty => fs::create_dir_all(&at).map_err(Error::file("create", &at))?,
                Entry::Link(target) => {
                    let folder = at.parent().unwrap_or(place);
                    fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
                    std::os::unix::fs::symlink(target, &at).map_err(Error::file("link", &at))?;
                }
            }
            if matches!(entry, Entry::File(_)) {
                set_age(&at, Duration::from_secs(self.age(path).saturating_mul(60)))?;
            }
        }
        self.running.iter().flat_map(|running| (0..running.count).map(|_| start(running, place))).collect()
    }

    /// Reads what is on the disk: all of it, but of a repository only where its branches are.
    ///
    /// # Errors
    /// Something cannot be read.
    pub(crate) fn read(place: &Path) -> Result<Self> {
        let mut home = Self::default();
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            let at = place.join(&folder);
            let mut is_empty = true;
            for entry in fs::read_dir(&at).map_err(Error::file("list", &at))? {
                let entry = entry.map_err(Error::file("list", &at))?;
                let kind = entry.file_type().map_err(Error::file("inspect", entry.path()))?;
                let path = folder.join(entry.file_name());
                let name = path.to_string_lossy().into_owned();
                is_empty = false;
                if kind.is_symlink() {
                    let target = fs::read_link(entry.path()).map_err(Error::file("read", entry.path()))?;
                    home.place(name, Entry::Link(target.to_string_lossy().into_owned()));
                } else if kind.is_dir() {
                    open.push(path);
                } else if kind.is_file() && !is_of_git(&name) {
                    home.put(name, fs::read(entry.path()).map_err(Error::file("read", entry.path()))?);
                }
            }
            if is_empty && !folder.as_os_str().is_empty() && !is_of_git(&folder.to_string_lossy()) {
                home.place(folder.to_string_lossy(), Entry::Empty);
            }
        }
        Ok(home)
    }
}

/// Whether this is git's own and says nothing about what the person's branches are.
fn is_of_git(path: &str) -> bool {
    let Some((_, inner)) = path.split_once(".git/") else { return false };
    inner != "HEAD" && inner != "packed-refs" && !inner.starts_with("refs/")
}

/// Makes a repository with the same commits and times each time.
fn commit(repository: &Repository, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    let git = |arguments: &[&str], date: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = Program::new("git", arguments).alone().folder(folder).env("PATH", path);
        program.env("GIT_AUTHOR_DATE", date).env("GIT_COMMITTER_DATE", date).text().map(drop)
    };
    git(&["init", "--quiet", "--initial-branch=main"], "")?;
    for (day, Commit { author, message, file, text }) in (1_u64..).zip(&repository.commits) {
        let date = format!("2026-0{}-{:02}T09:00:00Z", 1 + day / 28, 1 + day % 28);
        files::write(folder.join(file), text)?;
        git(&["add", "--all"], &date)?;
        let name = format!("user.name={author}");
        let mail = "user.email=team@example.org";
        git(&["-c", &name, "-c", mail, "commit", "--quiet", "--allow-empty", "-m", message], &date)?;
    }
    Ok(())
}

fn start(running: &Running, place: &Path) -> Result<Served> {
    use std::os::unix::fs::PermissionsExt;
    let program = place.join(&running.program);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
        .map_err(Error::file("mark", &program))?;
    Program::new(program, [""; 0]).serve()
}

fn set_age(path: &Path, age: Duration) -> Result<()> {
    let changed = SystemTime::from(chrono::Local::now()) - age;
    let file = File::options().write(true).open(path).map_err(Error::file("open", path))?;
    file.set_modified(changed).map_err(Error::file("date", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_read() {
        let place = tempfile::tempdir().unwrap();
        let mut home = Home::default();
        home.put("a/b.txt", "b");
        home.place("a/link", Entry::Link("gone".to_owned()));
        home.place("leer", Entry::Empty);
        home.make(place.path()).unwrap();
        assert_eq!(Home::read(place.path()).unwrap(), home);
    }

    #[test]
    fn a_commit_more_is_seen_and_what_git_looks_up_is_not() {
        let place = tempfile::tempdir().unwrap();
        let mut home = Home::default();
        let one =
            Commit { author: "Ada".into(), message: "One".into(), file: "a.txt".into(), text: "a".into() };
        let repository = Repository { folder: "repo".into(), commits: vec![one.clone()] };
        home.keep_in_git(repository.clone());
        home.make(place.path()).unwrap();
        let before = Home::read(place.path()).unwrap();
        assert_eq!(before.text("repo/a.txt"), "a");
        assert!(before.entries().contains_key("repo/.git/refs/heads/main"), "{before:?}");
        files::write(place.path().join("repo/.git/scratch"), "").unwrap();
        assert_eq!(Home::read(place.path()).unwrap(), before);
        commit(
            &Repository { commits: vec![Commit { text: "b".into(), ..one }], ..repository },
            &place.path().join("repo"),
        )
        .unwrap();
        assert_ne!(Home::read(place.path()).unwrap(), before);
    }

    #[test]
    fn programs_run_beside_until_they_are_dropped() {
        let place = tempfile::tempdir().unwrap();
        let mut home = Home::default();
        home.run_beside(Running { program: "bin/otterd".into(), count: 2 });
        let served = home.make(place.path()).unwrap();
        assert_eq!(served.iter().map(Served::line).collect::<Vec<_>>(), ["up", "up"]);
    }
}
