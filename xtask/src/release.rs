//! What a release would publish, in the order in which it must.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, Metadata, Package};

use crate::{
    Error, Result,
    command::cargo,
    metadata,
    terminal::{data, say, step},
};

/// `cargo xtask release --dry-run`: packages every crate that is published, in dependency order, and builds each from its package alone with
/// `verify`. Uploads nothing.
///
/// # Errors
/// A crate cannot be packaged, or with `verify` built from its package.
pub fn dry_run(verify: bool) -> Result<()> {
    let metadata = metadata::read(&["--no-deps"])?;
    let order = order(&metadata)?;
    for (number, package) in order.iter().enumerate() {
        data(format!("{:2}  {} {}", number + 1, package.name, package.version));
    }
    // Together: each is resolved against the packages of the others, as if those were published already.
    step("packages", || {
        let package = cargo(["package", "--quiet", "--allow-dirty"]);
        let package = package.args(order.iter().map(|package| format!("--package={}", package.name)));
        if verify { package.run() } else { package.args(["--no-verify"]).run() }
    })?;
    say("nothing was uploaded; `cargo publish` takes them in this order");
    Ok(())
}

/// Whether a crate goes to a registry.
pub(crate) fn is_published(package: &Package) -> bool {
    package.publish.as_ref().is_none_or(|registries| !registries.is_empty())
}

/// Each crate behind those that it needs. What only its tests need is left out of the way: cargo drops it from a package where it has no
/// version.
fn order(metadata: &Metadata) -> Result<Vec<&Package>> {
    let mut left: Vec<&Package> = metadata.workspace_packages();
    left.retain(|package| is_published(package));
    let names: BTreeSet<String> = left.iter().map(|package| package.name.to_string()).collect();
    let mut done = Vec::new();
    let mut placed = BTreeSet::new();
    while !left.is_empty() {
        let is_ready = |package: &&Package| {
            let needed =
                package.dependencies.iter().filter(|needed| needed.kind != DependencyKind::Development);
            needed.into_iter().all(|needed| !names.contains(&needed.name) || placed.contains(&needed.name))
        };
        let (mut ready, waiting): (Vec<&Package>, Vec<&Package>) =
            left.iter().partition(|package| is_ready(package));
        if ready.is_empty() {
            let names: Vec<String> = waiting.iter().map(|package| package.name.to_string()).collect();
            return Err(Error::Other(format!("these need one another: {}", names.join(", "))));
        }
        ready.sort_by(|a, b| a.name.cmp(&b.name));
        placed.extend(ready.iter().map(|package| package.name.to_string()));
        done.extend(ready);
        left = waiting;
    }
    Ok(done)
}
