//! Parses numbers in prose and in command output.

/// The standalone numbers in `text`: `3`, `-1.5`, `1,204`; not the digits of `big2.txt` or `v1.2.3`.
pub(crate) fn standalone_numbers(text: &str) -> Vec<f64> {
    tokens(text).filter_map(parse).collect()
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || is_separator(c))
}

/// A number stated in an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    /// Digits after the decimal point, which is the stated precision.
    decimals: i32,
}

/// The relative tolerance between equal numbers: sums of decimals differ in the last bits depending on their
/// order.
const LAST_BITS: f64 = 1e-9;
/// The number of digits from which a rounded number can be compared with a longer one: 0.3 says too little
/// about 0.27.
const TELLING_DIGITS: f64 = 3.0;

impl Figure {
    /// Whether this is `exact`, rounded to the stated number of digits.
    pub(crate) fn rounds(self, exact: f64) -> bool {
        let half = 0.5 * 10_f64.powi(-self.decimals);
        (self.value - exact).abs() <= half + LAST_BITS * exact.abs()
    }

    /// Whether two figures state the same number, possibly with one of them rounded: 2.94 and
    /// 2.94117647058824, but not 3 and 2.94.
    pub(crate) fn is_same(self, other: Self) -> bool {
        let close = (self.value - other.value).abs() <= LAST_BITS * self.value.abs().max(other.value.abs());
        let (short, long) = if self.decimals <= other.decimals { (self, other) } else { (other, self) };
        let tells = short.decimals > 0
            && short.value.abs() * 10_f64.powi(short.decimals) >= 10_f64.powf(TELLING_DIGITS - 1.0);
        close || (tells && short.rounds(long.value))
    }
}

/// The [`standalone_numbers`] of a text, each with its precision.
pub(crate) fn figures(text: &str) -> Vec<Figure> {
    let decimals = |token: &str| {
        let after = token.split_once('.').map(|(_, after)| after).unwrap_or_default();
        i32::try_from(after.bytes().take_while(u8::is_ascii_digit).count()).unwrap_or_default()
    };
    let figure = |token: &str| parse(token).map(|value| Figure { value, decimals: decimals(token) });
    tokens(text).filter_map(figure).collect()
}

/// Every number that can be read in a text, also within words: 4 in `4K`, 1204 and 204 in `1,204`, 3 in
/// `a3.txt`. This is more than a reader would see, so that no shown number is missed.
pub(crate) fn numbers_within(text: &str) -> Vec<f64> {
    let mut numbers = Vec::new();
    let runs = text.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '-'));
    for run in runs.filter(|run| run.contains(|c: char| c.is_ascii_digit())) {
        let mut read = |digits: &str| {
            numbers.extend(
                digits.trim_matches(['.', ',']).parse().ok().filter(|number: &f64| number.is_finite()),
            );
        };
        read(&run.replace(',', ""));
        for part in run.split(['-', ',']) {
            read(part);
            part.split('.').for_each(&mut read);
        }
        // The hyphen of a range is not a sign.
        run.split('-').skip(1).for_each(|part| read(&format!("-{}", part.replace(',', ""))));
        run.split('-').for_each(|part| read(&part.replace(',', "")));
    }
    numbers
}

/// Numbers that occur in any computation: units and their parts.
const UNITS: [f64; 9] = [0.0, 1.0, 10.0, 60.0, 100.0, 1000.0, 1024.0, 3600.0, 1_000_000.0];

/// Whether a text computes with shown numbers: it contains numbers from these outputs and, except for units,
/// no others.
///
/// ```
/// use artoo_checks::computes_with;
/// assert!(computes_with("echo $((14 + 13))", &["14 a.txt", "13 b.txt"]));
/// assert!(!computes_with("echo 27", &["14 a.txt", "13 b.txt"]));
/// ```
pub fn computes_with(text: &str, outputs: &[&str]) -> bool {
    let shown: Vec<f64> = outputs.iter().flat_map(|output| numbers_within(output)).collect();
    let used: Vec<f64> = numbers_within(text).into_iter().filter(|number| !UNITS.contains(number)).collect();
    !used.is_empty() && used.iter().all(|number| shown.contains(number))
}

/// Punctuation between numbers, in prose, in Markdown, and in scripts without blanks.
fn is_separator(c: char) -> bool {
    matches!(c, ';' | '(' | ')' | '[' | ']' | '"' | '\'' | '`' | '*' | '=' | '|')
        || matches!(c, '，' | '。' | '：' | '；' | '、' | '（' | '）' | '「' | '」' | '،' | '؛' | '؟')
}

/// Parses a token that is a number after removing sentence punctuation and thousands separators.
fn parse(token: &str) -> Option<f64> {
    let token = token.trim_end_matches(['.', ',', ':', '!', '?', '%']).trim_start_matches(['$', '€']);
    let digits = token.strip_prefix(['-', '+']).unwrap_or(token);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if digits.contains(',') {
        // 1,204 is a number; 1,2 is a list.
        let mut groups = digits.split('.').next().unwrap_or_default().split(',');
        let first_is_short = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
        if !first_is_short || !groups.all(|group| group.len() == 3) {
            return None;
        }
    }
    token.replace(',', "").parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_alone_is_a_number() {
        let table: &[(&str, &[f64])] = &[
            ("3\n", &[3.0]),
            ("There are 3 files, 1,204 bytes.", &[3.0, 1204.0]),
            ("big2.txt v1.2.3 a3", &[]),
            ("-1.5 +2", &[-1.5, 2.0]),
            ("1,2", &[]),
            ("total: 90%", &[90.0]),
            ("1e400 nan inf", &[]),
            ("**3**", &[3.0]),
            ("`3`", &[3.0]),
            ("[3]", &[3.0]),
            ("共计：3。", &[3.0]),
            ("日记2.txt", &[]),
            ("العدد، 3", &[3.0]),
            ("", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(&standalone_numbers(text), expected, "{text}");
        }
    }
}
