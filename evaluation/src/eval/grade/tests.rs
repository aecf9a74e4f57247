//! Right answers are taken, wrong ones refused.

use super::*;

fn home() -> Home {
    let mut home = Home::default();
    home.put("docs/a.txt", "one\ntwo\nthree\n");
    home.put("docs/b 2024.txt", "x");
    home.put("docs/c.txt", "x".repeat(45));
    home
}

#[track_caller]
fn check(wanted: Answer, right: &[&str], wrong: &[&str]) {
    let home = home();
    let expected = Expected { answers: vec![wanted], ..Expected::default() };
    let objections = |answer: &str| {
        let request = "What about these 30 things?";
        judge(
            &expected,
            Delivered { request, answer, before: &home, after: &home, workspace: &Home::default() },
        )
        .objections
    };
    for answer in right {
        assert_eq!(objections(answer), [""; 0], "{answer:?} is right");
    }
    for answer in wrong {
        assert_ne!(objections(answer), [""; 0], "{answer:?} is wrong");
    }
}

#[test]
fn a_count() {
    check(
        Answer::Number(3.0),
        &[
            "3",
            "There are 3 files.",
            "three",
            "Kolme tiedostoa",
            "三个文件",
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
fn a_sum_in_the_ways_of_several_countries() {
    check(
        Answer::Number(1234.5),
        &["1234.5", "The sum is 1,234.50.", "1.234,50 €", "1\u{202f}234,5", "1234,50"],
        &["1234.6", "12345", "1200.50 + 34.00 = 1300", "1.234"],
    );
}

#[test]
fn a_number_of_bytes() {
    check(
        Answer::Bytes(60.0),
        &["60", "60 bytes", "60 B in all", "14 docs/a.txt\n1 docs/b 2024.txt\n45 docs/c.txt\n60 total"],
        &["61 bytes", "60 bytes or 45 bytes", "60 KB", "4096", "14 docs/c.txt\n60", "", "60 or 61"],
    );
}

#[test]
fn names() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    check(
        Answer::Names { chosen: names(&["Anabel"]), rest: names(&["Ana", "Rosa"]) },
        &["Anabel", "- Anabel\n", "It is Anabel (52)."],
        &["Ana", "Ana and Anabel", "nobody", ""],
    );
}

#[test]
fn presence_and_absence() {
    check(
        Answer::Whether(false),
        &["No.", "Nein", "没有", "Ei ole."],
        &["Yes", "yes, a.txt", "I looked.", ""],
    );
    check(Answer::Whether(true), &["Yes.", "docs/a.txt", "はい"], &["No.", "I looked."]);
}

#[test]
fn files_hold_what_they_should() {
    let text = |text: &str| Holds::Text(text.to_owned());
    let names = Holds::Names(vec!["a.txt".into(), "b.txt".into()]);
    let json = Holds::Json(serde_json::json!([{"a": 1, "b": "x"}]));
    for (holds, right, wrong) in [
        (text("a\nb"), vec!["a\nb\n", "a\r\nb"], vec!["", "a b", "a\nb\nc"]),
        (
            names,
            vec!["b.txt\na.txt", "- docs/a.txt\n- ./b.txt\n"],
            vec!["a.txt", "a.txt\nb.txt\nc.txt", "a.txt b.txt"],
        ),
        (
            json,
            vec!["[{\"b\":\"x\",\"a\":\"1\"}]", "[{\"a\": 1.0, \"b\": \"x\"}]"],
            vec!["[]", "{}", "a,b", "[{\"a\":1}]"],
        ),
        (Holds::Number(17.0), vec!["17", "17\n", "sum: 17"], vec!["", "17 18", "18"]),
        (Holds::Archive([("a".to_owned(), vec![])].into()), vec![], vec!["", "a", "no archive"]),
    ] {
        right.iter().for_each(|text| assert!(fits(&holds, text.as_bytes()), "{holds:?}: {text:?}"));
        wrong.iter().for_each(|text| assert!(!fits(&holds, text.as_bytes()), "{holds:?}: {text:?}"));
    }
}

#[test]
fn a_file_in_a_folder_may_not_lie_in_the_workspace() {
    let (home, mut workspace) = (home(), Home::default());
    workspace.put("new.txt", "n");
    workspace.put("docs/new.txt", "n");
    let objections = |path: &str| {
        let changes = vec![Change::Holds(path.to_owned(), Holds::Text("n".to_owned()))];
        let expected = Expected { changes, ..Expected::default() };
        let delivered =
            Delivered { request: "", answer: "", before: &home, after: &home, workspace: &workspace };
        judge(&expected, delivered).objections
    };
    assert_eq!(objections("new.txt"), [""; 0]);
    assert_eq!(objections("docs/new.txt"), ["docs/new.txt is not there"]);
}

#[test]
fn what_cannot_be_met_is_never_right_when_it_is_claimed() {
    let home = home();
    let expected = Expected { refused: true, ..Expected::default() };
    let objections = |answer: &str| {
        let (request, workspace) = ("What is the sum of row 7?", &Home::default());
        let delivered = Delivered { request, answer, before: &home, after: &home, workspace };
        judge(&expected, delivered).objections
    };
    assert_eq!(objections("There is no row 7 in docs/b 2024.txt."), ["there is nothing to accept"]);
    for invented in ["0", "The sum of row 7 is 0.", "three"] {
        assert_eq!(objections(invented), ["there is nothing to accept", INVENTED], "{invented}");
    }
}
