//! What an answer in plain words states: its numbers, and whether it says yes or no. In the languages of the suite.

/// Numbers as words, from two to twelve: one is a pronoun more often. Words that mean something else in another language are left out.
const WORDS: [(f64, &str); 11] = [
    (2.0, "two zwei deux kaksi dois duas två"),
    (3.0, "three drei tres trois kolme três tre"),
    (4.0, "four vier cuatro quatre neljä quatro fyra quattro"),
    (5.0, "five fünf cinco cinq viisi fem cinque"),
    (6.0, "six sechs seis kuusi"),
    (7.0, "seven sieben siete sept seitsemän sete sju"),
    (8.0, "eight acht ocho huit kahdeksan oito åtta"),
    (9.0, "nine neun nueve yhdeksän nio"),
    (10.0, "ten zehn diez dix kymmenen dez tio dieci"),
    (11.0, "eleven elf onze yksitoista elva undici"),
    (12.0, "twelve zwölf doce douze kaksitoista doze tolv dodici"),
];

/// Numerals up to ten in Chinese and Japanese, and what makes one of them a count.
const HAN: [(char, f64); 10] = [
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
const HAN_COUNTED: [char; 8] = ['个', '個', '张', '行', '份', '条', '件', '次'];
const OTHER_HAN: [char; 5] = ['百', '第', '零', '一', '千'];

/// What follows a number that is a size and no count.
const UNITS: [&str; 14] =
    ["b", "byte", "bytes", "octets", "tavua", "k", "kb", "ko", "kib", "m", "mb", "mib", "ms", "%"];
const BYTES: [&str; 5] = ["b", "byte", "bytes", "octets", "tavua"];

const NO: &str = "no not none nothing zero false never without nein nicht kein keine keiner keines keinen non aucun aucune pas rien ei eivät \
                  mikään mitään não nenhum nenhuma nada nej inte ingen inga nessun nessuno nessuna ningún ninguno ninguna";
const YES: &str = "yes true ja doch sí si oui kyllä sim sì jo";
const NO_HAN: [&str; 8] = ["没有", "不存在", "不是", "否", "いいえ", "ありません", "ない", "なし"];
const YES_HAN: [&str; 5] = ["有", "是", "はい", "あります", "ある"];

/// A number in digits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stated {
    /// How it may be read: `1.250` is one thing in Berlin and another in Boston.
    pub readings: Vec<f64>,
    /// The letters behind it, in lower case.
    unit: String,
}

/// Every number that a text states in digits; sizes (`12 KB`), dates and parts of names (`a2.csv`) are left out.
pub(super) fn numbers(text: &str) -> Vec<Stated> {
    let mut found = stated(text);
    found.retain(|number| !UNITS.contains(&number.unit.as_str()));
    found
}

/// Every number of bytes that a text states, with or without the word; `12 KB` is no number of bytes, because it is rounded.
pub(super) fn bytes(text: &str) -> Vec<Stated> {
    let mut found = stated(text);
    found.retain(|number| BYTES.contains(&number.unit.as_str()) || !UNITS.contains(&number.unit.as_str()));
    found
}

/// Every number that a text states in words.
pub(super) fn numbers_in_words(text: &str) -> Vec<f64> {
    let chars: Vec<char> = text.chars().collect();
    let han = chars.windows(2).enumerate().filter_map(|(at, pair)| {
        let [numeral, counted] = pair else { return None };
        // In 二十个 the last numeral is not the number.
        let alone = at.checked_sub(1).and_then(|at| chars.get(at)).is_none_or(|before| !is_numeral(*before));
        let (_, number) = HAN.iter().find(|(name, _)| name == numeral)?;
        (alone && HAN_COUNTED.contains(counted)).then_some(*number)
    });
    let named = |word: String| WORDS.iter().find(|(_, names)| has(names, &word)).map(|(number, _)| *number);
    words(text).filter_map(named).chain(han).collect()
}

/// Whether a text says yes or no; `None` where it says neither. The first word that is one decides, for `no` is another word in
/// Lisbon: *Sim, no arquivo*. A text with neither that names something (`naming`) says yes.
pub(super) fn says_yes(text: &str, naming: bool) -> Option<bool> {
    let said = |word: String| {
        let is_no = has(NO, &word) || word.ends_with("n't") || word == "0";
        (is_no || has(YES, &word)).then_some(!is_no)
    };
    let first = |list: &[&str]| list.iter().filter_map(|word| text.find(word)).min();
    words(text).find_map(said).or_else(|| match (first(&YES_HAN), first(&NO_HAN)) {
        (Some(yes), Some(no)) => Some(yes < no),
        (Some(_), None) => Some(true),
        (None, Some(_)) => Some(false),
        (None, None) => naming.then_some(true),
    })
}

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

/// The words of a text, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.to_lowercase().replace('’', "'"))
}

/// Every number in digits that is no date and no part of a name.
fn stated(text: &str) -> Vec<Stated> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        if !c.is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = (at..chars.len()).find(|&end| !part_of_number(&chars, end)).unwrap_or(chars.len());
        let digits: String = chars.get(at..end).unwrap_or_default().iter().collect();
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
            found.push(Stated { readings: readings(&digits), unit });
        }
        at = end;
    }
    found
}

