//! Tokenizer: text to tokens and back.

use llguidance::toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};
use std::sync::Arc;

use crate::bpe::{Bpe, byte_alphabet};

/// The vocabulary of a model: byte-level BPE, with the control tokens of ChatML.
pub(crate) struct Vocab {
    bpe: Bpe,
    trie: TokTrie,
    /// Starts a turn.
    pub(crate) turn_start: TokenId,
    /// Ends a turn; the model generates it when it is done.
    pub(crate) turn_end: TokenId,
}

impl Vocab {
    /// The vocabulary of these tokens, of which `special` never stand for text.
    ///
    /// Control tokens written out in a prompt are read as plain text: a document cannot open a turn of its own.
    pub(crate) fn new(bpe: Bpe, tokens: &[&str], special: &[bool]) -> Result<Self, String> {
        let control = |text: &str| {
            let id = (0..).zip(tokens).find(|(_, token)| **token == text).map(|(id, _)| id);
            id.ok_or_else(|| format!("it has no token {text}"))
        };
        let turn_start = control("<|im_start|>")?;
        let turn_end = control("<|im_end|>")?;
        let bytes_of_char = byte_alphabet();
        let mut words = Vec::with_capacity(tokens.len());
        for (id, (text, special)) in (0..).zip(tokens.iter().zip(special)) {
            words.push(if *special || text.is_empty() {
                marked(text, id)
            } else {
                text.chars()
                    .map(|c| bytes_of_char.get(&c).copied())
                    .collect::<Option<Vec<u8>>>()
                    .unwrap_or_else(|| marked(text, id))
            });
        }
        let mut info = TokRxInfo::new(u32::try_from(words.len()).unwrap_or(u32::MAX), turn_end);
        info.tok_end_of_turn = Some(turn_end);
        let trie = TokTrie::from(&info, &words);
        Ok(Self { bpe, trie, turn_start, turn_end })
    }

    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.trie.vocab_size()
    }

    /// Tokens of plain text.
    pub(crate) fn encode(&self, text: &str) -> Vec<TokenId> {
        self.bpe.encode(text)
    }

    /// The bytes of a token; empty for control tokens.
    pub(crate) fn bytes(&self, token: TokenId) -> &[u8] {
        if (token as usize) < self.len() && !self.trie.is_special_token(token) {
            self.trie.token(token)
        } else {
            &[]
        }
    }

    /// Whether the token is a control token.
    pub(crate) fn is_control(&self, token: TokenId) -> bool {
        (token as usize) >= self.len() || self.trie.is_special_token(token)
    }

    /// The view that the grammar engine needs.
    pub(crate) fn environment(self: &Arc<Self>) -> TokEnv {
        Arc::clone(self) as TokEnv
    }
}

impl TokenizerEnv for Vocab {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        let tokens = self.trie.tokenize_with_greedy_fallback(bytes, |text| self.encode(text));
        // The tokenizer normalises Unicode; forced text must be byte-exact.
        if self.trie.decode_raw(&tokens) == bytes { tokens } else { self.trie.greedy_tokenize(bytes) }
    }
}

/// The name of a non-text token, as the grammar engine marks it.
fn marked(text: &str, id: TokenId) -> Vec<u8> {
    let mut bytes = vec![TokTrie::SPECIAL_TOKEN_MARKER];
    if text.is_empty() {
        bytes.extend_from_slice(format!("<[{id}]>").as_bytes());
    } else {
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}
