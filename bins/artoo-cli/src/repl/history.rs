//! Input history: Up and Down step through the folder's own history, Ctrl+R searches all folders.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use artoo_anchored_files::open_regular;
use artoo_runtime::owner_only;
use reedline::{
    CommandLineSearch, FileBackedHistory, History, HistoryItem, HistoryItemId, HistorySessionId, SearchQuery,
};
use sha2::{Digest as _, Sha256};

/// Maximum number of lines kept.
const LINES: usize = 10_000;
/// Length limit of a stored line, in bytes; a paste of megabytes is kept in the session instead.
const MAX_LINE: usize = 16 * 1024;

/// Combines two histories, each stored in its own file.
pub(super) struct FolderHistory {
    own: FileBackedHistory,
    all: FileBackedHistory,
}

impl FolderHistory {
    /// Opens the history of this folder and the common one, both in the data folder.
    ///
    /// # Errors
    /// The files cannot be created or read.
    pub(super) fn open(data_folder: &Path, working_folder: &Path) -> io::Result<Self> {
        owner_only::data_folder(data_folder)?;
        let folder = data_folder.join("history");
        owner_only::data_folder(&folder)?;
        let digest = Sha256::digest(working_folder.as_os_str().as_encoded_bytes());
        let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { own: open(&folder.join(name))?, all: open(&folder.join("all"))? })
    }

    /// A history that is not stored on disk.
    pub(super) fn in_memory() -> Self {
        Self { own: FileBackedHistory::default(), all: FileBackedHistory::default() }
    }

    /// The history that a query is answered from.
    fn of(&self, query: &SearchQuery) -> &FileBackedHistory {
        match query.filter.command_line {
            Some(CommandLineSearch::Substring(_)) => &self.all,
            Some(CommandLineSearch::Prefix(_) | CommandLineSearch::Exact(_)) | None => &self.own,
        }
    }
}

fn open(file: &Path) -> io::Result<FileBackedHistory> {
    match open_regular(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().create_new(true).append(true).mode(0o600).open(file)?;
        }
        found => drop(found?),
    }
    FileBackedHistory::with_file(LINES, file.to_owned()).map_err(io::Error::other)
}

impl History for FolderHistory {
    fn save(&mut self, item: HistoryItem) -> reedline::Result<HistoryItem> {
        if item.command_line.len() > MAX_LINE {
            return Ok(item);
        }
        self.all.save(item.clone())?;
        self.own.save(item)
    }

    fn load(&self, id: HistoryItemId) -> reedline::Result<HistoryItem> {
        self.own.load(id)
    }

    fn count(&self, query: SearchQuery) -> reedline::Result<i64> {
        self.of(&query).count(query)
    }

    fn search(&self, query: SearchQuery) -> reedline::Result<Vec<HistoryItem>> {
        self.of(&query).search(query)
    }

    fn update(
        &mut self,
        id: HistoryItemId,
        updater: &dyn Fn(HistoryItem) -> HistoryItem,
    ) -> reedline::Result<()> {
        self.own.update(id, updater)
    }

    fn clear(&mut self) -> reedline::Result<()> {
        self.all.clear()?;
        self.own.clear()
    }

    fn delete(&mut self, id: HistoryItemId) -> reedline::Result<()> {
        self.own.delete(id)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.own.sync()?;
        self.all.sync()
    }

    fn session(&self) -> Option<HistorySessionId> {
        None
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_a_history_is_not_waited_for() {
        let data = tempfile::tempdir().unwrap();
        drop(FolderHistory::open(data.path(), Path::new("/a")).unwrap());
        let all = data.path().join("history/all");
        std::fs::remove_file(&all).unwrap();
        mknodat(CWD, &all, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let error = FolderHistory::open(data.path(), Path::new("/a")).err().unwrap();
        assert!(error.to_string().contains("it is a pipe, and no regular file"), "{error}");
    }

    #[test]
    fn a_folder_has_its_own_lines_and_the_search_finds_all() {
        let data = tempfile::tempdir().unwrap();
        for (folder, line) in [("/a", "first\nof two lines"), ("/b", "second"), ("/a", "third")] {
            let mut history = FolderHistory::open(data.path(), Path::new(folder)).unwrap();
            history.save(HistoryItem::from_command_line(line)).unwrap();
            history.save(HistoryItem::from_command_line("x".repeat(MAX_LINE + 1))).unwrap();
            history.sync().unwrap();
        }
        let history = FolderHistory::open(data.path(), Path::new("/a")).unwrap();
        let lines = |query| -> Vec<String> {
            history.search(query).unwrap().into_iter().map(|item| item.command_line).collect()
        };
        assert_eq!(
            lines(SearchQuery::everything(reedline::SearchDirection::Forward, None)),
            ["first\nof two lines", "third"]
        );
        assert_eq!(lines(SearchQuery::all_that_contain_rev("d".to_owned())), ["third", "second"]);
    }
}
