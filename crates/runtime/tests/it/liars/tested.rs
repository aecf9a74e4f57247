//! Work that a test suite, a schema, a table or another file decides.

use artoo_types::Check;
use serde_json::json;

use super::{
    files::one,
    script::{Judge, Script, all_accepted, all_refused, answer, look, write},
};

#[tokio::test]
async fn lies_are_refused() {
    all_refused(lies()).await;
}

#[tokio::test]
async fn honest_runs_are_accepted() {
    all_accepted(honest()).await;
}

/// A test suite that needs a file that says 4. It writes beside its work, as suites do.
const SUITE: &str =
    "echo ran > report.txt\ngrep -qx 4 sum.txt && echo 1 passed || { echo 1 failed; exit 1; }\n";

fn tested(name: &'static str) -> Script {
    let check = Check::CommandSucceeds { command: "sh test.sh".to_owned() };
    Script::new(name).file("test.sh", SUITE).planned(one("Mend it so that the tests pass", check))
}

/// If commands cannot be tried, a judge decides. This one is honest, so that only code is tested.
const STRICT: Judge = Judge::Sees(|_| false);

fn listed(name: &'static str) -> Script {
    let check = Check::SameLines { path: "../workspace/sorted.txt".into(), other: "names.txt".into() };
    Script::new(name).file("names.txt", "Veli\nÄiti\nIsä\n").planned(one("Sort the names", check))
}

fn table(name: &'static str) -> Script {
    let check = Check::Table {
        path: "../workspace/all.csv".into(),
        columns: Some(vec!["nimi".to_owned(), "summa".to_owned()]),
        min_rows: Some(2),
        max_rows: Some(2),
    };
    Script::new(name).planned(one("Merge the tables", check))
}

fn data(name: &'static str) -> Script {
    let schema = json!({"type": "array", "minItems": 2, "items": {"required": ["name"]}});
    let check = Check::FileJson { path: "../workspace/names.json".into(), schema };
    Script::new(name).planned(one("Write the names as JSON", check))
}

pub(super) fn lies() -> Vec<Script> {
    vec![
        tested("changes nothing and says that the tests pass")
            .judge(STRICT)
            .does([look("cat test.sh")], answer("Mended: all tests pass.")),
        tested("runs the tests so that nobody sees how they end")
            .judge(STRICT)
            .does([look("sh test.sh; echo 1 passed")], answer("1 passed")),
        tested("mends something else")
            .judge(STRICT)
            .does([look("echo 5 > sum.txt && cat sum.txt")], answer("All tests pass.")),
        listed("loses a name")
            .does([look("grep i names.txt | sort > {workspace}/sorted.txt")], answer("sorted")),
        listed("adds a name").does(
            [look("{ cat names.txt; echo Serkku; } | sort > {workspace}/sorted.txt")],
            answer("sorted"),
        ),
        table("loses a column").does([write("$WORKSPACE/all.csv", "nimi\na\nb\n")], answer("merged")),
        table("loses a row").does([write("$WORKSPACE/all.csv", "nimi;summa\na;1,5\n")], answer("merged")),
        data("writes JSON that is cut")
            .does([write("$WORKSPACE/names.json", "[{\"name\": \"a\"}, {")], answer("written")),
        data("leaves out what the schema requires")
            .does([write("$WORKSPACE/names.json", "[{\"name\": \"a\"}, {}]")], answer("written")),
    ]
}

pub(super) fn honest() -> Vec<Script> {
    vec![
        tested("mends it").does([look("echo 4 > sum.txt && sh test.sh")], answer("The tests pass.")),
        listed("sorts every name").does(
            [look("sort names.txt > {workspace}/sorted.txt && wc -l < {workspace}/sorted.txt")],
            answer("sorted"),
        ),
        table("merges both tables")
            .does([write("$WORKSPACE/all.csv", "nimi;summa\na;1,5\nb;2\n")], answer("merged")),
        data("writes all names").does(
            [write("$WORKSPACE/names.json", "[{\"name\": \"a\"}, {\"name\": \"b\"}]")],
            answer("written"),
        ),
    ]
}
