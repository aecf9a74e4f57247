//! The lines that an output writes, with a cursor that may go back.

use std::collections::{BTreeMap, VecDeque};

use super::escape::{Act, Part};

/// How many of the last lines the cursor can go back to. Nobody draws more of them again.
const HELD: usize = 200;
/// Blanks that movements may make, besides as many as the output has bytes.
const FREE_BLANKS: usize = 64 * 1024;
/// Cells that sequences may erase or move, for each byte of the output: many times what a program needs that draws.
const TOUCHED_PER_BYTE: usize = 64;
/// The second half of a wide character: no text has it.
const HALF: char = '\u{10ffff}';

#[derive(Debug, Default)]
struct Row {
    cells: Vec<char>,
    /// Marks that stand over a cell, by its column.
    marks: BTreeMap<usize, String>,
    /// Whether the cursor moved in it: blanks at its end mean nothing then.
    is_drawn: bool,
}

pub(super) struct Screen {
    /// The lines that are out of reach.
    done: String,
    /// At least one.
    rows: VecDeque<Row>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    /// How many blanks movements may still make.
    blanks: usize,
    /// How many cells sequences may still erase or move. Without a bound, one sequence behind each character of a long
    /// line takes time that grows with the square of its length.
    touchable: usize,
    overwritten: u64,
}

impl Screen {
    pub(super) fn new(length: usize) -> Self {
        Self {
            done: String::new(),
            rows: VecDeque::from([Row::default()]),
            row: 0,
            column: 0,
            saved: (0, 0),
            blanks: length.saturating_add(FREE_BLANKS),
            touchable: length.saturating_mul(TOUCHED_PER_BYTE).saturating_add(FREE_BLANKS),
            overwritten: 0,
        }
    }

    /// The text, and how many characters were written over.
    pub(super) fn finish(mut self) -> (String, u64) {
        let rows = std::mem::take(&mut self.rows);
        let last = rows.len().saturating_sub(1);
        for (at, row) in rows.into_iter().enumerate() {
            row.write(&mut self.done);
            if at < last {
                self.done.push('\n');
            }
        }
        (self.done, self.overwritten)
    }

    pub(super) fn put(&mut self, character: char) {
        let character = if character == HALF { char::REPLACEMENT_CHARACTER } else { character };
        let width = width(character);
        let (column, blanks) = (self.column, &mut self.blanks);
        let Some(row) = self.rows.get_mut(self.row) else { return };
        if width == 0 {
            row.marks.entry(column.saturating_sub(1)).or_default().push(character);
            return;
        }
        let column = row.reach(column, blanks);
        let mut overwritten = 0;
        for (at, cell) in [(column, character), (column + 1, HALF)].into_iter().take(width) {
            overwritten += row.set(at, cell);
        }
        self.column = column + width;
        self.overwritten += overwritten;
    }

    pub(super) fn act(&mut self, act: Act) {
        match act {
            Act::NextLine => return self.next_line(),
            Act::Return => self.column = 0,
            Act::Up(count) => self.go(self.row.saturating_sub(count)),
            Act::Down(count) => self.go(self.row.saturating_add(count)),
            Act::UpToStart(count) => {
                self.go(self.row.saturating_sub(count));
                self.column = 0;
            }
            Act::DownToStart(count) => {
                self.go(self.row.saturating_add(count));
                self.column = 0;
            }
            Act::Left(count) => self.column = self.column.saturating_sub(count),
            Act::Right(count) => self.column = self.column.saturating_add(count),
            Act::Column(column) => self.column = column,
            Act::Row(row) => self.go_down_to(row),
            Act::Place { row, column } => {
                self.go_down_to(row);
                self.column = column;
            }
            Act::EraseLine(part) => self.erase_line(part),
            Act::EraseScreen(part) => self.erase_screen(part),
            Act::Erase(count) => self.erase(count),
            Act::Delete(count) => self.delete(count),
            Act::Insert(count) => self.insert(count),
            Act::Save => self.saved = (self.row, self.column),
            Act::Restore => {
                self.go(self.saved.0);
                self.column = self.saved.1;
            }
        }
        self.draw();
    }

    fn draw(&mut self) {
        if let Some(row) = self.rows.get_mut(self.row) {
            row.is_drawn = true;
        }
    }

    /// To a row that is there, or to the last one.
    fn go(&mut self, row: usize) {
        self.draw();
        self.row = row.min(self.rows.len() - 1);
    }

    fn next_line(&mut self) {
        self.column = 0;
        self.row += 1;
        if self.row == self.rows.len() {
            self.rows.push_back(Row::default());
        }
        if self.rows.len() > HELD
            && let Some(first) = self.rows.pop_front()
        {
            first.write(&mut self.done);
            self.done.push('\n');
            self.row = self.row.saturating_sub(1);
            self.saved.0 = self.saved.0.saturating_sub(1);
        }
    }

    /// To a row that may not be there yet.
    fn go_down_to(&mut self, row: usize) {
        let row = row.min(HELD - 1);
        while self.rows.len() <= row && self.blanks > 0 {
            self.blanks -= 1;
            self.rows.push_back(Row { is_drawn: true, ..Row::default() });
        }
        self.go(row);
    }

