//! A protected file that appears, or replaces another one, while a command runs stays unreadable for it.

use std::fs;
use std::path::{Path, PathBuf};

use artoo_sandbox::preview::preview;
use artoo_sandbox::{Capture, Confinement, Network, SandboxMode};
use tokio_util::sync::CancellationToken;

use crate::setup::{Bench, confined_bench, until};

/// A home folder with protected places, two of which do not exist.
struct Home {
    path: PathBuf,
    bench: Bench,
}

const PROTECTED: [&str; 5] = [".netrc", ".keys", ".config/cloud", ".new-token", ".docker/config.json"];

impl Home {
    fn new(bench: Bench) -> Self {
        let path = bench.outside.join("home");
        for folder in [".keys", ".config/cloud", ".config/editor", "documents"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        for file in [".netrc", ".keys/id", ".config/cloud/token", ".config/editor/theme", "documents/letter"]
        {
            fs::write(path.join(file), format!("in {file}\n")).unwrap();
        }
        Self { path, bench }
    }

    fn confinement(&self) -> Confinement {
        Confinement {
            network: Network::Denied,
            hidden: PROTECTED.map(|name| self.path.join(name)).to_vec(),
            ..self.bench.confinement()
        }
    }

    /// What another program of the user does meanwhile: it replaces secrets by rename, and makes new ones.
    fn renew(&self) {
        let at = |name: &str| self.path.join(name);
        fs::write(at("netrc.part"), "late\n").unwrap();
        fs::rename(at("netrc.part"), at(".netrc")).unwrap();
        fs::rename(at(".keys"), at(".keys.old")).unwrap();
        fs::create_dir(at(".keys")).unwrap();
        fs::write(at(".keys/id"), "late\n").unwrap();
        fs::rename(at(".config/cloud"), at(".config/cloud.old")).unwrap();
        fs::create_dir(at(".config/cloud")).unwrap();
        fs::write(at(".config/cloud/token"), "late\n").unwrap();
        fs::write(at(".new-token"), "late\n").unwrap();
        fs::create_dir(at(".docker")).unwrap();
        fs::write(at(".docker/config.json"), "late\n").unwrap();
        fs::write(at("documents/new"), "a new letter\n").unwrap();
    }
}

/// Waits for the renewal, and tries to read everything, old and new.
const READER: &str = "
H=\"$1/home\" GO=\"$1/signals\" SIGN=$TMPDIR
cat \"$H/documents/letter\" \"$H/.config/editor/theme\"
touch \"$SIGN/ready\"; until test -e \"$GO/go\"; do sleep 0.01; done
for name in .netrc .keys/id .keys.old/id .config/cloud/token .config/cloud.old/token .new-token .docker/config.json
do cat \"$H/$name\"; done 2> /dev/null
cat \"$H/documents/new\"";

const EXPECTED: &str = "in documents/letter\nin .config/editor/theme\na new letter";

/// Runs the reader in the way given, and renews the secrets while it waits.
async fn read_late<F: Future<Output = String>>(home: &Home, sign: &Path, run: F) -> String {
    let go = home.bench.outside.join("signals");
    let meanwhile = async {
        until(|| sign.join("ready").exists().then_some(())).await;
        home.renew();
        fs::write(go.join("go"), "").unwrap();
    };
    tokio::join!(run, meanwhile).0
}

fn home_in(mode: SandboxMode) -> Option<Home> {
    let mut bench = confined_bench()?;
    bench.mode = mode;
    let home = Home::new(bench);
    fs::create_dir(home.bench.outside.join("signals")).unwrap();
    Some(home)
}

#[tokio::test]
async fn late_secrets_are_hidden_from_a_command() {
    for mode in [SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
        let Some(home) = home_in(mode) else { return };
        let (invocation, confinement) = (home.bench.invocation(READER), home.confinement());
        let cancel = CancellationToken::new();
        let run = async {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
            artoo_sandbox::run(&invocation, &confinement, capture, &cancel).await.unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(read_late(&home, &home.bench.tmp, run).await.trim(), EXPECTED, "{mode}");
    }
}

/// Over layers, both where the home folder has one and where another folder has.
#[tokio::test]
async fn late_secrets_are_hidden_from_a_preview() {
    for is_over_home in [false, true] {
        let Some(home) = home_in(SandboxMode::WorkspaceWrite) else { return };
        let (mut invocation, confinement) = (home.bench.invocation(READER), home.confinement());
        let roots = [if is_over_home { home.path.clone() } else { home.bench.workspace.clone() }];
        invocation.folder.clone_from(&roots[0]);
        let store = tempfile::tempdir().unwrap();
        let (store, cancel) = (store.path().join("store"), CancellationToken::new());
        let run = async {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
            match preview(&invocation, &confinement, &roots, &store, capture, &cancel).await {
                Ok(preview) => {
                    let changes: Vec<_> = preview.changes.iter().map(|change| &change.path).collect();
                    assert!(changes.is_empty(), "the command changed nothing: {changes:?}");
                    String::from_utf8(out).unwrap()
                }
                Err(error) => {
                    artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, error);
                    fs::write(home.bench.tmp.join("ready"), "").unwrap();
                    EXPECTED.to_owned()
                }
            }
        };
        assert_eq!(read_late(&home, &home.bench.tmp, run).await.trim(), EXPECTED, "{is_over_home}");
    }
}
