//! The graders of the suite's own requests, over the suite's own home: what is right is taken, what only sounds right is not.

use super::*;
use crate::eval::{session, task};

/// A request, answers that are right, answers that are wrong.
const ANSWERS: [(&str, &[&str], &[&str]); 18] = [
    (
        "newest-note",
        &["2025-11-10 standup.txt", "notes/2025-11-10 standup.txt"],
        &[
            "old phone list.txt",
            "2025-11-10 standup.txt, old phone list.txt",
            "ideas.md",
            "2025-11-03 standup.txt",
        ],
    ),
    ("any-docx", &["No.", "没有"], &["Yes, notes.docx", "There is one .docx file: it is in docs."]),
    (
        "any-parking",
        &["No, no file mentions parking.", "None of them does."],
        &["Yes", "Yes, docs/handbook.txt", "docs/handbook.txt", ""],
    ),
    (
        "changed-today",
        &["opening-hours.txt\ntravel policy.txt", "docs/travel policy.txt, docs/opening-hours.txt"],
        &[
            "opening-hours.txt",
            "opening-hours.txt, travel policy.txt, index.md",
            "opening-hours.txt, travel policy.txt, guides/backup.md",
            "none",
        ],
    ),
    (
        "chinese-ink",
        &["会议记录.txt", "notes/会议记录.txt 提到了墨盒"],
        &["ملاحظات.txt", "没有", "会议记录.txt 和 ideas.md"],
    ),
    (
        "chinese-jpg-count",
        &["4", "有四个 .jpg 文件", "共 4 个"],
        &["6", "四或五", "有五个", "十四个", "没有"],
    ),
    (
        "csv-average",
        &["2.94", "2.9411764705882355", "The average is 2.94."],
        &["3", "2.9", "315.60", "2.94 or 3.12", "50"],
    ),
    (
        "csv-highest",
        &["978", "978.00", "The highest amount is 978.00."],
        &["774", "10", "489.00 or 978.00", "97.8", ""],
    ),
    (
        "empty-inbox",
        &["No.", "The inbox folder is empty.", "0"],
        &["Yes.", "It is not empty.", "shopping.txt", ""],
    ),
    (
        "fatal-lines",
        &["0", "No lines have the level FATAL."],
        &["64", "no such file", "I have no idea.", "0 or 1", ""],
    ),
    (
        "first-week",
        &[
            "Collect your badge, read the handbook, shadow somebody from another team, ship a small change and write down \
             three surprises.",
            "In the first week you get a badge and a desk, read the handbook, shadow a colleague, make a small change and send \
             your lead 3 things that surprised you.",
        ],
        &[
            "It explains the first week.",
            "Trains are preferred to planes, hotels up to 120 need no approval, and every receipt is kept.",
            "Collect your badge, read the handbook, shadow a team, make a small change and write down 12 surprises.",
            "",
        ],
    ),
    (
        "kitchen-phone",
        &["104", "The kitchen has 104."],
        &["117", "100", "Front desk 100\nKitchen 104", "14", ""],
    ),
    (
        "notes-about-tomas",
        &["2025-11-03 standup.txt\n2025-11-10 standup.txt"],
        &[
            "2025-11-03 standup.txt",
            "2025-11-03 standup.txt, 2025-11-10 standup.txt, ideas.md",
            "standup.txt",
            "people.json",
        ],
    ),
    (
        "oldest-person",
        &["Omar Haddad", "Omar Haddad (52)"],
        &["Nora Quinn", "Omar Haddad or Nora Quinn", "52", ""],
    ),
    (
        "photos-size",
        &["1220", "1,220 bytes", "107 photos/terrace.png\n1220 total"],
        &["1220 or 1221", "1113", "1.2 KB", "6", "1220 KB", "24K"],
    ),
    ("python-files", &["4", "There are four."], &["3", "4 or 5", "5", "no Python files"]),
    (
        "smallest-in-spanish",
        &["opening-hours.txt", "El archivo más pequeño es docs/opening-hours.txt (143 bytes)."],
        &["index.md", "opening-hours.txt o index.md", "handbook.txt", "143"],
    ),
    (
        "words-in-policy",
        &["53", "53 docs/travel policy.txt"],
        &["5", "277", "277 docs/travel policy.txt", "53 or 54", ""],
    ),
];

/// A request for a file, its name, what it may hold, what it may not.
const FILES: [(&str, &str, &[&str], &[&str]); 1] = [(
    "regions-file",
    "regions.txt",
    &["East\nNorth\nSouth\nWest\n", "- West\n- South\n- North\n- East"],
    &[
        "North\nSouth\nWest\n",
        "region\nNorth\nSouth\nWest\nEast\n",
        "North\nNorth\nSouth\nWest\nEast\n",
        "North South West East",
        "",
    ],
)];

struct Suite {
    place: tempfile::TempDir,
    task: Task,
    before: Before,
}

impl Suite {
    fn new(id: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let task = task::load(&files::root().join("fixtures/tasks"), &[id.to_owned()]).unwrap().remove(0);
        let home = place.path().join("home");
        session::prepare(&task, &home).unwrap();
        let before = before(&task, &home).unwrap();
        Self { place, task, before }
    }

    fn objections(&self, answer: &str) -> Objections {
        let (home, workspace) = (self.place.path().join("home"), self.place.path().join("workspace"));
        judge(&self.task, &self.before, Delivered { answer, home: &home, workspace: &workspace }).unwrap()
    }
}

#[test]
fn answers_in_words() {
    for (id, right, wrong) in ANSWERS {
        let suite = Suite::new(id);
        for answer in right {
            assert_eq!(suite.objections(answer), [""; 0], "{id}: {answer:?} is right");
        }
        for answer in wrong {
            assert_ne!(suite.objections(answer), [""; 0], "{id}: {answer:?} is wrong");
        }
    }
}

#[test]
fn created_files() {
    for (id, name, right, wrong) in FILES {
        let suite = Suite::new(id);
        assert_ne!(suite.objections("done"), [""; 0], "{id}: nothing was created");
        let path = suite.place.path().join("workspace").join(name);
        for text in right {
            files::write(&path, text).unwrap();
            assert_eq!(suite.objections("done"), [""; 0], "{id}: {text:?} is right");
        }
        for text in wrong {
            files::write(&path, text).unwrap();
            assert_ne!(suite.objections("done"), [""; 0], "{id}: {text:?} is wrong");
        }
    }
}

#[test]
fn copied_lines() {
    let suite = Suite::new("errors-file");
    let path = suite.place.path().join("workspace/errors.txt");
    let log = files::read(suite.place.path().join("home/logs/app.log")).unwrap();
    let lines = |keep: fn(&str) -> bool| log.lines().filter(|line| keep(line)).collect::<Vec<_>>().join("\n");
    let with = |text: String| {
        files::write(&path, text).unwrap();
        suite.objections("done")
    };
    assert_eq!(with(lines(|line| line.contains(" ERROR ")) + "\n"), [""; 0]);
    // "recovered from an earlier error" is no line of that level.
    assert_ne!(with(lines(|line| line.to_lowercase().contains("error"))), [""; 0]);
    assert_ne!(with(lines(|_| true)), [""; 0]);
    assert_ne!(with(String::new()), [""; 0]);
}

#[test]
fn nothing_is_right_where_the_file_is_missing() {
    let suite = Suite::new("missing-purchases");
    for answer in ["0", "There is no such file.", "5366.72", ""] {
        assert_ne!(suite.objections(answer), [""; 0], "{answer:?}");
    }
    assert!(is_impossible(&suite.before));
}
