//! Finds the numbers of a refusal that mean something: each by the words beside it.
//!
//! A message of a server has many numbers: the name of a model, a date, an id, a wait. Only a number that stands
//! in one of the [`WORDINGS`] has a meaning; every other one is left alone.

/// The numbers that a server names when a request is too large for its model, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// What a prompt and its answer may have together.
    pub(crate) context: Option<u32>,
    /// What the prompt has.
    pub(crate) prompt: Option<u32>,
    /// What a prompt may have.
    pub(crate) most_prompt: Option<u32>,
    /// What an answer may have.
    pub(crate) most_output: Option<u32>,
    /// What the prompt has and the answer may have, together.
    pub(crate) total: Option<u32>,
}

/// What a number means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Context,
    Prompt,
    /// Another part of the prompt: its tools.
    PartOfPrompt,
    /// The prompt with all its parts.
    WholePrompt,
    MostPrompt,
    /// The limit that was asked for. The client knows it.
    Output,
    MostOutput,
    /// The first number of tokens that an answer may not have.
    NoOutput,
    Total,
    /// Part of a wording, and of no use.
    Nothing,
}

/// Wordings of servers in lower case, without marks, the more specific first: a number has the meaning of the
/// first that it stands in. A capital letter is a number ([`meaning`]). Between two words of a wording there
/// may be any of [`FILLERS`]. All names of the limit of an answer are `max_tokens` here.
///
/// They are those of OpenAI, Azure, Anthropic, Gemini, Mistral, DeepSeek, Groq, xAI, Cohere, Cerebras, Bedrock,
/// DashScope, Moonshot, OpenRouter, GitHub, vLLM, SGLang, TGI, llama.cpp and LM Studio.
const WORDINGS: [&str; 66] = [
    // As arithmetic.
    "P + O > C",
    "O > C - P",
    "n_keep P > n_ctx C",
    "prompt limit exceeded P > L",
    "max_tokens limit exceeded O > M",
    "max_tokens O > M",
    "P > C maximum",
    "inputs + max_tokens < C",
    "cannot exceed L - received P",
    "max_tokens N got - N",
    // What an answer may have.
    "can only afford M",
    "max_tokens [ N M",
    "max_tokens value O but supported range from N inclusive X exclusive",
    "most M completion",
    "most M output",
    "maximum M completion",
    "maximum M output",
    "max_tokens O exceeds model limit M",
    "max_tokens O exceeds maximum M",
    "max_tokens exceeds model limit M",
    "requested exceeds model limit M",
    "max_tokens input less than or equal M",
    "max_tokens less than or equal M",
    "max less than or equal M",
    "max_tokens greater than M",
    "max_tokens cannot exceed M",
    "max_tokens not exceed M",
    "max_tokens most M",
    "max_tokens maximum M",
    "maximum max_tokens M",
    "maximum value max_tokens M",
    "max_tokens < M",
    "max_tokens > M",
    // What a prompt may have.
    "maximum prompt length L",
    "maximum input length L",
    "maximum number allowed L",
    "input length [ N L",
    "inputs have less than L",
    "configured limit L",
    "max size L",
    // The context.
    "limit C requested T",
    "length T while limit C",
    "C maximum context length",
    "context length C",
    "context size C",
    "context window C",
    "context limit C",
    "context_length C",
    "model length C",
    "model limit C",
    "n_ctx C",
    "max_model_len C",
    "max_seq_len C",
    "max_total_tokens C",
    // What was sent.
    "resulted in W",
    "P input",
    "P inputs",
    "P messages",
    "P prompt",
    "F functions",
    "F tool",
    "O completion",
    "O output",
    "O max_tokens",
    "request P exceeds",
    "total T",
];

/// As [`WORDINGS`], and looked for last, since they are short.
const SHORT: [&str; 11] = [
    "requested T",
    "n_prompt_tokens P",
    "keep first P",
    "input count P",
    "input length P",
    "prompt length P",
    "prompt contains P",
    "request contains P",
    "prompt too long P",
    "prompt P",
    "input P",
];

