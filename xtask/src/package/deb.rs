//! The package for Debian and what descends from it.

use super::{Binary, Pages, Release, archive::place, binary::System};
use crate::{Error, Result, command::Program, files};

/// Builds `artoo_VERSION_ARCHITECTURE.deb`.
///
/// # Errors
/// A file cannot be copied, or dpkg-deb is missing or fails.
pub(super) fn build(release: &Release, binary: &Binary, pages: &Pages) -> Result<()> {
    let system = binary.system;
    let name = format!("artoo_{}_{}", release.version, system.debian);
    let root = release.stage.join(&name);
    let share = root.join("usr/share");
    place(&binary.path, &root.join("usr/bin/artoo"), 0o755)?;
    place(&pages.manual, &share.join("man/man1/artoo.1"), 0o644)?;
    place(&pages.bash, &share.join("bash-completion/completions/artoo"), 0o644)?;
    place(&pages.zsh, &share.join("zsh/vendor-completions/_artoo"), 0o644)?;
    place(&pages.fish, &share.join("fish/vendor_completions.d/artoo.fish"), 0o644)?;
    place(&binary.licences, &share.join("doc/artoo/THIRD-PARTY-LICENSES.txt"), 0o644)?;
    files::write(share.join("doc/artoo/copyright"), copyright()?)?;
    for file in ["man/man1/artoo.1", "doc/artoo/THIRD-PARTY-LICENSES.txt"] {
        Program::new("gzip", ["-9n"]).args([share.join(file)]).run()?;
    }
    files::write(root.join("DEBIAN/control"), control(release, system))?;
    place(&files::root().join("packaging/debian/postrm"), &root.join("DEBIAN/postrm"), 0o755)?;
    let build = Program::new("dpkg-deb", ["--root-owner-group", "--build", "-Zxz"]);
    // Files get no time that is later than this, so that the same tree gives the same bytes.
    let build = build.env("SOURCE_DATE_EPOCH", super::archive::TIME.trim_start_matches('@'));
    let built = build.args([&root, &release.out]).output()?;
    if built.status.success() {
        return Ok(());
    }
    Err(Error::Other(format!("dpkg-deb says: {}", built.stderr.trim())))
}

/// The fields that dpkg reads.
fn control(release: &Release, system: &System) -> String {
    format!(
        "Package: artoo\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: The artoo authors <artoo@localhost>\n\
         Section: utils\n\
         Priority: optional\n\
         Depends: libc6 (>= 2.28)\n\
         Recommends: ca-certificates\n\
         Suggests: python3, python3-pip\n\
         Description: agent that works with your tools and checks its own work\n \
         artoo works on a request with the tools of the computer. It tries every command\n \
         where nothing lasts, asks before it changes what was there, takes changes back,\n \
         and says what the evidence supports.\n",
        release.version, system.debian,
    )
}

fn copyright() -> Result<String> {
    let mit = files::read(files::root().join("LICENSE-MIT"))?;
    Ok(format!(
        "artoo is under the MIT licence (below) or the Apache License, version 2.0\n\
         (/usr/share/common-licenses/Apache-2.0), at your option. The licences of the crates in\n\
         it are in THIRD-PARTY-LICENSES.txt.gz beside this file.\n\n{mit}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::binary::SYSTEMS;

    #[test]
    fn dpkg_reads_the_fields() {
        let folder = tempfile::tempdir().unwrap();
        let release = Release {
            version: "1.2.3".to_owned(),
            out: folder.path().join("out"),
            stage: folder.path().join("stage"),
        };
        let fields = control(&release, SYSTEMS.first().unwrap());
        assert!(fields.starts_with("Package: artoo\nVersion: 1.2.3\nArchitecture: amd64\n"), "{fields}");
        let description = fields.split("Description: ").nth(1).unwrap();
        assert!(description.lines().skip(1).all(|line| line.starts_with(' ')), "{description}");
    }
}
