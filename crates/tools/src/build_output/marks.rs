//! The marks by which tools name the folders that they make.

use std::path::Path;

use super::BuildRules;

/// The mark of the Cache Directory Tagging Specification, and what it begins with.
const CACHE: (&str, &[u8]) = ("CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55");
/// The mark of a virtual environment of Python.
const ENVIRONMENT: &str = "pyvenv.cfg";
/// What lies beside the packages of a project of Node.
const PACKAGE: &str = "package.json";
/// The folder of such packages.
const PACKAGES: &str = "node_modules";
/// The folder of compiled modules of Python, which is named for nothing else.
const MODULES: &str = "__pycache__";

/// The names of the files among them.
pub(super) const FILES: [&str; 3] = [CACHE.0, ENVIRONMENT, PACKAGE];

/// Whether a folder carried a mark before the run. Blocks.
pub(super) fn is_marked(folder: &Path, rules: &BuildRules) -> bool {
    let is_named = |name: &str| folder.file_name().is_some_and(|own| own == name);
    let is_cache = || {
        let tag = rules.content(&folder.join(CACHE.0));
        tag.is_some_and(|tag| tag.starts_with(CACHE.1))
    };
    let has_package = || rules.content(&folder.with_file_name(PACKAGE)).is_some();
    is_named(MODULES)
        || (is_named(PACKAGES) && has_package())
        || is_cache()
        || rules.content(&folder.join(ENVIRONMENT)).is_some()
}
