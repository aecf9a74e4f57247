//! Cuts a Python program into names, texts and signs.

/// A piece of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword.
    Name(String),
    /// A text without expressions, as it stands between the quotes.
    Text(String),
    /// A figure.
    Number,
    /// One character of an operator.
    Sign(char),
    /// The end of a line.
    End,
}

impl Token {
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Text(_) | Self::Number | Self::Sign(_) | Self::End => None,
        }
    }

    pub(super) fn shown(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Sign(one) => one.to_string(),
            Self::Text(_) | Self::Number | Self::End => "?".to_owned(),
        }
    }
}

/// The tokens of a program, those of the expressions within f-strings among them, or why it was not read.
///
/// Whatever two versions of Python read differently is not read.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    if text.contains("coding") && text.contains('#') {
        return Err("its encoding may be another one".to_owned());
    }
    let mut out = Vec::new();
    read(&text.chars().collect::<Vec<_>>(), 0, &mut out)?;
    // A line goes on within brackets.
    let mut open = 0_usize;
    out.retain(|token| {
        match token {
            Token::Sign('(' | '[' | '{') => open += 1,
            Token::Sign(')' | ']' | '}') => open = open.saturating_sub(1),
            Token::Name(_) | Token::Text(_) | Token::Number | Token::Sign(_) | Token::End => {}
        }
        open == 0 || *token != Token::End
    });
    Ok(out)
}

fn read(all: &[char], depth: usize, out: &mut Vec<Token>) -> Result<(), String> {
    if depth > 3 {
        return Err("texts within texts are nested too deep".to_owned());
    }
    let here = |at: usize| all.get(at).copied();
    let mut at = 0;
    while let Some(one) = here(at) {
        at += 1;
        match one {
            ' ' | '\t' => {}
            '\n' => out.push(Token::End),
            '\\' if here(at) == Some('\n') => at += 1,
            '#' => {
                while here(at).is_some_and(|one| one != '\n') {
                    at += 1;
                }
            }
            '\'' | '"' => at = string(all, at - 1, "", depth, out)?,
            _ if one.is_ascii_digit() => {
                at = figure(all, at)?;
                out.push(Token::Number);
            }
            _ if one.is_ascii_alphabetic() || one == '_' => {
                let from = at - 1;
                while here(at).is_some_and(|one| one.is_ascii_alphanumeric() || one == '_') {
                    at += 1;
                }
                let name: String = all.get(from..at).unwrap_or_default().iter().collect();
                if matches!(here(at), Some('\'' | '"')) {
                    at = string(all, at, &name.to_ascii_lowercase(), depth, out)?;
                } else {
                    out.push(Token::Name(name));
                }
            }
            _ if one.is_ascii() && !one.is_ascii_control() => out.push(Token::Sign(one)),
            _ => return Err(format!("{one:?} stands in the program")),
        }
    }
    Ok(())
}

/// Where the figure ends whose first digit stands before `at`. What runs into a word or a second point is not read.
fn figure(all: &[char], mut at: usize) -> Result<usize, String> {
    let here = |at: usize| all.get(at).copied();
    let hexadecimal = here(at - 1) == Some('0') && matches!(here(at), Some('x' | 'X'));
    if hexadecimal {
        at += 1;
    }
    let digit = |one: char| if hexadecimal { one.is_ascii_hexdigit() } else { one.is_ascii_digit() };
    let digits = |at: &mut usize| {
        while here(*at).is_some_and(|one| digit(one) || one == '_') {
            *at += 1;
        }
    };
    digits(&mut at);
    if here(at) == Some('.') {
        at += 1;
        digits(&mut at);
    }
    if matches!(here(at), Some('e' | 'E')) {
        at += 1;
        if matches!(here(at), Some('+' | '-')) {
            at += 1;
        }
        digits(&mut at);
    }
    if here(at).is_some_and(|one| one.is_ascii_alphanumeric() || one == '_' || one == '.') {
        return Err("a figure runs into a word".to_owned());
    }
    Ok(at)
}

/// A text that begins with the quote at `from`; gives where it ends.
fn string(
    all: &[char],
    from: usize,
    prefix: &str,
    depth: usize,
    out: &mut Vec<Token>,
) -> Result<usize, String> {
    if !["", "r", "b", "u", "f", "rb", "br", "fr", "rf"].contains(&prefix) {
        return Err("a text has an odd beginning".to_owned());
    }
    let here = |at: usize| all.get(at).copied();
    let quote = here(from);
    let triple = here(from + 1) == quote && here(from + 2) == quote;
    let width = if triple { 3 } else { 1 };
    let mut at = from + width;
    loop {
        let Some(one) = here(at) else { return Err("a text is not closed".to_owned()) };
        let closes = Some(one) == quote && (!triple || (here(at + 1) == quote && here(at + 2) == quote));
        if closes {
            break;
        }
        if one == '\n' && !triple {
            return Err("a text is not closed".to_owned());
        }
        at += if one == '\\' { 2 } else { 1 };
    }
    let inside = all.get(from + width..at).ok_or("a text is not closed")?;
    if prefix.contains('f') {
        expressions(inside, depth, out)?;
        // Not a text whose content is known.
        out.push(Token::Number);
    } else {
        out.push(Token::Text(inside.iter().collect()));
    }
    Ok(at + width)
}

/// The expressions in the braces of an f-string.
fn expressions(inside: &[char], depth: usize, out: &mut Vec<Token>) -> Result<(), String> {
    let mut at = 0;
    while let Some(one) = inside.get(at).copied() {
        let twice = inside.get(at + 1) == Some(&one);
        match one {
            '{' | '}' if twice => at += 2,
            '}' => return Err("a brace of a text is not opened".to_owned()),
            '{' => {
                let rest = inside.get(at + 1..).unwrap_or_default();
                let end = rest
                    .iter()
                    .position(|one| matches!(one, '{' | '}'))
                    .ok_or("a brace of a text is not closed")?;
                let expression = rest.get(..end).unwrap_or_default();
                if rest.get(end) != Some(&'}') || expression.contains(&'\\') {
                    return Err("an expression in a text is too involved".to_owned());
                }
                out.push(Token::Sign('{'));
                read(expression, depth + 1, out)?;
                out.push(Token::Sign('}'));
                at += end + 2;
            }
            _ => at += 1,
        }
    }
    Ok(())
}
