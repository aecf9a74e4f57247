//! Checks the tests that `docs/design/lessons.md`, the table of failures, and `docs/deviations.md` name.

use std::{fs, path::Path};

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("docs/design/lessons.md")).unwrap()
}

/// `CRATE::FILE::TEST`, or with a folder between; the file may be `tests/it/FILE.rs` or `src/FILE.rs`, its
/// tests beside it. A crate is below `crates` or `bins`, or at the root.
#[test]
fn every_test_that_the_pages_name_is_there() {
    let root = root();
    for (page, at_least) in [("docs/design/lessons.md", 120), ("docs/deviations.md", 400)] {
        let page = fs::read_to_string(root.join(page)).unwrap();
        let is_path = |name: &&str| {
            name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:-".contains(c))
        };
        let names: Vec<&str> = page
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| name.matches("::").count() >= 2 && !name.starts_with("artoo_"))
            .filter(is_path)
            .collect();
        assert!(names.len() > at_least, "{}", names.len());
        let missing: Vec<&&str> = names.iter().filter(|name| !is_there(&root, name)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }
    assert!(!is_there(&root, "runtime::liars::files::nobody_wrote_this"));
    assert!(is_there(&root, "artoo-cli::ends::two_at_once_do_not_disturb_each_other"));
}

/// The entries of the list of defects, and the end-to-end probes of the first implementation.
#[test]
fn every_defect_and_every_probe_has_a_row() {
    let page = page();
    let rows: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .filter(|(_, here)| here.starts_with('`'))
        .collect();
    let defects = (1..=22).map(|number| format!("N{number} "));
    let probes = [
        "an identical tool call for ever",
        "R4b says replan",
        "1 of 4 criteria failed",
        "two subtasks, one good",
        "the first group fails",
        "R4a \"matched\" with met:false",
        "R4b HTTP 500",
        "sequence 0",
        "equal ids",
        "prose after the plan; \"Done.\" after a verdict",
        "an answer after 35 s",
        "R4b's answer not parseable",
        "rm blocked, then /bin/rm",
        "the same task name twice",
        "a second process",
        "a Ctrl+C byte",
        "interrupted while planning",
        "one Megram after three failing rounds",
        "the gradient at constant D",
        "commands that destroy",
        "requests that went around the pipeline",
    ];
    let wanted = defects.chain(probes.map(str::to_owned));
    let missing: Vec<String> =
        wanted.filter(|entry| !rows.iter().any(|(row, _)| row.starts_with(entry.as_str()))).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

fn is_there(root: &Path, name: &str) -> bool {
    let mut parts: Vec<&str> = name.split("::").collect();
    let (Some(test), package) = (parts.pop(), parts.remove(0)) else { return false };
    let file = parts.join("/");
    let packages = ["crates", "bins", ""].map(|folder| root.join(folder).join(package));
    let places =
        ["tests/it/FILE.rs", "tests/it/FILE/mod.rs", "src/FILE.rs", "src/FILE/tests.rs", "src/FILE_tests.rs"];
    packages
        .iter()
        .flat_map(|package| places.map(|place| package.join(place.replace("FILE", &file))))
        .filter_map(|path| fs::read_to_string(path).ok())
        .any(|text| text.contains(&format!("fn {test}(")))
}
