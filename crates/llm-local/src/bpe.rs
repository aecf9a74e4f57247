//! Byte-pair encoding over bytes: text to the tokens of a vocabulary that a file carries.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use llguidance::toktrie::TokenId;
use regex::Regex;
use unicode_normalization::UnicodeNormalization as _;

/// How Qwen2 cuts text before it merges bytes. Its own pattern has `\s+(?!\S)` before the last alternative, which a regular language
/// cannot say; [`Bpe::pieces`] does.
const QWEN2: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+";

/// What turns text into tokens.
pub(crate) struct Bpe {
    cut: Regex,
    /// The token of each byte.
    bytes: Vec<TokenId>,
    /// Which two tokens become which one. The one of the lowest rank is made first.
    merges: HashMap<(TokenId, TokenId), (Rank, TokenId)>,
}

/// The place of a merge in the file's list.
type Rank = u32;

impl Bpe {
    /// The encoding of these tokens, whose names are written in the [`byte_alphabet`], with these merges, each two names with a blank
    /// between them.
    pub(crate) fn new(tokens: &[&str], merges: &[&str]) -> Result<Self, String> {
        let ids: HashMap<&str, TokenId> = (0..).zip(tokens).map(|(id, token)| (*token, id)).collect();
        let id = |name: &str| {
            ids.get(name).copied().ok_or_else(|| format!("its tokenizer has no token {name:?}, but needs it"))
        };
        let mut bytes = vec![0; 256];
        for (c, byte) in byte_alphabet() {
            if let Some(token) = bytes.get_mut(usize::from(byte)) {
                *token = id(c.encode_utf8(&mut [0; 4]))?;
            }
        }
        let merge = |(rank, merge): (Rank, &&str)| {
            let malformed = || format!("its tokenizer has a malformed merge: {merge:?}");
            let (left, right) = merge.split_once(' ').ok_or_else(malformed)?;
            Ok(((id(left)?, id(right)?), (rank, id(&[left, right].concat())?)))
        };
        let merges = (0..).zip(merges).map(merge).collect::<Result<_, String>>()?;
        let cut = Regex::new(QWEN2).map_err(|error| error.to_string())?;
        Ok(Self { cut, bytes, merges })
    }

    /// The tokens of a text. Control tokens that are written out in it are text like any other.
    pub(crate) fn encode(&self, text: &str) -> Vec<TokenId> {
        let text: String = text.nfc().collect();
        let mut tokens = Vec::with_capacity(text.len() / 3);
        self.pieces(&text, |piece| self.merge(piece.as_bytes(), &mut tokens));
        tokens
    }

    /// Cuts a text into pieces that are merged each by itself. Blanks before a word are a piece without the last one, which goes with
    /// the word.
    fn pieces<'t>(&self, text: &'t str, mut take: impl FnMut(&'t str)) {
        let mut from = 0;
        // Each character belongs to an alternative, so nothing lies between two matches.
        while let Some(found) = self.cut.find_at(text, from) {
            let mut end = found.end();
            let last = found.as_str().chars().next_back().unwrap_or_default();
            // Only the last alternative ends so.
            if last.is_whitespace() && !matches!(last, '\r' | '\n') && end < text.len() {
                let without = end - last.len_utf8();
                end = if without > from { without } else { end };
            }
            take(text.get(from..end).unwrap_or_default());
            from = end;
        }
    }

    /// Merges the bytes of a piece two by two: of all pairs that are a merge the one of the lowest rank, and of those the first.
    fn merge(&self, piece: &[u8], tokens: &mut Vec<TokenId>) {
        let token_of = |byte: &u8| self.bytes.get(usize::from(*byte)).copied().unwrap_or_default();
        let mut parts: Vec<Part> = (0..piece.len())
            .zip(piece)
            .map(|(at, byte)| Part { token: Some(token_of(byte)), before: at.wrapping_sub(1), after: at + 1 })
            .collect();
        let mut open = BinaryHeap::new();
        let pair = |parts: &[Part], left: usize| {
            let part = parts.get(left)?;
            let two = (part.token?, parts.get(part.after)?.token?);
            let (rank, token) = *self.merges.get(&two)?;
            Some(Reverse((rank, left, two, token)))
        };
        open.extend((0..parts.len()).filter_map(|left| pair(&parts, left)));
        while let Some(Reverse((_, left, two, token))) = open.pop() {
            // What was merged with something else meanwhile is no longer this pair.
            if pair(&parts, left).is_none_or(|Reverse((_, _, now, _))| now != two) {
                continue;
            }
            let Some(right) = parts.get(left).map(|part| part.after) else { continue };
            let Some(after) = parts.get_mut(right).map(|gone| {
                gone.token = None;
                gone.after
            }) else {
                continue;
            };
            if let Some(next) = parts.get_mut(after) {
                next.before = left;
            }
            let Some(part) = parts.get_mut(left) else { continue };
            (part.token, part.after) = (Some(token), after);
            let before = part.before;
            open.extend(pair(&parts, before).into_iter().chain(pair(&parts, left)));
        }
        tokens.extend(parts.iter().filter_map(|part| part.token));
    }
}

