//! Passwords passed with short flags: `curl -u NAME:PASSWORD`, `mysql -pPASSWORD`. Flags only count after a
//! known program: for most programs `-p` is a port.

use crate::{
    forms::is_word,
    found::{Found, is_path, is_placeholder},
};

/// What a flag takes as its value.
#[derive(Clone, Copy)]
enum Takes {
    /// The password, after a blank or an equals sign.
    Next,
    /// The password, directly after the flag.
    Glued,
    /// Either of the two.
    NextOrGlued,
    /// A name, this separator, the password.
    Login(u8),
    /// This prefix, then the password.
    Behind(&'static [u8]),
    /// This many words, then the password.
    After(usize),
    /// `NAME=VALUE; NAME=VALUE`.
    Cookies,
}

/// A flag and the programs that have it.
struct Flag {
    programs: &'static [&'static [u8]],
    /// A subcommand that must precede the flag.
    command: Option<&'static [u8]>,
    flags: &'static [&'static [u8]],
    takes: Takes,
}

const fn flag(programs: &'static [&'static [u8]], flags: &'static [&'static [u8]], takes: Takes) -> Flag {
    Flag { programs, command: None, flags, takes }
}

const MYSQL: &[&[u8]] = &[
    b"mysql",
    b"mysqldump",
    b"mysqladmin",
    b"mysqlimport",
    b"mysqlcheck",
    b"mysqlshow",
    b"mysqlpump",
    b"mysqlbinlog",
    b"mysqlslap",
    b"mariadb",
    b"mariadb-dump",
    b"mariadb-admin",
    b"mariadb-import",
    b"mycli",
];
const MONGO: &[&[u8]] =
    &[b"mongo", b"mongosh", b"mongodump", b"mongorestore", b"mongoexport", b"mongoimport"];
const LDAP: &[&[u8]] =
    &[b"ldapsearch", b"ldapadd", b"ldapmodify", b"ldapdelete", b"ldappasswd", b"ldapwhoami", b"ldapcompare"];

const FLAGS: [Flag; 20] = [
    flag(&[b"curl"], &[b"--user", b"--proxy-user", b"-u", b"-U"], Takes::Login(b':')),
    flag(&[b"http", b"https", b"xh"], &[b"--auth", b"-a"], Takes::Login(b':')),
    flag(&[b"smbclient", b"rpcclient", b"smbget", b"net"], &[b"--user", b"-U"], Takes::Login(b'%')),
    flag(&[b"curl"], &[b"--cookie", b"-b"], Takes::Cookies),
    flag(&[b"curl"], &[b"--oauth2-bearer"], Takes::Next),
    flag(MYSQL, &[b"-p"], Takes::Glued),
    flag(&[b"7z", b"7za", b"7zr", b"7zz", b"rar", b"unrar"], &[b"-p"], Takes::Glued),
    flag(&[b"sshpass"], &[b"-p"], Takes::NextOrGlued),
    flag(MONGO, &[b"-p"], Takes::Next),
    flag(&[b"zip", b"unzip", b"zipcloak"], &[b"-P"], Takes::Next),
    flag(&[b"redis-cli", b"valkey-cli"], &[b"-a"], Takes::Next),
    flag(LDAP, &[b"-w"], Takes::Next),
    flag(&[b"openssl"], &[b"-k", b"-K"], Takes::Next),
    flag(&[b"openssl"], &[b"-passin", b"-passout", b"-pass"], Takes::Behind(b"pass:")),
    flag(&[b"rdesktop"], &[b"-p"], Takes::Next),
    flag(&[b"tailscale"], &[b"--authkey", b"--auth-key"], Takes::Next),
    Flag {
        programs: &[b"docker", b"podman", b"nerdctl", b"buildah", b"skopeo", b"helm", b"az", b"oc"],
        command: Some(b"login"),
        flags: &[b"-p"],
        takes: Takes::NextOrGlued,
    },
    flag(
        &[b"htpasswd"],
        &[b"-b", b"-cb", b"-bc", b"-bB", b"-Bb", b"-cbB", b"-bcB", b"-Bbc", b"-cBb", b"-Bcb"],
        Takes::After(2),
    ),
    flag(&[b"htpasswd"], &[b"-nb", b"-bn", b"-nbB", b"-bnB", b"-Bbn", b"-nBb"], Takes::After(1)),
    flag(&[b"xfreerdp", b"wfreerdp", b"xfreerdp3", b"mstsc"], &[b"/p", b"/password"], Takes::Behind(b":")),
];

/// How far before the flag its program may be, in bytes.
const BACK: usize = 256;

