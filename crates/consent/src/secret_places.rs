//! Places that no rule opens: keys, passwords and tokens, and what version control keeps.

use std::path::{Path, PathBuf};

/// Below the home folder: keys, passwords and tokens of other programs, mail, and what browsers keep.
const IN_HOME: [&str; 52] = [
    // Keys and passwords.
    ".ssh",
    ".gnupg",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".config/git/credentials",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/keepassxc",
    ".config/Bitwarden",
    ".config/1Password",
    ".pki",
    ".age",
    ".config/sops",
    ".vault-token",
    // Tokens of services.
    ".aws",
    ".azure",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/rclone",
    ".config/doctl",
    ".config/op",
    ".terraform.d/credentials.tfrc.json",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".npmrc",
    ".pypirc",
    ".gem/credentials",
    ".config/pypoetry/auth.toml",
    ".huggingface",
    ".cache/huggingface/token",
    ".boto",
    ".s3cfg",
    // Mail.
    ".thunderbird",
    ".mutt",
    ".mbsyncrc",
    ".msmtprc",
    "Maildir",
    "Library/Mail",
    // Browsers.
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    "Library/Keychains",
];

/// Where version control keeps its own, hooks among it: programs that run later, without rules.
pub const REPOSITORY: &str = ".git";

/// Keys, passwords and tokens of other programs, which no run may touch: their places in a home folder.
///
/// ```
/// let places: Vec<_> = artoo_consent::secrets_in("/home/ada".as_ref()).collect();
/// assert!(places.contains(&"/home/ada/.ssh".into()));
/// ```
pub fn secrets_in(home: &Path) -> impl Iterator<Item = PathBuf> {
    IN_HOME.iter().map(move |part| home.join(part))
}

/// Whether a path lies in version control's own folder, where a new file may be a program that runs later.
pub fn is_in_git(path: &Path) -> bool {
    repository_of(path).is_some()
}

/// Version control's own folder that a path lies in.
pub fn repository_of(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| above.file_name().is_some_and(|name| name == REPOSITORY))
}