/// How digits with points, commas and narrow blanks may be read: each mark divides thousands, or the last one begins the decimals.
fn readings(digits: &str) -> Vec<f64> {
    let digits: String = digits.chars().filter(|c| !is_narrow(*c) && !divides_thousands(*c)).collect();
    let read = |thousands: char, decimals: char| {
        let (whole, rest) = digits.split_once(decimals).unwrap_or((&digits, ""));
        let mut groups = whole.split(thousands);
        let is_grouped = groups.next().is_some_and(|first| whole == first || first.len() <= 3)
            && groups.all(|group| group.len() == 3);
        let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        (is_grouped && is_plain(rest))
            .then(|| format!("{}.{rest}0", whole.replace(thousands, "")).parse().ok())?
    };
    let mut readings: Vec<f64> = [read(',', '.'), read('.', ',')].into_iter().flatten().collect();
    readings.dedup();
    readings
}

/// Whether a character belongs to a numeral.
fn is_numeral(c: char) -> bool {
    OTHER_HAN.contains(&c) || HAN.iter().any(|(name, _)| *name == c)
}

/// A digit, or a mark between digits.
fn part_of_number(chars: &[char], at: usize) -> bool {
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    match chars.get(at) {
        Some(c) if matches!(c, '.' | ',') || is_narrow(*c) => at > 0 && digit(at - 1) && digit(at + 1),
        Some(c) if divides_thousands(*c) => {
            // At most three digits before it, and three behind it.
            let before = (0..at).rev().take_while(|at| digit(*at)).count();
            (1..=3).contains(&before) && (at + 1..at + 4).all(digit) && !digit(at + 4)
        }
        _ => digit(at),
    }
}

/// The blanks that stand within a number, in French for example.
fn is_narrow(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{202f}')
}

/// What divides thousands, and may stand between two numbers as well.
fn divides_thousands(c: char) -> bool {
    matches!(c, ' ' | '\u{2009}' | '\'' | '’')
}

fn joins(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '/')
}

/// The letters behind a number, in lower case: its unit, where they are one.
fn unit(after: &[char]) -> String {
    let text: String = after
        .iter()
        .skip_while(|c| **c == ' ' || is_narrow(**c))
        .take_while(|c| c.is_ascii_alphabetic() || **c == '%')
        .collect();
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let cases: [(&str, &[&[f64]]); 16] = [
            ("There are 5 files.", &[&[5.0]]),
            ("Sum: 5,365.12", &[&[5365.12]]),
            ("Summe: 5.365,12", &[&[5365.12]]),
            ("5\u{202f}365,12 euros", &[&[5365.12]]),
            ("Somme : 54 321,50, 11 608 lignes", &[&[54321.5], &[11608.0]]),
            ("1 234 567 and 12'345", &[&[1_234_567.0], &[12345.0]]),
            ("3 1200, 12 34, 1234 567", &[&[3.0], &[1200.0], &[12.0], &[34.0], &[1234.0], &[567.0]]),
            ("1.250 or 1,250", &[&[1.25, 1250.0], &[1250.0, 1.25]]),
            ("1,234,567 lines", &[&[1_234_567.0]]),
            ("12,5 and 12.50", &[&[12.5], &[12.5]]),
            ("5 files, the largest has 4151 bytes (4.1 KB)", &[&[5.0]]),
            ("photos 里有4个文件", &[&[4.0]]),
            ("sales2.csv, q3/x, v1", &[]),
            ("about -3 or 2025-11-03 10:30", &[]),
            ("(7). 8, 9!", &[&[7.0], &[8.0], &[9.0]]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<Vec<f64>> = numbers(text).into_iter().map(|number| number.readings).collect();
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(numbers_in_words("Five files, no others, kahdeksan"), [5.0, 8.0]);
        assert_eq!(numbers_in_words("共有四个文件,第三行,二十个"), [4.0]);
    }

    #[test]
    fn bytes_are_read_and_rounded_sizes_are_not() {
        let cases: [(&str, &[f64]); 5] = [
            ("1220 bytes", &[1220.0]),
            ("1220B in 6 files", &[1220.0, 6.0]),
            ("about 1.2 KB, 1.2k, 2MB", &[]),
            ("1220 octets", &[1220.0]),
            ("file2b 12 ms", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<f64> = bytes(text).into_iter().flat_map(|number| number.readings).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn yes_and_no_are_told_apart() {
        let cases = [
            ("No, there is no such file.", Some(false)),
            ("There aren't any.", Some(false)),
            ("0", Some(false)),
            ("没有", Some(false)),
            ("いいえ、ありません", Some(false)),
            ("Nein, keine.", Some(false)),
            ("Ei, mikään ei mainitse sitä.", Some(false)),
            ("Não, nenhum.", Some(false)),
            ("Yes, two.", Some(true)),
            ("有两个", Some(true)),
            ("はい", Some(true)),
            ("Sí, hay uno", Some(true)),
            ("Sim, aparece no arquivo a.txt.", Some(true)),
            ("Es gibt keine solche Datei.", Some(false)),
            ("不是", Some(false)),
            ("是的,有一个", Some(true)),
            ("Kyllä", Some(true)),
            ("I looked everywhere.", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(says_yes(text, false), expected, "{text}");
        }
        assert_eq!(says_yes("a.docx", true), Some(true));
    }
}
