//! Layout of tables: cells are wrapped; if the terminal is too narrow for columns, each row becomes a record.

use artoo_llm_client::fair_share;
use unicode_segmentation::UnicodeSegmentation;

use crate::terminal::{Style, pad, width};
use crate::view::frame::Frame;

/// Minimum width of a column.
const NARROWEST: usize = 6;
/// Width of a column separator.
const GAP: usize = 3;

/// The cells, row by row; the first row is the header.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn cell(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.push(String::new());
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            cell.push_str(text);
        }
    }

    /// The text of the last cell so far.
    pub(super) fn written(&self) -> &str {
        self.rows.last().and_then(|row| row.last()).map_or("", String::as_str)
    }

    /// The table in at most `room` columns of the terminal.
    pub(super) fn lines(&self, room: usize, frame: Frame) -> Vec<String> {
        let natural: Vec<usize> = (0..self.columns()).map(|column| self.widest(column)).collect();
        let gaps = GAP * natural.len().saturating_sub(1);
        let cap = fair_share(natural.iter().copied(), room.saturating_sub(gaps));
        let fits = natural.iter().all(|wide| *wide <= cap || cap >= NARROWEST);
        if frame.words || !fits {
            return self.records(frame);
        }
        let wide: Vec<usize> = natural.into_iter().map(|wide| wide.min(cap)).collect();
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let style = if number == 0 { Style::Strong } else { Style::Plain };
            lines.extend(laid_out(row, &wide, style, frame));
            if number == 0 {
                let rule: Vec<String> = wide.iter().map(|wide| "─".repeat(*wide)).collect();
                lines.push(rule.join("─┼─"));
            }
        }
        lines
    }

    fn columns(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn widest(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    }

    /// Each row as a record: one line per cell, with its column's header.
    fn records(&self, frame: Frame) -> Vec<String> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                lines.push(String::new());
            }
            let named = head.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            lines.extend(
                named.map(|(name, cell)| format!("{}: {cell}", frame.paint.text(Style::Strong, name))),
            );
        }
        lines
    }
}

/// A row, as many lines high as its cells need.
fn laid_out(row: &[String], wide: &[usize], style: Style, frame: Frame) -> Vec<String> {
    let cells: Vec<Vec<String>> = wide
        .iter()
        .enumerate()
        .map(|(at, wide)| broken(row.get(at).map_or("", String::as_str), *wide))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let line = |at: usize| {
        let piece = |(cell, wide): (&Vec<String>, &usize)| {
            frame.paint.text(style, &pad(cell.get(at).map_or("", String::as_str), *wide))
        };
        cells.iter().zip(wide).map(piece).collect::<Vec<_>>().join(" │ ").trim_end().to_owned()
    };
    (0..height).map(line).collect()
}

/// Wraps a text to `columns`: between words, and within a word that is longer.
fn broken(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_word_bounds() {
        if width(&line) + width(word) > columns && !line.trim().is_empty() {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        if line.is_empty() && word.trim().is_empty() {
            continue;
        }
        for piece in word.graphemes(true) {
            if width(&line) + width(piece) > columns && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(piece);
        }
    }
    if !line.trim().is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}
