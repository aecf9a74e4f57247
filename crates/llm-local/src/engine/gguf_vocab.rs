//! Builds the vocabulary from a GGUF file's metadata.

use super::gguf::{Container, Fact};
use crate::bpe::Bpe;
use crate::vocab::Vocab;

/// The type of a text token.
const NORMAL: i64 = 1;

/// Builds the vocabulary.
pub(crate) fn vocab(container: &Container) -> Result<Vocab, String> {
    let (model, cut) = (container.text("tokenizer.ggml.model")?, container.text("tokenizer.ggml.pre")?);
    if (model, cut) != ("gpt2", "qwen2") {
        return Err(format!("its tokenizer is {model}/{cut}; gpt2/qwen2 is supported"));
    }
    let tokens = texts(container.list("tokenizer.ggml.tokens")?)?;
    let merges = texts(container.list("tokenizer.ggml.merges")?)?;
    let special: Vec<bool> = container
        .list("tokenizer.ggml.token_type")?
        .iter()
        .map(|kind| *kind != Fact::Integer(NORMAL))
        .collect();
    if special.len() != tokens.len() {
        return Err("its tokenizer has more types than tokens, or fewer".to_owned());
    }
    Vocab::new(Bpe::new(&tokens, &merges)?, &tokens, &special)
}

fn texts(list: &[Fact]) -> Result<Vec<&str>, String> {
    list.iter()
        .map(|fact| match fact {
            Fact::Text(text) => Ok(text.as_str()),
            Fact::Integer(_) | Fact::Float(_) | Fact::List(_) => {
                Err("its tokenizer has an entry that is not text".to_owned())
            }
        })
        .collect()
}
