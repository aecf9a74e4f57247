//! The page that says which test keeps which failure away.

use std::{fs, path::Path};

/// `CRATE::FILE::TEST`, or with a folder between; the file may be `tests/it/FILE.rs` or `src/FILE.rs`, its tests beside it.
#[test]
fn every_test_that_the_page_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/design/lessons.md")).unwrap();
    let names: Vec<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.matches("::").count() >= 2 && *name != "CRATE::FILE::TEST")
        .collect();
    assert!(names.len() > 60, "{}", names.len());
    let missing: Vec<&&str> = names.iter().filter(|name| !is_there(&root, name)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(!is_there(&root, "runtime::liars::files::nobody_wrote_this"));
}

fn is_there(root: &Path, name: &str) -> bool {
    let mut parts: Vec<&str> = name.split("::").collect();
    let (Some(test), package) = (parts.pop(), parts.remove(0)) else { return false };
    let (file, package) = (parts.join("/"), root.join("crates").join(package));
    ["tests/it/FILE.rs", "tests/it/FILE/mod.rs", "src/FILE.rs", "src/FILE/tests.rs", "src/FILE_tests.rs"]
        .iter()
        .filter_map(|place| fs::read_to_string(package.join(place.replace("FILE", &file))).ok())
        .any(|text| text.contains(&format!("fn {test}(")))
}
