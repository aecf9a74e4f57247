//! Blanks out comments, strings and tests in Rust source, so that a rule about code ignores text about code.

/// The source with every character of comments and of string and character literals replaced by a space.
/// Lines keep their positions.
pub(super) fn without_words(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while let Some(&here) = chars.get(at) {
        let rest = chars.get(at..).unwrap_or_default();
        let length = match here {
            '/' if rest.get(1) == Some(&'/') => line_comment(rest),
            '/' if rest.get(1) == Some(&'*') => block_comment(rest),
            '"' => string(rest),
            'r' | 'b' | 'c' if !follows_word(&chars, at) => prefixed_string(rest),
            '\'' => character(rest),
            _ => 0,
        };
        if length == 0 {
            out.push(here);
            at += 1;
        } else {
            out.extend(rest.iter().take(length).map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at += length;
        }
    }
    out
}

/// The texts of a source, each with its line, counted from 0.
pub(super) fn literals(source: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = source.chars().collect();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 0);
    while let Some(&here) = chars.get(at) {
        let rest = chars.get(at..).unwrap_or_default();
        let (length, is_text) = match here {
            '/' if rest.get(1) == Some(&'/') => (line_comment(rest), false),
            '/' if rest.get(1) == Some(&'*') => (block_comment(rest), false),
            '"' => (string(rest), true),
            'r' | 'b' | 'c' if !follows_word(&chars, at) => (prefixed_string(rest), true),
            '\'' => (character(rest), false),
            _ => (0, false),
        };
        let taken = rest.get(..length.max(1)).unwrap_or_default();
        if is_text && length > 0 {
            found.push((line, taken.iter().collect()));
        }
        line += taken.iter().filter(|c| **c == '\n').count();
        at += length.max(1);
    }
    found
}

/// The source up to its module of tests, which stands last.
pub(super) fn before_tests(source: &str) -> &str {
    let begins = source.match_indices("#[cfg(test)]\nmod ").map(|(at, _)| at).find(|at| {
        source.get(*at..).and_then(|rest| rest.lines().nth(1)).is_some_and(|line| line.ends_with('{'))
    });
    begins.and_then(|at| source.get(..at)).unwrap_or(source)
}

/// [`without_words`], and with the bodies of `#[cfg(test)]` modules blanked as well.
pub(super) fn without_tests(source: &str) -> String {
    let code = without_words(source);
    let mut out = String::with_capacity(code.len());
    let mut rest = code.as_str();
    while let Some(start) = rest.find("#[cfg(test)]") {
        let (before, after) = rest.split_at(start);
        out.push_str(before);
        let end = item_end(after);
        out.extend(after.chars().take(end).map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = after
            .get(after.char_indices().nth(end).map_or(after.len(), |(byte, _)| byte)..)
            .unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Where a word occurs as an identifier or path in a line of code.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let starts = word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let ends = word.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let part_of_another = (starts && joins(before)) || (ends && joins(after));
        !part_of_another
    })
}

/// The length up to the end of the item that starts here: its closing brace, or the semicolon of an item
/// without a body.
fn item_end(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.chars().enumerate() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.chars().count()
}

fn follows_word(chars: &[char], at: usize) -> bool {
    at.checked_sub(1).and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric() || *c == '_')
}

fn line_comment(rest: &[char]) -> usize {
    rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(two) = rest.get(at..at + 2) {
        match two {
            ['/', '*'] => (depth, at) = (depth + 1, at + 2),
            ['*', '/'] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of a string from its quote on.
fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while let Some(c) = rest.get(at) {
        match c {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a prefixed string, `r"..."`, `r#"..."#`, `b"..."`, `br"..."`, `c"..."`; 0 if it is none.
fn prefixed_string(rest: &[char]) -> usize {
    let letters = rest.iter().take_while(|c| matches!(c, 'r' | 'b' | 'c')).count();
    let hashes = rest.iter().skip(letters).take_while(|c| **c == '#').count();
    if letters > 2 || rest.get(letters + hashes) != Some(&'"') {
        return 0;
    }
    let raw = rest.iter().take(letters).any(|c| *c == 'r');
    if !raw {
        return if hashes == 0 { letters + string(rest.get(letters..).unwrap_or_default()) } else { 0 };
    }
    let mut at = letters + hashes + 1;
    while let Some(c) = rest.get(at) {
        let closing = rest.iter().skip(at + 1).take(hashes).filter(|c| **c == '#').count();
        if *c == '"' && closing == hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    rest.len()
}

/// A character literal; 0 for a lifetime.
fn character(rest: &[char]) -> usize {
    match rest.get(1) {
        Some('\\') => rest.iter().skip(3).position(|c| *c == '\'').map_or(0, |at| at + 4),
        Some(_) if rest.get(2) == Some(&'\'') => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let plain: String = without_words(source).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(plain, expected, "{source}");
    }

    #[test]
    fn words_go_and_code_stays() {
        check("a(); // todo!()", "a();");
        check("a(); /* x /* y */ z */ b();", "a(); b();");
        check(r#"f("todo!() \" x", 1)"#, "f( , 1)");
        check(r##"f(r#"dbg!() " x"#, 1)"##, "f( , 1)");
        check("f(b\"x\", br\"y\", 'z', '\\'', '\\u{1F600}')", "f( , , , , )");
        check("fn f<'a>(x: &'a str) -> &'a str { x }", "fn f<'a>(x: &'a str) -> &'a str { x }");
        check("let bar = rb; r#type", "let bar = rb; r#type");
    }

    #[test]
    fn lines_stay_where_they_are() {
        let source = "a\n/* b\nc */\n\"d\ne\"\nf";
        assert_eq!(without_words(source).lines().count(), source.lines().count());
    }

    #[test]
    fn test_modules_go() {
        let code = without_tests(
            "a();\n#[cfg(test)]\nmod tests { fn x() { y(\"}\") } }\nb();\n#[cfg(test)] mod t;\nc();",
        );
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a();", "b();", "c();"]);
    }

    #[test]
    fn a_word_is_not_a_part_of_one() {
        assert!(has_word("unsafe { x }", "unsafe"));
        assert!(!has_word("unsafe_code", "unsafe"));
        assert!(has_word("x.println!()", "println!"));
        assert!(!has_word("eprintln!()", "println!"));
    }
}
