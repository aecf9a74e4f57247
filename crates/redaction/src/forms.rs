//! What the keys and tokens of well-known services look like.

use crate::kind::Kind;

/// Longer words are data: a picture in base64 may begin like anything.
const LONGEST: usize = 512;
/// The longest JSON Web Token, in bytes.
const LONGEST_TOKEN: usize = 16 * 1024;
/// The longest name and password in an address, in bytes.
const LONGEST_LOGIN: usize = 512;

/// The characters of a key behind its prefix.
#[derive(Clone, Copy)]
enum Of {
    /// Letters, digits, dashes and underscores.
    Words,
    /// The same, and one of them must be a digit: names of packages and branches begin in the same way.
    WordsWithDigit,
    /// Letters and digits.
    Letters,
    /// Capitals and digits, at most sixteen.
    Capitals,
}

/// The prefix, what follows, and how much of that at least: a key that was cut off is a part of a key all the same.
const FORMS: [(&str, Of, usize); 38] = [
    ("sk-", Of::WordsWithDigit, 12),
    ("sk_", Of::WordsWithDigit, 12),
    ("rk_live_", Of::Letters, 8),
    ("pk_live_", Of::Letters, 8),
    ("whsec_", Of::Letters, 12),
    ("ghp_", Of::Letters, 10),
    ("gho_", Of::Letters, 10),
    ("ghs_", Of::Letters, 10),
    ("ghu_", Of::Letters, 10),
    ("ghr_", Of::Letters, 10),
    ("github_pat_", Of::Words, 10),
    ("glpat-", Of::Words, 10),
    ("xoxb-", Of::Words, 10),
    ("xoxp-", Of::Words, 10),
    ("xoxa-", Of::Words, 10),
    ("xoxr-", Of::Words, 10),
    ("xoxs-", Of::Words, 10),
    ("xapp-", Of::WordsWithDigit, 10),
    ("AKIA", Of::Capitals, 12),
    ("ASIA", Of::Capitals, 12),
    ("AIza", Of::Words, 16),
    ("ya29.", Of::Words, 16),
    ("hf_", Of::Letters, 16),
    ("npm_", Of::Letters, 20),
    ("pypi-", Of::WordsWithDigit, 20),
    ("dop_v1_", Of::Letters, 16),
    ("shpat_", Of::Letters, 16),
    ("SG.", Of::WordsWithDigit, 16),
    ("gsk_", Of::Letters, 16),
    ("xai-", Of::WordsWithDigit, 16),
    ("pplx-", Of::WordsWithDigit, 16),
    ("r8_", Of::Letters, 16),
    ("nvapi-", Of::WordsWithDigit, 16),
    ("tvly-", Of::WordsWithDigit, 12),
    ("lin_api_", Of::Letters, 12),
    ("AGE-SECRET-KEY-1", Of::Letters, 16),
    ("glsa_", Of::Words, 16),
    ("dapi", Of::WordsWithDigit, 32),
];

/// With which bytes keys and tokens begin.
const FIRST: &[u8] = b"AGSadeghlnprtswxy";

/// No key is shorter, in bytes, but those with a dot in them.
pub(crate) const SHORTEST: usize = 14;

