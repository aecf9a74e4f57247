//! Properties that hold for every text.

use std::borrow::Cow;

use artoo_redaction::Redactor;
use proptest::prelude::*;

/// Texts made of parts of secrets, so that many are near misses.
const PARTS: &str = "(sk-|ghp_|\"\"|\" \\+ \"|' '|passwort ist |salasana on |密码是|hunter-22|110201543:|AKIA|token|password|=|: |\\[|\\]|\"|'|\\\\|\\\\n|Bearer |://|@|-----|-----BEGIN RSA PRIVATE KEY-----|-----END RSA PRIVATE KEY-----|MIIEpAIBAAKCAQEA04up8hoqzS1APIB0RhjXyObw\n|eyJhbGciOiJI\\.|eyJ|hunter22-hunter22|hunter|aHVudGVyMjI|%68|[a-zA-Z0-9]{1,24}|[A-Z0-9]{16}| |\n|\r\n|🙂|é){0,24}";

/// Texts whose lines give each other context.
const LINES: &str = "((user|name|key|value|password|Value|DB_PASSWORD|Cookie|psk|data|kind|Secret|machine|login|hvs\\.|\\$6\\$|mysql|curl|MIIEpAIBAAKCAQEA04up8hoqzS1APIB0RhjXyObw|TxBWxUZLAgMBAAECggEAJVJ12OA/TrWV6qmxgObV01/EQBbPtOmaRRq3GqEGdbFQ|[A-Za-z0-9+/]{48}|[A-Za-z0-9+/]{2,18}=|[a-z0-9]{4,9}|[a-zA-Z0-9]{32})(: |=|,|;|\t| \\| | │ |  | |:|: \\||: \"|\"|>|<|-u |-p|\n|\n  |\n    |\n- |\n---\n|)){0,32}";

fn redactor() -> Redactor {
    Redactor::new().secret("hunter22-hunter22").secret("hunter22")
}

fn in_pieces(text: &[u8], cuts: &[usize]) -> Vec<u8> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    let (redactor, mut out) = (redactor(), Vec::new());
    let mut stream = redactor.stream();
    for pair in cuts.windows(2) {
        stream.push(&text[pair[0]..pair[1]], &mut out);
    }
    let changed = stream.finish(&mut out);
    assert!(changed || out == text);
    out
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_gives(text in PARTS, cuts in prop::collection::vec(any::<usize>(), 0..12)) {
        let whole = redactor().apply(&text).into_owned();
        prop_assert_eq!(String::from_utf8(in_pieces(text.as_bytes(), &cuts)).unwrap(), whole);
    }

    #[test]
    fn lines_in_their_context_are_decided_once(text in LINES, cuts in prop::collection::vec(any::<usize>(), 0..12)) {
        let once = redactor().apply(&text).into_owned();
        prop_assert_eq!(String::from_utf8(in_pieces(text.as_bytes(), &cuts)).unwrap(), once.clone());
        prop_assert_eq!(redactor().apply(&once).into_owned(), once);
    }

    /// Entries of the corpus, in any order.
    #[test]
    fn forms_beside_each_other_are_decided_once(
        picked in prop::collection::vec((any::<prop::sample::Index>(), 0..6_usize), 1..12),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
    ) {
        let lines: Vec<&str> = crate::corpus::texts().iter().flat_map(|text| text.lines()).collect();
        let text: String = picked
            .iter()
            .flat_map(|(index, more)| lines[index.index(lines.len())..].iter().take(1 + more))
            .map(|line| format!("{line}\n"))
            .collect();
        let once = redactor().apply(&text).into_owned();
        prop_assert_eq!(String::from_utf8(in_pieces(text.as_bytes(), &cuts)).unwrap(), once.clone());
        prop_assert_eq!(redactor().apply(&once).into_owned(), once);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(text in any::<Vec<u8>>(), cuts in prop::collection::vec(any::<usize>(), 0..6)) {
        let whole = redactor().apply_to_bytes(&text).into_owned();
        prop_assert_eq!(in_pieces(&text, &cuts), whole);
    }

    #[test]
    fn applying_twice_changes_nothing(text in PARTS) {
        let once = redactor().apply(&text).into_owned();
        prop_assert_eq!(redactor().apply(&once).into_owned(), once);
    }

    #[test]
    fn a_known_secret_never_stays(before in ".{0,40}", after in ".{0,40}", secret in "[a-zA-Z0-9]{8,20}") {
        let redactor = Redactor::new().secret(&secret);
        let redacted = redactor.apply(&format!("{before}{secret}{after}")).into_owned();
        prop_assert!(!redacted.contains(&secret));
    }

    #[test]
    fn a_key_never_stays(
        before in "(\\PC{0,20}[ ,:;=/\"'(\n])?",
        key in "(ghp_[a-zA-Z0-9]{36}|AKIA[A-Z0-9]{16}|sk-[a-zA-Z]{8}[0-9]{4}[a-zA-Z0-9]{20})",
        after in "([ ,:;/\"')\n]\\PC{0,20})?",
    ) {
        let redacted = Redactor::new().apply(&format!("{before}{key}{after}")).into_owned();
        prop_assert!(!redacted.contains(&key), "{}", redacted);
    }

    /// Words, numbers, paths, hashes and ids. A full stop is followed by a blank, and base64 has neither `c`
    /// nor `y`: `hvb.` right before a hash, and `cio` or `oy2` before letters, look like keys, and random
    /// texts contain them.
    #[test]
    fn a_text_without_secrets_is_unchanged(
        text in "(([a-z]{1,10}|[A-Z][a-z]{1,9}|[0-9]{1,9}|/[a-z]{1,6}/[a-z]{1,6}\\.[a-z]{2,3}|[0-9a-f]{40}|[0-9a-f]{64}|[A-Zabd-xz0-9+/]{76}|\\PC)([ ,;\n]|\\. )){0,30}",
    ) {
        let redactor = Redactor::new();
        let redacted = redactor.apply(&text);
        prop_assert!(matches!(redacted, Cow::Borrowed(_)), "{redacted}");
        prop_assert_eq!(redacted, text.as_str());
    }
}

