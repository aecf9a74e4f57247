//! Spelling suggestions ("Did you mean ...?").

/// The nearest known name, if it is close enough: at most one edit per three letters.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&word, name), name))
        .filter(|(distance, name)| *distance <= (name.chars().count() / 3).clamp(1, 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["run", "setup", "doctor", "model", "runs", "completions"];
        let check = |word: &str, expected: Option<&str>| assert_eq!(nearest(word, names), expected, "{word}");
        check("docter", Some("doctor"));
        check("Doctor", Some("doctor"));
        check("rnu", Some("run"));
        check("setpu", Some("setup"));
        check("completion", Some("completions"));
        check("hello", None);
        check("数", None);
        check("", None);
    }
}
