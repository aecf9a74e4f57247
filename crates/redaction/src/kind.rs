//! Kinds of secrets, and the marks that replace them.

/// What kind of secret was redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An API key.
    ApiKey,
    /// A session token: JSON Web Tokens, bearer tokens.
    Token,
    /// A password of a person or a program.
    Password,
    /// A private key.
    PrivateKey,
    /// A known value that was registered as secret.
    Secret,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::ApiKey, Self::Token, Self::Password, Self::PrivateKey, Self::Secret];

    /// The mark that replaces the secret.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::ApiKey => "[redacted: api key]",
            Self::Token => "[redacted: token]",
            Self::Password => "[redacted: password]",
            Self::PrivateKey => "[redacted: private key]",
            Self::Secret => "[redacted: secret]",
        }
    }
}
