//! Words that code can tell to be facts by their form: those with a digit, a slash, a tilde or a dot inside.
//!
//! What is written around a fact is none of it: marks, an ending after a colon or an apostrophe (`b.txt:stä`, `b.txt's`), and letters of a
//! script that puts no blank between a number and its neighbours (那2024年的, و2024). A name keeps such letters: its own may be among them.

/// Where scripts begin that join words, or put a particle in front of one: Hebrew, Arabic, those of India, Chinese, Japanese.
const JOINING: char = '\u{590}';

/// The facts of a text, as the user wrote them.
pub(crate) fn facts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || is_between(c))
        .flat_map(|word| numbers_alone(without_ending(trimmed(word))))
        .map(trimmed)
        .filter(|fact| fact.chars().any(|c| c.is_numeric() || is_of_names(c)))
}

/// Marks that stand in no name and are written without a blank beside it.
fn is_between(c: char) -> bool {
    "，。、；：！？（）「」『』《》【】“”„«»‹›…،؛؟¿¡".contains(c)
}

fn is_of_names(c: char) -> bool {
    matches!(c, '/' | '~' | '.')
}

fn trimmed(word: &str) -> &str {
    let may_end = |c: char| c.is_alphanumeric() || matches!(c, '/' | '~' | '%' | '$' | '€');
    let may_begin =
        |c: char| !matches!(c, '"' | '\'' | '`' | '‘' | '’' | '(' | '[' | '{' | '<' | '>' | ',' | ';');
    word.trim_end_matches(|c| !may_end(c)).trim_start_matches(|c| !may_begin(c))
}

fn without_ending(word: &str) -> &str {
    let is_ending = |ending: &str| ending.chars().all(char::is_alphabetic);
    word.rsplit_once([':', '\'', '’']).filter(|(_, ending)| is_ending(ending)).map_or(word, |(stem, _)| stem)
}

fn numbers_alone(word: &str) -> impl Iterator<Item = &str> {
    let is_name = word.contains(is_of_names);
    word.split(move |c: char| !is_name && c.is_alphabetic() && c >= JOINING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_what_no_restatement_may_lose() {
        let table: &[(&str, &[&str])] = &[
            ("Count the 3 newest files in ~/docs.", &["3", "~/docs"]),
            ("and now for \"b.txt\", please!", &["b.txt"]),
            ("wrong, it should be 1,204.", &["1,204"]),
            ("at 12:30, -5 °C, *.txt and #7", &["12:30", "-5", "*.txt", "#7"]),
            ("do it again", &[]),
            ("数一数 日记2.txt", &["日记2.txt"]),
            ("كم ملفا في ٣ مجلدات؟", &["٣"]),
        ];
        for (text, expected) in table {
            assert_eq!(facts(text).collect::<Vec<_>>(), *expected, "{text}");
        }
    }

    #[test]
    fn what_is_written_around_a_fact_is_none_of_it() {
        let table: &[(&str, &[&str])] = &[
            ("entä 2024:n ja b.txt:ssä?", &["2024", "b.txt"]),
            ("b.txt's size, 2024’te", &["b.txt", "2024"]),
            ("¿y 2024? «b.txt» „c.txt“ (d.txt)", &["2024", "b.txt", "c.txt", "d.txt"]),
            ("那2024年的呢？", &["2024"]),
            ("و2024؟", &["2024"]),
            ("把a.txt、~/文档里的都删了。", &["把a.txt", "~/文档里的都删了"]),
            ("http://localhost:8080/x and C:\\a.txt", &["http://localhost:8080/x", "C:\\a.txt"]),
        ];
        for (text, expected) in table {
            assert_eq!(facts(text).collect::<Vec<_>>(), *expected, "{text}");
        }
    }
}