/// Words that may stand between two of a wording.
const FILLERS: [&str; 27] = [
    "a",
    "about",
    "an",
    "approximately",
    "are",
    "at",
    "be",
    "for",
    "has",
    "in",
    "is",
    "least",
    "must",
    "of",
    "only",
    "should",
    "text",
    "the",
    "to",
    "token",
    "tokens",
    "up",
    "used",
    "was",
    "which",
    "with",
    "your",
];

/// Other names of the limit of an answer.
pub(crate) const LIMIT_NAMES: [&str; 5] =
    ["max_completion_tokens", "max_output_tokens", "maxoutputtokens", "max_new_tokens", "max_gen_len"];

fn meaning(word: &str) -> Option<Meaning> {
    Some(match word {
        "C" => Meaning::Context,
        "P" => Meaning::Prompt,
        "F" => Meaning::PartOfPrompt,
        "W" => Meaning::WholePrompt,
        "L" => Meaning::MostPrompt,
        "O" => Meaning::Output,
        "M" => Meaning::MostOutput,
        "X" => Meaning::NoOutput,
        "T" => Meaning::Total,
        "N" => Meaning::Nothing,
        _ => return None,
    })
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Word(String),
    Number(u32),
    /// One of `+ - > < [`.
    Sign(char),
    /// The end of a sentence, over which no wording goes.
    End,
}

/// The numbers of `text` that have a meaning.
pub(crate) fn sizes(text: &str) -> Sizes {
    let pieces = pieces(text);
    let mut meanings: Vec<Option<Meaning>> = vec![None; pieces.len()];
    for wording in WORDINGS.into_iter().chain(SHORT) {
        for start in 0..pieces.len() {
            let Some(found) = stands_at(wording, &pieces, start) else { continue };
            if found.iter().all(|(at, _)| meanings.get(*at).is_some_and(Option::is_none)) {
                for (at, meaning) in found {
                    if let Some(place) = meanings.get_mut(at) {
                        *place = Some(meaning);
                    }
                }
            }
        }
    }
    summed(pieces.iter().zip(meanings))
}

fn summed<'a>(numbers: impl Iterator<Item = (&'a Piece, Option<Meaning>)>) -> Sizes {
    let mut sizes = Sizes::default();
    let (mut part, mut whole) = (0_u32, None);
    for (piece, meaning) in numbers {
        // A maximum of nothing says that the answer would take it all.
        let (Piece::Number(number @ 1..), Some(meaning)) = (piece, meaning) else { continue };
        let number = *number;
        match meaning {
            Meaning::Context => sizes.context = sizes.context.or(Some(number)),
            Meaning::Prompt => sizes.prompt = sizes.prompt.or(Some(number)),
            Meaning::PartOfPrompt => part = part.saturating_add(number),
            Meaning::WholePrompt => whole = Some(number),
            Meaning::MostPrompt => sizes.most_prompt = sizes.most_prompt.or(Some(number)),
            Meaning::MostOutput => sizes.most_output = sizes.most_output.or(Some(number)),
            Meaning::NoOutput => sizes.most_output = sizes.most_output.or(Some(number.saturating_sub(1))),
            Meaning::Total => sizes.total = sizes.total.or(Some(number)),
            Meaning::Output | Meaning::Nothing => {}
        }
    }
    sizes.prompt = whole.or_else(|| sizes.prompt.map(|prompt| prompt.saturating_add(part)));
    sizes
}

