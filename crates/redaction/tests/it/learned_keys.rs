//! Private keys whose files are known.

use artoo_redaction::{JsonWriter, Redactor};
use proptest::prelude::*;

/// Data without any structure, in lines as a key has them.
const DATA: [&str; 4] = [
    "7kPq2ZfW9cXbL0tRjY4mN8sVhA6uD3oGeIx1QwTzKyHnBrJvSpCaEgMlFdUi5OYk",
    "q8WnZt3XcVbR5yLmK1sJhG7fD0aPoI9uTeQ2rY6wEiU4vCxBzNMlOkAjSgHdFpWe",
    "mX2cVb8nQw5eRt1yUi7oPa4sDf0gHj6kLz3xCvBnMqWeRtYuIoPlKjHgFdSaZ9Cd",
    "Zz1YyXxWwVv2UuTtSsRr3QqPp+o/nNmMlL4kKjJiIhH=",
];

fn file() -> String {
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", DATA.join("\n"))
}

fn redactor() -> Redactor {
    let redactor = Redactor::new();
    redactor.learn_private_keys(file().as_bytes());
    redactor
}

const MARK: &str = "[redacted: private key]";

#[test]
fn every_line_of_a_known_key_is_redacted() {
    let stranger = Redactor::new();
    for line in DATA {
        assert_eq!(stranger.apply(line), line, "nobody knows it without the file");
        for (before, after) in [("", ""), ("key.pem:3:", ""), ("x=", " y"), ("\"", "\", 1")] {
            let redacted = redactor().apply(&format!("{before}{line}{after}")).into_owned();
            assert!(redacted.starts_with(before) && redacted.ends_with(after), "{redacted}");
            assert_eq!(redacted.replace([' ', 'y'], "").matches("[redacted:").count(), 1, "{redacted}");
            assert!(redacted.len() <= before.len() + MARK.len() + after.len() + 1, "{redacted}");
        }
    }
    let one_line = DATA.concat();
    assert_eq!(redactor().apply(&one_line), MARK);
    assert_eq!(redactor().apply(&file()), format!("{MARK}\n"), "a whole key is one mark, as before");
    assert_eq!(redactor().apply(&format!("{}\n", DATA[1..3].join("\n"))), format!("{MARK}\n{MARK}\n"));
}

#[test]
fn what_is_learned_holds_for_all_clones() {
    let redactor = Redactor::new().secret("hunter22");
    let (clone, mut json) = (redactor.clone().secret("hunter33"), JsonWriter::new(redactor.clone()));
    let mut write = |text: &str| {
        let mut line = Vec::new();
        json.write(&serde_json::json!(text), &mut line).unwrap();
        String::from_utf8(line).unwrap()
    };
    let part = &DATA[1][7..40];
    assert_eq!(write(part), format!("\"{part}\""));
    redactor.learn_private_keys(file().as_bytes());
    assert_eq!(clone.apply(part), MARK);
    assert_eq!(write(part), format!("\"{MARK}\""));
}

/// What is no private key teaches nothing.
#[test]
fn other_files_teach_nothing() {
    let redactor = Redactor::new();
    for file in [
        DATA.join("\n"),
        file().replace("PRIVATE KEY", "CERTIFICATE"),
        format!("Keys begin with -----BEGIN PRIVATE KEY-----\nand end.\n{}\n", DATA[0]),
        String::new(),
    ] {
        redactor.learn_private_keys(file.as_bytes());
        assert_eq!(redactor.apply(DATA[0]), DATA[0], "{file}");
    }
    let putty = format!(
        "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 2\n{}\n{}\nPrivate-MAC: 00\n",
        DATA[0], DATA[1]
    );
    redactor.learn_private_keys(putty.as_bytes());
    assert_eq!(redactor.apply(DATA[0]), MARK);
    assert_eq!(redactor.apply(DATA[2]), DATA[2]);
}

proptest! {
    /// No twelve characters of the key stay, wherever a part of it stands and however the text comes.
    #[test]
    fn no_part_of_a_known_key_stays(
        from in 0..200_usize,
        length in 12..120_usize,
        before in "(.|\n){0,30}",
        after in "(.|\n){0,30}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let key = DATA.concat();
        let part = &key[from.min(key.len() - 12)..(from + length).min(key.len())];
        let text = format!("{before}{part}{after}");
        let redactor = redactor();
        let once = redactor.apply(&text).into_owned();
        let outside = format!("{before}\n{after}");
        for at in 0..part.len().saturating_sub(11) {
            prop_assert!(!once.contains(&part[at..at + 12]) || outside.contains(&part[at..at + 12]), "{}", once);
        }
        prop_assert_eq!(redactor.apply(&once), once.as_str());
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let (mut stream, mut out) = (redactor.stream(), Vec::new());
        for pair in cuts.windows(2) {
            stream.push(&text.as_bytes()[pair[0]..pair[1]], &mut out);
        }
        stream.finish(&mut out);
        prop_assert_eq!(String::from_utf8(out).unwrap(), once);
    }
}
