//! Password files with one record per line and a separator between the fields: `pgpass`, `htdigest`, cookie
//! jars.

use crate::{forms::is_word, found::Found, hashes, kind::Kind, names::Named};

/// The longest record, in bytes.
const LONGEST: usize = 1024;

/// The span of the secret in a line that is such a record.
pub(crate) fn secret(line: &[u8]) -> Option<(usize, usize, Kind)> {
    if line.len() > LONGEST {
        return None;
    }
    let end = line.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(line.len());
    let record = line.get(..end)?;
    let first = record.iter().position(|byte| matches!(byte, b':' | b'\t' | b' '))?;
    match record.get(first) {
        Some(b':') => {
            let place = pgpass(record, first).or_else(|| hashes::of_realm(record));
            place.map(|(start, end)| (start, end, Kind::Password))
        }
        Some(b'\t') => cookie(record).map(|(start, end)| (start, end, Kind::Token)),
        Some(_) => hashes::of_realm(record).map(|(start, end)| (start, end, Kind::Password)),
        None => None,
    }
}

/// `HOST:PORT:DATABASE:USER:PASSWORD`; a colon within a field is escaped with a backslash.
fn pgpass(record: &[u8], first: usize) -> Option<(usize, usize)> {
    let is_name = |field: &[u8]| {
        field == b"*" || (!field.is_empty() && field.iter().all(|byte| is_word(*byte) || *byte == b'.'))
    };
    let is_word_of =
        |field: &[u8]| is_name(field) && (field == b"*" || field.iter().any(u8::is_ascii_alphabetic));
    let host = record.get(..first).filter(|host| is_name(host))?;
    let mut fields = record.get(first + 1..)?.splitn(4, |byte| *byte == b':');
    let port = fields
        .next()
        .filter(|port| *port == b"*" || (!port.is_empty() && port.iter().all(u8::is_ascii_digit)))?;
    let database = fields.next().filter(|field| is_word_of(field))?;
    let user = fields.next().filter(|field| is_word_of(field))?;
    let password = fields.next()?;
    // A time of day starts with two digits.
    let is_host = host == b"*" || host.iter().any(u8::is_ascii_alphabetic) || host.contains(&b'.');
    let colons = password.iter().enumerate().filter(|(_, byte)| **byte == b':');
    let mut plain =
        colons.filter(|(at, _)| at.checked_sub(1).and_then(|at| password.get(at)) != Some(&b'\\'));
    let start = first + 1 + port.len() + 1 + database.len() + 1 + user.len() + 1;
    let is_record = is_host && plain.next().is_none() && !password.starts_with(b" ");
    Found::whole(record, start, record.len())
        .filter(|_| is_record)?
        .secret(Named::Password)
        .map(|(start, end, _)| (start, end))
}

/// `HOST TRUE PATH FALSE EXPIRY NAME VALUE`, separated by tabs.
fn cookie(record: &[u8]) -> Option<(usize, usize)> {
    let mut fields = record.split(|byte| *byte == b'\t').skip(1);
    let is_flag = |field: &[u8]| matches!(field, b"TRUE" | b"FALSE");
    let flags =
        fields.next().is_some_and(is_flag) && fields.next().is_some() && fields.next().is_some_and(is_flag);
    let time = fields.next()?.iter().all(u8::is_ascii_digit) && fields.next().is_some();
    let value = fields.next().filter(|value| value.len() >= 8 && !value.starts_with(b"[redacted"))?;
    (flags && time && fields.next().is_none()).then_some((record.len() - value.len(), record.len()))
}
