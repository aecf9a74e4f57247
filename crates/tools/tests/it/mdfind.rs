//! `mdfind`: with an index, and by a walk.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use artoo_tools::{Mdfind, Toolbox};
use artoo_types::{CallEnding, FailureClass, ToolCall};
use serde_json::{Value, json};

use crate::fixture::{Scene, failed, program, shown};

/// A home with entries of every kind; later files in this list are newer.
fn scene() -> Scene {
    let scene = Scene::new();
    let files = [
        "Documents/Tax 2024.pdf",
        "Documents/old/tax notes.txt",
        "Pictures/tax.JPG",
        "Documents/tax 2025.PDF",
        ".cache/tax.pdf",
        "code/node_modules/tax.pdf",
        ".ssh/tax.pdf",
        "报告/年度 报告.docx",
    ];
    for (age, file) in files.iter().enumerate() {
        put(&scene, file, age as u64);
    }
    fs::create_dir_all(scene.cx.home.join("Tax folder")).unwrap();
    symlink("/etc", scene.cx.home.join("tax link")).unwrap();
    scene
}

fn put(scene: &Scene, file: &str, age: u64) {
    let path = scene.cx.home.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, file).unwrap();
    let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + age);
    fs::File::options().write(true).open(&path).unwrap().set_modified(moment).unwrap();
}

async fn find(scene: &Scene, search_path: &[PathBuf], arguments: Value) -> ToolCall {
    scene.call_in(&Toolbox::new().with(Mdfind::probe(search_path)), "mdfind", arguments).await
}

/// The files of an answer, relative to the home folder.
fn files(scene: &Scene, call: &ToolCall) -> Vec<String> {
    let home = format!("{}/", scene.cx.home.display());
    let lines = shown(call).lines().skip(1).filter(|line| !line.starts_with('['));
    lines.map(|line| line.split(" | ").next().unwrap().strip_prefix(&home).unwrap().to_owned()).collect()
}

/// A fake index that answers with these paths, each NUL-terminated, and records its arguments.
fn index(scene: &Scene, name: &str, answers: &[&Path], rest: &str) -> (Vec<PathBuf>, PathBuf) {
    let folder = scene.outside.join("bin");
    let asked = scene.outside.join("asked");
    let lines: String = answers.iter().map(|path| format!("printf '%s\\0' '{}'\n", path.display())).collect();
    program(&folder.join(name), &format!("printf '%s\\n' \"$@\" > '{}'\n{lines}{rest}\n", asked.display()));
    (vec![folder], asked)
}

#[tokio::test]
async fn a_walk_finds_by_word_kind_and_ending_newest_first() {
    let scene = scene();
    let newest_pdf = ["Documents/tax 2025.PDF", "Documents/Tax 2024.pdf"];
    for (arguments, expected) in [
        (json!({ "words": "tax", "extension": "pdf" }), &newest_pdf[..]),
        (json!({ "words": "TAX 2025" }), &["Documents/tax 2025.PDF"]),
        (json!({ "words": "tax*.pdf" }), &newest_pdf),
        (json!({ "words": "tax", "kind": "image" }), &["Pictures/tax.JPG"]),
        (json!({ "words": "tax", "kind": "folder" }), &["Tax folder/"]),
        (json!({ "kind": "document", "words": "报告" }), &["报告/年度 报告.docx"]),
        (json!({ "extension": ".txt", "kind": null }), &["Documents/old/tax notes.txt"]),
        (json!({ "words": "nowhere" }), &[]),
    ] {
        let call = find(&scene, &[], arguments.clone()).await;
        assert_eq!(files(&scene, &call), expected, "{arguments}");
    }
    let call = find(&scene, &[], json!({ "words": "tax", "extension": "pdf" })).await;
    let text = shown(&call);
    let first = format!(
        "found: 2; searched: all below {}; by a walk; for: words \"tax\", extension \"pdf\"\n",
        scene.cx.home.display()
    );
    assert!(text.starts_with(&first), "{text}");
    assert!(text.contains("[left out: 2 hidden; glob finds them]"), "{text}");
    assert!(text.contains("[left out: 1 in folders of generated files; glob finds them]"), "{text}");
}

#[tokio::test]
async fn protected_places_are_never_shown() {
    let scene = scene();
    let call = find(&scene, &[], json!({ "words": ".ssh" })).await;
    assert_eq!(files(&scene, &call), [""; 0]);
    assert!(shown(&call).contains("[left out: 1 protected]"), "{call:?}");
    // Nor if an index names them.
    let secret = scene.cx.home.join(".ssh/tax.pdf");
    let (path, _) = index(&scene, "plocate", &[&secret], "");
    let call = find(&scene, &path, json!({ "words": "tax .ssh*" })).await;
    assert_eq!(files(&scene, &call), [""; 0]);
    let call = find(&scene, &path, json!({ "words": "tax", "extension": "pdf" })).await;
    assert!(!call.output.shown.contains("/.ssh"), "{call:?}");
}

