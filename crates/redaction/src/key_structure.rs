//! The structure of private keys: what their encoded data begin with, and what lies between their numbers.
//!
//! The data of a key are mostly random, like those of a picture. What is not random are the types and lengths
//! around each number, and the order of the numbers: a certificate and a public key have one large number, a
//! private key has several in a row.

use base64::{
    Engine as _,
    alphabet::STANDARD,
    engine::{GeneralPurpose, GeneralPurposeConfig},
};

/// How the data of a key in OpenSSH's format begin, in base64.
pub(crate) const OPENSSH: &[u8] = b"b3BlbnNzaC1rZXktdjEA";
/// How the data of all other keys begin, in base64: with a sequence.
pub(crate) const SEQUENCE: u8 = b'M';
/// The characters that are decoded to see how data begin.
const BEGINNING: usize = 48;

/// The exponent of nearly every RSA key, with the type of the number behind it: that one is private. The
/// exponent is the last number of a public key.
const EXPONENT_AND_MORE: [&[u8]; 2] = [b"\x02\x03\x01\x00\x01\x02\x81", b"\x02\x03\x01\x00\x01\x02\x82"];
/// How a prime number of half the length of an RSA key begins: for keys of 2048, 3072, 4096 and 8192 bits.
const PRIMES: [&[u8]; 4] =
    [b"\x02\x81\x81\x00", b"\x02\x81\xc1\x00", b"\x02\x82\x01\x01\x00", b"\x02\x82\x02\x01\x00"];
/// The same in OpenSSH's and PuTTY's format.
const SSH_PRIMES: [&[u8]; 3] = [b"\x00\x00\x00\x81\x00", b"\x00\x00\x00\xc1\x00", b"\x00\x00\x01\x01\x00"];
/// The exponent in that format.
const SSH_EXPONENT: &[u8] = b"\x00\x00\x00\x03\x01\x00\x01";

/// The lengths of the second number of a DSA key.
const SHORT: [u8; 6] = [20, 21, 28, 29, 32, 33];

/// Whether base64 data begin like a private key.
pub(crate) fn begins(data: &[u8]) -> bool {
    if data.starts_with(OPENSSH) {
        return true;
    }
    let first = data.get(..BEGINNING).unwrap_or(data);
    let Some(bytes) = decoded(first, 0) else { return false };
    let ([0x30, 0x82, _, _, key @ ..] | [0x30, 0x81, _, key @ ..] | [0x30, 0..=0x7f, key @ ..]) =
        bytes.as_slice()
    else {
        return false;
    };
    match key {
        // PKCS #1: a version, and a large number.
        [2, 1, 0, 2, 0x81 | 0x82, ..] => true,
        // PKCS #8: a version, and the name of an algorithm.
        [2, 1, 0, 0x30, _, 6, ..] => true,
        // SEC 1: a version, and a number as long as one of the usual curves has.
        [2, 1, 1, 4, 28 | 32 | 48 | 66, ..] => true,
        // Encrypted PKCS #8.
        [0x30, _, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, ..] => true,
        _ => false,
    }
}

/// Whether base64 data, taken from anywhere in a file, are part of a private key. Most parts of a key show it;
/// those within one of its numbers do not.
pub(crate) fn is_part(data: &[u8]) -> bool {
    // The part may begin at any character.
    (0..4).filter_map(|skipped| decoded(data, skipped)).any(|bytes| is_part_of_key(&bytes))
}

fn is_part_of_key(bytes: &[u8]) -> bool {
    // A leading zero stands before a number whose first bit is set.
    let positive = |after: &[u8]| after.first().is_some_and(|first| *first >= 0x80);
    let after_number = |before: &[u8]| !ends_in_sequence(before) && !ends_in_short_number(before);
    EXPONENT_AND_MORE.iter().any(|begin| memchr::memmem::find(bytes, begin).is_some())
        || PRIMES.iter().any(|begin| {
            has(bytes, begin, |before, after| positive(after) && before.len() >= 4 && after_number(before))
        })
        || SSH_PRIMES.iter().any(|begin| {
            let public: [&[u8]; 2] = [b"\x01\x00\x01", b"ssh-dss"];
            has(bytes, begin, |before, after| {
                let is_public = public.iter().any(|end| before.ends_with(end)) || ends_in_short_string(before);
                positive(after) && before.len() >= 7 && !is_public
            })
        })
        // Between the two large numbers of an RSA key. In a public key the name of the algorithm is before.
        || has(bytes, SSH_EXPONENT, |before, after| {
            before.len() >= 7 && !before.ends_with(b"ssh-rsa") && after.starts_with(b"\x00\x00")
        })
        // Ed25519: the public key, and the private one, which has the public one in it.
        || has(bytes, b"\x00\x00\x00\x40", |before, _| is_string(before, 32))
        // ECDSA: the public point, and the private number.
        || [b"\x00\x00\x00\x20", b"\x00\x00\x00\x21"].iter().any(|begin| {
            has(bytes, *begin, |before, after| is_string(before, 65) && after.len() >= 8)
        })
}

/// Whether `part` is somewhere in `bytes`, where `holds` accepts what is before and after it.
fn has(bytes: &[u8], part: &[u8], holds: impl Fn(&[u8], &[u8]) -> bool) -> bool {
    memchr::memmem::find_iter(bytes, part).any(|at| {
        let (before, after) = (bytes.get(..at), bytes.get(at + part.len()..));
        holds(before.unwrap_or_default(), after.unwrap_or_default())
    })
}

/// Whether a large number behind it is the first one of a sequence, as the modulus of a public key is.
fn ends_in_sequence(before: &[u8]) -> bool {
    matches!(before, [.., 0x30, 0x81, _] | [.., 0x30, 0x82, _, _])
}

/// Whether it ends in a number as long as the second one of a DSA key: the third one is public as well.
fn ends_in_short_number(before: &[u8]) -> bool {
    SHORT.into_iter().any(|length| {
        let start = before.len().checked_sub(usize::from(length));
        start.and_then(|start| before.get(..start)).is_some_and(|head| head.ends_with(&[2, length]))
    })
}

/// The same in OpenSSH's format.
fn ends_in_short_string(before: &[u8]) -> bool {
    SHORT.into_iter().any(|length| is_string(before, length))
}

/// Whether it ends in a string of this length, with the length before it.
fn is_string(before: &[u8], length: u8) -> bool {
    let start = before.len().checked_sub(usize::from(length));
    start.and_then(|start| before.get(..start)).is_some_and(|head| head.ends_with(&[0, 0, 0, length]))
}

/// The bytes that the data stand for from some character on, without what is left of the last ones.
fn decoded(data: &[u8], skipped: usize) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose =
        GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));
    let rest = data.get(skipped..)?;
    let length = rest.iter().take_while(|byte| **byte != b'=').count();
    LENIENT.decode(rest.get(..length - length % 4)?).ok()
}
