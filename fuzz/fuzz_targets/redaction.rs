//! Secrets: no text makes the redactor panic, what comes out does so again, pieces give what the whole gives, and no text before a secret
//! makes it stay.
//!
//! The last bytes of the input choose where it is cut into pieces.

#![no_main]

use artoo_fuzz::Choices;
use artoo_redaction::Redactor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for redactor in [Redactor::new(), with_values()] {
        let once = redactor.apply_to_bytes(input);
        same("applied twice", &redactor.apply_to_bytes(&once), &once);
        same("in pieces", &in_pieces(&redactor, input), &once);
        same("byte by byte", &by_bytes(&redactor, input), &once);
        if let Ok(text) = str::from_utf8(input) {
            same("as text", redactor.apply(text).as_bytes(), &once);
        }
        for secret in
            SECRETS.iter().filter(|_| !once.windows(LETTERS.len()).any(|word| word == LETTERS.as_bytes()))
        {
            let text = [input, b"\n", secret].concat();
            let redacted = String::from_utf8_lossy(&redactor.apply_to_bytes(&text)).into_owned();
            assert!(!redacted.contains(LETTERS), "stays behind it: {redacted:?}");
        }
    }
    let redacted = with_values().apply_to_bytes(input).into_owned();
    assert!(!String::from_utf8_lossy(&redacted).contains("hunter22"), "a known value stays");
});

/// What the secrets below have in common.
const LETTERS: &str = "Zq7vK2wM9x";

/// Secrets that no text before them may hide. They are made up.
const SECRETS: [&[u8]; 8] = [
    b"ghp_Zq7vK2wM9xghijABCDEFGHIJ012345",
    b"password='Zq7vK2wM9x'",
    b"postgres://ada:Zq7vK2wM9x@db/x",
    b"curl -u ada:Zq7vK2wM9x https://host",
    b"Authorization: Basic Zq7vK2wM9x",
    b"ada:$6$Xk3nVb2QpL9s$Zq7vK2wM9xZq7vK2wM9xZq7vK2wM9x:19700:0:99999:7:::",
    b"{\"name\": \"password\", \"value\": \"Zq7vK2wM9x\"}",
    b"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA04up8hoqzS1APIB0RhjX\nZq7vK2wM9x\n-----END RSA PRIVATE KEY-----",
];

fn with_values() -> Redactor {
    Redactor::new().secret("hunter22-hunter22").secret("hunter22")
}

fn in_pieces(redactor: &Redactor, input: &[u8]) -> Vec<u8> {
    let mut choices = Choices::of(input);
    let mut cuts: Vec<usize> = (0..choices.number() % 8).map(|_| choices.place(input.len())).collect();
    cuts.extend([0, input.len()]);
    cuts.sort_unstable();
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    for (from, to) in cuts.iter().zip(cuts.iter().skip(1)) {
        stream.push(input.get(*from..*to).unwrap_or_default(), &mut out);
    }
    let changed = stream.finish(&mut out);
    assert!(changed || out == input, "changed, and says that it did not");
    out
}

fn by_bytes(redactor: &Redactor, input: &[u8]) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    input.chunks(1).for_each(|byte| stream.push(byte, &mut out));
    stream.finish(&mut out);
    out
}

#[track_caller]
fn same(what: &str, found: &[u8], expected: &[u8]) {
    let [found, expected] = [found, expected].map(String::from_utf8_lossy);
    assert!(found == expected, "{what}\n   found {found:?}\nexpected {expected:?}");
}
