//! Passwords that a sentence names: `my password is hunter2`, `das Passwort lautet: ...`, `密码是...`.
//!
//! The words are those of the languages in which artoo is spoken to. A value counts if it is in quotation
//! marks, or if it looks like no ordinary word; a password that is an ordinary word stays.

use crate::{
    candidate::{Found, skip},
    kind::Kind,
    secret_names::Named,
};

/// The words for a password in a language, and the verbs between it and the password.
struct Language {
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    writing: Writing,
}

/// How the words of a language are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// Apart from each other.
    Words,
    /// A name may end another word: `Adminpasswort`.
    Compounds,
    /// Without blanks.
    Dense,
}

/// Of letters beyond ASCII both cases are listed.
const LANGUAGES: [Language; 11] = [
    Language {
        names: &["password", "passwd", "passphrase", "passcode"],
        // Other languages have borrowed the word.
        verbs: &["is", "was", "ist", "lautet", "war", "è", "È", "era"],
        writing: Writing::Compounds,
    },
    Language {
        names: &["passwort", "kennwort"],
        verbs: &["ist", "lautet", "war"],
        writing: Writing::Compounds,
    },
    Language {
        names: &["salasana", "salasanani", "salasanasi", "salasanamme", "salasananne", "salasanansa"],
        verbs: &["on", "oli"],
        writing: Writing::Compounds,
    },
    Language { names: &["contraseña", "contraseÑa"], verbs: &["es", "era"], writing: Writing::Words },
    Language { names: &["mot de passe"], verbs: &["est", "était", "Était"], writing: Writing::Words },
    Language { names: &["senha", "palavra-passe"], verbs: &["é", "É", "era"], writing: Writing::Words },
    Language {
        names: &["lösenord", "lÖsenord", "lösenordet", "lÖsenordet"],
        verbs: &["är", "Är", "var"],
        writing: Writing::Compounds,
    },
    Language { names: &["wachtwoord"], verbs: &["is", "was", "luidt"], writing: Writing::Compounds },
    Language { names: &["hasło", "hasŁo"], verbs: &["to", "jest", "brzmi"], writing: Writing::Words },
    Language {
        names: &["كلمة المرور", "كلمة السر"], verbs: &["هي"], writing: Writing::Words
    },
    Language {
        names: &["密码", "密碼", "口令", "パスワード"],
        verbs: &["是", "为", "為", "は"],
        writing: Writing::Dense,
    },
];
/// Quotation marks, and what ends what they begin.
const QUOTES: [(&str, &str); 10] = [
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("«", "»"),
    ("»", "«"),
    ("„", "“"),
    ("“", "”"),
    ("‘", "’"),
    ("「", "」"),
    ("『", "』"),
];
/// Signs between a name, or a verb, and the password.
const SIGNS: [&str; 2] = [":", "："];
/// Beginnings of words with digits that name encodings, hashes and standards.
const STANDARDS: [&str; 24] = [
    "sha", "ssha", "md", "hmac", "base", "utf", "ucs", "iso", "rfc", "ascii", "latin", "aes", "des", "rsa",
    "ed", "pbkdf", "argon", "bcrypt", "scrypt", "ntlm", "ntlmv", "oauth", "tls", "v",
];
/// Symbols within a value that ordinary words do not have.
const SYMBOLS: &[u8] = b"!@$%^";
/// Bytes of code, paths and fields.
const CODE: &[u8] = b"/\\()[]{}<>|\"'`,;:=";
/// The most words between a name and its verb, and the longest one, in bytes.
const WORDS: usize = 8;
const WORD: usize = 32;
/// The shortest value, in bytes, and the shortest one in quotation marks.
const SHORTEST: usize = 6;
const SHORTEST_QUOTED: usize = 4;
/// The longest value.
const LONGEST: usize = 64;

/// The span of the password behind the word that ends at `end`, if that one names a password.
#[inline]
pub(crate) fn value(line: &[u8], end: usize) -> Option<(usize, usize, Kind)> {
    let before = line.get(..end)?;
    if may_be_name(before) { behind_name(line, before) } else { None }
}

fn behind_name(line: &[u8], before: &[u8]) -> Option<(usize, usize, Kind)> {
    LANGUAGES.iter().find(|language| language.names_a_password(before))?.value(line, before.len())
}

