//! The table of prefixes of service keys and tokens.

/// The character class of a key's body, after its prefix.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Letters, digits, dashes and underscores.
    Words,
    /// The same, with at least one digit: names of packages and branches start in the same way.
    WordsWithDigit,
    /// Letters and digits.
    Letters,
    /// The same, with at least one lower-case letter, one upper-case letter and one digit.
    Mixed,
    /// Upper-case letters and digits, at most sixteen.
    Capitals,
    /// Digits and lower-case letters up to `f`, exactly as many as given.
    Hex,
    /// Words separated by dots.
    Dotted,
    /// Base64, of any length.
    Base64,
}

/// The prefix, the class of the body and its minimal length. The minimum is below the full length, because a
/// truncated key is still part of a key.
pub(crate) type Prefix = (&'static str, Of, usize);

/// Prefixes with the same first byte are adjacent.
const PREFIXES: [Prefix; 106] = [
    ("AKIA", Of::Capitals, 12),
    ("ASIA", Of::Capitals, 12),
    ("ABIA", Of::Capitals, 12),
    ("ACCA", Of::Capitals, 12),
    ("AIza", Of::Words, 16),
    ("AGE-SECRET-KEY-1", Of::Letters, 16),
    ("ATATT3", Of::Base64, 60),
    ("ATCTT3", Of::Base64, 60),
    ("ATBB", Of::Mixed, 28),
    ("EAAC", Of::Mixed, 80),
    ("GR1348941", Of::Words, 16),
    ("GOCSPX-", Of::Words, 16),
    ("HRKU-", Of::WordsWithDigit, 32),
    ("IQoJb3JpZ2lu", Of::Base64, 40),
    ("NRAK-", Of::Letters, 20),
    ("NRII-", Of::Words, 20),
    ("PMAK-", Of::WordsWithDigit, 40),
    ("SG.", Of::Dotted, 16),
    ("SK", Of::Hex, 32),
    ("api_org_", Of::Letters, 16),
    ("cio", Of::Mixed, 32),
    ("dckr_pat_", Of::Words, 12),
    ("dckr_oat_", Of::Words, 12),
    ("dop_v1_", Of::Letters, 16),
    ("doo_v1_", Of::Letters, 16),
    ("dor_v1_", Of::Letters, 16),
    ("dapi", Of::WordsWithDigit, 32),
    ("dp.pt.", Of::Letters, 30),
    ("dp.st.", Of::Dotted, 30),
    ("dp.ct.", Of::Letters, 30),
    ("eyJrIjoi", Of::Base64, 60),
    ("fm1_", Of::Base64, 30),
    ("fm2_", Of::Base64, 30),
    ("fo1_", Of::Words, 30),
    ("figd_", Of::Words, 30),
    ("ghp_", Of::Letters, 10),
    ("gho_", Of::Letters, 10),
    ("ghs_", Of::Letters, 10),
    ("ghu_", Of::Letters, 10),
    ("ghr_", Of::Letters, 10),
    ("github_pat_", Of::Words, 10),
    ("glpat-", Of::Words, 10),
    ("gldt-", Of::WordsWithDigit, 16),
    ("glrt-", Of::WordsWithDigit, 16),
    ("glptt-", Of::WordsWithDigit, 16),
    ("glcbt-", Of::WordsWithDigit, 16),
    ("glsoat-", Of::WordsWithDigit, 16),
    ("gloas-", Of::WordsWithDigit, 16),
    ("gsk_", Of::Letters, 16),
    ("glsa_", Of::Words, 16),
    ("glc_", Of::Base64, 40),
    ("hf_", Of::Letters, 16),
    ("hvs.", Of::Words, 20),
    ("hvb.", Of::Words, 20),
    ("hvr.", Of::Words, 20),
    ("key-", Of::Hex, 32),
    ("lin_api_", Of::Letters, 12),
    ("lin_oauth_", Of::Letters, 12),
    ("npm_", Of::Letters, 20),
    ("nvapi-", Of::WordsWithDigit, 16),
    ("nfp_", Of::Letters, 30),
    ("nfc_", Of::Letters, 30),
    ("ntn_", Of::Letters, 30),
    ("oy2", Of::Letters, 40),
    ("pk_live_", Of::Letters, 8),
    ("pypi-", Of::WordsWithDigit, 20),
    ("pplx-", Of::WordsWithDigit, 16),
    ("pscale_pw_", Of::Words, 20),
    ("pscale_tkn_", Of::Words, 20),
    ("pscale_oauth_", Of::Words, 20),
    ("pul-", Of::Hex, 40),
    ("rk_live_", Of::Letters, 8),
    ("rk_test_", Of::Letters, 8),
    ("rubygems_", Of::Letters, 16),
    ("r8_", Of::Letters, 16),
    ("sk-", Of::WordsWithDigit, 12),
    ("sk_", Of::WordsWithDigit, 12),
    ("shpat_", Of::Letters, 16),
    ("shpca_", Of::Letters, 16),
    ("shppa_", Of::Letters, 16),
    ("shpss_", Of::Letters, 16),
    ("sq0atp-", Of::Words, 16),
    ("sq0csp-", Of::Words, 16),
    ("sbp_", Of::Letters, 30),
    ("sb_secret_", Of::WordsWithDigit, 16),
    ("sntryu_", Of::Letters, 30),
    ("sntrya_", Of::Letters, 30),
    ("sntrys_", Of::Base64, 30),
    ("secret_", Of::Mixed, 40),
    ("s.", Of::Mixed, 24),
    ("sl.", Of::WordsWithDigit, 60),
    ("tvly-", Of::WordsWithDigit, 12),
    ("tskey-", Of::WordsWithDigit, 16),
    ("whsec_", Of::Letters, 12),
    ("xoxb-", Of::Words, 10),
    ("xoxp-", Of::Words, 10),
    ("xoxa-", Of::Words, 10),
    ("xoxr-", Of::Words, 10),
    ("xoxs-", Of::Words, 10),
    ("xoxc-", Of::Words, 10),
    ("xoxd-", Of::Words, 10),
    ("xoxe-", Of::Words, 10),
    ("xapp-", Of::WordsWithDigit, 10),
    ("xwfp-", Of::WordsWithDigit, 10),
    ("xai-", Of::WordsWithDigit, 16),
    ("ya29.", Of::Words, 16),
];

/// The length of the shortest key without a dot, in bytes.
pub(crate) const SHORTEST: usize = 14;

/// The start of a private key that is base64-encoded once more, from `-----BEGIN ` on.
pub(crate) const WRAPPED_KEYS: [&str; 7] = [
    "LS0tLS1CRUdJTiBQUklWQVRF",
    "LS0tLS1CRUdJTiBSU0Eg",
    "LS0tLS1CRUdJTiBFQyBQ",
    "LS0tLS1CRUdJTiBPUEVOU1NI",
    "LS0tLS1CRUdJTiBFTkNSWVBU",
    "LS0tLS1CRUdJTiBEU0Eg",
    "LS0tLS1CRUdJTiBQR1AgUFJJ",
];

/// The prefixes that start with this byte.
pub(crate) fn beginning_with(byte: u8) -> &'static [Prefix] {
    let (from, to) = PLACES.get(usize::from(byte)).copied().unwrap_or_default();
    PREFIXES.get(from..to).unwrap_or_default()
}

