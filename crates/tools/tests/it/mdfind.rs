//! `mdfind`: with an index, and by a walk.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use artoo_tools::{Grants, Mdfind, SystemProgram, Toolbox};
use artoo_types::{CallEnding, FailureClass, ToolCall};
use serde_json::{Value, json};

use crate::fixture::{Scene, can_confine, failed, program, shown};

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

async fn walk(scene: &Scene, arguments: Value) -> ToolCall {
    find(scene, Mdfind::default(), arguments).await
}

async fn find(scene: &Scene, tool: Mdfind, arguments: Value) -> ToolCall {
    scene.call_in(&Toolbox::new().with(tool), "mdfind", arguments).await
}

/// The files of an answer, relative to the home folder.
fn files(scene: &Scene, call: &ToolCall) -> Vec<String> {
    let home = format!("{}/", scene.cx.home.display());
    let lines = shown(call).lines().skip(1).filter(|line| !line.starts_with('['));
    lines.map(|line| line.split(" | ").next().unwrap().strip_prefix(&home).unwrap().to_owned()).collect()
}

/// A fake index that answers with these paths, each NUL-terminated.
fn index(scene: &Scene, answers: &[&Path], rest: &str) -> SystemProgram {
    let file = scene.outside.join("bin/index");
    let lines: String = answers.iter().map(|path| format!("printf '%s\\0' '{}'\n", path.display())).collect();
    program(&file, &format!("{lines}{rest}\n"));
    SystemProgram::vouched_for(file)
}

fn plocate(scene: &Scene, answers: &[&Path], rest: &str) -> Mdfind {
    Mdfind::with_plocate(index(scene, answers, rest))
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
        let call = walk(&scene, arguments.clone()).await;
        assert_eq!(files(&scene, &call), expected, "{arguments}");
    }
    let call = walk(&scene, json!({ "words": "tax", "extension": "pdf" })).await;
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
    if !can_confine() {
        return;
    }
    let scene = scene();
    let call = walk(&scene, json!({ "words": ".ssh" })).await;
    assert_eq!(files(&scene, &call), [""; 0]);
    assert!(shown(&call).contains("[left out: 1 protected]"), "{call:?}");
    // Nor if an index names them.
    let secret = scene.cx.home.join(".ssh/tax.pdf");
    let tool = plocate(&scene, &[&secret], "");
    let call = find(&scene, tool.clone(), json!({ "words": "tax .ssh*" })).await;
    assert_eq!(files(&scene, &call), [""; 0]);
    let call = find(&scene, tool, json!({ "words": "tax", "extension": "pdf" })).await;
    assert!(!call.output.shown.contains("/.ssh"), "{call:?}");
}

#[tokio::test]
async fn an_index_only_names_candidates() {
    if !can_confine() {
        return;
    }
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
    let program = index(&scene, &candidates, "");
    for (tool, by) in [
        (Mdfind::with_spotlight(program.clone()), "Spotlight"),
        (Mdfind::with_plocate(program), "the index of plocate"),
    ] {
        let call = find(&scene, tool, json!({ "words": "tax", "extension": "pdf" })).await;
        assert_eq!(files(&scene, &call), ["Documents/tax 2025.PDF", "Documents/Tax 2024.pdf"], "{by}");
        let text = shown(&call);
        assert!(text.contains(&format!("; by {by}; ")), "{text}");
        assert!(text.contains("[left out: 1 that the index knows and that are gone]"), "{text}");
        assert!(text.contains("[an index may not know the newest files]"), "{text}");
    }
}

/// An outdated, empty, broken or missing index must not hide a file.
#[tokio::test]
async fn what_an_index_does_not_find_is_walked_for() {
    if !can_confine() {
        return;
    }
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
        let call = find(&scene, plocate(&scene, &[], rest), json!({ "words": "2025" })).await;
        assert_eq!(files(&scene, &call), ["Documents/tax 2025.PDF"], "{rest}");
        assert!(shown(&call).contains(words), "{call:?}");
    }
    // A program that cannot be started.
    let broken = index(&scene, &[], "");
    fs::write(broken.path(), "#!/nonexistent/shell\n").unwrap();
    let call = find(&scene, Mdfind::with_plocate(broken), json!({ "words": "2025" })).await;
    assert_eq!(files(&scene, &call), ["Documents/tax 2025.PDF"]);
}

#[tokio::test]
async fn the_list_is_capped_and_the_sum_is_not() {
    let mut scene = Scene::new();
    scene.cx.limits.listed = 3;
    for age in 0..1_200 {
        put(&scene, &format!("many/tax {age:04}.pdf"), age);
    }
    let call = walk(&scene, json!({ "words": "tax" })).await;
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
    let call = walk(&scene, json!({ "words": "tax" })).await;
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
        let call = walk(&scene, arguments).await;
        assert!(failed(&call, FailureClass::Logical).reason.starts_with("argument `"), "{call:?}");
    }
}

/// An earlier run, or whoever works as the user, may have left a program of this name in a folder of `PATH`.
#[tokio::test]
async fn a_program_that_the_user_could_have_put_there_is_never_started() {
    let scene = scene();
    let (open, mark) = (scene.outside.join("bin"), scene.outside.join("started"));
    for name in ["plocate", "mdfind"] {
        program(&open.join(name), &format!("touch '{}'", mark.display()));
    }
    // Also where the tests run as root, everybody may write it.
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let below = open.join("below");
    program(&below.join("plocate"), &format!("touch '{}'", mark.display()));
    let link = scene.outside.join("link");
    symlink(&open, &link).unwrap();
    let system = PathBuf::from("/usr/bin");
    for path in [vec![open.clone()], vec![below, link], vec![open, system]] {
        let probed = Toolbox::probe(&path, &Grants { mdfind: Some(true), ..Grants::default() });
        let call = scene.call_in(&probed.toolbox, "mdfind", json!({ "words": "2025" })).await;
        assert_eq!(files(&scene, &call), ["Documents/tax 2025.PDF"], "{path:?}");
        assert!(shown(&call).contains("; by a walk; ") && !mark.exists(), "{path:?}: {call:?}");
    }
}

/// It has no rights but to read what is not protected, and is told nothing of the user's environment.
#[tokio::test]
async fn an_index_is_asked_under_the_kernels_rules() {
    if !can_confine() {
        return;
    }
    let mut scene = scene();
    scene.cx.environment.insert("PATH".into(), "/home/ada/bin".into());
    let (mark, secret) = (scene.cx.home.join("mark"), scene.cx.home.join(".ssh/tax.pdf"));
    let tries =
        format!("touch '{}'; cat '{}'; echo \"$PATH$OPENAI_API_KEY\"", mark.display(), secret.display());
    let script = format!("said=$( ({tries}) 2>&1 | tr '\\n' '|'); echo \"$said\" >&2; exit 3");
    let call = find(&scene, plocate(&scene, &[], &script), json!({ "words": "2025" })).await;
    let said = shown(&call).replace(secret.to_str().unwrap(), "SECRET");
    assert!(!mark.exists() && said.contains("mark': "), "{said}");
    assert!(said.contains("|/usr/bin:/bin:/usr/sbin:/sbin|"), "{said}");
    assert!(!said.contains("tax.pdf|") && !said.contains("canary"), "{said}");
}
