use proptest::prelude::*;

use super::*;

fn home() -> (tempfile::TempDir, Filesystem) {
    let home = tempfile::tempdir().unwrap();
    for folder in ["docs/old", "Reports 2024", "报告", "año"] {
        fs::create_dir_all(home.path().join(folder)).unwrap();
    }
    for file in [
        "docs/plan.md",
        "docs/old/plan.md",
        "sales.csv",
        "Reports 2024/q1 sales.csv",
        "报告/一.txt",
        "año/nóminas.csv",
        "data.v2.json",
    ] {
        fs::write(home.path().join(file), "x").unwrap();
    }
    let world = Filesystem::new(home.path(), home.path(), Default::default());
    (home, world)
}

fn named(text: &str, world: &Filesystem) -> Vec<PathBuf> {
    Listing::of(&[text], world).named(text, world).0.into_iter().map(|named| named.path).collect()
}

#[test]
fn names_are_found_in_any_language() {
    let (home, world) = home();
    let table: [(&str, &[&str]); 24] = [
        ("How many rows has sales.csv?", &["sales.csv"]),
        ("Montako riviä sales.csv:ssä on?", &["sales.csv"]),
        ("sales.csv里有多少行？", &["sales.csv"]),
        ("Which file in docs/old is the newest?", &["docs/old"]),
        ("Qué suma hay en año/nóminas.csv?", &["año/nóminas.csv"]),
        ("What does \"q1 sales.csv\" say?", &["Reports 2024/q1 sales.csv"]),
        ("Add q1 sales.csv to sales.csv", &["Reports 2024/q1 sales.csv", "sales.csv"]),
        ("Read Reports 2024 and sum it up", &["Reports 2024"]),
        ("İ: 'reports 2024/Q1 Sales.csv'里有几行？", &["Reports 2024/q1 sales.csv"]),
        ("Wie viele Zeilen hat ./Reports 2024/q1 sales.csv?", &["Reports 2024/q1 sales.csv"]),
        ("Is Reports 2024/q2 sales.csv longer?", &["Reports 2024", "sales.csv"]),
        ("报告文件夹里有几个文件？", &["报告"]),
        ("Count the plans in DOCS.", &["docs"]),
        ("Compare docs/plan.md with docs/old/plan.md", &["docs/old/plan.md", "docs/plan.md"]),
        ("What is the version in data.v2.json?", &["data.v2.json"]),
        ("plan.md", &["docs/old/plan.md", "docs/plan.md"]),
        ("(sales.csv)", &["sales.csv"]),
        ("~/sales.csv", &["sales.csv"]),
        ("How many lines has docs/sales.csv?", &["sales.csv"]),
        ("Montako riviä on tiedostossa docs/new/plan.md:ssä?", &[]),
        ("How many lines has docs/missing.csv?", &["docs"]),
        ("How many lines has /nowhere/sales.csv?", &[]),
        ("What is missing.csv?", &[]),
        (". ~ / .. ", &[]),
    ];
    let root = home.path().canonicalize().unwrap();
    for (text, expected) in table {
        let expected: Vec<PathBuf> = expected.iter().map(|path| root.join(path)).collect();
        assert_eq!(named(text, &world), expected, "{text}");
    }
}

/// Both are files of their own, and a name that fits one of them exactly is no name of the other.
#[test]
fn what_is_spelled_exactly_so_is_meant_alone() {
    let home = tempfile::tempdir().unwrap();
    for folder in ["docs", "Docs", "lib"] {
        fs::create_dir(home.path().join(folder)).unwrap();
    }
    let files =
        ["README.md", "readme.md", "docs/A.txt", "Docs/a.txt", "My notes.txt", "my notes.txt", "lib/Plan.md"];
    for file in files.into_iter().chain(["plan.md", "报告A.txt", "报告a.txt"]) {
        fs::write(home.path().join(file), "x").unwrap();
    }
    if home.path().join("DOCS").exists() {
        let reason = "this file system does not tell names apart by case";
        return artoo_test_needs::skip(artoo_test_needs::Ability::NamesByCase, reason);
    }
    let world = Filesystem::new(home.path(), home.path(), Default::default());
    let root = home.path().canonicalize().unwrap();
    let table: [(&str, &[&str]); 12] = [
        ("Change b to B in readme.md", &["readme.md"]),
        ("Change b to B in ./README.md.", &["README.md"]),
        ("Delete A.txt", &["docs/A.txt"]),
        ("What is in Docs/a.txt?", &["Docs/a.txt"]),
        ("What is in old/A.txt?", &["docs/A.txt"]),
        ("List docs", &["docs"]),
        ("Sum up My notes.txt", &["My notes.txt"]),
        ("Sum up my notes.txt, not My notes.txt", &["My notes.txt", "my notes.txt"]),
        ("Who wrote Plan.md?", &["lib/Plan.md"]),
        ("把报告A.txt的内容告诉我", &["报告A.txt"]),
        // Spelled as neither: both may be meant.
        ("Read Readme.md", &["README.md", "readme.md"]),
        ("Sum up MY NOTES.txt", &["My notes.txt", "my notes.txt"]),
    ];
    for (text, expected) in table {
        let expected: Vec<PathBuf> = expected.iter().map(|path| root.join(path)).collect();
        assert_eq!(named(text, &world), expected, "{text}");
    }
}

/// An entry of a workspace in the working folder is one entry.
#[test]
fn a_file_of_a_workspace_within_is_meant_wherever_it_was() {
    let (home, world) = home();
    fs::create_dir(home.path().join("results")).unwrap();
    fs::write(home.path().join("results/notes.txt"), "x").unwrap();
    let file = home.path().canonicalize().unwrap().join("results/notes.txt");
    for workspace in ["results", "."] {
        let world = world.clone().with_workspace(home.path().join(workspace));
        for text in ["What is in old/notes.txt?", "What is in notes.txt?", "What is in results/notes.txt?"] {
            assert_eq!(named(text, &world), std::slice::from_ref(&file), "{text}");
        }
    }
}

#[test]
fn what_is_left_are_words() {
    let (_home, world) = home();
    let text = "İn Reports 2024/q1 sales.csv and missing.csv";
    let (_, left) = Listing::of(&[text], &world).named(text, &world);
    assert_eq!(left, "İn   and missing.csv");
}

/// Words of the files in `home`, in other cases and with other letters around.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "docs/old/PLAN.md",
        "plan.md:ssä",
        "Sales.csv里",
        "Reports 2024",
        "q1 SALES.csv",
        "报告文件夹",
        "一.txt",
        "AÑO/nóminas.csv",
        "elsewhere/sales.csv",
        "会议\n记录.txt",
        "打开会议\u{3000} 记录.txt",
        "data.v2.json.",
        "./docs",
        "ΟΔΟΣ.txt",
        "οδοσ.txt",
        "~/docs",
        "x",
    ]);
    prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn entries_that_no_text_names_change_nothing(text in prop_oneof![words(), "\\PC{0,40}"]) {
        let (home, world) = home();
        for name in ["Οδος.txt", "会议 记录.txt"] {
            fs::write(home.path().join(name), "x").unwrap();
        }
        let all = Listing::of_names(&world, |_| true).named(&text, &world);
        prop_assert_eq!(Listing::of(&[&text, "docs and more"], &world).named(&text, &world), all);
    }

    #[test]
    fn whatever_is_named_is_there_and_never_the_folder_itself(text in "\\PC{0,60}") {
        let (home, world) = home();
        let root = home.path().canonicalize().unwrap();
        for path in named(&text, &world) {
            prop_assert!(path.exists() && !root.starts_with(&path), "{path:?}");
        }
    }
}
