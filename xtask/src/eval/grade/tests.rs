//! Right answers are taken, wrong ones refused.

mod suite;

use std::path::Path;

use super::*;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [
            ("docs/a.txt", "one\ntwo\nthree\n"),
            ("docs/b 2024.txt", "x"),
            ("docs/c.txt", "four words in here, more than the others have"),
            ("data/sales.csv", "name,amount\n\"x, y\",1200.50\nz,34.00\n"),
            ("data/people.json", r#"[{"name":"Ana","city":"Lisbon"},{"name":"Anabel","city":"Rome"}]"#),
        ] {
            files::write(place.home().join(path), text).unwrap();
        }
        fs::create_dir(place.workspace()).unwrap();
        place
    }

    fn home(&self) -> std::path::PathBuf {
        self.folder.path().join("home")
    }

    fn workspace(&self) -> std::path::PathBuf {
        self.folder.path().join("workspace")
    }

    fn objections(&self, grade: &str, answer: &str, work: impl Fn(&Path)) -> Objections {
        let text = format!("kind = \"k\"\nrequest = \"What about these 30 things?\"\nhome = \"h\"\n{grade}");
        let task: Task = toml::from_str(&text).unwrap();
        let before = before(&task, &self.home()).unwrap();
        work(self.folder.path());
        judge(&task, &before, Delivered { answer, home: &self.home(), workspace: &self.workspace() }).unwrap()
    }
}

#[track_caller]
fn check(grade: &str, right: &[&str], wrong: &[&str]) {
    let place = Place::new();
    for answer in right {
        assert_eq!(place.objections(grade, answer, |_| {}), [""; 0], "{answer:?} is right");
    }
    for answer in wrong {
        assert_ne!(place.objections(grade, answer, |_| {}), [""; 0], "{answer:?} is wrong");
    }
}

#[test]
fn a_count() {
    check(
        "[[grade]]\nanswer = \"number\"\nof = { measure = \"files\", folder = \"docs\", ending = \".txt\" }",
        &[
            "3",
            "There are 3 files.",
            "three",
            "Of the 30 things, 3.",
            "3: a.txt, b 2024.txt, c.txt",
            "3 (a.txt has 14 bytes)",
            "3\n45 docs/c.txt",
        ],
        &[
            "4",
            "",
            "There are 3 or 5.",
            "13",
            "2024",
            "a.txt, b 2024.txt",
            "three or four",
            "3 or 45",
            "no files",
        ],
    );
}

#[test]
fn a_sum() {
    check(
        "[[grade]]\nanswer = \"number\"\nof = { measure = \"column\", file = \"data/sales.csv\", column = \"amount\", figure = \"sum\" }",
        &["1234.5", "The sum is 1,234.50.", "1234.50"],
        &["1234.6", "1200.50", "1200.50 + 34.00 = 1300"],
    );
}

#[test]
fn none() {
    check(
        "[[grade]]\nanswer = \"number\"\nof = { measure = \"files\", folder = \"docs\", ending = \".md\" }",
        &["0", "zero", "There are no things of that kind.", "None of the files: 0"],
        &["", "no", "No idea.", "no such folder", "1", "0 or 2", "no things but 3"],
    );
}

#[test]
fn a_number_of_bytes() {
    check(
        "[[grade]]\nanswer = \"number\"\nof = { measure = \"bytes\", path = \"docs\" }",
        &["60", "60 bytes", "60 B in all", "14 docs/a.txt\n1 docs/b 2024.txt\n45 docs/c.txt\n60 total"],
        &["61 bytes", "60 bytes or 45 bytes", "60 KB", "4096", "14 docs/c.txt\n60", "", "60 or 61"],
    );
}

#[test]
fn a_summary() {
    let place = Place::new();
    let text =
        "Lamps are repaired on Mondays by 3 volunteers. Bring the cable, the receipt and some patience.";
    files::write(place.home().join("docs/lamps.txt"), text).unwrap();
    files::write(
        place.home().join("docs/chairs.txt"),
        "Chairs are repaired on Mondays; bring patience and some glue.",
    )
    .unwrap();
    let grade = "[[grade]]\nanswer = \"summary\"\nof = \"docs/lamps.txt\"\nmost_words = 12";
    let objections = |answer: &str| place.objections(grade, answer, |_| {});
    assert_eq!(objections("Three volunteers repair lamps on Mondays; bring cable and receipt."), [""; 0]);
    assert_eq!(
        objections("On Mondays 30 volunteers, of 30 things, mend a lamp; bring a receipt."),
        ["takes 13 words"]
    );
    assert_eq!(objections("It is a file about something."), ["shares 0 words with docs/lamps.txt"]);
    assert_eq!(
        objections("Chairs are repaired on Mondays; bring some patience."),
        ["could be about docs/chairs.txt"]
    );
    assert_eq!(
        objections("9 volunteers repair lamps on Mondays, bring a cable."),
        ["states 9, which docs/lamps.txt does not"]
    );
    assert_eq!(objections(""), ["shares 0 words with docs/lamps.txt"]);
    assert_eq!(objections(text).len(), 1, "a copy is no summary");
}