/// A token of a piece, and where its neighbours are: indices, beyond the list where there is none.
struct Part {
    /// `None` once it is part of the one before it.
    token: Option<TokenId>,
    before: usize,
    after: usize,
}

/// Byte-level encodings write bytes as printable characters: itself where printable, else from U+0100 on.
pub(crate) fn byte_alphabet() -> HashMap<char, u8> {
    let mut next = 0x100u32;
    let mut map = HashMap::with_capacity(256);
    for byte in 0..=255u8 {
        let c = char::from(byte);
        if matches!(c, '!'..='~' | '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{FF}') {
            map.insert(c, byte);
        } else if let Some(c) = char::from_u32(next) {
            map.insert(c, byte);
            next += 1;
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A vocabulary of all bytes and of some merges, which overlap.
    fn bpe() -> (Bpe, Vec<String>) {
        let mut tokens: Vec<String> = byte_alphabet().keys().map(char::to_string).collect();
        tokens.sort();
        let merges = ["a b", "b c", "a a", "ab ab", "Ġ a", "aa b", "c c", "cc cc", "bc a", "abab ab", "Ġ Ġ"];
        tokens.extend(merges.iter().map(|merge| merge.replace(' ', "")));
        let names: Vec<&str> = tokens.iter().map(String::as_str).collect();
        (Bpe::new(&names, &merges).unwrap(), tokens)
    }

    fn pieces(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        bpe().0.pieces(text, |piece| found.push(piece));
        found
    }

    fn named(text: &str) -> Vec<String> {
        let (bpe, tokens) = bpe();
        bpe.encode(text).into_iter().map(|token| tokens[token as usize].clone()).collect()
    }

    /// As the pattern of the model's makers cuts, with its look at what follows.
    #[test]
    fn text_is_cut_as_the_model_learned_it() {
        for (text, expected) in [
            ("It's 42 words.\n\n  So", &["It", "'s", " ", "4", "2", " words", ".\n\n", " ", " So"][..]),
            ("a   b", &["a", "  ", " b"]),
            ("a   7", &["a", "  ", " ", "7"]),
            ("a  \n\n  ", &["a", "  \n\n", "  "]),
            ("x\u{3000}\u{3000}y", &["x", "\u{3000}", "\u{3000}y"]),
            (" \t(x) é中 😀😀", &[" ", "\t", "(x", ")", " é中", " 😀😀"]),
            ("I'LL we'll 'x", &["I", "'LL", " we", "'ll", " '", "x"]),
            ("", &[]),
            ("   ", &["   "]),
        ] {
            assert_eq!(pieces(text), expected, "{text:?}");
        }
    }

    #[test]
    fn pairs_are_merged_by_rank_then_from_the_left() {
        assert_eq!(named("abc"), ["ab", "c"], "the first merge of the list comes first");
        assert_eq!(named("aab"), ["a", "ab"]);
        assert_eq!(named("ababab"), ["ababab"]);
        assert_eq!(named("ccccc"), ["cccc", "c"]);
        assert_eq!(named("e\u{301}"), ["Ã", "©"], "in the composed form");
        assert_eq!(named("<|im_start|>").concat(), "<|im_start|>");
    }

    #[test]
    fn what_a_vocabulary_lacks_is_said() {
        let missing = |tokens: &[&str], merges: &[&str]| Bpe::new(tokens, merges).err().unwrap();
        assert!(missing(&["a"], &[]).contains("no token"));
        let (_, tokens) = bpe();
        let names: Vec<&str> = tokens.iter().map(String::as_str).collect();
        assert!(missing(&names, &["ab"]).contains("malformed merge"));
        assert!(missing(&names, &["x y"]).contains("\"xy\""));
    }

    /// The definition, word for word, without the speed.
    fn by_definition(bpe: &Bpe, piece: &str) -> Vec<TokenId> {
        let mut tokens: Vec<TokenId> = piece.bytes().map(|byte| bpe.bytes[usize::from(byte)]).collect();
        loop {
            let rank = |at: usize| bpe.merges.get(&(tokens[at], tokens[at + 1])).map(|merge| (merge.0, at));
            let best = (0..tokens.len().saturating_sub(1)).filter_map(rank).min();
            let Some((_, at)) = best else { return tokens };
            let merged = bpe.merges[&(tokens[at], tokens[at + 1])].1;
            tokens.splice(at..at + 2, [merged]);
        }
    }

    proptest! {
        #[test]
        fn pieces_are_the_text_and_their_tokens_those_of_the_definition(text in "([abc]{0,30}|[ \t\n]{0,4}|\\PC){0,9}") {
            let (bpe, _) = bpe();
            let composed: String = text.nfc().collect();
            let mut found = Vec::new();
            bpe.pieces(&composed, |piece| found.push(piece));
            prop_assert_eq!(found.concat(), composed.clone());
            let expected: Vec<TokenId> = found.iter().flat_map(|piece| by_definition(&bpe, piece)).collect();
            prop_assert_eq!(bpe.encode(&text), expected);
        }
    }
}
