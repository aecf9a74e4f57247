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

/// Numbers that look random, with the first bit set.
fn number(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes: Vec<u8> = (0..length)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as u8
        })
        .collect();
    bytes[0] |= 0x80;
    bytes
}

fn der(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = match length {
        0..0x80 => vec![kind, length as u8],
        0x80..0x100 => vec![kind, 0x81, length as u8],
        _ => vec![kind, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, content.to_vec()].concat()
}

fn integer(number: &[u8]) -> Vec<u8> {
    let zero: &[u8] = if number[0] >= 0x80 { &[0] } else { &[] };
    der(2, &[zero, number].concat())
}

/// An RSA key of this many bits, as PKCS #1 has it, and the public key that belongs to it.
fn rsa(bits: usize, seed: u64) -> (Vec<u8>, Vec<u8>) {
    let (n, d) = (number(bits / 8, seed), number(bits / 8, seed + 1));
    let halves: Vec<u8> = (2..7).flat_map(|at| integer(&number(bits / 16, seed + at))).collect();
    let e = [1, 0, 1];
    let private = [integer(&[0]), integer(&n), integer(&e), integer(&d), halves].concat();
    (der(0x30, &private), der(0x30, &[integer(&n), integer(&e)].concat()))
}

fn lines(bytes: &[u8], length: usize) -> Vec<String> {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    text.as_bytes().chunks(length).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect()
}

/// Each part of a key that is longer than one of its numbers shows what it is.
#[test]
fn lines_from_the_middle() {
    for (bits, full) in [(2048, 64), (2048, 76), (3072, 64), (4096, 64), (4096, 70)] {
        for seed in 0..20 {
            let (private, public) = rsa(bits, seed);
            let (key, enough) = (lines(&private, full), (bits / 8 + 16) * 4 / 3 / full + 2);
            for part in key[1..key.len() - 1].windows(enough) {
                check(&part.concat(), "[redacted: private key]\n");
                let text = format!("before\n{}after\n", part.concat());
                check(&text, "before\n[redacted: private key]\nafter\n");
            }
            let numbered: String =
                (5..).zip(&key[1..=enough]).map(|(n, line)| format!("key.pem:{n}:{line}")).collect();
            check(&numbered, "key.pem:5:[redacted: private key]\n");
            check(&key[key.len() - enough..].concat(), "[redacted: private key]\n");
            // A certificate has more around the public key; what is private is not in it.
            let certificate =
                der(0x30, &[number(90, seed + 9), public.clone(), number(bits / 8, seed + 10)].concat());
            for text in [lines(&public, full), lines(&certificate, full)] {
                let text = text.concat();
                check(&text, &text);
            }
        }
    }
}

#[test]
fn first_lines() {
    let algorithm = der(0x30, &der(6, b"\x2a\x86\x48\xce\x3d\x02\x01"));
    for (name, key) in [
        ("pkcs 1", rsa(2048, 1).0),
        ("pkcs 1, other size", rsa(2304, 1).0),
        ("pkcs 8", der(0x30, &[integer(&[0]), algorithm, der(4, &number(100, 2))].concat())),
        ("sec 1", der(0x30, &[integer(&[1]), der(4, &number(32, 3)), number(60, 4)].concat())),
        ("openssh", [b"openssh-key-v1\0".to_vec(), number(100, 5)].concat()),
    ] {
        let first = &lines(&key, 64)[0];
        assert_eq!(Redactor::new().apply(first), "[redacted: private key]\n", "{name}");
    }
    for (name, data) in [
        ("a public key", rsa(2048, 1).1),
        ("a signature", der(0x30, &[integer(&number(32, 6)), integer(&number(32, 7))].concat())),
        ("a message of snmp", der(0x30, &[integer(&[1]), der(4, b"public"), number(60, 8)].concat())),
    ] {
        let first = &lines(&data, 64)[0];
        assert_eq!(Redactor::new().apply(first), first.as_str(), "{name}");
    }
}
