//! Which environment variables a confined command receives.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// Variables that a command needs to find programs, folders (writable ones included) and the user's language.
/// The last ones keep programs that only read from writing, and git from starting others.
const ALLOWED: [&str; 13] = [
    "PATH",
    "HOME",
    "LANG",
    "TZ",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "WORKSPACE",
    "GIT_OPTIONAL_LOCKS",
    "PYTHONDONTWRITEBYTECODE",
    "GIT_CONFIG_PARAMETERS",
    "GIT_EDITOR",
];

/// The locale family: `LC_ALL`, `LC_CTYPE` and so on.
const ALLOWED_PREFIX: &str = "LC_";

/// Parts of names that mark a secret. They win over the allow-list.
const SECRET_PARTS: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// Variables that a command gets whatever their names, because the user gave them to this very program: the token of a server of
/// tools. [`scrub`] does not look at them.
///
/// ```
/// use artoo_sandbox::GrantedVariables;
///
/// let granted = GrantedVariables::from_iter([("API_TOKEN".into(), "hush".into())]);
/// assert_eq!(format!("{granted:?}"), r#"["API_TOKEN"]"#);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct GrantedVariables(BTreeMap<OsString, OsString>);

impl FromIterator<(OsString, OsString)> for GrantedVariables {
    fn from_iter<T: IntoIterator<Item = (OsString, OsString)>>(variables: T) -> Self {
        Self(variables.into_iter().collect())
    }
}

impl GrantedVariables {
    /// Each with its value.
    #[cfg(target_os = "linux")]
    pub(crate) fn all(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.0.iter().map(|(name, value)| (name.clone(), value.clone()))
    }
}

impl fmt::Debug for GrantedVariables {
    /// Without the values, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

/// Keeps only the variables that a confined command may receive: `PATH`, `HOME`, `LANG`, `LC_*`, `TZ`,
/// `USER`, `LOGNAME`, `SHELL`, `TERM`, `WORKSPACE`, `GIT_OPTIONAL_LOCKS`, `PYTHONDONTWRITEBYTECODE`,
/// `GIT_CONFIG_PARAMETERS` and `GIT_EDITOR`.
/// Everything else is dropped: a deny list would miss the next provider's key. [`run`](crate::run()) applies
/// this itself, in every mode.
///
/// ```
/// use std::collections::BTreeMap;
///
/// let given = BTreeMap::from([
///     ("PATH".into(), "/usr/bin".into()),
///     ("OPENAI_API_KEY".into(), "sk-1".into()),
///     ("LC_API_KEY".into(), "sk-2".into()),
/// ]);
/// let kept = artoo_sandbox::scrub(&given);
/// assert_eq!(kept.into_keys().collect::<Vec<_>>(), ["PATH"]);
/// ```
pub fn scrub(environment: &BTreeMap<OsString, OsString>) -> BTreeMap<OsString, OsString> {
    environment.iter().filter(|(name, _)| is_allowed(name)).map(|(n, v)| (n.clone(), v.clone())).collect()
}

fn is_allowed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let upper = name.to_ascii_uppercase();
    let secret = SECRET_PARTS.iter().any(|part| upper.contains(part));
    !secret && (ALLOWED.contains(&name) || name.starts_with(ALLOWED_PREFIX))
}
