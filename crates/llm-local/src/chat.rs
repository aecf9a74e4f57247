//! The ChatML template of Qwen2.5, built from control tokens and plain text.

use artoo_llm_client::{Message, MessageRole};
use llguidance::toktrie::TokenId;

use crate::vocab::Vocab;

/// The tokens of the system turn, which is the same for every call of a role.
pub(crate) fn system_turn(vocab: &Vocab, system: &str) -> Vec<TokenId> {
    turn(vocab, "system", system)
}

/// The tokens of the conversation, up to where the model goes on: behind the beginning of its answer.
pub(crate) fn conversation(vocab: &Vocab, messages: &[Message], begun: &str) -> Vec<TokenId> {
    let mut tokens = Vec::new();
    for message in messages {
        let speaker = match message.role {
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
        };
        tokens.extend(turn(vocab, speaker, &message.content));
    }
    tokens.push(vocab.turn_start);
    tokens.extend(vocab.encode(&format!("assistant\n{begun}")));
    tokens
}

fn turn(vocab: &Vocab, speaker: &str, text: &str) -> Vec<TokenId> {
    let mut tokens = vec![vocab.turn_start];
    tokens.extend(vocab.encode(&format!("{speaker}\n{text}")));
    tokens.push(vocab.turn_end);
    tokens.extend(vocab.encode("\n"));
    tokens
}
