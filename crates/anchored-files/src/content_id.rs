//! What a file holds, as a name.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;

/// What a file holds: the SHA-256 of its bytes, in hexadecimal; of one with holes, a dash and the SHA-256 of where its data lie besides. It names
/// a file of the store, so nothing else can be one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentId(String);

impl ContentId {
    pub(crate) fn of(bytes: Sha256, data: Option<Sha256>) -> Self {
        let bytes = hex::encode(bytes.finalize());
        Self(data.map_or(bytes.clone(), |data| format!("{bytes}-{}", hex::encode(data.finalize()))))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the bytes are the same, wherever the holes are.
    pub fn has_bytes_of(&self, other: &Self) -> bool {
        self.0.get(..DIGITS) == other.0.get(..DIGITS)
    }
}

impl TryFrom<String> for ContentId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_hash = |part: &str| {
            part.len() == DIGITS && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        let fits = match text.split_once('-') {
            Some((bytes, data)) => is_hash(bytes) && is_hash(data),
            None => is_hash(&text),
        };
        if fits {
            Ok(Self(text))
        } else {
            Err("a content is named by 64 hexadecimal digits, or twice as many")
        }
    }
}

impl From<ContentId> for String {
    fn from(id: ContentId) -> Self {
        id.0
    }
}

/// The digits of the hash of some bytes.
pub fn id_of(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
