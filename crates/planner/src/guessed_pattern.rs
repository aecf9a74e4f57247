//! Detects patterns that guess an answer: they spell out words or numbers that the request does not contain.

use artoo_text::alphanumeric_words;
use regex_syntax::ast::{Ast, ClassSet, ClassSetItem, parse::Parser};

/// Whether a pattern spells out a word or a number that is not in the request: `^9$`, although the request
/// has no 9. A model that plans knows no answers, so the value can only be a guess. A number has to occur
/// exactly, a word may be part of another, since words are inflected. An invalid pattern guesses nothing.
pub(crate) fn guesses(pattern: &str, request: &str) -> bool {
    let Ok(ast) = Parser::new().parse(pattern) else { return false };
    let mut spelled = String::new();
    spell(&ast, &mut spelled);
    let request = request.to_lowercase();
    let is_said = |word: &str| match word.chars().all(char::is_numeric) {
        true => alphanumeric_words(&request).any(|said| said == word),
        false => request.contains(word),
    };
    let spelled = spelled.to_lowercase();
    alphanumeric_words(&spelled).any(|word| !is_said(word))
}

/// The literal parts of a pattern, with a blank in place of everything variable. The parser bounds the
/// nesting depth.
fn spell(ast: &Ast, spelled: &mut String) {
    match ast {
        Ast::Literal(literal) => spelled.push(literal.c),
        Ast::Concat(concat) => concat.asts.iter().for_each(|part| spell(part, spelled)),
        Ast::Group(group) => spell(&group.ast, spelled),
        Ast::Alternation(alternation) => {
            for one in &alternation.asts {
                spelled.push(' ');
                spell(one, spelled);
            }
            spelled.push(' ');
        }
        Ast::Repetition(repetition) => {
            spelled.push(' ');
            spell(&repetition.ast, spelled);
            spelled.push(' ');
        }
        // A class of one character is that character.
        Ast::ClassBracketed(class) if !class.negated => match &class.kind {
            ClassSet::Item(ClassSetItem::Literal(literal)) => spelled.push(literal.c),
            ClassSet::Item(_) | ClassSet::BinaryOp(_) => spelled.push(' '),
        },
        Ast::Empty(_)
        | Ast::Flags(_)
        | Ast::Dot(_)
        | Ast::Assertion(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => spelled.push(' '),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::guesses;

    #[test]
    fn lesson_a_planted_answer_is_a_guess() {
        let request = "How many PDF-tiedostoa was changed in 2019 in docs?";
        for guess in
            ["^9$", "^(9)$", "^[9]$", r"\x39", "(?i)^neun$", "^19$", "yes|no", r"^docs/a\.md$", "^9+$"]
        {
            assert!(guesses(guess, request), "{guess}");
        }
        for shape in
            [r"^\d+$", r"\.pdf$", "^docs/", r"^\d{4}-\d{2}-\d{2}$", "^2019$", "tiedosto", "[0-9a-f]", "(", ""]
        {
            assert!(!guesses(shape, request), "{shape}");
        }
    }

    proptest! {
        #[test]
        fn any_pattern_is_read(pattern in ".{0,60}", request in ".{0,60}") {
            let _ = guesses(&pattern, &request);
        }

        #[test]
        fn words_of_the_request_are_no_guess(request in "[a-z0-9]{1,6}( [a-z0-9]{1,6}){0,4}") {
            let first = request.split(' ').next().unwrap_or_default();
            let pattern = format!("^{first}$");
            prop_assert!(!guesses(&pattern, &request));
        }
    }
}
