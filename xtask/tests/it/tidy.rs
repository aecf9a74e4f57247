//! The workspace satisfies the `tidy` rules.

#[test]
fn the_workspace_is_tidy() {
    let findings = xtask::tidy::findings().unwrap();
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} thing(s) to mend:\n{}", list.len(), list.join("\n"));
}