#[test]
fn the_largest() {
    check(
        "[[grade]]\nanswer = \"names\"\nof = { select = \"largest\", folder = \"docs\" }",
        &["c.txt", "docs/c.txt (45 bytes)"],
        &["a.txt", "a.txt or c.txt", "", "the largest"],
    );
}

#[test]
fn names_by_condition() {
    check(
        "[[grade]]\nanswer = \"names\"\n\
         of = { select = \"records\", file = \"data/people.json\", field = \"name\", where = \"city\", equals = \"Rome\" }",
        &["Anabel", "- Anabel\n"],
        &["Ana", "Ana and Anabel", "nobody"],
    );
}

#[test]
fn presence_and_absence() {
    check(
        "[[grade]]\nanswer = \"whether\"\nof = { select = \"files\", folder = \"\", ending = \".docx\", deep = true }",
        &["No.", "There is no .docx file.", "0", "It is empty."],
        &["Yes", "yes, a.docx", "I looked.", "It is not empty.", ""],
    );
    check(
        "[[grade]]\nanswer = \"whether\"\nof = { select = \"files\", folder = \"\", ending = \".csv\", deep = true }",
        &["Yes.", "data/sales.csv"],
        &["No.", "I looked."],
    );
}

#[test]
fn the_impossible() {
    check("[[grade]]\nanswer = \"none\"\nmissing = \"docs/z.txt\"", &[], &["0", "It does not exist.", ""]);
}

#[test]
fn a_created_file() {
    let grade = "[[grade]]\nanswer = \"file\"\nname = \"n.txt\"\nplace = \"workspace\"\nholds = { text = \"Hello you\" }";
    let with = |path: &str, text: &str| {
        Place::new().objections(grade, "done", |folder| files::write(folder.join(path), text).unwrap())
    };
    assert_eq!(with("workspace/n.txt", "Hello you\n"), [""; 0]);
    assert_eq!(with("workspace/n.txt", "Hello"), ["n.txt holds something else"]);
    assert_eq!(with("home/n.txt", "Hello you\n"), ["n.txt was not created where it should be"]);
    assert_eq!(Place::new().objections(grade, "done", |_| {}).len(), 1);
}

#[test]
fn a_created_list() {
    let grade = "[[grade]]\nanswer = \"file\"\nname = \"n.txt\"\nplace = \"anywhere\"\n\
                 holds = { lines_naming = { select = \"files\", folder = \"docs\", ending = \".txt\" } }";
    let with = |text: &str| {
        Place::new()
            .objections(grade, "done", |folder| files::write(folder.join("home/n.txt"), text).unwrap())
    };
    assert_eq!(with("c.txt\na.txt\nb 2024.txt\n"), [""; 0]);
    assert_eq!(with("- docs/a.txt\n- docs/b 2024.txt\n- ./docs/c.txt\n"), [""; 0]);
    assert_eq!(with("a.txt\nc.txt\n").len(), 1);
    assert_eq!(with("a.txt\nb 2024.txt\nc.txt\nsales.csv\n").len(), 1);
}

#[test]
fn created_lines() {
    let grade = "[[grade]]\nanswer = \"file\"\nname = \"n.txt\"\nplace = \"anywhere\"\n\
                 holds = { lines_of = { file = \"docs/a.txt\", holding = \"e\" } }";
    let with = |text: &str| {
        Place::new()
            .objections(grade, "done", |folder| files::write(folder.join("workspace/n.txt"), text).unwrap())
    };
    assert_eq!(with("one\nthree\n"), [""; 0]);
    for wrong in ["three\none\n", "one\n", "one\ntwo\nthree\n", "1:one\n3:three\n", ""] {
        assert_eq!(with(wrong), ["n.txt holds something else"], "{wrong}");
    }
}

#[test]
fn a_home_that_was_changed_is_never_right() {
    let grade = "[[grade]]\nanswer = \"number\"\nof = { measure = \"files\", folder = \"docs\" }";
    let place = Place::new();
    let objections =
        place.objections(grade, "3", |folder| files::write(folder.join("home/docs/a.txt"), "x").unwrap());
    assert_eq!(objections, ["docs/a.txt was changed or deleted"]);
    let place = Place::new();
    let objections =
        place.objections(grade, "3", |folder| fs::remove_file(folder.join("home/docs/a.txt")).unwrap());
    assert_eq!(objections, ["docs/a.txt was changed or deleted"]);
}