/// The same for the name that begins at `at`, in a script whose letters end no word of a line.
pub(crate) fn value_in_script(line: &[u8], at: usize) -> Option<(usize, usize, Kind)> {
    let rest = line.get(at..)?;
    let named = |language: &'static Language| {
        let name = language.names.iter().find(|name| rest.starts_with(name.as_bytes()))?;
        Some((language, at + name.len()))
    };
    let (language, end) = LANGUAGES.iter().filter(|language| !language.is_latin()).find_map(named)?;
    language.value(line, end)
}

/// Whether the text may end in a name, by its last bytes: nearly every word returns here.
#[inline]
fn may_be_name(text: &[u8]) -> bool {
    let [.., first, second, last] = text else { return false };
    match [first | 0x20, second | 0x20, last | 0x20] {
        [b'o', b'r', b'd' | b't'] | [b's', b'w', b'd'] | [b'a', b's', b'e'] | [b'o', b'd', b'e'] => true,
        [b'a', b'n', b'a' | b'i'] | [b'a', b's', b'i'] | [b'n', b's', b'a'] | [b'm', b'm', b'e'] => true,
        [b'n', b'n', b'e'] | [b's', b's', b'e'] | [b'n', b'h', b'a'] | [b'd', b'e', b't'] => true,
        // With a letter beyond ASCII before the last one.
        [0x80..=0xff, 0x80..=0xff, b'a' | b'o'] => true,
        _ => false,
    }
}

impl Language {
    fn is_latin(&self) -> bool {
        self.names.iter().any(|name| name.starts_with(|letter: char| letter.is_ascii()))
    }

    /// Whether a name ends the text, as a word.
    fn names_a_password(&self, text: &[u8]) -> bool {
        self.names.iter().any(|name| {
            let start = text.len().checked_sub(name.len());
            let split = start.and_then(|start| text.split_at_checked(start));
            split.is_some_and(|(before, end)| {
                let is_word = before.last().is_none_or(|byte| !byte.is_ascii_alphabetic() && *byte < 0x80);
                end.eq_ignore_ascii_case(name.as_bytes()) && (is_word || self.writing == Writing::Compounds)
            })
        })
    }

    /// The span of the password behind a name that ends at `end`.
    fn value(&self, line: &[u8], end: usize) -> Option<(usize, usize, Kind)> {
        let at = blanks(line, end);
        let is_english = self.names.contains(&"password");
        if is_english {
            // `password: VALUE` is an assignment.
            let is = ["'s ", "’s "].iter().find(|is| starts(line, end, is));
            if let Some(is) = is {
                return self.found(line, end + is.len());
            }
        } else if SIGNS.iter().any(|sign| starts(line, at, sign)) {
            return self.found(line, at);
        }
        match self.writing {
            Writing::Dense => {
                let verb = self.verbs.iter().find(|verb| starts(line, at, verb))?;
                self.found(line, at + verb.len())
            }
            Writing::Words | Writing::Compounds => self.behind_verb(line, end),
        }
    }

    /// The password behind a verb, which some words may precede: `the password of ada is ...`.
    fn behind_verb(&self, line: &[u8], end: usize) -> Option<(usize, usize, Kind)> {
        let mut at = end;
        for _ in 0..WORDS {
            let start = blanks(line, at);
            let next = skip(line, start, is_of_word, WORD);
            if start == at || next == start {
                return None;
            }
            let word = line.get(start..next)?;
            if self.verbs.iter().any(|verb| word.eq_ignore_ascii_case(verb.as_bytes()))
                && let Some(found) = self.found(line, next)
            {
                return Some(found);
            }
            at = next;
        }
        None
    }

    /// The password from `at` on, which a sign may precede.
    fn found(&self, line: &[u8], at: usize) -> Option<(usize, usize, Kind)> {
        let at = blanks(line, at);
        let sign = SIGNS.iter().find(|sign| starts(line, at, sign));
        let at = sign.map_or(at, |sign| blanks(line, at + sign.len()));
        let (start, end) = quoted(line, at).or_else(|| self.chosen(line, at))?;
        Found::whole(line, start, end)?.secret(Named::Password)
    }

    /// A word at `at` that looks like no ordinary one.
    fn chosen(&self, line: &[u8], at: usize) -> Option<(usize, usize)> {
        let within = line.get(at..)?;
        let within = within.get(..LONGEST + 1).unwrap_or(within);
        let ends =
            |byte: &u8| byte.is_ascii_whitespace() || (self.writing == Writing::Dense && !byte.is_ascii());
        let word = within.get(..within.iter().position(ends).unwrap_or(within.len()))?;
        let trimmed = word.iter().rposition(|byte| !b".,;:!?)]}\"'*".contains(byte))? + 1;
        let word = word.get(..trimmed).filter(|word| looks_chosen(word))?;
        Some((at, at + word.len()))
    }
}