#[test]
fn a_line_without_end_is_worked_on_in_parts() {
    let field = "{\"name\": \"ada\", \"password\": \"correcthorse\"}, ";
    let text = field.repeat(6000);
    let redacted = Redactor::new().apply(&text).into_owned();
    assert!(!redacted.contains("correcthorse"));
    assert_eq!(redacted.matches("[redacted: password]").count(), 6000);
    for size in [1, 7, 4096, 65_536, 100_000] {
        let (redactor, mut out) = (Redactor::new(), Vec::new());
        let mut stream = redactor.stream();
        text.as_bytes().chunks(size).for_each(|piece| stream.push(piece, &mut out));
        assert!(stream.finish(&mut out));
        assert_eq!(String::from_utf8(out).unwrap(), redacted, "in pieces of {size}");
    }
}

/// The longest value ends inside a word, so each pass exposes the next one.
#[test]
fn a_line_that_is_not_done_after_some_looks_goes_as_a_whole() {
    let link = format!("password=\"{}", "ab".repeat(256));
    let short = format!("{}\nafter\n", link.repeat(3));
    let marks = "password=\"[redacted: password]".repeat(3);
    assert_eq!(Redactor::new().apply(&short), format!("{marks}\nafter\n"));
    let long = format!("{}\nafter\n", link.repeat(40));
    let once = Redactor::new().apply(&long).into_owned();
    assert_eq!(once, "[redacted: secret]\nafter\n");
    assert_eq!(Redactor::new().apply(&once), once);
}

/// Redaction takes linear time: no part of a text makes the rest be scanned again and again. The test's time
/// limit checks this, so nothing is timed here.
#[test]
fn texts_that_nearly_are_secrets_cost_no_more_than_their_length() {
    let redactor = redactor();
    for part in [
        "a-----",
        "-----BEGIN PRIVATE KEY-----",
        "token:",
        "pwd:a.",
        "password=\"",
        "eyJabcdefgh.",
        "://a:b",
        "hunter22-hunter",
        "Bearer ",
        "sk-",
        "\\n",
        "curl -u a:b",
        "mysql -p",
        "psk=a",
        "password a",
        "Cookie: a=",
        "\"value\": \"abcd\" ",
        "{\"name\": \"a\", \"value\":",
        "Authorization: Digest ",
        "$6$aaaa",
        "password,a,",
        "a  password  ",
        "passwords: [\"a\",",
        "user password\nabcd  efgh  \n",
        "a,password\nb,[redacted: x\n",
        "name: password\n",
        "data:\n  a: abcd\n",
        "data:\n",
        "secret: |\n abcd\n",
        "hunter22hunter22-",
        "aHVudGVyMj",
        "\"a\"\"b",
        "sk-\" + \"",
        "a\"b'c",
        "password is ",
        "password a b c d e f g ",
        "密码",
        "salasana on a1 ",
        "110201543:AA",
        "TxBWxUZLAgMBAAECggEAJVJ12OA/TrWV6qmxgObV01/EQBbPtOmaRRq3GqEGdbFQ\n",
        "AoGBAAKBgQACgYEAAoGBAAKBgQACgYEAAoGBAAKBgQACgYEAAoGBAAKBgQACgYEA\n",
    ] {
        let length = if cfg!(debug_assertions) { 150_000 } else { 1_000_000 };
        let text = part.repeat(length / part.len());
        // A quadratic implementation would exceed the test's time limit.
        let _ = redactor.apply(&text);
    }
}

/// Found by the properties above, after thousands of cases.
#[test]
fn what_was_redacted_once_stays_as_it_is() {
    let middle = "TxBWxUZLAgMBAAECggEAJVJ12OA/TrWV6qmxgObV01/EQBbPtOmaRRq3GqEGdbFQ";
    for (text, expected) in [
        (
            "$ head\n-----BEGIN RSA PRIVATE KEY-----\nPrivate-Lines: 1\nAAAAIRCNe5gMu2JTncpaSBYnzMnZJIfiiFZmkAePwDaA\n".to_owned(),
            "$ head\n[redacted: private key]\n",
        ),
        (
            format!("{middle}\nCookie\nMIIEpAIBAAKCAQEA04up8hoqzS1APIB0RhjXyObw\n"),
            "[redacted: private key]\nCookie\n[redacted: private key]\n",
        ),
    ] {
        let once = redactor().apply(&text).into_owned();
        assert_eq!(once, expected);
        assert_eq!(redactor().apply(&once), expected);
    }
}