#[tokio::test]
async fn an_index_only_names_candidates() {
    let scene = scene();
    let home = scene.cx.home.clone();
    fs::write(scene.outside.join("tax.pdf"), "").unwrap();
    let candidates = [
        home.join("Documents/Tax 2024.pdf"),
        home.join("Documents/tax 2025.PDF"),
        home.join("Documents/tax gone.pdf"),
        home.join("Documents/Tax folder.pdf/letter.txt"),
        home.join(".cache/tax.pdf"),
        home.join("code/node_modules/tax.pdf"),
        home.join("../outside/tax.pdf"),
        scene.outside.join("tax.pdf"),
    ];
    let candidates: Vec<&Path> = candidates.iter().map(PathBuf::as_path).collect();
    for (name, by, first) in
        [("mdfind", "Spotlight", "-0"), ("plocate", "the index of plocate", "--ignore-case")]
    {
        let (path, asked) = index(&scene, name, &candidates, "");
        let call = find(&scene, &path, json!({ "words": "tax", "extension": "pdf" })).await;
        assert_eq!(files(&scene, &call), ["Documents/tax 2025.PDF", "Documents/Tax 2024.pdf"], "{name}");
        let text = shown(&call);
        assert!(text.contains(&format!("; by {by}; ")), "{text}");
        assert!(text.contains("[left out: 1 that the index knows and that are gone]"), "{text}");
        assert!(text.contains("[an index may not know the newest files]"), "{text}");
        let asked = fs::read_to_string(asked).unwrap();
        assert!(
            asked.starts_with(first) && asked.contains(home.to_str().unwrap()) && asked.contains("tax"),
            "{asked}"
        );
        fs::remove_file(path[0].join(name)).unwrap();
    }
}

/// An outdated, empty, broken or missing index must not hide a file.
#[tokio::test]
async fn what_an_index_does_not_find_is_walked_for() {
    let scene = scene();
    for (rest, words) in [
        ("exit 1", "by the index of plocate, which found nothing, and a walk"),
        ("exit 0", "by the index of plocate, which found nothing, and a walk"),
        (
            "echo 'plocate.db: No such file or directory' >&2; exit 1",
            "by the index of plocate could not be used (exit status 1: plocate.db: No such file or directory), so by a walk",
        ),
        ("kill -9 $$", "so by a walk"),
    ] {
        let (path, _) = index(&scene, "plocate", &[], rest);
        let call = find(&scene, &path, json!({ "words": "2025" })).await;
        assert_eq!(files(&scene, &call), ["Documents/tax 2025.PDF"], "{rest}");
        assert!(shown(&call).contains(words), "{call:?}");
    }
    // A program that cannot be started.
    let (path, _) = index(&scene, "plocate", &[], "");
    let broken = path[0].join("plocate");
    fs::write(&broken, "#!/nonexistent/shell\n").unwrap();
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    let call = find(&scene, &path, json!({ "words": "2025" })).await;
    assert_eq!(files(&scene, &call), ["Documents/tax 2025.PDF"]);
}

#[tokio::test]
async fn the_list_is_capped_and_the_sum_is_not() {
    let mut scene = Scene::new();
    scene.cx.limits.listed = 3;
    for age in 0..1_200 {
        put(&scene, &format!("many/tax {age:04}.pdf"), age);
    }
    let call = find(&scene, &[], json!({ "words": "tax" })).await;
    assert_eq!(files(&scene, &call), ["many/tax 1199.pdf", "many/tax 1198.pdf", "many/tax 1197.pdf"]);
    assert!(
        shown(&call).starts_with("found: 1200; ") && shown(&call).contains("[not listed: 1197 older ones]"),
        "{call:?}"
    );
}

#[tokio::test]
async fn a_walk_without_time_fails_with_what_it_has() {
    let mut scene = scene();
    scene.cx.limits.walk_time = Duration::ZERO;
    let call = find(&scene, &[], json!({ "words": "tax" })).await;
    assert_eq!(call.ending, CallEnding::TimedOut);
    failed(&call, FailureClass::Environmental);
    assert!(call.output.shown.contains("there may be more"), "{call:?}");
}

#[tokio::test]
async fn wrong_arguments_are_named() {
    let scene = Scene::new();
    for arguments in [
        json!({}),
        json!({ "words": " " }),
        json!({ "kind": "folder" }),
        json!({ "kind": "song" }),
        json!({ "name": "x" }),
    ] {
        let call = find(&scene, &[], arguments).await;
        assert!(failed(&call, FailureClass::Logical).reason.starts_with("argument `"), "{call:?}");
    }
}
