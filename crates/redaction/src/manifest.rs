//! Kubernetes secrets: every value under `data:` and `stringData:` of an object of kind `Secret`, whatever
//! its name. `kubectl` prints the kind after the data, so these lines are held until it is known.

use crate::{blocks::indent, found::is_placeholder, kind::Kind};

/// The most lines held.
const HELD: usize = 64;

/// The position in an object.
#[derive(Clone, Debug, Default)]
pub(crate) enum Manifest {
    #[default]
    Outside,
    /// After `kind: Secret`, at this indentation.
    Secret(usize),
    /// Inside the data of a secret at this indentation.
    Data(usize),
    /// After `data:` of an object whose kind is not known yet.
    Held(usize, Vec<Vec<u8>>),
}

/// What a line is in an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    KindSecret,
    OtherKind,
    Data,
    /// `---`.
    NextObject,
    Other,
}

impl Manifest {
    /// Takes a line. Calls `done` for each line that is decided, with whether it is data of a secret.
    pub(crate) fn line(&mut self, line: &[u8], done: &mut impl FnMut(&[u8], bool)) {
        let what = what(line);
        let at = place(line);
        let is_blank = line.trim_ascii().is_empty();
        match std::mem::take(self) {
            Self::Outside => *self = Self::begun_by(what, at, line, done),
            Self::Secret(inside) if what == Line::Data && at == inside => {
                *self = Self::Data(inside);
                done(line, false);
            }
            Self::Secret(inside)
                if is_blank
                    || (at >= inside && matches!(what, Line::Other | Line::KindSecret | Line::Data)) =>
            {
                *self = Self::Secret(inside);
                done(line, false);
            }
            Self::Secret(_) => *self = Self::begun_by(what, at, line, done),
            Self::Data(inside) if is_blank || indent(line) > inside => {
                *self = Self::Data(inside);
                done(line, true);
            }
            Self::Data(inside) => {
                *self = Self::Secret(inside);
                self.line(line, done);
            }
            Self::Held(inside, mut held) => {
                let goes_on =
                    is_blank || at > inside || (at == inside && matches!(what, Line::Other | Line::Data));
                if at == inside && what == Line::KindSecret {
                    release(&held, Some(inside), done);
                    *self = Self::Secret(inside);
                    done(line, false);
                } else if goes_on && held.len() < HELD {
                    held.push(line.to_vec());
                    *self = Self::Held(inside, held);
                } else {
                    release(&held, None, done);
                    *self = Self::begun_by(what, at, line, done);
                }
            }
        }
    }

    /// Ends the text and releases the lines still held.
    pub(crate) fn finish(self, done: &mut impl FnMut(&[u8], bool)) {
        match self {
            Self::Held(_, held) => release(&held, None, done),
            Self::Outside | Self::Secret(_) | Self::Data(_) => {}
        }
    }

    fn begun_by(what: Line, at: usize, line: &[u8], done: &mut impl FnMut(&[u8], bool)) -> Self {
        match what {
            Line::Data => Self::Held(at, vec![line.to_vec()]),
            Line::KindSecret => {
                done(line, false);
                Self::Secret(at)
            }
            Line::OtherKind | Line::NextObject | Line::Other => {
                done(line, false);
                Self::Outside
            }
        }
    }
}

/// The span of the value in a data line.
pub(crate) fn value(line: &[u8]) -> Option<(usize, usize, Kind)> {
    let from = indent(line);
    let trimmed = line.get(from..)?.trim_ascii_end();
    let trimmed = trimmed.strip_suffix(b",").unwrap_or(trimmed);
    let behind = trimmed.windows(2).position(|pair| pair == b": ").map_or(0, |colon| colon + 2);
    let value = trimmed.get(behind..)?;
    let blanks = value.len() - value.trim_ascii_start().len();
    let quoted =
        value.len() - blanks >= 2 && value.trim_ascii_start().starts_with(b"\"") && value.ends_with(b"\"");
    let start = from + behind + blanks + usize::from(quoted);
    let end = from + trimmed.len() - usize::from(quoted);
    let value = line.get(start..end)?;
    let is_key_alone = trimmed.ends_with(b":");
    (value.len() >= 4 && !is_placeholder(value) && !is_key_alone).then_some((start, end, Kind::Secret))
}

/// Releases the held lines. Those after a `data:` at indentation `inside`, up to the next field at that
/// level, are data.
fn release(held: &[Vec<u8>], inside: Option<usize>, done: &mut impl FnMut(&[u8], bool)) {
    let mut is_data = false;
    for line in held {
        let further = inside.is_some_and(|inside| indent(line) > inside);
        let is_blank = line.trim_ascii().is_empty();
        done(line, is_data && (further || is_blank));
        is_data = if further || is_blank { is_data } else { what(line) == Line::Data };
    }
}

fn what(line: &[u8]) -> Line {
    let trimmed = line.trim_ascii();
    let field = trimmed.strip_prefix(b"- ").unwrap_or(trimmed);
    let field = field.strip_suffix(b",").unwrap_or(field);
    let Some(sign) = field.iter().take(16).position(|byte| *byte == b':') else {
        return if trimmed == b"---" { Line::NextObject } else { Line::Other };
    };
    let (name, value) = field.split_at_checked(sign).unwrap_or((field, b""));
    match (unquoted(name), unquoted(value.strip_prefix(b":").unwrap_or(value).trim_ascii())) {
        (b"kind", b"Secret") => Line::KindSecret,
        (b"kind", _) => Line::OtherKind,
        (b"data" | b"stringData", b"" | b"{") => Line::Data,
        _ => Line::Other,
    }
}

/// The indentation of a line's field. A dash before it makes it the first field of an object in a list.
fn place(line: &[u8]) -> usize {
    indent(line) + if line.trim_ascii_start().starts_with(b"- ") { 2 } else { 0 }
}

fn unquoted(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text)
}
