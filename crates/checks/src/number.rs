//! Numbers in prose and in command output.

/// The numbers that stand by themselves in `text`: `3`, `-1.5`, `1,204`; not the digits of `big2.txt` or `v1.2.3`.
pub(crate) fn standalone_numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| c.is_whitespace() || is_separator(c)).filter_map(parse).collect()
}

/// Punctuation that stands between numbers, of prose, of Markdown, and of the scripts that use no blanks.
fn is_separator(c: char) -> bool {
    matches!(c, ';' | '(' | ')' | '[' | ']' | '"' | '\'' | '`' | '*' | '=' | '|')
        || matches!(c, '，' | '。' | '：' | '；' | '、' | '（' | '）' | '「' | '」' | '،' | '؛' | '؟')
}

/// A token that is a number once sentence punctuation and thousands separators are taken off.
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
