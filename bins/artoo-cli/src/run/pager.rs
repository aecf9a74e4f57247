//! Pages the details of a question, one screenful at a time.

use std::collections::VecDeque;

use crate::terminal::width;

/// The lines that are still to be shown.
#[derive(Debug)]
pub(super) struct Pager {
    lines: VecDeque<String>,
    all: usize,
    pages: usize,
}

impl Pager {
    /// Pages these lines, which have no colours.
    pub(super) fn new(lines: Vec<String>) -> Self {
        Self { all: lines.len(), lines: lines.into(), pages: 0 }
    }

    /// The next page: as many lines as fit above the prompt, but at least one;
    /// all of them if the height is unknown.
    pub(super) fn page(&mut self, columns: usize, rows: Option<usize>) -> Vec<String> {
        self.pages += 1;
        let Some(rows) = rows else { return self.lines.drain(..).collect() };
        let (mut room, mut page) = (rows.saturating_sub(1), Vec::new());
        while let Some(line) = self.lines.front() {
            let taken = width(line).div_ceil(columns.max(1)).max(1);
            if taken > room && !page.is_empty() {
                break;
            }
            room = room.saturating_sub(taken);
            page.extend(self.lines.pop_front());
        }
        page
    }

    /// Whether the whole text was one page, so that it is still on the screen.
    pub(super) fn was_all_at_once(&self) -> bool {
        self.lines.is_empty() && self.pages == 1
    }

    /// The prompt after a page.
    pub(super) fn prompt(&self) -> String {
        let (all, shown) = (self.all, self.all - self.lines.len());
        match self.lines.len() {
            0 => format!("all {all} lines   Enter: back to the question > "),
            _ => format!("{shown} of {all} lines   Enter: more   q: back to the question > "),
        }
    }

    /// Whether there is more and the user wants to see it.
    pub(super) fn goes_on(&self, answer: &str) -> bool {
        !self.lines.is_empty() && !matches!(answer.trim().to_lowercase().as_str(), "q" | "quit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(lines: &[&str], columns: usize, rows: Option<usize>) -> Vec<(usize, String)> {
        let mut pager = Pager::new(lines.iter().map(|line| (*line).to_owned()).collect());
        let mut pages = Vec::new();
        loop {
            pages.push((pager.page(columns, rows).len(), pager.prompt()));
            if !pager.goes_on("") {
                return pages;
            }
        }
    }

    #[test]
    fn a_page_leaves_a_line_for_the_answer() {
        let more = |shown: usize| format!("{shown} of 5 lines   Enter: more   q: back to the question > ");
        let end = "all 5 lines   Enter: back to the question > ".to_owned();
        let lines = ["a", "b", "c", "d", "e"];
        assert_eq!(pages(&lines, 80, Some(3)), [(2, more(2)), (2, more(4)), (1, end.clone())]);
        assert_eq!(pages(&lines, 80, Some(24)), [(5, end.clone())]);
        assert_eq!(pages(&lines, 80, None), [(5, end.clone())]);
        // A wrapped line takes several rows, and a line larger than the terminal is shown all the same.
        let wrapped = ["数数数", "b", "c", "数数数数数数数数", "e"];
        assert_eq!(pages(&wrapped, 4, Some(4)), [(2, more(2)), (1, more(3)), (1, more(4)), (1, end.clone())]);
        assert_eq!(pages(&lines, 0, Some(0)).len(), 5);
        assert!(!Pager::new(vec![String::new()]).goes_on(" Q "));
    }
}
