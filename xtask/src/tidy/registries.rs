//! Rule: the tree names no package registry, since registries are configured per machine.

use super::{Finding, Tree};

/// Addresses of package registries and their mirrors, in pieces, so that this file does not name them either.
/// The ordinary clients know where to ask; a tree that names a host breaks on machines that reach it in
/// another way.
const HOSTS: [&[&str]; 8] = [
    &["crates", "io"],
    &["pypi", "org"],
    &["pythonhosted", "org"],
    &["npmjs", "org"],
    &["npmjs", "com"],
    &["deb", "debian", "org"],
    &["proxy", "golang", "org"],
    &["rubygems", "org"],
];

/// Finds addresses of package registries. `Cargo.lock` is cargo's own.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let hosts: Vec<String> = HOSTS.iter().map(|parts| parts.join(".")).collect();
    let mut findings = Vec::new();
    for file in tree.texts.iter().filter(|file| file.name() != "Cargo.lock") {
        for (index, line) in file.text.lines().enumerate() {
            let line = line.to_lowercase();
            if let Some(host) = hosts.iter().find(|host| line.contains(host.as_str())) {
                findings.push(Finding::line(
                    "registries",
                    &file.path,
                    index,
                    format!("names the registry host {host}"),
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_host_is_found() {
        let line = format!("index-url = https://{}/simple", HOSTS[1].join("."));
        assert_eq!(check(&Tree::of([("docs/a.md", line.as_str())])).len(), 1);
        assert_eq!(check(&Tree::of([("Cargo.lock", line.as_str())])).len(), 0);
        assert_eq!(check(&Tree::of([("docs/a.md", "pip download --no-deps")])).len(), 0);
    }
}
