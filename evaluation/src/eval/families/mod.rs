//! The families: each makes a home and knows what a right run over it delivers.
//!
//! What is expected comes from what the generator drew; what is called right is read from the home that it made, on a way of its own. So a
//! generator that does not make what it knows is found.

mod disk;
mod edit;
mod hard;
mod logs;
mod machine;
mod make;
mod pool;
mod records;
mod several;
mod tables;
mod text;

use super::{
    expected::{Answer, Change, Expected, Holds},
    home::{Entry, Home},
};
use crate::rng::Draw;

/// A kind of request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generator {
    /// The name of the family, and of its wordings' file.
    pub name: &'static str,
    /// Makes a home.
    pub make: fn(&mut Draw) -> Made,
}

/// What a generator makes of a seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Made {
    /// The home.
    pub home: Home,
    /// What stands for the placeholders of the wordings.
    pub words: Vec<(&'static str, String)>,
    /// What a right run delivers.
    pub expected: Expected,
    /// Right runs: at least one.
    pub right: Vec<Work>,
    /// Wrong ones that sound right: at least two.
    pub wrong: Vec<Work>,
}

/// What somebody made of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Work {
    /// What is said.
    pub answer: String,
    /// The home then.
    pub home: Home,
    /// Whether it is claimed that the request is met.
    pub claimed: bool,
}

/// All families.
pub(crate) const ALL: [Generator; 48] = [
    Generator { name: "ambiguous-list", make: hard::ambiguous_list },
    Generator { name: "append-line", make: edit::append_line },
    Generator { name: "archive-members", make: disk::archive_members },
    Generator { name: "backup-then-edit", make: several::backup_then_edit },
    Generator { name: "broken-links", make: disk::broken_links },
    Generator { name: "busiest-address", make: logs::busiest_address },
    Generator { name: "changed-since", make: disk::changed_since },
    Generator { name: "column-sum", make: tables::column_sum },
    Generator { name: "commit-message", make: machine::commit_message },
    Generator { name: "commits-by", make: machine::commits_by },
    Generator { name: "copy-file", make: make::copy_file },
    Generator { name: "count-and-largest", make: several::count_and_largest },
    Generator { name: "count-ending", make: text::count_ending },
    Generator { name: "csv-to-json", make: make::csv_to_json },
    Generator { name: "days-between", make: logs::days_between },
    Generator { name: "decimal-commas", make: tables::decimal_commas },
    Generator { name: "delete-by-rule", make: edit::delete_by_rule },
    Generator { name: "duplicates", make: disk::duplicates },
    Generator { name: "errors-in-hour", make: logs::errors_in_hour },
    Generator { name: "filtered-average", make: tables::filtered_average },
    Generator { name: "find-then-read", make: text::find_then_read },
    Generator { name: "folder-bytes", make: disk::folder_bytes },
    Generator { name: "highest-row", make: tables::highest_row },
    Generator { name: "injected-order", make: hard::injected_order },
    Generator { name: "json-nested", make: records::json_nested },
    Generator { name: "json-oldest", make: records::json_oldest },
    Generator { name: "largest-file", make: disk::largest_file },
    Generator { name: "lines-holding", make: text::lines_holding },
    Generator { name: "list-to-file", make: make::list_to_file },
    Generator { name: "make-note", make: make::make_note },
    Generator { name: "missing-column", make: hard::missing_column },
    Generator { name: "missing-file", make: hard::missing_file },
    Generator { name: "missing-rename", make: hard::missing_rename },
    Generator { name: "move-by-ending", make: edit::move_by_ending },
    Generator { name: "newest-file", make: disk::newest_file },
    Generator { name: "pack-folder", make: make::pack_folder },
    Generator { name: "processes", make: machine::processes },
    Generator { name: "rename-file", make: edit::rename_file },
    Generator { name: "replace-word", make: edit::replace_word },
    Generator { name: "rows-matching", make: tables::rows_matching },
    Generator { name: "set-setting", make: edit::set_setting },
    Generator { name: "setting-in-section", make: records::setting_in_section },
    Generator { name: "stated-total", make: hard::stated_total },
    Generator { name: "sum-to-file", make: several::sum_to_file },
    Generator { name: "whether-mentions", make: text::whether_mentions },
    Generator { name: "which-mentions", make: text::which_mentions },
    Generator { name: "words-in-file", make: text::words_in_file },
    Generator { name: "xml-sum", make: records::xml_sum },
];

impl Made {
    fn new(home: Home) -> Self {
        Self { home, ..Self::default() }
    }

    /// What stands for a placeholder.
    fn word(mut self, name: &'static str, word: impl Into<String>) -> Self {
        self.words.push((name, word.into()));
        self
    }

    fn number(self, number: impl Into<f64>) -> Self {
        self.answer(Answer::Number(number.into()))
    }

    fn names<T: Into<String>>(
        self,
        chosen: impl IntoIterator<Item = T>,
        rest: impl IntoIterator<Item = T>,
    ) -> Self {
        let chosen: Vec<String> = chosen.into_iter().map(Into::into).collect();
        let mut rest: Vec<String> = rest.into_iter().map(Into::into).collect();
        rest.retain(|name| !chosen.contains(name));
        self.answer(Answer::Names { chosen, rest })
    }

    fn answer(mut self, answer: Answer) -> Self {
        self.expected.answers.push(answer);
        self
    }

    fn holds(mut self, path: impl Into<String>, holds: Holds) -> Self {
        self.expected.changes.push(Change::Holds(path.into(), holds));
        self
    }

    fn gone(mut self, path: impl Into<String>) -> Self {
        self.expected.changes.push(Change::Gone(path.into()));
        self
    }

    /// The right end is not to accept.
    fn refused(mut self) -> Self {
        self.expected.refused = true;
        self.right.push(Work { home: self.home.clone(), ..Work::default() });
        self
    }

    /// A right answer.
    fn right(self, answer: impl Into<String>) -> Self {
        self.right_deed(answer, |_| {})
    }

    /// Names, and a right answer.
    fn right_of_names(self, chosen: Vec<String>, rest: Vec<String>, right: impl Into<String>) -> Self {
        self.names(chosen, rest).right(right)
    }

    /// Wrong answers.
    fn wrong<T: Into<String>>(self, answers: impl IntoIterator<Item = T>) -> Self {
        answers.into_iter().fold(self, |made, answer| made.wrong_deed(answer, |_| {}))
    }

    /// A right deed and what is said of it.
    fn right_deed(mut self, answer: impl Into<String>, deed: impl FnOnce(&mut Home)) -> Self {
        let work = self.work(answer.into(), deed);
        self.right.push(work);
        self
    }

    /// A wrong deed and what is said of it.
    fn wrong_deed(mut self, answer: impl Into<String>, deed: impl FnOnce(&mut Home)) -> Self {
        let work = self.work(answer.into(), deed);
        self.wrong.push(work);
        self
    }

    fn work(&self, answer: String, deed: impl FnOnce(&mut Home)) -> Work {
        let mut home = self.home.clone();
        deed(&mut home);
        Work { answer, home, claimed: true }
    }
}

/// The last part of a path.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests;