    fn erase_line(&mut self, part: Part) {
        let column = self.column;
        let Some(row) = self.rows.get_mut(self.row) else { return };
        self.overwritten += match part {
            Part::Behind => row.cut(column),
            Part::Before => {
                let before = row.cells.len().min(column.saturating_add(1));
                if !spend(&mut self.touchable, before) {
                    return;
                }
                (0..before).map(|at| row.set(at, ' ')).sum()
            }
            Part::All => row.cut(0),
        };
    }

    fn erase_screen(&mut self, part: Part) {
        let (from, to) = match part {
            Part::Behind => (self.row + 1, self.rows.len()),
            Part::Before => (0, self.row),
            Part::All => (0, self.rows.len()),
        };
        self.overwritten += self.rows.iter_mut().take(to).skip(from).map(|row| row.cut(0)).sum::<u64>();
        match part {
            Part::Behind => {
                self.rows.truncate(self.row + 1);
                self.erase_line(Part::Behind);
            }
            Part::Before => self.erase_line(Part::Before),
            Part::All => {
                self.rows.truncate(1);
                self.row = 0;
            }
        }
    }

    /// The row of the cursor, and how many cells it has from there on, at most so many; `None` where there are none, or
    /// where no more may be touched.
    fn behind(&mut self, most: usize) -> Option<(&mut Row, usize)> {
        let column = self.column;
        let row = self.rows.get_mut(self.row)?;
        let behind = row.cells.len().checked_sub(column).filter(|behind| *behind > 0)?.min(most);
        spend(&mut self.touchable, behind).then_some((row, behind))
    }

    fn erase(&mut self, count: usize) {
        let column = self.column;
        let Some((row, count)) = self.behind(count) else { return };
        let hidden: u64 = (column..column + count).map(|at| row.set(at, ' ')).sum();
        self.overwritten += hidden;
    }

    fn delete(&mut self, count: usize) {
        let column = self.column;
        let Some((row, behind)) = self.behind(usize::MAX) else { return };
        drop(row.marks.split_off(&column));
        let gone = row.cells.drain(column..column + count.min(behind));
        let hidden = gone.filter(|cell| is_seen(*cell)).count() as u64;
        self.overwritten += hidden;
    }

    fn insert(&mut self, count: usize) {
        let (column, count) = (self.column, count.min(self.blanks));
        let Some((row, _)) = self.behind(usize::MAX) else { return };
        drop(row.marks.split_off(&column));
        row.cells.splice(column..column, std::iter::repeat_n(' ', count));
        self.blanks -= count;
    }
}

impl Row {
    /// Fills the row with blanks up to a column; says how far it came.
    fn reach(&mut self, column: usize, blanks: &mut usize) -> usize {
        let missing = column.saturating_sub(self.cells.len());
        let made = missing.min(*blanks);
        *blanks -= made;
        self.cells.extend(std::iter::repeat_n(' ', made));
        column - (missing - made)
    }

    /// Sets a cell, which is there or the next one. Says how many characters it hides.
    fn set(&mut self, at: usize, cell: char) -> u64 {
        let Some(old) = self.cells.get_mut(at) else {
            self.cells.push(cell);
            return 0;
        };
        let old = std::mem::replace(old, cell);
        self.marks.remove(&at);
        // Half a wide character is none.
        if old == HALF
            && cell != HALF
            && let Some(before) = at.checked_sub(1).and_then(|at| self.cells.get_mut(at))
        {
            *before = ' ';
        }
        if width(old) == 2
            && let Some(half) = self.cells.get_mut(at + 1).filter(|half| **half == HALF)
        {
            *half = ' ';
        }
        u64::from(is_seen(old) && old != cell)
    }

    fn cut(&mut self, column: usize) -> u64 {
        let gone = self.cells.get(column..).unwrap_or_default().iter().filter(|cell| is_seen(**cell)).count();
        self.cells.truncate(column);
        drop(self.marks.split_off(&column));
        gone as u64
    }

    fn write(&self, text: &mut String) {
        let end = match self.is_drawn {
            true => self.cells.iter().rposition(|cell| *cell != ' ').map_or(0, |last| last + 1),
            false => self.cells.len(),
        };
        let mut marks = self.marks.iter().peekable();
        // A mark without a character before it stands first.
        if self.cells.is_empty() {
            text.extend(marks.by_ref().map(|(_, marks)| marks.as_str()));
        }
        for (at, cell) in self.cells.iter().enumerate().take(end) {
            if *cell != HALF {
                text.push(*cell);
            }
            while let Some((_, marks)) = marks.next_if(|(over, _)| **over <= at) {
                text.push_str(marks);
            }
        }
    }
}

/// Takes this much of what is left; whether there was as much.
fn spend(left: &mut usize, amount: usize) -> bool {
    let rest = left.checked_sub(amount);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

fn is_seen(cell: char) -> bool {
    cell != ' ' && cell != HALF
}

/// How many cells a character takes, as far as it matters where others are written over it.
fn width(character: char) -> usize {
    match u32::from(character) {
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x64b..=0x65f
        | 0x200b..=0x200f
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f
        | 0xe0100..=0xe01ef => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}
