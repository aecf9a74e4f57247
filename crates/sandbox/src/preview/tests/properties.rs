//! Property: a preview's report and a commit's result equal what the same command does without them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use artoo_anchored_files::changed_trees::{Deed, Seen, age, deeds, picture};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::super::PreviewError;
use super::setup::place;

/// A deed as a shell command. Most of them fail most of the time, and that is fine.
pub(super) fn script(deed: &Deed) -> Vec<u8> {
    let word = |path: &Path| [b"'./", path.as_os_str().as_bytes(), b"'"].concat();
    let print = |bytes: &[u8]| {
        let text: String = bytes.iter().map(|byte| format!("\\0{byte:03o}")).collect();
        format!("printf %b '{text}'")
    };
    let line = |parts: &[&[u8]]| parts.join(&b' ');
    match deed {
        Deed::Write(path, bytes) => line(&[print(bytes).as_bytes(), b">", &word(path)]),
        Deed::Append(path, bytes) => {
            line(&[b"test -f", &word(path), b"&&", print(bytes).as_bytes(), b">>", &word(path)])
        }
        Deed::Forge(path) => line(&[
            b"test -f",
            &word(path),
            b"&& touch -r",
            &word(path),
            b"$TMPDIR/t && tr '\\000-\\377' '\\001-\\377\\000' <",
            &word(path),
            b"> $TMPDIR/c && cat $TMPDIR/c >",
            &word(path),
            b"&& touch -r $TMPDIR/t",
            &word(path),
        ]),
        Deed::Folder(path) => line(&[b"mkdir -p", &word(path)]),
        Deed::Remove(path) => line(&[b"rm -rf", &word(path)]),
        Deed::Move(from, to) => line(&[b"mv -T", &word(from), &word(to)]),
        Deed::Copy(from, to) => line(&[b"cp -T", &word(from), &word(to)]),
        Deed::Mode(path, mode) => {
            let mode = format!("|| chmod {:o}", mode | 0o500);
            line(&[b"test -L", &word(path), mode.as_bytes(), &word(path)])
        }
        Deed::Link(target, path) => line(&[b"ln -s", &word(target), &word(path)]),
        Deed::HardLink(from, to) => line(&[b"ln", &word(from), &word(to)]),
        Deed::Time(path, seconds) => {
            let time = format!("touch -c -d @{seconds}.{:09}", seconds % 1_000_000_000);
            line(&[time.as_bytes(), &word(path)])
        }
    }
}

/// A tree without its own name, and without the mtimes of entries created just now.
fn comparable(root: &Path, since: i64) -> BTreeMap<PathBuf, Seen> {
    let below = |path: PathBuf| path.strip_prefix(root).unwrap().to_owned();
    let mut seen = BTreeMap::new();
    for (path, mut one) in picture(root) {
        // Times in the far future were set by a script.
        if (since..since + 1_000_000).contains(&one.mtime.0) {
            one.mtime = (0, 0);
        }
        one.same_as = one.same_as.map(below);
        // Only root keeps them when writing to such a file, and no process in a user namespace is that root.
        if rustix::process::geteuid().is_root() {
            one.mode &= !0o6000;
        }
        seen.insert(below(path), one);
    }
    seen
}

/// The list leaves out folder times caused by entries created or removed, but not those that a command sets.
fn told(before: &BTreeMap<PathBuf, Seen>, mut after: BTreeMap<PathBuf, Seen>, since: i64) -> bool {
    for (path, folder) in after.iter_mut().filter(|(_, one)| one.content.is_none()) {
        if let Some(before) = before.get(path)
            && (since..since + 1_000_000).contains(&folder.mtime.0)
        {
            folder.mtime = before.mtime;
        }
    }
    after != *before
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn a_preview_that_is_committed_is_the_command_itself(found in deeds(20), done in deeds(12)) {
        let Some(place) = place() else { return Ok(()) };
        let plain = place.outside.clone();
        for root in [&plain, &place.root] {
            found.iter().for_each(|deed| deed.done_in(root));
            age(root);
        }
        let before = place.picture();
        let since = fs::metadata(place.home()).unwrap().mtime();
        let script: Vec<u8> = done.iter().map(script).collect::<Vec<_>>().join(&b'\n');
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let preview = match runtime.block_on(place.said(&script, &CancellationToken::new())) {
            Ok((preview, _)) => preview,
            Err(PreviewError::HardLinks { path }) => {
                let names = before.values().filter_map(|seen| seen.same_as.as_ref()).filter(|first| before[*first].same_as == before[&path].same_as);
                prop_assert!(names.count() > 1, "{} has no other name", path.display());
                prop_assert_eq!(place.picture(), before);
                return Ok(());
            }
            Err(error) => panic!("{error:?}"),
        };
        prop_assert_eq!(&place.picture(), &before, "changed before the commit");
        let is_empty = preview.changes.is_empty();
        preview.commit().unwrap();
        prop_assert_eq!(!is_empty, told(&before, place.picture(), since), "told is not made");
        runtime.block_on(place.plainly(&plain, &script));
        prop_assert_eq!(comparable(&place.root, since), comparable(&plain, since));
        prop_assert!(place.store_is_empty());
    }
}

#[test]
fn the_shell_does_the_deeds() {
    let root = tempfile::tempdir().unwrap();
    let deeds = [
        Deed::Write("a".into(), b"%\0\xff'".to_vec()),
        Deed::Forge("a".into()),
        Deed::Folder("d/e".into()),
        Deed::Move("a".into(), "d/b".into()),
    ];
    let script = deeds.iter().map(script).collect::<Vec<_>>().join(&b'\n');
    let tmp = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "the shell that the law relies on")]
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg(std::ffi::OsStr::from_bytes(&script))
        .current_dir(root.path())
        .env("TMPDIR", tmp.path())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(fs::read(root.path().join("d/b")).unwrap(), b"&\x01\0(");
}