/// The end of the key that begins at `at`, where one does.
pub(crate) fn key(line: &[u8], at: usize) -> Option<(usize, Kind)> {
    let rest = line.get(at..)?;
    // Most words of most texts end here, and every line of a journal is looked at.
    let [first, second, ..] = rest else { return None };
    if !FIRST.contains(first) {
        return None;
    }
    if let Some(length) = json_web_token(rest) {
        return Some((at + length, Kind::Token));
    }
    let begins = |prefix: &str| {
        prefix.as_bytes().starts_with(&[*first, *second]) && rest.starts_with(prefix.as_bytes())
    };
    let (prefix, of, least) = FORMS.iter().find(|(prefix, ..)| begins(prefix))?;
    let body = rest.get(prefix.len()..)?;
    let belongs = |byte: &&u8| match of {
        Of::Words | Of::WordsWithDigit => is_word(**byte),
        Of::Letters => byte.is_ascii_alphanumeric(),
        Of::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
    };
    let length = body.iter().take(LONGEST + 1).take_while(belongs).count();
    let fits = match of {
        Of::Words => true,
        Of::WordsWithDigit => body.iter().take(length).any(u8::is_ascii_digit),
        Of::Letters => !matches!(body.get(length), Some(b'_')),
        Of::Capitals => length <= 16 && body.get(length).is_none_or(|byte| !is_word(*byte)),
    };
    (fits && length >= *least && length <= LONGEST).then(|| {
        (at + prefix.len() + length, if prefix.starts_with("ya29") { Kind::Token } else { Kind::ApiKey })
    })
}

/// The length of the token that the text begins with: a header, a payload, and mostly a signature.
fn json_web_token(text: &[u8]) -> Option<usize> {
    let part =
        |from: usize| text.iter().skip(from).take(LONGEST_TOKEN).take_while(|byte| is_word(**byte)).count();
    if !text.starts_with(b"eyJ") {
        return None;
    }
    let header = part(0);
    let is_dot = |at: usize| text.get(at) == Some(&b'.');
    if header < 10 || !is_dot(header) || !text.get(header + 1..)?.starts_with(b"eyJ") {
        return None;
    }
    let payload = header + 1 + part(header + 1);
    let end = if is_dot(payload) { payload + 1 + part(payload + 1) } else { payload };
    (end <= LONGEST_TOKEN).then_some(end)
}

/// The secret behind `Bearer`, which begins at `at`, outside of a header: long and with digits in it, as no English is.
pub(crate) fn bearer(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let word = line.get(at..at + 7).filter(|word| matches!(word.first(), Some(b'B' | b'b')))?;
    if !word.eq_ignore_ascii_case(b"bearer ") {
        return None;
    }
    let start = at + 7;
    let rest = line.get(start..)?;
    let belongs = |byte: &&u8| is_word(**byte) || matches!(byte, b'.' | b'+' | b'/' | b'=' | b'~');
    let length = rest.iter().take(LONGEST_TOKEN).take_while(belongs).count();
    let digits = rest.iter().take(length).any(u8::is_ascii_digit);
    (length >= 16 && digits).then_some((start, start + length))
}

/// The place of the password in an address whose `://` is at `at`: `https://NAME:PASSWORD@HOST`, or a long name alone.
pub(crate) fn password_of_url(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = at + 3;
    let rest = line.get(start..)?;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/?#\"'<>`\\".contains(byte);
    let within = rest.get(..LONGEST_LOGIN).unwrap_or(rest);
    let authority = within.get(..within.iter().position(ends).unwrap_or(within.len()))?;
    let login = authority.get(..authority.iter().rposition(|byte| *byte == b'@')?)?;
    let (from, least) = match login.iter().position(|byte| *byte == b':') {
        Some(colon) => (colon + 1, 1),
        None => (0, 20),
    };
    let secret = login.get(from..)?;
    let placeholder = matches!(secret.first(), Some(b'$' | b'{' | b'*')) || secret.starts_with(b"[redacted");
    (secret.len() >= least && !placeholder).then_some((start + from, start + login.len()))
}

/// The characters of keys and of names.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_without_a_dot_is_shorter_than_the_shortest() {
        let lengths = FORMS.iter().filter(|(prefix, ..)| !prefix.contains('.'));
        assert_eq!(lengths.map(|(prefix, _, least)| prefix.len() + least).min(), Some(SHORTEST));
    }

    #[test]
    fn every_form_begins_with_one_of_the_first_bytes() {
        let begins = |text: &str| FIRST.contains(&text.as_bytes()[0]);
        assert!(FORMS.iter().all(|(prefix, ..)| begins(prefix)) && begins("eyJ"));
    }
}
