//! A two-layer Qwen2 with random weights and a byte vocabulary, written as a GGUF file.

use std::path::{Path, PathBuf};

use artoo_llm_client::LlmError;
use artoo_llm_local::{LocalModel, LocalOptions};

const WIDTH: u64 = 256;
const FEED: u64 = 512;
const KEYS: u64 = 128;

/// A folder with the tiny model.
pub(crate) struct Tiny {
    folder: tempfile::TempDir,
}

impl Tiny {
    pub(crate) fn new() -> Self {
        let tiny = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(tiny.path(), bytes()).unwrap();
        tiny
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("tiny.gguf")
    }

    pub(crate) fn options(&self) -> LocalOptions {
        let mut options = LocalOptions::new(self.path(), "tiny");
        options.string_limit = 12;
        options.list_limit = 3;
        options
    }

    pub(crate) fn model(&self) -> LocalModel {
        LocalModel::new(self.options())
    }
}

/// The reason of an engine error.
pub(crate) fn engine_reason(error: LlmError) -> String {
    let LlmError::Engine { reason, .. } = error else { panic!("not an engine error: {error}") };
    reason
}

/// Options for a model file that is not the tiny one.
pub(crate) fn options_for(path: &Path) -> LocalOptions {
    LocalOptions::new(path, "broken")
}

/// The file.
pub(crate) fn bytes() -> Vec<u8> {
    let mut file = Writer::default();
    let tokens = vocabulary();
    let words = tokens.len() as u64;
    file.text("general.architecture", "qwen2");
    for (name, value) in [
        ("qwen2.block_count", 2),
        ("qwen2.embedding_length", WIDTH),
        ("qwen2.feed_forward_length", FEED),
        ("qwen2.attention.head_count", 4),
        ("qwen2.attention.head_count_kv", 2),
    ] {
        file.number(name, value as u32);
    }
    file.float("qwen2.attention.layer_norm_rms_epsilon", 1e-6);
    file.text("tokenizer.ggml.model", "gpt2");
    file.text("tokenizer.ggml.pre", "qwen2");
    file.texts("tokenizer.ggml.tokens", &tokens);
    file.texts("tokenizer.ggml.merges", &["a b".to_owned(), "ab c".to_owned()]);
    let types: Vec<i32> = tokens.iter().map(|t| if t.starts_with("<|") { 3 } else { 1 }).collect();
    file.numbers("tokenizer.ggml.token_type", &types);

    file.quantised("token_embd.weight", words, WIDTH, false);
    file.quantised("output.weight", words, WIDTH, true);
    file.ones("output_norm.weight", WIDTH);
    for layer in 0..2 {
        let name = |part: &str| format!("blk.{layer}.{part}");
        file.ones(&name("attn_norm.weight"), WIDTH);
        file.ones(&name("ffn_norm.weight"), WIDTH);
        for (part, rows) in [("attn_q", WIDTH), ("attn_k", KEYS), ("attn_v", KEYS)] {
            file.quantised(&name(&format!("{part}.weight")), rows, WIDTH, part == "attn_v");
            file.ones(&name(&format!("{part}.bias")), rows);
        }
        file.quantised(&name("attn_output.weight"), WIDTH, WIDTH, false);
        file.quantised(&name("ffn_gate.weight"), FEED, WIDTH, false);
        file.quantised(&name("ffn_up.weight"), FEED, WIDTH, false);
        file.quantised(&name("ffn_down.weight"), WIDTH, FEED, true);
    }
    file.finish()
}

/// All bytes, two merged tokens, the control tokens, and padding to a multiple of sixteen.
fn vocabulary() -> Vec<String> {
    let mut next = 0x100;
    let mut tokens: Vec<String> = (0..=255u8)
        .map(|byte| {
            let c = char::from(byte);
            if matches!(c, '!'..='~' | '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{FF}') {
                c.to_string()
            } else {
                next += 1;
                char::from_u32(next - 1).unwrap().to_string()
            }
        })
        .collect();
    tokens.extend(["ab", "abc", "<|im_start|>", "<|im_end|>", "<|endoftext|>"].map(str::to_owned));
    while !tokens.len().is_multiple_of(16) {
        tokens.push(format!("<|unused{}|>", tokens.len()));
    }
    tokens
}

#[derive(Default)]
struct Writer {
    facts: Vec<u8>,
    fact_count: u64,
    infos: Vec<u8>,
    info_count: u64,
    data: Vec<u8>,
    random: u64,
}

impl Writer {
    fn fact(&mut self, name: &str, kind: u32) {
        push_text(&mut self.facts, name);
        self.facts.extend(kind.to_le_bytes());
        self.fact_count += 1;
    }

    fn text(&mut self, name: &str, value: &str) {
        self.fact(name, 8);
        push_text(&mut self.facts, value);
    }

    fn number(&mut self, name: &str, value: u32) {
        self.fact(name, 4);
        self.facts.extend(value.to_le_bytes());
    }

    fn float(&mut self, name: &str, value: f32) {
        self.fact(name, 6);
        self.facts.extend(value.to_le_bytes());
    }

    fn list(&mut self, name: &str, kind: u32, count: usize) {
        self.fact(name, 9);
        self.facts.extend(kind.to_le_bytes());
        self.facts.extend((count as u64).to_le_bytes());
    }

    fn texts(&mut self, name: &str, values: &[String]) {
        self.list(name, 8, values.len());
        values.iter().for_each(|value| push_text(&mut self.facts, value));
    }

    fn numbers(&mut self, name: &str, values: &[i32]) {
        self.list(name, 5, values.len());
        values.iter().for_each(|value| self.facts.extend(value.to_le_bytes()));
    }

    fn tensor(&mut self, name: &str, shape: &[u64], kind: u32) {
        push_text(&mut self.infos, name);
        self.infos.extend((shape.len() as u32).to_le_bytes());
        shape.iter().for_each(|size| self.infos.extend(size.to_le_bytes()));
        self.infos.extend(kind.to_le_bytes());
        self.data.resize(self.data.len().next_multiple_of(32), 0);
        self.infos.extend((self.data.len() as u64).to_le_bytes());
        self.info_count += 1;
    }

    fn ones(&mut self, name: &str, length: u64) {
        self.tensor(name, &[length], 0);
        (0..length).for_each(|_| self.data.extend(1f32.to_le_bytes()));
    }

    /// Random blocks with scales that keep the numbers small; `fine` makes them Q6_K instead of Q4_K.
    fn quantised(&mut self, name: &str, rows: u64, columns: u64, fine: bool) {
        self.tensor(name, &[columns, rows], if fine { 14 } else { 12 });
        for _ in 0..rows * columns / 256 {
            let at = self.data.len();
            let length = if fine { 210 } else { 144 };
            for _ in 0..length {
                let byte = self.byte();
                self.data.push(byte);
            }
            let scale = if fine { at + 208 } else { at };
            self.data[scale..scale + 2].copy_from_slice(&0x0C00u16.to_le_bytes());
            if !fine {
                self.data[at + 2..at + 4].copy_from_slice(&0x1400u16.to_le_bytes());
            }
        }
    }

    fn byte(&mut self) -> u8 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 56) as u8
    }

    fn finish(self) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend(self.info_count.to_le_bytes());
        out.extend(self.fact_count.to_le_bytes());
        out.extend(self.facts);
        out.extend(self.infos);
        out.resize(out.len().next_multiple_of(32), 0);
        out.extend(self.data);
        out
    }
}

fn push_text(into: &mut Vec<u8>, text: &str) {
    into.extend((text.len() as u64).to_le_bytes());
    into.extend(text.as_bytes());
}
