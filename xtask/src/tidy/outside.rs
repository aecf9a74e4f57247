//! What comes from outside, as `deny.toml` allows it: licences, and crates that come in two versions.
//!
//! cargo-deny reads the same file and knows more; it is not installed everywhere, and its database of faults cannot be reached from
//! everywhere. This runs wherever cargo does.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{
    Metadata,
    semver::{Version, VersionReq},
};
use serde::Deserialize;

use super::Finding;
use crate::{Error, Result};

const FILE: &str = "deny.toml";

/// The part of `deny.toml` that is proven here.
#[derive(Debug, Deserialize)]
struct Rules {
    licenses: Licences,
    bans: Bans,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

#[derive(Debug, Deserialize)]
struct Skip {
    name: String,
    version: VersionReq,
    reason: String,
}

/// A crate that the workspace needs, in whatever way and on whatever system.
#[derive(Clone, Debug)]
struct Outsider {
    name: String,
    version: Version,
    /// As its manifest says it.
    licence: Option<String>,
}

/// What is not allowed, and what is allowed although nothing needs it any more.
///
/// # Errors
/// The rules cannot be read.
pub(super) fn check(metadata: &Metadata, rules: &str) -> Result<Vec<Finding>> {
    let outsiders = metadata.packages.iter().filter(|package| package.source.is_some());
    let outsiders: Vec<Outsider> = outsiders
        .map(|package| Outsider {
            name: package.name.to_string(),
            version: package.version.clone(),
            licence: package.license.clone(),
        })
        .collect();
    found(&outsiders, rules)
}

fn found(outsiders: &[Outsider], rules: &str) -> Result<Vec<Finding>> {
    let rules: Rules = toml::from_str(rules)
        .map_err(|error| Error::Content { path: FILE.into(), reason: error.to_string() })?;
    let mut findings = Vec::new();
    let mut say = |message: String| findings.push(Finding::file("outside", FILE, message));
    let (allow, mut needed) = (&rules.licenses.allow, BTreeSet::new());
    let mut versions: BTreeMap<&str, BTreeSet<&Version>> = BTreeMap::new();
    for outsider in outsiders {
        versions.entry(&outsider.name).or_default().insert(&outsider.version);
        let (name, licence) = (&outsider.name, outsider.licence.as_deref().unwrap_or_default());
        match allowed(licence, allow) {
            Some(used) => needed.extend(used),
            None => say(format!("{name} has the licence `{licence}`, which `licenses.allow` does not cover")),
        }
    }
    for unused in allow.iter().filter(|licence| !needed.contains(*licence)) {
        say(format!("no crate needs the licence {unused}"));
    }
    for skip in &rules.bans.skip {
        let Skip { name, version, reason } = skip;
        let of_name = versions.get(name.as_str());
        let is_doubled =
            of_name.is_some_and(|all| all.len() > 1 && all.iter().any(|one| version.matches(one)));
        if !is_doubled {
            say(format!("{name} {version} does not stand beside another version any more"));
        }
        if reason.trim().is_empty() {
            say(format!("{name} {version} is allowed beside another version without a reason"));
        }
    }
    for (name, all) in versions {
        let is_skipped = |version: &Version| {
            rules.bans.skip.iter().any(|skip| skip.name == name && skip.version.matches(version))
        };
        let left: Vec<String> =
            all.into_iter().filter(|version| !is_skipped(version)).map(Version::to_string).collect();
        if left.len() > 1 {
            say(format!("{name} is there in the versions {}; see `bans.skip`", left.join(" and ")));
        }
    }
    Ok(findings)
}

/// The licences of an SPDX expression by which a crate may be used; `None` where it may not. Of a choice the first that is allowed is
/// taken. A slash is an old way to write a choice.
fn allowed(expression: &str, allow: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let used = any(&mut words, allow)?;
    // What is left is no expression.
    words.next().is_none().then_some(used)?
}

/// The outer `None` is for what is no expression.
type Used = Option<Option<BTreeSet<String>>>;
type Words<'a, 'b> = &'a mut std::iter::Peekable<std::str::SplitWhitespace<'b>>;

fn any(words: Words<'_, '_>, allow: &BTreeSet<String>) -> Used {
    let mut used = all(words, allow)?;
    while words.next_if_eq(&"OR").is_some() {
        let other = all(words, allow)?;
        used = used.or(other);
    }
    Some(used)
}

fn all(words: Words<'_, '_>, allow: &BTreeSet<String>) -> Used {
    let mut used = one(words, allow)?;
    while words.next_if_eq(&"AND").is_some() {
        let other = one(words, allow)?;
        used = used.zip(other).map(|(used, other)| used.into_iter().chain(other).collect());
    }
    Some(used)
}

fn one(words: Words<'_, '_>, allow: &BTreeSet<String>) -> Used {
    if words.next_if_eq(&"(").is_some() {
        let used = any(words, allow)?;
        return words.next_if_eq(&")").map(|_| used);
    }
    let mut licence = words.next().filter(|word| !matches!(*word, ")" | "AND" | "OR" | "WITH"))?.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        licence = format!("{licence} WITH {}", words.next()?);
    }
    Some(allow.contains(&licence).then(|| BTreeSet::from([licence])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "[licenses]\nallow = [\"MIT\", \"ISC\"]\n[bans]\n\
        skip = [{ name = \"b\", version = \"^1\", reason = \"a needs it\" }]\n";

    fn outsider(name: &str, version: &str, licence: &str) -> Outsider {
        let licence = (!licence.is_empty()).then(|| licence.to_owned());
        Outsider { name: name.to_owned(), version: version.parse().unwrap(), licence }
    }

    fn good() -> Vec<Outsider> {
        vec![
            outsider("a", "1.0.0", "GPL-3.0-only OR MIT"),
            outsider("b", "1.2.0", "MIT"),
            outsider("b", "2.0.0", "(MIT OR Apache-2.0) AND ISC"),
        ]
    }

    fn messages(outsiders: &[Outsider]) -> Vec<String> {
        found(outsiders, RULES).unwrap().into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn what_is_allowed_passes_and_what_is_not_is_found() {
        assert_eq!(messages(&good()), Vec::<String>::new());
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "", "MIT OR", "(MIT", "MIT MIT", "MIT WITH x"]
        {
            let mut with = good();
            with.push(outsider("c", "1.0.0", licence));
            let found = messages(&with);
            assert!(
                matches!(&found[..], [one] if one.starts_with("c has the licence")),
                "{licence}: {found:?}"
            );
        }
    }

    #[test]
    fn two_versions_need_a_reason_and_a_reason_needs_two_versions() {
        let mut with = good();
        with.push(outsider("a", "2.0.0", "MIT"));
        assert_eq!(messages(&with), ["a is there in the versions 1.0.0 and 2.0.0; see `bans.skip`"]);
        let mut with = good();
        with.push(outsider("b", "3.0.0", "MIT"));
        assert_eq!(messages(&with).len(), 1);
        let mut without = good();
        without.remove(1);
        assert_eq!(messages(&without), ["b ^1 does not stand beside another version any more"]);
    }

    #[test]
    fn a_licence_that_nobody_needs_is_found() {
        let mut without = good();
        without[2].licence = Some("MIT".to_owned());
        assert_eq!(messages(&without), ["no crate needs the licence ISC"]);
    }
}
