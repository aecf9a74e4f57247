//! Keys and tokens recognised by their shape, without a prefix: Telegram, Discord, Twilio, webhooks.

use crate::{kind::Kind, known_keys::is_word};

/// A secret that is the word at `at..end`, or starts with it.
pub(crate) fn shape(line: &[u8], at: usize, end: usize) -> Option<(usize, usize, Kind)> {
    let word = line.get(at..end)?;
    let after = line.get(end..)?;
    let found = match after.first() {
        Some(b':' | b'%') => telegram(word, after).map(|length| (at, end + length)),
        Some(b'.') => dotted(word, after).map(|length| (at, end + length)),
        Some(b'~') => azure(word, after).map(|length| (at, end + length)),
        Some(_) | None => None,
    };
    let found = found.or_else(|| mailchimp(word).then_some((at, end)));
    let found = found.or_else(|| twilio(word, after).map(|(start, stop)| (end + start, end + stop)));
    found.map(|(start, end)| (start, end, Kind::ApiKey))
}

/// The secret part of a webhook URL whose `://` is at `at`: `https://hooks.slack.com/services/...`.
pub(crate) fn webhook(line: &[u8], at: usize) -> Option<(usize, usize)> {
    const HOOKS: [&[u8]; 7] = [
        b"hooks.slack.com/services/",
        b"hooks.slack.com/workflows/",
        b"hooks.slack.com/triggers/",
        b"discord.com/api/webhooks/",
        b"discordapp.com/api/webhooks/",
        b"ptb.discord.com/api/webhooks/",
        b"canary.discord.com/api/webhooks/",
    ];
    let start = at + 3;
    let rest = line.get(start..)?;
    let hook = HOOKS.iter().find(|hook| rest.starts_with(hook))?;
    let path = rest.get(hook.len()..)?;
    let length = run(path, |byte| is_word(byte) || byte == b'/', 256);
    (length >= 30).then_some((start + hook.len(), start + hook.len() + length))
}

/// `110201543:AAH...`, also as `bot110201543:AAH...` in a URL. Returns the length after the number.
fn telegram(word: &[u8], after: &[u8]) -> Option<usize> {
    let number = word.strip_prefix(b"bot").unwrap_or(word);
    let is_number = (6..=12).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    let colon =
        [&b":"[..], b"%3A", b"%3a"].into_iter().find(|colon| is_number && after.starts_with(colon))?;
    let token = after.get(colon.len()..)?;
    let length = run(token, is_word, 64);
    let has = |is: fn(&u8) -> bool| token.iter().take(length).any(is);
    // A part of one shows itself by its beginning, and a whole one by its length.
    let is_token = (token.starts_with(b"AA") && (30..=40).contains(&length))
        || ((34..=36).contains(&length)
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_lowercase)
            && has(u8::is_ascii_uppercase));
    is_token.then_some(colon.len() + length)
}

/// Three words separated by dots: Discord bots, Airtable, Terraform. Returns the length after the first word.
fn dotted(word: &[u8], after: &[u8]) -> Option<usize> {
    let second = run(after.get(1..)?, is_word, 160);
    let is_hex = |text: &[u8]| text.iter().all(u8::is_ascii_hexdigit);
    if word.len() == 17 && word.starts_with(b"pat") && second == 64 && after.get(1..65).is_some_and(is_hex) {
        return Some(65);
    }
    let third_at = 1 + second;
    if after.get(third_at) != Some(&b'.') {
        return None;
    }
    let third = run(after.get(third_at + 1..)?, is_word, 160);
    // A base64-encoded user id starts like this.
    let discord = (23..=28).contains(&word.len())
        && matches!(word.first(), Some(b'M' | b'N' | b'O'))
        && (6..=7).contains(&second)
        && (27..=40).contains(&third);
    let terraform = word.len() == 14 && after.get(1..third_at) == Some(b"atlasv1") && third >= 60;
    (discord || terraform).then_some(third_at + 1 + third)
}

/// `abc8Q~...`: the client secret of an Azure application.
fn azure(word: &[u8], after: &[u8]) -> Option<usize> {
    let belongs = |byte| is_word(byte) || matches!(byte, b'.' | b'~');
    let length = run(after.get(1..)?, belongs, 64);
    let is_one = word.len() == 5 && matches!(word, [.., digit, b'Q'] if digit.is_ascii_digit());
    (is_one && (31..=40).contains(&length)).then_some(1 + length)
}

/// `0123...-us12`.
fn mailchimp(word: &[u8]) -> bool {
    let Some((key, place)) = word.split_at_checked(32) else { return false };
    let digits = place.strip_prefix(b"-us").unwrap_or_default();
    is_small_hex(key) && (1..=2).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
}

/// The token beside a Twilio account id: `("AC0123...", "0123...")`, `AC0123...:0123...`.
fn twilio(word: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    if !word.strip_prefix(b"AC").is_some_and(|number| number.len() == 32 && is_small_hex(number)) {
        return None;
    }
    let start = run(after, |byte| b"\"', :=".contains(&byte), 6);
    let secret = after.get(start..)?;
    let length = run(secret, |byte| byte.is_ascii_hexdigit(), 33);
    let ends = secret.get(length).is_none_or(|byte| !is_word(*byte));
    (start > 0 && length == 32 && ends).then_some((start, start + length))
}

fn is_small_hex(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The length of the leading run of bytes that satisfy `is`, at most `most`.
fn run(text: &[u8], is: impl Fn(u8) -> bool, most: usize) -> usize {
    text.iter().take(most).take_while(|byte| is(**byte)).count()
}