/// The span of the password after the flag at `at`.
pub(crate) fn password(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = line.get(at..)?;
    let mut known =
        FLAGS.iter().filter_map(|flag| Some((flag, flag.flags.iter().find(|name| rest.starts_with(name))?)));
    // Nearly every flag of nearly every command returns here.
    known.clone().next()?;
    let before = line.get(at.saturating_sub(BACK)..at)?;
    let ends = |byte: &u8| matches!(byte, b'|' | b';' | b'&' | b'`' | b'(');
    let command = before.rsplit(ends).next()?;
    known.find_map(|(flag, name)| {
        flag.stands_in(command).then(|| flag.takes.place(line, at + name.len())).flatten()
    })
}

/// A new user's password: before `chpasswd` (`echo 'NAME:PASSWORD' | chpasswd`) or after `net user NAME`.
pub(crate) fn of_user(line: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    match line.get(start..end)? {
        b"chpasswd" => {
            let from = start.saturating_sub(BACK);
            let before = line.get(from..start)?.trim_ascii_end();
            let before = before.strip_suffix(b"sudo").unwrap_or(before).trim_ascii_end();
            let before = before.strip_suffix(b"|")?.trim_ascii_end();
            let quote = before.last().copied().filter(|byte| matches!(byte, b'"' | b'\''));
            let text = before.get(..before.len() - usize::from(quote.is_some()))?;
            let begins =
                text.iter().rposition(|byte| quote.map_or(*byte == b' ', |quote| *byte == quote))? + 1;
            let colon = text.get(begins..)?.iter().position(|byte| *byte == b':')?;
            secret(line, from + begins + colon + 1, from + text.len())
        }
        b"user" if line.get(..start)?.ends_with(b"net ") => {
            let found = Takes::After(1).place(line, end)?;
            (line.get(found.0) != Some(&b'/')).then_some(found)
        }
        _ => None,
    }
}

impl Flag {
    /// Whether `command` runs one of the flag's programs (with its subcommand, if it needs one).
    fn stands_in(&self, command: &[u8]) -> bool {
        let words =
            || command.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'='));
        let is_program = |word: &[u8]| {
            let name = word.rsplit(|byte| *byte == b'/').next().unwrap_or(word);
            let name = name.strip_suffix(b".exe").unwrap_or(name);
            self.programs.contains(&name)
        };
        words().any(is_program) && self.command.is_none_or(|command| words().any(|word| word == command))
    }
}

impl Takes {
    /// The span of the password after the flag that ends at `end`.
    fn place(self, line: &[u8], end: usize) -> Option<(usize, usize)> {
        let apart = matches!(line.get(end), Some(b' ' | b'='));
        match self {
            Self::Next => apart.then(|| argument(line, end + 1)).flatten(),
            Self::Glued => (!apart).then(|| argument(line, end)).flatten(),
            Self::NextOrGlued => argument(line, end + usize::from(apart)),
            Self::Login(sign) => {
                let (start, stop) = argument(line, end + usize::from(apart))?;
                let sign = line.get(start..stop)?.iter().position(|byte| *byte == sign)?;
                secret(line, start + sign + 1, stop)
            }
            Self::Behind(mark) => {
                let start = end + usize::from(apart);
                let quoted = usize::from(matches!(line.get(start), Some(b'"' | b'\'')));
                let found = line.get(start + quoted..)?.strip_prefix(mark)?;
                argument(line, line.len() - found.len())
            }
            Self::After(words) => {
                let mut place = end;
                for _ in 0..words {
                    let rest = line.get(place..)?;
                    let word = rest.iter().position(|byte| *byte != b' ')?;
                    place += word + rest.get(word..)?.iter().take(BACK).position(|byte| *byte == b' ')?;
                }
                argument(line, place + 1)
            }
            Self::Cookies => {
                let (start, stop) = argument(line, end + usize::from(apart))?;
                line.get(start..stop)?.contains(&b'=').then_some((start, stop))
            }
        }
        .and_then(|(start, stop)| secret(line, start, stop))
    }
}

/// The command-line argument at `at`, without its quotes.
fn argument(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let first = line.get(at)?;
    if matches!(first, b'"' | b'\'') {
        return Found::at(line, at, false).map(|found| (found.start, found.end));
    }
    let rest = line.get(at..)?;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`|;&<>()\\".contains(byte);
    let length = rest.iter().take(BACK).position(ends).unwrap_or(rest.len().min(BACK));
    Some((at, at + length))
}

fn secret(line: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let value = line.get(start..end)?;
    let is_word_only = value.iter().any(|byte| is_word(*byte));
    (value.len() >= 4 && is_word_only && !is_placeholder(value) && !is_path(value)).then_some((start, end))
}