/// What is in quotation marks at `at`, without blanks around it.
fn quoted(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let (open, close) = QUOTES.iter().find(|(open, _)| starts(line, at, open))?;
    let start = blanks(line, at + open.len());
    let within = line.get(start..)?;
    let within = within.get(..LONGEST + close.len()).unwrap_or(within);
    let word = within.get(..memchr::memmem::find(within, close.as_bytes())?)?;
    let end = without_blanks(word);
    let word = word.get(..end)?;
    // Code stands between these marks, too: "the password is `&[u8]`".
    let is_code = *open == "`" && word.iter().any(|byte| CODE.contains(byte));
    let is_word = !is_code && word.iter().all(|byte| !byte.is_ascii_whitespace());
    (is_word && end >= SHORTEST_QUOTED).then_some((start, start + end))
}

/// Whether the word has letters and something that ordinary words do not have, and is no name of a file, of a
/// standard or of an amount.
fn looks_chosen(word: &[u8]) -> bool {
    let letters = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let behind = word.get(digits..).unwrap_or_default();
    let is_amount =
        digits > 0 && (matches!(behind.first(), Some(b'-' | b'%')) || letters(behind) == behind.len());
    let first = word.get(..letters(word)).unwrap_or_default();
    let is_standard = STANDARDS.iter().any(|standard| first.eq_ignore_ascii_case(standard.as_bytes()));
    let dot = word.iter().rposition(|byte| *byte == b'.');
    let is_name = dot.and_then(|dot| word.get(dot + 1..)).is_some_and(|end| letters(end) == end.len());
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    (SHORTEST..=LONGEST).contains(&word.len())
        && has(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        && has(|byte| byte.is_ascii_digit() || SYMBOLS.contains(byte))
        && !has(|byte| CODE.contains(byte))
        && !is_amount
        && !is_standard
        && !is_name
}

fn is_of_word(byte: u8) -> bool {
    // Characters that begin with these bytes are signs and blanks.
    let is_sign = matches!(byte, 0xc2 | 0xe2);
    byte.is_ascii_alphanumeric() || (!byte.is_ascii() && !is_sign) || b"@._-".contains(&byte)
}

fn starts(line: &[u8], at: usize, text: &str) -> bool {
    line.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
}

/// The first offset at or after `at` that is no blank; French has blanks that break no line.
fn blanks(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    ["\u{a0}", "\u{202f}"]
        .iter()
        .find(|blank| rest.starts_with(blank.as_bytes()))
        .map_or_else(|| skip(line, at, |byte| matches!(byte, b' ' | b'\t'), 4), |blank| at + blank.len())
}

/// The length of the word without blanks at its end.
fn without_blanks(word: &[u8]) -> usize {
    let word = word.trim_ascii_end();
    let blanks = ["\u{a0}", "\u{202f}"];
    blanks.iter().find_map(|blank| word.strip_suffix(blank.as_bytes())).unwrap_or(word).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_lost_by_the_quick_look() {
        for name in
            LANGUAGES.iter().filter(|language| language.is_latin()).flat_map(|language| language.names)
        {
            assert!(may_be_name(name.as_bytes()), "{name}");
            assert!(may_be_name(name.to_ascii_uppercase().as_bytes()), "{name}");
        }
    }

    /// The other names are found by their first byte.
    #[test]
    fn the_first_bytes_of_other_scripts_are_known() {
        for name in
            LANGUAGES.iter().filter(|language| !language.is_latin()).flat_map(|language| language.names)
        {
            assert!(matches!(name.as_bytes()[0], 0xd9 | 0xe3 | 0xe5), "{name}");
        }
    }

    #[test]
    fn what_looks_chosen() {
        for word in ["hunter2", "Winter-99", "p@ss!word", "correct-horse-9", "GEHEIM99", "äöü123", "pa$$word"]
        {
            assert!(looks_chosen(word.as_bytes()), "{word}");
        }
        for word in [
            "required",
            "case-sensitive",
            "12345678",
            "sha256",
            "base64-encoded",
            "AES-256-GCM",
            "UTF-8-only",
            "12-character",
            "30days",
            "100%safe",
            "secrets2.yaml",
            "v2.1.0-rc",
            "config/x1y2",
            "f(x1y2z3)",
            "10:30pm",
            "a1b2",
        ] {
            assert!(!looks_chosen(word.as_bytes()), "{word}");
        }
    }
}
