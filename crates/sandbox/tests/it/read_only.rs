//! Parts of granted folders that the user wants to stay as they are: previews included.

use std::fs;
use std::path::PathBuf;

use artoo_sandbox::preview::preview;
use artoo_sandbox::{Capture, Confinement, Ending};
use tokio_util::sync::CancellationToken;

use crate::setup::{Bench, namespace_bench};

/// Each changes something in `kept`, or moves it away, where nothing stops it.
const ATTACKS: [&str; 12] = [
    "rm kept/a.txt",
    "rm -rf kept",
    "echo x > kept/a.txt",
    "echo x > kept/new.txt",
    "mv kept/a.txt .",
    "mv kept other",
    "mv deep/er elsewhere",
    "chmod 777 kept/a.txt",
    "touch -d 2001-01-01 kept/a.txt",
    "ln kept/a.txt kept/b.txt",
    "find . -name '*.txt' -delete",
    "rm deep/er/kept.txt",
];

fn kept_bench() -> Option<(Bench, Vec<PathBuf>)> {
    let bench = namespace_bench()?;
    for folder in ["kept", "deep/er", "free"] {
        fs::create_dir_all(bench.workspace.join(folder)).unwrap();
    }
    for file in ["kept/a.txt", "deep/er/kept.txt", "free/a.txt"] {
        fs::write(bench.workspace.join(file), "as it was").unwrap();
    }
    let kept = ["kept", "deep/er/kept.txt", "missing"].map(|name| bench.workspace.join(name)).to_vec();
    Some((bench, kept))
}

fn assert_kept(bench: &Bench, attack: &str) {
    for file in ["kept/a.txt", "deep/er/kept.txt"] {
        assert_eq!(fs::read_to_string(bench.workspace.join(file)).unwrap(), "as it was", "{attack}");
    }
    assert_eq!(fs::read_dir(bench.workspace.join("kept")).unwrap().count(), 1, "{attack}");
}

#[tokio::test]
async fn no_command_changes_them() {
    for attack in ATTACKS {
        let Some((bench, read_only)) = kept_bench() else { return };
        let confinement = Confinement { read_only, ..bench.confinement() };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let invocation = bench.invocation(attack);
        let outcome =
            artoo_sandbox::run(&invocation, &confinement, capture, &CancellationToken::new()).await.unwrap();
        assert_ne!(outcome.ending, Ending::Exited(0), "{attack}");
        assert_kept(&bench, attack);
        // The same script works without the rule.
        assert_eq!(bench.sh(attack).await.outcome.ending, Ending::Exited(0), "{attack}");
    }
}

#[tokio::test]
async fn no_preview_changes_them_and_the_rest_can_change() {
    for attack in ATTACKS.iter().copied().chain(["rm free/a.txt"]) {
        let Some((bench, read_only)) = kept_bench() else { return };
        let confinement = Confinement { read_only: read_only.clone(), ..bench.confinement() };
        let store = tempfile::tempdir().unwrap();
        let (store, roots) = (store.path().join("store"), [bench.workspace.clone()]);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let capture = Capture { stdout: &mut out, stderr: &mut err, on_chunk: None };
        let cancel = CancellationToken::new();
        match preview(&bench.invocation(attack), &confinement, &roots, &store, capture, &cancel).await {
            Ok(preview) => {
                let is_free = attack.contains("free");
                assert_eq!(preview.outcome.ending == Ending::Exited(0), is_free, "{attack}");
                assert_eq!(preview.changes.touching(&read_only).count(), 0, "{attack}");
                preview.commit().unwrap();
            }
            Err(error) => {
                artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, error);
                return;
            }
        }
        assert_kept(&bench, attack);
    }
}
