//! Private keys, whole and in parts.

use artoo_redaction::Redactor;

const BODY: &str = "MIIEpAIBAAKCAQEA04up8hoqzS1+APIB0RhjXyObwHQnOzhAk5Bd7mhkSbPkyhP1\niWlCLRX6jtCHkJHtEkGgVLo0w4TLaX5h3mhkSbPkyhP1APIB0RhjXyObwHQnOzhA\nqwXr3eA=\n";

fn check(text: &str, expected: &str) {
    let redacted = Redactor::new().apply(text);
    assert_eq!(redacted, expected, "{text}");
    assert_eq!(Redactor::new().apply(&redacted), redacted);
}

#[test]
fn whole() {
    for kind in ["RSA ", "", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let key = format!("-----BEGIN {kind}PRIVATE KEY-----\n{BODY}-----END {kind}PRIVATE KEY-----\n");
        check(&format!("before\n{key}after\n"), "before\n[redacted: private key]\nafter\n");
        check(&format!("KEY=\"{}\"\nX=1\n", key.trim_end()), "KEY=\"[redacted: private key]\n\"\nX=1\n");
        check(&key.replace('\n', "\r\n"), "[redacted: private key]\n");
        let indented = key.replace("\n", "\n    ");
        check(&indented, "[redacted: private key]\n    ");
    }
}

#[test]
fn encrypted() {
    let head =
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n";
    check(&format!("{head}{BODY}-----END RSA PRIVATE KEY-----\n"), "[redacted: private key]\n");
}

#[test]
fn in_json() {
    let key = format!("-----BEGIN PRIVATE KEY-----\n{BODY}-----END PRIVATE KEY-----\n").replace('\n', "\\n");
    check(&format!("{{\"k\": \"{key}\"}}"), "{\"k\": \"[redacted: private key]\\n\"}");
}

/// A prompt shows the head and the tail of a text, and the cut may be anywhere.
#[test]
fn cut_off() {
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{BODY}-----END RSA PRIVATE KEY-----\n");
    for at in 50..key.len() - 40 {
        let shown = format!("{}\n[... 970 bytes left out here ...]\n{}", &key[..at], &key[at..]);
        let redacted = Redactor::new().apply(&shown).into_owned();
        for line in BODY.lines().take(2) {
            assert!(!redacted.contains(line), "{redacted}");
        }
    }
    let tail = &key[key.find('\n').unwrap() + 1..];
    check(tail, "[redacted: private key]\n");
}

#[test]
fn beside_other_secrets() {
    let key = "-----BEGIN RSA PRIVATE KEY-----";
    let masked = "password=[redacted: password] ";
    check(
        &format!("password=opensesame {key}\n{BODY}-----END RSA PRIVATE KEY-----\n"),
        &format!("{masked}[redacted: private key]\n"),
    );
    check(&format!("password=opensesame {key}\nis it.\n"), &format!("{masked}{key}\nis it.\n"));
    check(&format!("password=opensesame {key}\n"), &format!("{masked}{key}\n"));
    // Words and keys that a mark ends.
    let end = "-----END RSA PRIVATE KEY-----";
    let line = BODY.lines().next().unwrap();
    check(&format!("{line}\n{end}{line}\n{end}"), "[redacted: private key]\n[redacted: private key]\n");
    check(
        &format!("{key}{end}eyJhbGciOiJI.eyJhbGciOiJI.x AKIAAAA00A0AAAA0A0AA{key}{end}"),
        "[redacted: private key][redacted: token] [redacted: api key][redacted: private key]",
    );
}

/// Found by the fuzz target: a secret beside a mark took a part of it along, or exposed one, and the next
/// pass saw another key.
#[test]
fn what_is_decided_once_is_decided_again() {
    let data = &BODY[..40];
    let (key, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
    // The last mark of a line counts, whatever precedes it.
    check(&format!("{data}\npassword=opensesame-----END {end}"), "[redacted: private key]\n");
    check(&format!("{data}\n-----END {end}"), "[redacted: private key]\n");
    // A value ends where a mark begins.
    check(&format!("{key}\n{data}\n\"password\":'opensesame{end}"), "[redacted: private key]\n");
    check(&format!("password='opensesame{end} x"), &format!("password='[redacted: password]{end} x"));
    check(&format!("PRIVATE_KEY={key}\n{data}\n"), "PRIVATE_KEY=[redacted: private key]\n");
    // Only words used in the names of keys make a mark.
    check(
        "-----BEGIN password=opensesame PRIVATE KEY-----\n",
        "-----BEGIN password=[redacted: password] PRIVATE KEY-----\n",
    );
    // A mark inside a data line counts as data.
    let secret = format!("{data}hunter22{data}");
    let redactor = Redactor::new().secret("hunter22");
    assert_eq!(redactor.apply(&format!("{secret}\n{secret}\n{end}\n")), "[redacted: private key]\n");
    assert_eq!(redactor.apply(&format!("{key}\n{secret}\n{secret}\n")), "[redacted: private key]\n");
}

/// Long lines are processed in parts; the blanks inside a mark are no place to cut.
#[test]
fn no_key_is_cut_in_a_long_line() {
    let key = "-----BEGIN RSA PRIVATE KEY-----MIIEpAIBAAKCAQEA04up8hoqzS1APIB0RhjXyObw-----END RSA PRIVATE KEY-----";
    for before in (64 * 1024 - key.len() - 2..64 * 1024 + 2).step_by(5) {
        let text = format!("{}{key} after\n", "+".repeat(before));
        let redacted = Redactor::new().apply(&text).into_owned();
        assert!(
            redacted.ends_with("+[redacted: private key] after\n"),
            "{before}: {}",
            &redacted[before - 40..]
        );
    }
}

#[test]
fn a_text_may_talk_of_keys() {
    for text in [
        "A key begins with -----BEGIN RSA PRIVATE KEY----- and ends.\n",
        "-----BEGIN RSA PRIVATE KEY-----\nis how it begins.\n",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "id_rsa:-----BEGIN OPENSSH PRIVATE KEY-----\nother:-----BEGIN OPENSSH PRIVATE KEY-----\n",
        "-----END RSA PRIVATE KEY-----\n",
    ] {
        check(text, text);
    }
}
