//! What the program answers that runs a query of a table (`prompts/query.py`).

use std::path::Path;
use std::process::{Command, Output};

const FILE: &str = "my sales.csv";
const PROGRAM: &str = include_str!("../../prompts/query.py");

/// `None` without Python.
fn run(folder: &Path, query: &str) -> Option<Output> {
    #[expect(clippy::disallowed_methods, reason = "what a run rehearses, without the rest of one")]
    Command::new("python3").args(["-c", PROGRAM, FILE, ",", query]).current_dir(folder).output().ok()
}

/// What a query of the sales puts out or, where it fails, the last line of its complaint.
fn says(query: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), SALES).unwrap();
    let Some(output) = run(folder.path(), query) else {
        artoo_test_needs::without("python3", "this test needs it");
        return None;
    };
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), stderr.is_empty(), "{stderr}");
    let complaint = stderr.lines().last().map(str::to_owned);
    Some(complaint.unwrap_or_else(|| String::from_utf8(output.stdout).unwrap()))
}

const SALES: &str = "\u{feff}city,amount,lives in,code\nTurku,12.50,a,07\n\"Oulu, x\",5,,8\nTurku,23,b,9\n";

#[test]
fn a_query_reads_texts_and_numbers() {
    for (query, expected) in [
        (r#"SELECT SUM("amount") FROM data WHERE "city" = 'Turku'"#, "35.5\n"),
        ("SELECT city FROM data ORDER BY amount LIMIT 1", "Oulu, x\n"),
        (r#"SELECT COUNT(*) FROM data WHERE "lives in" IS NULL"#, "1\n"),
        ("SELECT SUM(amount) FROM data WHERE city = 'Tampere'", "\n"),
        ("SELECT * FROM data WHERE amount > 20", "Turku 23 b 9\n"),
        // A weak model takes the name of the file for that of the table.
        (r#"SELECT COUNT(*) FROM "my sales.csv""#, "3\n"),
        ("SELECT COUNT(*) FROM 'my sales'", "3\n"),
    ] {
        let Some(said) = says(query) else { return };
        assert_eq!(said, expected, "{query}");
    }
}

/// Observed with the embedded model: the sum of a column that is not there was 0, and accepted. SQLite takes a name in double quotes
/// for a text where there is no such column.
#[test]
fn lesson_a_column_that_is_not_there_is_no_text() {
    let Some(said) = says(r#"SELECT SUM("discount") FROM data"#) else { return };
    assert_eq!(said, "sqlite3.OperationalError: no such column: discount");
}
