//! Builds the vocabulary from a GGUF file's metadata.

use tokenizers::models::bpe::{BPE, Vocab as Words};
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, SplitDelimiterBehavior, Tokenizer};

use super::gguf::{Container, Fact};
use crate::vocab::Vocab;

/// Qwen2's pre-tokenizer pattern, applied before bytes are merged.
const QWEN2: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// The type of a text token.
const NORMAL: i64 = 1;

/// Builds the vocabulary.
pub(crate) fn vocab(container: &Container) -> Result<Vocab, String> {
    let (model, cut) = (container.text("tokenizer.ggml.model")?, container.text("tokenizer.ggml.pre")?);
    if (model, cut) != ("gpt2", "qwen2") {
        return Err(format!("its tokenizer is {model}/{cut}; gpt2/qwen2 is supported"));
    }
    let tokens = texts(container.list("tokenizer.ggml.tokens")?)?;
    let merges = texts(container.list("tokenizer.ggml.merges")?)?
        .into_iter()
        .map(|merge| match merge.split_once(' ') {
            Some((a, b)) => Ok((a.to_owned(), b.to_owned())),
            None => Err(format!("its tokenizer has a malformed merge: {merge:?}")),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let special: Vec<bool> = container
        .list("tokenizer.ggml.token_type")?
        .iter()
        .map(|kind| *kind != Fact::Integer(NORMAL))
        .collect();
    if special.len() != tokens.len() {
        return Err("its tokenizer has more types than tokens, or fewer".to_owned());
    }
    let failed = |e: tokenizers::Error| format!("its tokenizer is unusable: {e}");
    let ids: Words = (0..).zip(&tokens).map(|(id, token)| (token.to_string(), id)).collect();
    let bpe = BPE::builder().vocab_and_merges(ids, merges);
    let mut tokenizer = Tokenizer::new(bpe.build().map_err(failed)?);
    let split = Split::new(SplitPattern::Regex(QWEN2.to_owned()), SplitDelimiterBehavior::Isolated, false);
    tokenizer.with_normalizer(Some(NFC)).map_err(failed)?;
    tokenizer.with_pre_tokenizer(Some(Sequence::new(vec![
        split.map_err(failed)?.into(),
        ByteLevel::new(false, false, false).into(),
    ])));
    let names = tokens.iter().zip(&special).filter(|(_, special)| **special);
    tokenizer
        .add_special_tokens(
            names.map(|(name, _)| AddedToken::from(name.to_string(), true)).collect::<Vec<_>>(),
        )
        .map_err(failed)?;
    Vocab::new(tokenizer, tokens.len(), &special)
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
