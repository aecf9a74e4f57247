//! What stands in a record where a secret stood.

/// What a secret was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A key of a service.
    ApiKey,
    /// Proof of a session: JSON Web Tokens, bearers.
    Token,
    /// What a person or a program logs in with.
    Password,
    /// A private key.
    PrivateKey,
    /// A value that was known to be secret.
    Secret,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] =
        [Self::ApiKey, Self::Token, Self::Password, Self::PrivateKey, Self::Secret];

    /// The text of the record.
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
