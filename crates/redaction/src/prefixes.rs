//! With which prefixes the keys and tokens of services begin.

/// The characters of a key behind its prefix.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Letters, digits, dashes and underscores.
    Words,
    /// The same, and one of them must be a digit: names of packages and branches begin in the same way.
    WordsWithDigit,
    /// Letters and digits.
    Letters,
    /// The same, and both small and capital letters and a digit.
    Mixed,
    /// Capitals and digits, at most sixteen.
    Capitals,
    /// Digits and small letters up to `f`, as many as are given and no more.
    Hex,
    /// Words with dots between them.
    Dotted,
    /// Base64, of any length.
    Base64,
}

/// The prefix, what follows, and how much of that at least: a key that was cut off is a part of a key all the same.
pub(crate) const PREFIXES: [(&str, Of, usize); 106] = [
    ("sk-", Of::WordsWithDigit, 12),
    ("sk_", Of::WordsWithDigit, 12),
    ("rk_live_", Of::Letters, 8),
    ("rk_test_", Of::Letters, 8),
    ("pk_live_", Of::Letters, 8),
    ("whsec_", Of::Letters, 12),
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
    ("GR1348941", Of::Words, 16),
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
    ("AKIA", Of::Capitals, 12),
    ("ASIA", Of::Capitals, 12),
    ("ABIA", Of::Capitals, 12),
    ("ACCA", Of::Capitals, 12),
    ("AIza", Of::Words, 16),
    ("GOCSPX-", Of::Words, 16),
    ("ya29.", Of::Words, 16),
    ("hf_", Of::Letters, 16),
    ("api_org_", Of::Letters, 16),
    ("npm_", Of::Letters, 20),
    ("pypi-", Of::WordsWithDigit, 20),
    ("rubygems_", Of::Letters, 16),
    ("cio", Of::Mixed, 32),
    ("oy2", Of::Letters, 40),
    ("dckr_pat_", Of::Words, 12),
    ("dckr_oat_", Of::Words, 12),
    ("dop_v1_", Of::Letters, 16),
    ("doo_v1_", Of::Letters, 16),
    ("dor_v1_", Of::Letters, 16),
    ("shpat_", Of::Letters, 16),
    ("shpca_", Of::Letters, 16),
    ("shppa_", Of::Letters, 16),
    ("shpss_", Of::Letters, 16),
    ("sq0atp-", Of::Words, 16),
    ("sq0csp-", Of::Words, 16),
    ("SG.", Of::Dotted, 16),
    ("gsk_", Of::Letters, 16),
    ("xai-", Of::WordsWithDigit, 16),
    ("pplx-", Of::WordsWithDigit, 16),
    ("r8_", Of::Letters, 16),
    ("nvapi-", Of::WordsWithDigit, 16),
    ("tvly-", Of::WordsWithDigit, 12),
    ("lin_api_", Of::Letters, 12),
    ("lin_oauth_", Of::Letters, 12),
    ("AGE-SECRET-KEY-1", Of::Letters, 16),
    ("glsa_", Of::Words, 16),
    ("glc_", Of::Base64, 40),
    ("dapi", Of::WordsWithDigit, 32),
    ("HRKU-", Of::WordsWithDigit, 32),
    ("nfp_", Of::Letters, 30),
    ("nfc_", Of::Letters, 30),
    ("sbp_", Of::Letters, 30),
    ("sb_secret_", Of::WordsWithDigit, 16),
    ("pscale_pw_", Of::Words, 20),
    ("pscale_tkn_", Of::Words, 20),
    ("pscale_oauth_", Of::Words, 20),
    ("dp.pt.", Of::Letters, 30),
    ("dp.st.", Of::Dotted, 30),
    ("dp.ct.", Of::Letters, 30),
    ("pul-", Of::Hex, 40),
    ("fm1_", Of::Base64, 30),
    ("fm2_", Of::Base64, 30),
    ("fo1_", Of::Words, 30),
    ("NRAK-", Of::Letters, 20),
    ("NRII-", Of::Words, 20),
    ("sntryu_", Of::Letters, 30),
    ("sntrya_", Of::Letters, 30),
    ("sntrys_", Of::Base64, 30),
    ("ntn_", Of::Letters, 30),
    ("secret_", Of::Mixed, 40),
    ("figd_", Of::Words, 30),
    ("ATATT3", Of::Base64, 60),
    ("ATCTT3", Of::Base64, 60),
    ("ATBB", Of::Mixed, 28),
    ("PMAK-", Of::WordsWithDigit, 40),
    ("tskey-", Of::WordsWithDigit, 16),
    ("hvs.", Of::Words, 20),
    ("hvb.", Of::Words, 20),
    ("hvr.", Of::Words, 20),
    ("s.", Of::Mixed, 24),
    ("sl.", Of::WordsWithDigit, 60),
    ("key-", Of::Hex, 32),
    ("SK", Of::Hex, 32),
    ("EAAC", Of::Mixed, 80),
    ("IQoJb3JpZ2lu", Of::Base64, 40),
    ("eyJrIjoi", Of::Base64, 60),
];

/// How a private key begins that is in base64 once more, behind `-----BEGIN `.
pub(crate) const WRAPPED_KEYS: [&str; 7] = [
    "LS0tLS1CRUdJTiBQUklWQVRF",
    "LS0tLS1CRUdJTiBSU0Eg",
    "LS0tLS1CRUdJTiBFQyBQ",
    "LS0tLS1CRUdJTiBPUEVOU1NI",
    "LS0tLS1CRUdJTiBFTkNSWVBU",
    "LS0tLS1CRUdJTiBEU0Eg",
    "LS0tLS1CRUdJTiBQR1AgUFJJ",
];

/// Whether a key may begin with this byte.
pub(crate) fn may_begin(byte: u8) -> bool {
    FIRST.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Looked up, because every word of every text is asked.
const FIRST: [bool; 256] = {
    let mut first = [false; 256];
    // `e` of JSON Web Tokens is among them, and so is `L` of keys in base64.
    first[b'e' as usize] = true;
    first[b'L' as usize] = true;
    let mut at = 0;
    while at < PREFIXES.len() {
        first[PREFIXES[at].0.as_bytes()[0] as usize] = true;
        at += 1;
    }
    first
};
