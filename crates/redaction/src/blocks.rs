//! Secrets named on an earlier line: tables, `netrc`, separate fields for name and value, YAML block scalars.

use crate::{
    found::{Found, is_name_again},
    kind::Kind,
    names::{Named, named},
    table::Table,
};

/// The most lines between a name and its value.
const APART: u8 = 4;
/// Words that start a line of login data.
const LOGINS: [&[u8]; 9] =
    [b"machine", b"default", b"login", b"user", b"username", b"account", b"host", b"hostname", b"server"];
/// Fields that hold a name.
const NAMES: [&[u8]; 6] = [b"name", b"key", b"field", b"variable", b"property", b"id"];
const VALUES: [&[u8]; 1] = [b"value"];

/// What the previous lines say about the next one.
#[derive(Clone, Debug, Default)]
pub(crate) enum Block {
    #[default]
    Nothing,
    /// A login; the password may be on one of the next lines.
    Login(u8),
    /// A field holding the name of a secret; its value may be on one of the next lines.
    Pair(Named, u8),
    /// `<key>password</key>`.
    Element(Named),
    /// The name of a secret, followed by lines indented further than this.
    Text(Named, usize),
    Table(Table),
}

impl Block {
    /// The span of a secret in this line.
    pub(crate) fn secret(&self, line: &[u8]) -> Option<(usize, usize, Kind)> {
        match self {
            Self::Nothing => None,
            Self::Login(_) => of_login(line),
            Self::Pair(named, _) => {
                let (name, found) = field(line)?;
                VALUES
                    .iter()
                    .any(|value| name.eq_ignore_ascii_case(value))
                    .then(|| found.secret(*named))
                    .flatten()
            }
            Self::Element(named) => {
                let from = indent(line)
                    + line.trim_ascii_start().strip_prefix(b"<string>").map(|_| b"<string>".len())?;
                let end = line.trim_ascii_end().strip_suffix(b"</string>")?.len();
                Found::whole(line, from, end)?.secret(*named)
            }
            Self::Text(named, inside) => {
                let (from, end) = (indent(line), line.trim_ascii_end().len());
                (from > *inside).then(|| Found::whole(line, from, end)?.secret(*named)).flatten()
            }
            Self::Table(table) => table.secret(line),
        }
    }

    /// The state after this line.
    pub(crate) fn after(self, line: &[u8]) -> Self {
        let is_blank = || line.trim_ascii().is_empty();
        match self {
            Self::Table(table) if table.has(line) => return Self::Table(table),
            Self::Text(named, inside) if is_blank() || indent(line) > inside => {
                return Self::Text(named, inside);
            }
            Self::Nothing
            | Self::Login(_)
            | Self::Pair(..)
            | Self::Element(_)
            | Self::Text(..)
            | Self::Table(_) => {}
        }
        let begun = Self::begun_by(line);
        match (self, begun) {
            (Self::Login(left), Self::Nothing) if left > 1 && !is_blank() => Self::Login(left - 1),
            (Self::Pair(named, left), Self::Nothing) if left > 1 && !ends_group(line) => {
                Self::Pair(named, left - 1)
            }
            (_, begun) => begun,
        }
    }

    fn begun_by(line: &[u8]) -> Self {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() {
            return Self::Nothing;
        }
        if let Some(named) = element(trimmed) {
            return Self::Element(named);
        }
        if let Some(named) = text(trimmed) {
            return Self::Text(named, indent(line));
        }
        if let Some((name, found)) = field(line)
            && NAMES.iter().any(|other| name.eq_ignore_ascii_case(other))
        {
            return named(found.value).map_or(Self::Nothing, |named| Self::Pair(named, APART));
        }
        let mut words = trimmed.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.next().is_some_and(|first| LOGINS.contains(&first)) && words.count() <= 5 {
            return Self::Login(APART);
        }
        Table::begun_by(line).map_or(Self::Nothing, Self::Table)
    }
}

/// The password of a line that holds nothing else: `password VALUE`.
fn of_login(line: &[u8]) -> Option<(usize, usize, Kind)> {
    let trimmed = line.trim_ascii();
    let name = trimmed.get(..trimmed.iter().position(u8::is_ascii_whitespace)?)?;
    let value = trimmed.get(name.len()..)?.trim_ascii_start();
    let end = indent(line) + trimmed.len();
    let is_word = !value.iter().any(u8::is_ascii_whitespace);
    let named = named(name).filter(|named| *named == Named::Password && is_word)?;
    (!is_name_again(name, value)).then(|| Found::whole(line, end - value.len(), end)?.secret(named)).flatten()
}

/// The name and value of a line that is a single field: `"name": "VALUE",`, `- name: VALUE`.
fn field(line: &[u8]) -> Option<(&[u8], Found<'_>)> {
    let from = indent(line);
    let trimmed = line.get(from..)?;
    let dash = if trimmed.starts_with(b"- ") { 2 } else { 0 };
    let sign = trimmed.iter().take(64).position(|byte| matches!(byte, b':' | b'='))?;
    let name = trimmed.get(dash..sign)?.trim_ascii();
    let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
    let rest = trimmed.get(sign + 1..)?;
    let start = from + sign + 1 + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let found = Found::at(line, start, true)?;
    let quoted = usize::from(found.quoted);
    let behind = line.get(found.end + quoted..)?.trim_ascii();
    (behind.is_empty() || behind == b"," || behind == b";")
        .then(|| Found::whole(line, found.start, found.end).map(|found| (name, found)))?
}

/// The name in a YAML block scalar header: `NAME: |`.
fn text(trimmed: &[u8]) -> Option<Named> {
    let head = trimmed.strip_suffix(b"-").or_else(|| trimmed.strip_suffix(b"+")).unwrap_or(trimmed);
    let head = head.strip_suffix(b"|").or_else(|| head.strip_suffix(b">"))?;
    let name = head.strip_suffix(b": ")?;
    named(name.strip_prefix(b"- ").unwrap_or(name).trim_ascii())
}

/// The name in a property list's `<key>NAME</key>`.
fn element(trimmed: &[u8]) -> Option<Named> {
    let name = trimmed.strip_prefix(b"<key>")?.strip_suffix(b"</key>")?;
    named(name)
}

fn ends_group(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii();
    trimmed.is_empty() || matches!(trimmed.first(), Some(b'{' | b'}' | b'[' | b']' | b'-'))
}

/// The indentation of a line, in bytes.
pub(crate) fn indent(line: &[u8]) -> usize {
    line.len() - line.trim_ascii_start().len()
}
