//! Relative paths in a record.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A path below a root: plain names, never absolute, never `..`. The empty path is the root itself. Parents
/// sort before children.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "RawPath", into = "RawPath")]
pub struct Below(PathBuf);

/// Compares bytes: the parts are plain and separated by single slashes, so the path need not be split. Large
/// maps use it as their key.
impl Ord for Below {
    fn cmp(&self, other: &Self) -> Ordering {
        // A slash sorts before every byte of a name, as names do not contain 0.
        let of = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
        let (one, other) = (self.0.as_os_str().as_bytes(), other.0.as_os_str().as_bytes());
        one.iter().map(of).cmp(other.iter().map(of))
    }
}

impl PartialOrd for Below {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Below {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_os_str() == other.0.as_os_str()
    }
}

impl Eq for Below {}

/// A path containing something other than plain names.
#[derive(Debug)]
pub struct NotPlain(String);

impl fmt::Display for NotPlain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the path {:?} does not stay below its root", self.0)
    }
}

impl Below {
    /// Accepts a relative path of plain names.
    pub fn new(path: &Path) -> Result<Self, NotPlain> {
        let plain = |part: Component<'_>| match part {
            Component::Normal(name) => !name.as_bytes().contains(&0),
            Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => false,
        };
        if path.components().all(plain) {
            Ok(Self(path.components().collect()))
        } else {
            Err(NotPlain(path.to_string_lossy().into_owned()))
        }
    }

    /// The entry `name` of this folder. The name comes from the kernel.
    pub fn entry(&self, name: &OsStr) -> Self {
        Self(self.0.join(name))
    }

    /// As a relative path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether it is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.as_os_str().is_empty()
    }

    /// The parent folder and the name in it; `None` for the root.
    pub fn place(&self) -> Option<(Self, &OsStr)> {
        Some((Self(self.0.parent()?.to_owned()), self.0.file_name()?))
    }

    /// The parent folder.
    pub fn parent(&self) -> Option<Self> {
        self.place().map(|(parent, _)| parent)
    }

    /// The full path below `root`.
    pub fn under(&self, root: &Path) -> PathBuf {
        // Joining an empty path would append a slash.
        if self.is_root() { root.to_owned() } else { root.join(&self.0) }
    }
}

/// A path, or another name, as written in a record: text, or its bytes in hexadecimal if not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RawPath {
    /// One that is UTF-8.
    Text(String),
    /// Any other.
    Bytes {
        /// The digits.
        hex: String,
    },
}

impl From<&Path> for RawPath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes { hex: hex::encode(path.as_os_str().as_bytes()) },
        }
    }
}

impl RawPath {
    /// As the kernel gives it.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Path::new(OsStr::from_bytes(bytes)).into()
    }

    /// As a path.
    ///
    /// # Errors
    ///
    /// The digits are none.
    pub fn to_path(&self) -> Result<PathBuf, hex::FromHexError> {
        Ok(match self {
            Self::Text(text) => PathBuf::from(text),
            Self::Bytes { hex } => PathBuf::from(std::ffi::OsString::from_vec(hex::decode(hex)?)),
        })
    }
}

/// Serialises a path for a user or a program, lossily as text.
pub fn as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

impl From<Below> for RawPath {
    fn from(below: Below) -> Self {
        below.path().into()
    }
}

impl TryFrom<RawPath> for Below {
    type Error = NotPlain;

    fn try_from(raw: RawPath) -> Result<Self, NotPlain> {
        let path = raw.to_path().map_err(|_| NotPlain(format!("{raw:?}")))?;
        Self::new(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Below, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn only_plain_names_are_paths() {
        for bad in [r#""/etc""#, r#""..""#, r#""a/../../b""#, r#""./a""#, r#""a\u0000b""#] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(read(r#"{"hex":"2f657463"}"#).is_err(), "an absolute path in hexadecimal");
        assert!(read(r#"{"hex":"zz"}"#).is_err());
        assert_eq!(read(r#""a//b/""#).unwrap(), Below::new(Path::new("a/b")).unwrap());
        assert!(read(r#""""#).unwrap().is_root());
    }

    #[test]
    fn parents_come_before_what_lies_in_them_and_that_before_the_rest() {
        let mut paths = ["a b", "a/b", "a", "a/b/c", "", "a.b", "b", "a/a"]
            .map(|path| Below::new(Path::new(path)).unwrap());
        paths.sort();
        let sorted = paths.map(|path| path.path().to_owned());
        assert!(sorted.is_sorted(), "as paths are: {sorted:?}");
    }

    #[test]
    fn any_name_survives_the_record() {
        for name in ["plain", "数据 📊", "new\nline"] {
            let below = Below::default().entry(OsStr::new("d")).entry(OsStr::new(name));
            assert_eq!(read(&serde_json::to_string(&below).unwrap()).unwrap(), below);
        }
        let below = Below::default().entry(OsStr::from_bytes(b"\xff\xfe"));
        assert_eq!(serde_json::to_string(&below).unwrap(), r#"{"hex":"fffe"}"#);
        assert_eq!(read(r#"{"hex":"fffe"}"#).unwrap(), below);
    }
}
