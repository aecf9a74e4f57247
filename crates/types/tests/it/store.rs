//! The golden files on disk: where they are, how they are compared, and the one way to rewrite them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Rewrites every golden file. It is a test so that it needs no environment variable and no tool, and it is ignored so
/// that nothing is rewritten by accident.
pub(crate) const REWRITE: &str = "cargo test -p artoo-types --test it -- --ignored rewrite_golden_files";

/// A path below `tests/golden`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The golden file `name`, as JSON.
pub(crate) fn read(name: &str) -> Value {
    let path = path(name);
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; if the shape is new: {REWRITE}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The stems of the JSON files in a golden folder, sorted.
pub(crate) fn stems(folder: &str) -> Vec<String> {
    let mut stems: Vec<String> = fs::read_dir(path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    stems.sort();
    stems
}

/// Fails where the golden file `name` is not `expected`, and says what to do about it.
pub(crate) fn compare(name: &str, expected: &Value) {
    let found = read(name);
    assert_eq!(
        &found, expected,
        "tests/golden/{name} (left) is not what the code says (right). Journals and embedders read this shape: if the \
         change is meant, say so in the changelog and rewrite the file with: {REWRITE}"
    );
}

#[test]
#[ignore = "rewrites the golden files; run it by name after a change of shape that is meant"]
fn rewrite_golden_files() {
    let messages = crate::samples::all().into_iter().map(|message| crate::golden::file(&message));
    let schemas =
        crate::schemas::all().into_iter().map(|(name, schema)| (format!("schemas/{name}.json"), schema));
    fs::create_dir_all(path("schemas")).unwrap();
    for (name, value) in messages.chain(schemas) {
        let text = serde_json::to_string_pretty(&value).unwrap() + "\n";
        fs::write(path(&name), text).unwrap();
    }
}
