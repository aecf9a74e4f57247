//! Places that every run leaves alone, because the user said so.

use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place of `policy.toml`. The kernel keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file or folder, with everything below it. Absolute; it need not exist.
    pub path: PathBuf,
    /// What no run may do there.
    pub block: Block,
    /// Why the user wants it.
    pub reason: String,
    /// The law that it enforces; it goes when the law is forgotten.
    pub law: Option<String>,
}

/// What no run may do in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Change anything. It can be read.
    Changes,
    /// Read or change anything, as in a protected place.
    Access,
}

impl Block {
    /// Its name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Changes => "changes",
            Self::Access => "access",
        }
    }
}

/// One place, as it stands in the file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaceTable {
    /// The file or folder, with everything below it: a whole path, or from `~/`.
    pub(crate) path: String,
    /// What no run may do there.
    pub(crate) block: Block,
    /// Why.
    pub(crate) reason: String,
    /// The law in memory that it enforces. It is removed when the law is forgotten.
    #[serde(default)]
    pub(crate) law: Option<String>,
}

impl PlaceTable {
    /// The place, or what is wrong with it.
    pub(crate) fn checked(self, home: &Path) -> Result<Place, String> {
        let Self { path, block, reason, law } = self;
        if reason.trim().is_empty() {
            return Err("`reason` is empty".to_owned());
        }
        let whole = match path.strip_prefix("~/") {
            Some(below) => home.join(below),
            None => PathBuf::from(&path),
        };
        let is_plain =
            whole.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
        if !whole.is_absolute() || !is_plain {
            return Err(format!("`{path}` must be a whole path, or begin with `~/`, without `..`"));
        }
        if home.starts_with(&whole) {
            return Err(format!("`{path}` is the home folder or lies around it; name what is in it"));
        }
        Ok(Place { path: whole, block, reason, law })
    }
}
