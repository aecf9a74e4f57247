//! What an answer in plain words states: its numbers, and whether it says yes or no.

/// Numbers up to twenty, as words.
const WORDS: [(&str, f64); 21] = [
    ("zero", 0.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
];

/// Numbers up to ten in Chinese, and what makes one of them a count.
const CHINESE: [(char, f64); 12] = [
    ('零', 0.0),
    ('一', 1.0),
    ('二', 2.0),
    ('两', 2.0),
    ('三', 3.0),
    ('四', 4.0),
    ('五', 5.0),
    ('六', 6.0),
    ('七', 7.0),
    ('八', 8.0),
    ('九', 9.0),
    ('十', 10.0),
];
const CHINESE_COUNTED: [char; 6] = ['个', '張', '张', '行', '份', '条'];

/// What follows a number that is a size and no count.
const UNITS: [&str; 11] = ["b", "byte", "bytes", "k", "kb", "kib", "m", "mb", "mib", "ms", "%"];
const BYTES: [&str; 3] = ["b", "byte", "bytes"];
const NO: [&str; 9] = ["no", "not", "none", "nothing", "zero", "0", "false", "never", "without"];
const YES: [&str; 3] = ["yes", "true", "exists"];
const NO_CHINESE: [&str; 3] = ["没有", "不存在", "否"];
/// What says, in a sentence with `no`, that somebody did not look rather than that nothing is there.
const NOT_LOOKED: [&str; 8] = ["such", "idea", "access", "permission", "answer", "output", "way", "unable"];

/// Every number that a text states in digits; sizes (`12 KB`), dates and parts of names (`a2.csv`) are left out.
pub(super) fn numbers(text: &str) -> Vec<f64> {
    stated(text)
        .into_iter()
        .filter(|(_, unit)| !UNITS.contains(&unit.as_str()))
        .map(|(number, _)| number)
        .collect()
}

/// Every number of bytes that a text states, with or without the word; `12 KB` is no number of bytes, because it is rounded.
pub(super) fn bytes(text: &str) -> Vec<f64> {
    stated(text)
        .into_iter()
        .filter(|(_, unit)| BYTES.contains(&unit.as_str()) || !UNITS.contains(&unit.as_str()))
        .map(|(number, _)| number)
        .collect()
}

/// Every number that a text states in words, from `zero` to `twenty`; in Chinese up to ten, where something is counted.
pub(super) fn numbers_in_words(text: &str) -> Vec<f64> {
    let chars: Vec<char> = text.chars().collect();
    let chinese = chars.windows(2).enumerate().filter_map(|(at, pair)| {
        let [numeral, counted] = pair else { return None };
        // In 二十个 the last numeral is not the number.
        let alone = at.checked_sub(1).and_then(|at| chars.get(at)).is_none_or(|before| !is_numeral(*before));
        let (_, number) = CHINESE.iter().find(|(name, _)| name == numeral)?;
        (alone && CHINESE_COUNTED.contains(counted)).then_some(*number)
    });
    words(text)
        .filter_map(|word| WORDS.iter().find(|(name, _)| *name == word))
        .map(|(_, number)| *number)
        .chain(chinese)
        .collect()
}

/// Whether a text says that there are none of what a request asks for: `no FATAL lines`, `none of the lines`. `no idea` and `no such
/// file` do not.
pub(super) fn says_none(text: &str, request: &str) -> bool {
    let asked: Vec<String> = words(request).filter(|word| word.chars().count() > 3).collect();
    let words: Vec<String> = words(text).filter(|word| !word.is_empty()).collect();
    let about_it = |word: &String| asked.iter().any(|asked| asked.starts_with(word.trim_end_matches('s')));
    let none = words.iter().enumerate().any(|(at, word)| {
        let after = words.get(at + 1..).unwrap_or_default();
        match word.as_str() {
            "no" => after.iter().take(3).any(|word| word.chars().count() > 3 && about_it(word)),
            "none" => after.first().is_some_and(|word| word == "of"),
            _ => false,
        }
    });
    none && !words.iter().any(|word| NOT_LOOKED.contains(&word.as_str()))
}

/// The words of a text, in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.to_lowercase().replace('’', "'"))
}

/// Whether a text says yes or no; `None` where it says neither. A text that names something (`naming`) says yes.
pub(super) fn says_yes(text: &str, naming: bool) -> Option<bool> {
    let words: Vec<String> = words(text).collect();
    let negates = |word: &String| NO.contains(&word.as_str()) || word.ends_with("n't");
    // "It is empty" is a no, "it is not empty" none.
    let denies_empty = |at: &usize| {
        let before = words.get(at.saturating_sub(2)..*at).unwrap_or_default();
        before.iter().any(|word| word == "not" || word.ends_with("n't"))
    };
    let (not_empty, empty): (Vec<usize>, Vec<usize>) = (0..words.len())
        .filter(|at| words.get(*at).is_some_and(|word| word == "empty"))
        .partition(denies_empty);
    let denied = words.iter().filter(|word| negates(word)).count();
    if denied > not_empty.len() || !empty.is_empty() || NO_CHINESE.iter().any(|no| text.contains(no)) {
        Some(false)
    } else if naming
        || !not_empty.is_empty()
        || words.iter().any(|word| YES.contains(&word.as_str()))
        || text.contains('有')
    {
        Some(true)
    } else {
        None
    }
}

