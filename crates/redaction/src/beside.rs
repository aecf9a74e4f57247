//! Secrets separated from their name by blanks only: `--password VALUE`, `IDENTIFIED BY 'VALUE'`,
//! `ENV API_KEY VALUE`.

use crate::{
    forms::is_word,
    found::{Found, is_name_again},
    kind::Kind,
    names::{self, Named, named},
};

/// Words that precede a name and its value.
const SETTING: [&[u8]; 8] = [b"ENV", b"ARG", b"set", b"setx", b"-x", b"-gx", b"-Ux", b"setenv"];
/// Words that start a line of names and values: `netrc` and similar files, and programs with such arguments.
const BEGINNING: [&[u8]; 6] = [b"machine", b"default", b"poll", b"nmcli", b"user", b"account"];
/// Names of configuration directives whose whole argument is the secret.
const DIRECTIVES: [&[u8]; 2] = [b"requirepass", b"masterauth"];
/// How far back in the line to look, in bytes.
const BACK: usize = 256;
/// The longest phrase between a name and the colon before its value, in bytes.
const SENTENCE: usize = 48;

/// The span of the value at `at`, which blanks separate from the name at `start..end`.
pub(crate) fn value(line: &[u8], start: usize, end: usize, at: usize) -> Option<(usize, usize, Kind)> {
    let name = line.get(start..end)?;
    let before = line.get(start.saturating_sub(BACK)..start)?;
    let previous = last_word(before);
    if name.eq_ignore_ascii_case(b"by") {
        let identified = previous.eq_ignore_ascii_case(b"identified");
        return Found::at(line, at, true).filter(|found| identified && found.quoted)?.secret(Named::Password);
    }
    let named = named(name)?;
    let found = Found::at(line, at, true)?;
    // `secret "db-password" deleted` mentions the name of a secret, not its value.
    if is_name_again(name, found.value) || names::named(found.value).is_some() {
        return None;
    }
    let only = || Found::whole(line, found.start, found.end)?.secret(named);
    // Grammars have quoted tokens, too.
    if found.quoted {
        return (named != Named::Token || is_mixed(found.value)).then(only).flatten();
    }
    let goes_on = line.get(found.end..)?;
    let is_argument =
        goes_on.starts_with(b" -") || goes_on.starts_with(b" http") || goes_on.starts_with(b" /");
    let is_flag = name.starts_with(b"-") && name.len() > 4;
    let is_set = SETTING.contains(&previous) && name.contains(&b'_');
    let is_directive = DIRECTIVES.contains(&name);
    if is_set || is_directive || (is_flag && at == end + 1 && is_argument) {
        return only();
    }
    if is_flag {
        return found.secret(named);
    }
    if named != Named::Password {
        return None;
    }
    if begins_with_login(before) {
        return only();
    }
    of_sentence(line, end)
}

/// `password is generated for root@localhost: VALUE`: one word with upper-case, lower-case and digits.
fn of_sentence(line: &[u8], end: usize) -> Option<(usize, usize, Kind)> {
    let rest = line.get(end..)?;
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b" @._-".contains(byte);
    let sign = rest.iter().take(SENTENCE).position(|byte| !belongs(byte))?;
    let is_sign = matches!(rest.get(sign), Some(b':' | b'=')) && rest.get(sign + 1) == Some(&b' ');
    let start = end + sign + 2;
    let value = line.get(start..)?.trim_ascii_end();
    let is_word = value.len() <= 128 && !value.iter().any(u8::is_ascii_whitespace);
    let found =
        Found::whole(line, start, start + value.len()).filter(|_| is_sign && is_word && is_mixed(value))?;
    found.secret(Named::Password)
}

/// Matches `machine HOST login NAME password VALUE` up to the name.
fn begins_with_login(before: &[u8]) -> bool {
    let mut words = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next().is_some_and(|first| BEGINNING.contains(&first)) && words.next().is_some()
}

/// Whether the value mixes upper-case letters, lower-case letters and digits, as ordinary words do not.
fn is_mixed(value: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    value.len() >= 8 && has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
}

fn last_word(before: &[u8]) -> &[u8] {
    let before = before.trim_ascii_end();
    let length = before.iter().rev().take_while(|byte| is_word(**byte)).count();
    before.get(before.len() - length..).unwrap_or_default()
}
