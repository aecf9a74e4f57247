//! `cargo xtask package`: what a user installs. One build per system; every package holds the same binary.
//!
//! The wheel comes first, because maturin links the binary with zig against an old glibc. The other packages take the binary out of the
//! wheel. `packaging/` has the files that go into the packages.

mod archive;
mod binary;
mod check;
mod deb;
mod licences;
mod npm;
mod pages;
mod tools;

use std::path::{Path, PathBuf};

use crate::{
    Error, Result, cli,
    command::Program,
    files, metadata,
    terminal::{data, say, step},
};

use binary::{Binary, System};
use pages::Pages;

/// What all packages of one release have in common.
#[derive(Debug)]
struct Release {
    /// The version of `artoo-cli`.
    version: String,
    /// Where the packages go.
    out: PathBuf,
    /// Where they are put together.
    stage: PathBuf,
}

impl Release {
    fn new(out: &Path) -> Result<Self> {
        let metadata = metadata::read(&["--no-deps"])?;
        let package = metadata.packages.iter().find(|package| package.name.as_str() == "artoo-cli");
        let package = package.ok_or_else(|| Error::Other("there is no package artoo-cli".to_owned()))?;
        let out = files::root().join(out);
        let stage = files::root().join("target/package-stage");
        Ok(Self { version: package.version.to_string(), out, stage })
    }
}

/// `cargo xtask package`: builds every package for each system, and with `--check` installs each one in a clean root.
///
/// # Errors
/// A tool cannot be installed, a build fails, or an installed package does not work.
pub fn run(options: &cli::Package) -> Result<()> {
    let release = Release::new(&options.out)?;
    if !options.no_build {
        build(&release, options)?;
    }
    if options.check {
        step("check in clean roots", || check::run(&release, &options.suites))?;
    }
    Ok(())
}

fn build(release: &Release, options: &cli::Package) -> Result<()> {
    let tools = step("packaging tools", tools::install)?;
    files::remove_folder(&release.stage)?;
    files::remove_folder(&release.out)?;
    std::fs::create_dir_all(&release.out).map_err(Error::file("create", &release.out))?;
    let mut pages = None;
    for system in systems(&options.targets)? {
        let binary = step(&format!("binary and wheel for {}", system.target), || {
            binary::build(release, &tools, system)
        })?;
        // The pages are the same for every system, and only a binary of this machine can print them.
        let pages: &Pages = match &pages {
            Some(pages) => pages,
            None => pages.insert(step("manual page and completions", || pages::print(release, &binary))?),
        };
        step(&format!("packages for {}", system.target), || others(release, &binary, pages))?;
    }
    checksums(&release.out)?;
    for path in files::walk(&release.out, |_| false)? {
        let size = std::fs::metadata(&path).map_err(Error::file("inspect", &path))?.len();
        data(format!("{:>6.1} MB  {}", megabytes(size), path.display()));
    }
    say("nothing was uploaded");
    Ok(())
}

/// What is built from the binary of the wheel.
fn others(release: &Release, binary: &Binary, pages: &Pages) -> Result<()> {
    archive::build(release, binary, pages)?;
    deb::build(release, binary, pages)?;
    npm::build(release, binary)
}

/// The systems in the order of the builds: this machine's first, because its binary prints the manual page.
fn systems(targets: &[String]) -> Result<Vec<&'static System>> {
    let mut found = Vec::new();
    for target in targets {
        let system = binary::SYSTEMS.iter().find(|system| system.target == target);
        found.push(system.ok_or_else(|| Error::Other(format!("no packages are made for {target}")))?);
    }
    found.sort_by_key(|system| system.machine != std::env::consts::ARCH);
    match found.first() {
        Some(first) if first.machine == std::env::consts::ARCH => Ok(found),
        Some(_) | None => Err(Error::Other(format!(
            "name the target of this machine too ({}): its binary prints the manual page",
            std::env::consts::ARCH
        ))),
    }
}

/// Writes the SHA-256 of every package, as `sha256sum --check` reads them.
fn checksums(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for path in files::walk(folder, |_| false)? {
        names.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
    }
    let sums = Program::new("sha256sum", &names).folder(folder).text()?;
    files::write(folder.join("SHA256SUMS"), sums)
}

/// For people: a table of sizes.
fn megabytes(bytes: u64) -> f64 {
    // A package has less than 2^52 bytes.
    #[expect(clippy::cast_precision_loss, reason = "a size in megabytes with one decimal")]
    let bytes = bytes as f64;
    bytes / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_of_this_machine_comes_first() {
        let all: Vec<String> = binary::SYSTEMS.iter().rev().map(|system| system.target.to_owned()).collect();
        let order = systems(&all).unwrap();
        assert_eq!(order.len(), all.len());
        assert_eq!(order.first().unwrap().machine, std::env::consts::ARCH);
        let foreign = binary::SYSTEMS.iter().find(|system| system.machine != std::env::consts::ARCH).unwrap();
        let refused = systems(&[foreign.target.to_owned()]).unwrap_err().to_string();
        assert!(refused.starts_with("name the target of this machine too"), "{refused}");
        let unknown = systems(&["wasm32-unknown-unknown".to_owned()]).unwrap_err().to_string();
        assert_eq!(unknown, "no packages are made for wasm32-unknown-unknown");
    }

    #[test]
    fn the_sums_are_those_that_sha256sum_reads() {
        let folder = tempfile::tempdir().unwrap();
        files::write(folder.path().join("a.whl"), "a").unwrap();
        files::write(folder.path().join("b c.deb"), "b").unwrap();
        checksums(folder.path()).unwrap();
        let check = || Program::new("sha256sum", ["--check", "--quiet", "SHA256SUMS"]).folder(folder.path());
        assert!(check().works());
        files::write(folder.path().join("a.whl"), "changed").unwrap();
        assert!(!check().works());
    }
}