/// Where the numbers of `wording` are, if it stands at `start`.
fn stands_at(wording: &str, pieces: &[Piece], start: usize) -> Option<Vec<(usize, Meaning)>> {
    const MOST_FILLERS: usize = 5;
    let mut at = start;
    let mut found = Vec::new();
    for (place, expected) in wording.split(' ').enumerate() {
        let is_expected = |piece: &Piece| match piece {
            Piece::Word(word) => word == expected,
            Piece::Number(_) => meaning(expected).is_some(),
            Piece::Sign(sign) => expected.chars().eq([*sign]),
            Piece::End => false,
        };
        let mut fillers = 0;
        while !is_expected(pieces.get(at)?) {
            let is_filler = matches!(pieces.get(at)?, Piece::Word(word) if FILLERS.contains(&word.as_str()));
            if place == 0 || !is_filler || fillers == MOST_FILLERS {
                return None;
            }
            fillers += 1;
            at += 1;
        }
        if let (Some(Piece::Number(_)), Some(meaning)) = (pieces.get(at), meaning(expected)) {
            found.push((at, meaning));
        }
        at += 1;
    }
    Some(found)
}

/// Cuts a message into pieces. Digits that belong to a name, a date, a fraction or an id are no number.
fn pieces(text: &str) -> Vec<Piece> {
    /// Of a longer message only the beginning is read: an error in a stream may be as long as a whole response.
    const MOST_CHARACTERS: usize = 64 * 1024;
    let text = text.to_lowercase().replace(['\'', '’', '`', '"', '\\'], "");
    let chars: Vec<char> = text.chars().take(MOST_CHARACTERS).collect();
    let char_at = |at: usize| chars.get(at).copied();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(c) = char_at(at) {
        let begins = at;
        at += 1;
        match c {
            '+' | '-' | '>' | '<' | '[' => pieces.push(Piece::Sign(c)),
            // The end of a sentence, and not a dot within a name.
            '.' | ';' | '?' | '!' if char_at(at).is_none_or(char::is_whitespace) => pieces.push(Piece::End),
            c if c.is_alphanumeric() || c == '_' => {
                let mut is_number = c.is_ascii_digit();
                while let Some(c) = char_at(at)
                    && (c.is_alphanumeric() || c == '_' || is_number && is_within_number(&chars, at))
                {
                    is_number &= c.is_ascii_digit() || c == ',';
                    at += 1;
                }
                let word: String = chars.get(begins..at).unwrap_or_default().iter().collect();
                // `gpt-4`, `2026-11-27`, `1/2`: part of something longer.
                let joins =
                    |c: Option<char>| c.is_some_and(|c| matches!(c, '-' | '/' | '.' | '%' | '#' | '$'));
                let before = begins.checked_sub(1).filter(|at| !is_sign(&chars, *at)).and_then(char_at);
                let after = char_at(at).filter(|_| char_at(at + 1).is_some_and(char::is_alphanumeric));
                match number(&word) {
                    Some(number) if !joins(before) && !joins(after) => pieces.push(Piece::Number(number)),
                    _ => pieces.push(Piece::Word(word)),
                }
            }
            _ => {}
        }
    }
    for piece in &mut pieces {
        if let Piece::Word(word) = piece
            && LIMIT_NAMES.contains(&word.as_str())
        {
            "max_tokens".clone_into(word);
        }
    }
    pieces
}

/// Whether a minus stands here as a sign, and joins nothing to the number behind it.
fn is_sign(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| chars.get(at));
    chars.get(at) == Some(&'-')
        && !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '/' | '.'))
}

/// Whether a number goes on with the mark at `at`: the comma of `200,000`, the dot of `1.5`.
fn is_within_number(chars: &[char], at: usize) -> bool {
    let digits = chars.iter().skip(at + 1).take(4).take_while(|c| c.is_ascii_digit()).count();
    match chars.get(at) {
        Some('.') => digits > 0,
        Some(',') => digits == 3,
        _ => false,
    }
}

fn number(word: &str) -> Option<u32> {
    word.replace(',', "").parse().ok()
}

#[cfg(test)]
#[path = "wordings_tests.rs"]
mod tests;
