//! What an answer in plain words states: its numbers, and whether it says yes or no.

/// Numbers up to twenty, as words.
const WORDS: [(&str, f64); 22] = [
    ("zero", 0.0),
    ("no", 0.0),
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

/// What follows a number that is a size and no count.
const UNITS: [&str; 11] = ["b", "byte", "bytes", "k", "kb", "kib", "m", "mb", "mib", "ms", "%"];
const NO: [&str; 9] = ["no", "not", "none", "nothing", "zero", "0", "false", "never", "without"];
const YES: [&str; 3] = ["yes", "true", "exists"];
const NO_CHINESE: [&str; 3] = ["没有", "不存在", "否"];

/// Every number that a text states in digits; sizes (`12 KB`), dates and parts of names (`a2.csv`) are left out.
pub(super) fn numbers(text: &str) -> Vec<f64> {
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
        let in_name = near(-1).is_some_and(joins) || near(-1) == Some('-') || after(0).is_some_and(joins);
        let in_date = (matches!(after(0), Some('-' | ':')) && digit(after(1)))
            || (near(-1) == Some(':') && digit(near(-2)));
        if !in_name && !in_date && !is_size(chars.get(end..).unwrap_or_default()) {
            found.extend(digits.parse::<f64>().ok());
        }
        at = end;
    }
    found
}

/// Every number that a text states in words, from `no` to `twenty`.
pub(super) fn numbers_in_words(text: &str) -> Vec<f64> {
    words(text)
        .filter_map(|word| WORDS.iter().find(|(name, _)| *name == word))
        .map(|(_, number)| *number)
        .collect()
}

/// Whether a text says yes or no; `None` where it says neither. A text that names something (`naming`) says yes.
pub(super) fn says_yes(text: &str, naming: bool) -> Option<bool> {
    let words: Vec<String> = words(text).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()) || word.ends_with("n't"));
    if has(&NO) || NO_CHINESE.iter().any(|no| text.contains(no)) {
        Some(false)
    } else if naming || words.iter().any(|word| YES.contains(&word.as_str())) || text.contains('有') {
        Some(true)
    } else {
        None
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.to_lowercase().replace('’', "'"))
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

fn is_size(after: &[char]) -> bool {
    let text: String = after
        .iter()
        .skip_while(|c| **c == ' ')
        .take_while(|c| c.is_ascii_alphabetic() || **c == '%')
        .collect();
    UNITS.contains(&text.to_lowercase().as_str())
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
        assert_eq!(numbers_in_words("Five files, no others"), [5.0, 0.0]);
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
            ("I looked everywhere.", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(says_yes(text, false), expected, "{text}");
        }
        assert_eq!(says_yes("a.docx", true), Some(true));
    }
}
