//! Secrets in tables: in the column under a telling name, or beside one in a name/value table.

use std::ops::Range;

use crate::{
    found::{Found, is_name_again},
    kind::Kind,
    names::{Named, named},
};

/// The most columns.
const COLUMNS: usize = 64;
/// The longest name of a column, in bytes.
const LONGEST_NAME: usize = 40;
/// Headings of value columns.
const VALUES: [&[u8]; 2] = [b"value", b"values"];

/// The separator between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    /// `|`, as in Markdown and in the output of databases.
    Bars,
    /// `│`.
    Boxes,
    Tabs,
    Commas,
    Semicolons,
    /// Two or more blanks.
    Blanks,
}

/// A table whose header was seen.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    between: Between,
    /// The number of cells in a row.
    width: usize,
    columns: Columns,
}

#[derive(Clone, Debug)]
enum Columns {
    /// The columns under the name of a secret.
    Secret(Vec<(usize, Named)>),
    /// The first column holds names, and this one the values.
    Values(usize),
}

impl Table {
    /// The table that this line is the header of.
    pub(crate) fn begun_by(line: &[u8]) -> Option<Self> {
        let between = between(line)?;
        let cells = cells(line, between);
        let width = cells.len();
        let names: Vec<&[u8]> = cells.into_iter().map(|cell| line.get(cell).unwrap_or_default()).collect();
        if !(2..=COLUMNS).contains(&width) || !names.iter().all(|name| is_name_of_column(name)) {
            return None;
        }
        // With blanks or tabs as separators, the first cell may just as well start a sentence or a list.
        let from = usize::from(matches!(between, Between::Blanks | Between::Tabs));
        let secret = |(at, name): (usize, &&[u8])| Some((at, named(name)?)).filter(|(at, _)| *at >= from);
        let secrets: Vec<_> = names.iter().enumerate().filter_map(secret).collect();
        let values = || {
            names.iter().skip(1).position(|name| VALUES.iter().any(|value| name.eq_ignore_ascii_case(value)))
        };
        let columns =
            if secrets.is_empty() { Columns::Values(values()? + 1) } else { Columns::Secret(secrets) };
        Some(Self { between, width, columns })
    }

    /// Whether the line is a row of the table, or a rule between rows.
    pub(crate) fn has(&self, line: &[u8]) -> bool {
        is_rule(line) || (between_is(line, self.between) && cells(line, self.between).len() == self.width)
    }

    /// The span of a secret in this row.
    pub(crate) fn secret(&self, row: &[u8]) -> Option<(usize, usize, Kind)> {
        if is_rule(row) || !self.has(row) {
            return None;
        }
        let cells = cells(row, self.between);
        let of = |at: usize, named: Named| {
            let cell = cells.get(at)?;
            let named = if named == Named::Cookie { Named::Token } else { named };
            let found = Found::whole(row, cell.start, cell.end)?;
            let is_one = crate::names::named(found.value).is_none();
            is_one.then(|| found.secret(named)).flatten()
        };
        match &self.columns {
            Columns::Secret(columns) => columns.iter().find_map(|(at, named)| of(*at, *named)),
            Columns::Values(at) => {
                let name = row.get(cells.first()?.clone())?;
                let value = row.get(cells.get(*at)?.clone())?;
                (!is_name_again(name, value)).then(|| of(*at, named(name)?)).flatten()
            }
        }
    }
}

/// Letters, digits and a few signs: a column heading, not a row of numbers or code.
fn is_name_of_column(name: &[u8]) -> bool {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b" _-./#".contains(byte);
    let begins =
        name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii() || *byte == b'#');
    begins && name.len() <= LONGEST_NAME && name.iter().all(belongs)
}

/// The separator of a line, if it has more than one cell.
fn between(line: &[u8]) -> Option<Between> {
    use Between::{Bars, Blanks, Boxes, Commas, Semicolons, Tabs};
    [Boxes, Bars, Tabs, Semicolons, Commas, Blanks].into_iter().find(|between| between_is(line, *between))
}

fn between_is(line: &[u8], between: Between) -> bool {
    let sign: &[u8] = match between {
        Between::Bars => b"|",
        Between::Boxes => "│".as_bytes(),
        Between::Tabs => b"\t",
        Between::Commas => b",",
        Between::Semicolons => b";",
        Between::Blanks => b"  ",
    };
    memchr::memmem::find(line.trim_ascii(), sign).is_some()
}

/// Whether the line consists of the characters that rules are drawn with.
fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_box =
        || std::str::from_utf8(line).is_ok_and(|line| line.chars().all(|sign| ('─'..='╿').contains(&sign)));
    line.len() >= 3 && (line.iter().all(|byte| b"-=+|: ".contains(byte)) || is_box())
}

/// The spans of the cells, without surrounding blanks and quotes.
fn cells(line: &[u8], between: Between) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let (mut start, mut quoted, mut at) = (0, false, 0);
    while let Some(byte) = line.get(at).copied() {
        let rest = line.get(at..).unwrap_or_default();
        let length = match between {
            Between::Bars => usize::from(byte == b'|'),
            Between::Boxes => {
                if rest.starts_with("│".as_bytes()) {
                    "│".len()
                } else {
                    0
                }
            }
            Between::Tabs => usize::from(byte == b'\t'),
            Between::Commas => usize::from(byte == b',' && !quoted),
            Between::Semicolons => usize::from(byte == b';' && !quoted),
            Between::Blanks if rest.starts_with(b"  ") => {
                rest.iter().take_while(|byte| **byte == b' ').count()
            }
            Between::Blanks => 0,
        };
        quoted ^= byte == b'"';
        if length > 0 {
            cells.push(start..at);
            start = at + length;
        }
        at += length.max(1);
    }
    cells.push(start..line.len());
    let mut cells: Vec<Range<usize>> = cells.into_iter().map(|cell| trimmed(line, cell)).collect();
    // Bars around a row and the indentation before it are not cells.
    let around = matches!(between, Between::Bars | Between::Boxes | Between::Blanks);
    if around && cells.first().is_some_and(Range::is_empty) {
        cells.remove(0);
    }
    if around && cells.last().is_some_and(Range::is_empty) {
        cells.pop();
    }
    cells
}

fn trimmed(line: &[u8], cell: Range<usize>) -> Range<usize> {
    let is_around = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'`' | b'*');
    let text = line.get(cell.clone()).unwrap_or_default();
    let before = text.iter().take_while(|byte| is_around(byte)).count();
    let text = text.get(before..).unwrap_or_default();
    let after = text
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'`'))
        .count();
    cell.start + before..cell.start + before + text.len() - after
}
