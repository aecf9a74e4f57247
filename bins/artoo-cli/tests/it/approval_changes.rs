//! Tests of approval questions at a terminal: the changes they show, and what each answer covers.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::fixture::Scene;
use crate::mock_model::{count_plan, model, shell};
use crate::screen::Screen;

const ASKED: &str = "or say what to do instead > ";
const MORE: &str = "Enter: more   q: back to the question > ";
const BACK: &str = "Enter: back to the question > ";

/// Whether commands can be tried on this machine; prints the reason if not.
fn can_try() -> bool {
    let store = tempfile::tempdir().unwrap();
    let supported = artoo_sandbox::preview::Preview::supported(store.path());
    if let Err(reason) = &supported {
        artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
    }
    supported.is_ok()
}

fn workspace(scene: &Scene) -> PathBuf {
    scene.home().join("artoo_workspace")
}

/// A scene whose workspace has these files, and whose model runs each script as a subtask of its own.
fn scene(files: &[(String, String)], scripts: &'static [&'static str]) -> Scene {
    let names: Vec<String> = (0..scripts.len()).map(|number| format!("Do step-{number}")).collect();
    let subtasks: Vec<Value> = (1..)
        .zip(&names)
        .map(|(sequence, intent)| {
            let mut subtask = count_plan(intent)["subtasks"][0].clone();
            subtask["sequence"] = json!(sequence);
            subtask
        })
        .collect();
    let scene = Scene::new(model(json!({"subtasks": subtasks}), move |shown| {
        // The current subtask is the last one named in the prompt.
        let at = |number: &usize| shown.rfind(&format!("Do step-{number}"));
        let number = (0..scripts.len()).max_by_key(at).unwrap();
        shell(&format!("python3 step-{number}.py"))
    }));
    for (number, script) in scripts.iter().enumerate() {
        let script = format!("import os\nos.chdir(os.environ['WORKSPACE'])\n{script}\nprint(0)\n");
        fs::write(scene.folder().join(format!("step-{number}.py")), script).unwrap();
    }
    for (name, content) in files {
        let path = workspace(&scene).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    scene
}

/// Runs at a terminal; waits for each shown text and types the answer to it.
/// Returns the exit code and everything shown.
fn talk(scene: &Scene, columns: u16, steps: &[(&str, &str)]) -> (Option<i32>, String) {
    talk_at(scene, Screen::new(columns), steps)
}

fn talk_at(scene: &Scene, screen: Screen, steps: &[(&str, &str)]) -> (Option<i32>, String) {
    let (code, _, raw) = screen.talk(scene.artoo(&["run", "How many are left?"]), steps);
    (code, raw.replace("\r\n", "\n"))
}

fn file(name: &str, content: &str) -> (String, String) {
    (name.to_owned(), content.to_owned())
}

fn content(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Sixty renames, twenty-five changes, and a single deletion among them.
const TIDY: &[&str] = &["for n in range(60):
    os.rename(f'photos/img-{n}.jpg', f'photos/2024-{n}.jpg')
    if n == 30: os.remove('photos/wedding.jpg')
for n in range(25):
    open(f'notes/{n}.md', 'w').write(f'new {n}\\n')"];

fn photos() -> Vec<(String, String)> {
    let photos = (0..60).map(|n| (format!("photos/img-{n}.jpg"), format!("picture {n}")));
    let notes = (0..25).map(|n| (format!("notes/{n}.md"), format!("old {n}\n")));
    photos.chain(notes).chain([file("photos/wedding.jpg", "the only one")]).collect()
}

#[test]
fn one_deletion_among_many_changes_comes_first_and_d_shows_every_path() {
    if !can_try() {
        return;
    }
    let scene = scene(&photos(), TIDY);
    // Two pages of details, then the question again; then all details; then a yes.
    let steps = [
        (ASKED, "d\n"),
        (MORE, "\n"),
        (MORE, "q\n"),
        (ASKED, "d\n"),
        (MORE, "\n"),
        (MORE, "\n"),
        (BACK, "\n"),
        (ASKED, "y\n"),
    ];
    let (code, shown) = talk(&scene, 200, &steps);
    assert_eq!(code, Some(0), "{shown}");
    let (first, rest) = shown.split_once(ASKED).unwrap();
    let at = |part: &str| first.find(part).unwrap_or_else(|| panic!("no `{part}` in\n{first}"));
    let order = [
        "1 deleted, 25 changed, 60 renamed:",
        "photos/wedding.jpg (12 B)",
        "changes 25 files in /",
        "renames 60 files in /",
        "d shows all of it, and",
    ]
    .map(at);
    assert!(order.is_sorted(), "{first}");
    assert!(
        first.lines().skip_while(|line| !line.contains("Run python3 step-0.py?")).count() < 30,
        "{first}"
    );
    for n in 0..60 {
        assert!(rest.contains(&format!("photos/img-{n}.jpg -> /")), "{rest}");
    }
    for n in 0..25 {
        assert!(rest.contains(&format!("-old {n}\n")) && rest.contains(&format!("+new {n}\n")), "{rest}");
    }
    assert_eq!(
        rest.matches("1 deleted, 25 changed, 60 renamed:").count(),
        4,
        "twice in details, twice again"
    );
    assert!(!workspace(&scene).join("photos/wedding.jpg").exists());
    assert_eq!(content(&workspace(&scene).join("notes/7.md")), "new 7\n");
}

/// If the terminal does not report its height, all details are shown at once.
#[test]
fn where_the_height_is_not_known_d_shows_all_at_once() {
    if !can_try() {
        return;
    }
    let scene = scene(&photos(), TIDY);
    let (code, shown) = talk_at(&scene, Screen::telling(160, 0), &[(ASKED, "d\n"), (ASKED, "n\n")]);
    assert_eq!(code, Some(5), "{shown}");
    assert!((0..60).all(|n| shown.contains(&format!("photos/img-{n}.jpg -> /"))), "{shown}");
    assert!(!shown.contains("Enter: "), "{shown}");
    assert!(workspace(&scene).join("photos/wedding.jpg").exists());
}

/// No answer with a wider scope covers deletions, so none is offered for them, and typing it is not a yes.
#[test]
fn deletions_are_asked_about_each_time() {
    if !can_try() {
        return;
    }
    let files = [file("a/one.txt", "1"), file("a/two.txt", "2"), file("a/notes.txt", "old")];
    let both = &["os.remove('a/one.txt'); open('a/notes.txt', 'w').write('new')", "os.remove('a/two.txt')"];
    let scene_of = || scene(&files, both);
    let scene = scene_of();
    let steps = [(ASKED, "f\n"), (ASKED, "r\n"), (ASKED, "f\n"), (ASKED, "n\n")];
    let (code, shown) = talk(&scene, 200, &steps);
    let prompts: Vec<&str> = shown.lines().filter(|line| line.contains(ASKED)).collect();
    assert!(
        prompts[0].contains("r: all but the deletions, in this run   f: edits in this folder"),
        "{shown}"
    );
    for prompt in &prompts[1..] {
        assert!(prompt.starts_with("y: yes, once   d: details   N: no"), "{shown}");
    }
    assert_eq!(shown.matches("nothing of this can be agreed to for so long").count(), 2, "{shown}");
    assert_eq!(code, Some(5), "{shown}");
    let left = ["a/one.txt", "a/two.txt"].map(|name| workspace(&scene).join(name).exists());
    assert_eq!(left, [false, true], "{shown}");
}

/// An edit, followed by edits of the same file, of a file next to it, and of one in a subfolder.
#[test]
fn an_answer_covers_the_kind_and_the_place_that_were_shown() {
    if !can_try() {
        return;
    }
    let files = [file("a/one.txt", "1"), file("a/two.txt", "1"), file("a/deep/three.txt", "1")];
    let scripts = &[
        "open('a/one.txt', 'w').write('2')",
        "open('a/one.txt', 'w').write('3')",
        "open('a/two.txt', 'w').write('2')",
        "open('a/deep/three.txt', 'w').write('2')",
    ];
    for (first, asked) in [("y\n", 4), ("r\n", 3), ("f\n", 2)] {
        let scene = scene(&files, scripts);
        let steps: Vec<(&str, &str)> =
            std::iter::once((ASKED, first)).chain((1..asked).map(|_| (ASKED, "y\n"))).collect();
        let (_, shown) = talk(&scene, 200, &steps);
        assert_eq!(shown.matches(ASKED).count(), asked, "{first}\n{shown}");
        assert!(shown.contains("r: the same, in this run   f: edits in this folder, in this run"), "{shown}");
        let left =
            ["a/one.txt", "a/two.txt", "a/deep/three.txt"].map(|name| content(&workspace(&scene).join(name)));
        assert_eq!(left, ["3", "2", "2"], "{first}\n{shown}");
    }
}

#[test]
fn an_indentation_only_difference_is_seen() {
    if !can_try() {
        return;
    }
    let files = [file("sum.py", "def sum(all):\n    total = 0\n    return total\n")];
    let script = &["open('sum.py', 'w').write('def sum(all):\\n\\ttotal = 0\\n     return total  \\n')"];
    let scene = scene(&files, script);
    let (code, shown) = talk(&scene, 160, &[(ASKED, "n\n")]);
    assert_eq!(code, Some(5), "{shown}");
    for line in ["-    total = 0\n", "+␉total = 0\n", "-    return total\n", "+     return total␠␠\n"] {
        assert!(shown.contains(line), "no {line:?} in\n{shown}");
    }
    assert_eq!(content(&workspace(&scene).join("sum.py")), files[0].1, "a no leaves it");
}

#[test]
fn a_difference_of_400_lines_says_how_long_it_is_and_d_shows_it() {
    if !can_try() {
        return;
    }
    let old: String = (0..200).map(|n| format!("old {n}\n")).collect();
    let scene = scene(
        &[file("long.txt", &old)],
        &["open('long.txt', 'w').write(''.join(f'new {n}\\n' for n in range(200)))"],
    );
    let steps =
        [vec![(ASKED, "d\n")], vec![(MORE, "\n"); 6], vec![(BACK, "\n"), (ASKED, "write it elsewhere\n")]];
    let (_, shown) = talk(&scene, 160, &steps.concat());
    let (first, rest) = shown.split_once(ASKED).unwrap();
    assert!(
        first.contains(" more of the 401 lines of this difference") && !first.contains("+new 0"),
        "{first}"
    );
    assert!((0..200).all(|n| rest.contains(&format!("-old {n}\n")) && rest.contains(&format!("+new {n}\n"))));
    assert!(rest.contains("instead: write it elsewhere"), "{rest}");
    assert_eq!(content(&workspace(&scene).join("long.txt")), old);
}

#[test]
fn what_hides_in_a_name_is_seen_in_40_columns() {
    if !can_try() {
        return;
    }
    let name = "gone\u{202e}txt\u{200b}.exe";
    let scene = scene(&[file(name, "x")], &["os.remove('gone\\u202etxt\\u200b.exe')"]);
    let (code, shown) = talk(&scene, 40, &[("instead > ", "n\n")]);
    assert_eq!(code, Some(5), "{shown}");
    assert!(shown.contains("gone<U+202E>txt<U+200B>.exe"), "{shown}");
    let (question, _) = shown.split_once("instead > ").unwrap();
    assert!(!question.contains(['\u{202e}', '\u{200b}']), "{shown}");
}

/// A new file that a program runs by itself needs a yes of its own, and the question says by whom it is run.
#[test]
fn a_new_file_that_a_program_runs_is_asked_about_with_the_reason() {
    if !can_try() {
        return;
    }
    let script = &["open('conftest.py', 'w').write('import os\\n'); open('notes.txt', 'w').write('1')"];
    let why = "this file will be run by pytest, before the tests of its folder and of those below";
    let made = |scene: &Scene| workspace(scene).join("conftest.py").exists();

    let refused = scene(&[], script);
    let (code, shown) = talk(&refused, 160, &[(ASKED, "f\n"), (ASKED, "n\n")]);
    assert_eq!((code, made(&refused)), (Some(5), false), "{shown}");
    let told =
        ["a new file that a program runs without being asked", "2 new:", "conftest.py (", why, "+import os"];
    let at = |part: &str| shown.find(part).unwrap_or_else(|| panic!("no `{part}` in\n{shown}"));
    assert!(told.map(at).is_sorted(), "{shown}");
    assert!(
        shown.contains("nothing of this can be agreed to for so long"),
        "no yes for a folder covers it\n{shown}"
    );

    // Nobody is there: a no, and both forms of the record say why it was asked.
    let alone = scene(&[], script);
    let said = alone.say(&["run", "--json", "How many are left?"]);
    let asked = said.out.lines().find(|line| line.contains("\"autorun\"")).unwrap_or_default();
    let event: Value = serde_json::from_str(asked).unwrap();
    assert!(asked.contains("\"rule\":\"autorun\""), "{event:#}");
    assert_eq!((asked.matches(why).count(), made(&alone)), (2, false), "{event:#}");

    let granted = scene(&[], script);
    let said = granted.say(&["run", "--yes", "creates", "How many are left?"]);
    assert!(made(&granted) && said.code == 0, "{}", said.err);
}
