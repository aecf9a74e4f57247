//! The token without which nothing is answered over HTTP.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use crate::ServeError;

/// How many bytes of randomness it has.
const BYTES: usize = 32;

/// A secret that a client sends with every request. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The token in a file, which is made with mode 0600 if it is missing.
    ///
    /// # Errors
    /// [`ServeError::Token`]: the file cannot be read or written, others may read it, or it holds no token.
    pub fn in_file(path: &Path) -> Result<Self, ServeError> {
        read(path)
            .or_else(|error| if error.kind() == io::ErrorKind::NotFound { make(path) } else { Err(error) })
            .map_err(|source| ServeError::Token { path: path.to_owned(), source })
    }

    /// Whether the header of a request has it. Takes as long whatever the header says.
    pub(crate) fn is_in(&self, header: Option<&[u8]>) -> bool {
        let given = header.and_then(|header| header.strip_prefix(b"Bearer ")).unwrap_or_default();
        let own = self.0.as_bytes();
        let differ =
            own.iter().zip(given.iter().chain(std::iter::repeat(&0))).fold(0, |all, (a, b)| all | (a ^ b));
        differ == 0 && own.len() == given.len()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

fn read(path: &Path) -> io::Result<Token> {
    let file = fs::File::open(path)?;
    if file.metadata()?.mode() & 0o077 != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "others may read it"));
    }
    let mut text = String::new();
    file.take(1024).read_to_string(&mut text)?;
    let text = text.trim();
    let is_one = text.len() == BYTES * 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_one {
        Ok(Token(text.to_owned()))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, "it holds no token; remove it for a new one"))
    }
}

fn make(path: &Path) -> io::Result<Token> {
    let mut random = [0_u8; BYTES];
    fs::File::open("/dev/urandom")?.read_exact(&mut random)?;
    let text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(format!("{text}\n").as_bytes())?;
    Ok(Token(text))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_token_is_made_once_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp/token");
        let token = Token::in_file(&path).unwrap();
        assert_eq!(Token::in_file(&path).unwrap(), token);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(Token::in_file(&path).unwrap_err().to_string().contains("others may read it"));
        assert_eq!(format!("{token:?}"), "Token(..)");
    }

    #[test]
    fn only_the_whole_token_is_it() {
        let token = Token("ab".repeat(BYTES));
        let header = |text: String| token.is_in(Some(text.as_bytes()));
        assert!(header(format!("Bearer {}", "ab".repeat(BYTES))));
        for wrong in ["", "Bearer ", "Bearer ab"] {
            assert!(!header(wrong.to_owned()), "{wrong}");
        }
        assert!(!header(format!("Bearer {}c", "ab".repeat(BYTES))));
        assert!(!header("ab".repeat(BYTES)) && !token.is_in(None));
    }
}