/// Every number in digits that is no date and no part of a name, with the unit behind it in lower case.
fn stated(text: &str) -> Vec<(f64, String)> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        if !c.is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = (at..chars.len()).find(|&end| !part_of_number(&chars, end)).unwrap_or(chars.len());
        let digits: String = chars.get(at..end).unwrap_or_default().iter().filter(|c| **c != ',').collect();
        let near = |offset: isize| at.checked_add_signed(offset).and_then(|at| chars.get(at)).copied();
        let after = |offset: usize| chars.get(end + offset).copied();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let unit = unit(chars.get(end..).unwrap_or_default());
        let in_name = near(-1).is_some_and(joins) || near(-1) == Some('-') || after(0).is_some_and(joins);
        let in_date = (matches!(after(0), Some('-' | ':')) && digit(after(1)))
            || (near(-1) == Some(':') && digit(near(-2)));
        // `12kb` is a size although a letter follows.
        let sized = !near(-1).is_some_and(joins) && near(-1) != Some('-') && UNITS.contains(&unit.as_str());
        if (sized || !in_name) && !in_date {
            found.extend(digits.parse::<f64>().ok().map(|number| (number, unit)));
        }
        at = end;
    }
    found
}

/// Whether a character belongs to a Chinese numeral.
fn is_numeral(c: char) -> bool {
    c == '百' || c == '第' || CHINESE.iter().any(|(name, _)| *name == c)
}

/// A digit, or a point or comma between digits.
fn part_of_number(chars: &[char], at: usize) -> bool {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    match chars.get(at) {
        Some('.' | ',') => at > 0 && digit(at - 1) && digit(at + 1),
        _ => digit(at),
    }
}

fn joins(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '/')
}

/// The letters behind a number, in lower case: its unit, where they are one.
fn unit(after: &[char]) -> String {
    let text: String = after
        .iter()
        .skip_while(|c| **c == ' ')
        .take_while(|c| c.is_ascii_alphabetic() || **c == '%')
        .collect();
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let cases: [(&str, &[f64]); 9] = [
            ("There are 5 files.", &[5.0]),
            ("Sum: 5,365.12", &[5365.12]),
            ("1,234,567 lines", &[1_234_567.0]),
            ("5 files, the largest has 4151 bytes (4.1 KB)", &[5.0]),
            ("photos 里有4个文件", &[4.0]),
            ("sales2.csv, q3/x, v1", &[]),
            ("about -3 or 2025-11-03 10:30", &[]),
            ("(7). 8, 9!", &[7.0, 8.0, 9.0]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(numbers(text), expected, "{text}");
        }
        assert_eq!(numbers_in_words("Five files, no others"), [5.0]);
        assert_eq!(numbers_in_words("共有四个文件,第三行,二十个"), [4.0]);
    }

    #[test]
    fn bytes_are_read_and_rounded_sizes_are_not() {
        let cases: [(&str, &[f64]); 5] = [
            ("1220 bytes", &[1220.0]),
            ("1,220B in 6 files", &[1220.0, 6.0]),
            ("about 1.2 KB, 1.2k, 2MB", &[]),
            ("1220 photos/", &[1220.0]),
            ("file2b 12 ms", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn none_is_said_of_what_was_asked() {
        let request = "How many lines in logs/app.log have the level FATAL?";
        for text in ["There are no lines with that level.", "No FATAL line.", "None of the lines"] {
            assert!(says_none(text, request), "{text}");
        }
        let others =
            ["I have no idea how many lines", "no such line", "none", "no", "I found no way", "5 lines"];
        for text in others {
            assert!(!says_none(text, request), "{text}");
        }
    }

    #[test]
    fn yes_and_no_are_told_apart() {
        let cases = [
            ("No, there is no .docx file.", Some(false)),
            ("There aren't any.", Some(false)),
            ("0", Some(false)),
            ("没有", Some(false)),
            ("Yes, two.", Some(true)),
            ("有两个", Some(true)),
            ("The folder is empty.", Some(false)),
            ("The folder is not empty.", Some(true)),
            ("It isn't really empty.", Some(true)),
            ("No, it's empty.", Some(false)),
            ("It is not empty, but there is no text file in it.", Some(false)),
            ("I looked everywhere.", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(says_yes(text, false), expected, "{text}");
        }
        assert_eq!(says_yes("a.docx", true), Some(true));
    }
}