/// The range of prefixes for each first byte. Precomputed, because every long word is looked up.
#[expect(
    clippy::indexing_slicing,
    reason = "computed by the compiler, which does not compile what is out of bounds"
)]
const PLACES: [(usize, usize); 256] = {
    let mut places = [(0, 0); 256];
    let mut at = 0;
    while at < PREFIXES.len() {
        let first = PREFIXES[at].0.as_bytes()[0] as usize;
        places[first] = (if places[first].1 == 0 { at } else { places[first].0 }, at + 1);
        at += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_is_found_by_its_first_byte() {
        let is_found = |prefix: &Prefix| {
            let mut found = beginning_with(prefix.0.as_bytes()[0]).iter();
            found.any(|other| other.0 == prefix.0)
        };
        assert!(PREFIXES.iter().all(is_found));
        assert_eq!((0..=u8::MAX).map(|byte| beginning_with(byte).len()).sum::<usize>(), PREFIXES.len());
    }

    #[test]
    fn no_key_without_a_dot_is_shorter_than_the_shortest() {
        let lengths = PREFIXES.iter().filter(|(prefix, ..)| !prefix.contains('.'));
        assert_eq!(lengths.map(|(prefix, _, least)| prefix.len() + least).min(), Some(SHORTEST));
    }
}
