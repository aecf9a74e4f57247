//! The Qwen2 transformer, over the weights in the file.

use rayon::prelude::*;

use super::activation::Activation;
use super::attention::{Heads, attend};
use super::blocks::BLOCK;
use super::gguf::{Container, TensorInfo};
use super::kv_cache::{Memory, State};
use super::math;
use super::matrix::{Bytes, Matrix};
use super::simd::Simd;

/// A model's weights and dimensions.
pub(crate) struct Transformer {
    simd: Simd,
    embedding: Matrix,
    layers: Vec<Layer>,
    norm: Vec<f32>,
    output: Option<Matrix>,
    heads: Heads,
    epsilon: f32,
    rotation: Vec<f32>,
}

/// The input of one of several sequences.
pub(crate) struct Part<'a> {
    /// Its state so far.
    pub(crate) state: &'a mut State,
    /// The next tokens; at least one.
    pub(crate) tokens: &'a [u32],
}

struct Layer {
    norm: Vec<f32>,
    query: Biased,
    key: Biased,
    value: Biased,
    joined: Matrix,
    feed_norm: Vec<f32>,
    gate: Matrix,
    up: Matrix,
    down: Matrix,
}

struct Biased {
    weights: Matrix,
    bias: Vec<f32>,
}

impl Transformer {
    /// Finds the weights in a file. Only the few that are not matrices are copied.
    pub(crate) fn open(bytes: &Bytes, container: &Container) -> Result<Self, String> {
        let architecture = container.text("general.architecture")?;
        if architecture != "qwen2" {
            return Err(format!("it is a {architecture} model; this engine runs qwen2"));
        }
        let width = container.integer("qwen2.embedding_length")?;
        let queries = container.integer("qwen2.attention.head_count")?;
        let keys = container.integer("qwen2.attention.head_count_kv")?;
        let feed = container.integer("qwen2.feed_forward_length")?;
        let depth = container.integer("qwen2.block_count")?;
        let words = container.list("tokenizer.ggml.tokens")?.len();
        let sane = queries > 0
            && keys > 0
            && width % queries == 0
            && queries % keys == 0
            && (width / queries).is_multiple_of(32)
            && (1..=1024).contains(&depth)
            && words > 0;
        if !sane {
            return Err("its sizes do not fit together".to_owned());
        }
        let heads = Heads { queries, keys, width: width / queries };
        let base = container.float("qwen2.rope.freq_base").unwrap_or(10_000.0);
        let rotation =
            (0..heads.width / 2).map(|i| base.powf(-2.0 * i as f32 / heads.width as f32)).collect();
        let matrix = |name: &str, rows, columns| Matrix::open(bytes, container, name, rows, columns);
        let vector = |name: &str, length| vector(bytes, container, name, length);
        let layer = |i: usize| {
            let biased = |part: &str, rows: usize| -> Result<Biased, String> {
                Ok(Biased {
                    weights: matrix(&format!("blk.{i}.{part}.weight"), rows, width)?,
                    bias: vector(&format!("blk.{i}.{part}.bias"), rows)?,
                })
            };
            Ok::<_, String>(Layer {
                norm: vector(&format!("blk.{i}.attn_norm.weight"), width)?,
                query: biased("attn_q", heads.query_width())?,
                key: biased("attn_k", heads.key_width())?,
                value: biased("attn_v", heads.key_width())?,
                joined: matrix(&format!("blk.{i}.attn_output.weight"), width, heads.query_width())?,
                feed_norm: vector(&format!("blk.{i}.ffn_norm.weight"), width)?,
                gate: matrix(&format!("blk.{i}.ffn_gate.weight"), feed, width)?,
                up: matrix(&format!("blk.{i}.ffn_up.weight"), feed, width)?,
                down: matrix(&format!("blk.{i}.ffn_down.weight"), width, feed)?,
            })
        };
        // Without an output matrix, a model uses its input embedding.
        let output = if container.tensors.contains_key("output.weight") {
            Some(matrix("output.weight", words, width)?)
        } else {
            None
        };
        Ok(Self {
            simd: Simd::detect(),
            embedding: matrix("token_embd.weight", words, width)?,
            layers: (0..depth).map(layer).collect::<Result<_, _>>()?,
            norm: vector("output_norm.weight", width)?,
            output,
            heads,
            epsilon: container.float("qwen2.attention.layer_norm_rms_epsilon")?,
            rotation,
        })
    }

    /// The number of layers.
    pub(crate) fn depth(&self) -> usize {
        self.layers.len()
    }

    /// An empty state.
    pub(crate) fn fresh(&self) -> State {
        State::new(self.layers.len())
    }

    /// See [`Model::state`](super::Model::state).
    pub(crate) fn state(&self, rows: &[f32], tokens: usize) -> Option<State> {
        State::of_rows(rows, self.layers.len(), tokens, self.heads.key_width())
    }

    /// Processes tokens; see [`Model::read`](super::Model::read).
    pub(crate) fn read(
        &self,
        parts: &mut [Part<'_>],
        score: bool,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Vec<f32>>> {
        let width = self.embedding.columns;
        let angles: Vec<_> =
            parts.iter().flat_map(|part| self.angles(part.state.len(), part.tokens.len())).collect();
        let tokens: Vec<u32> = parts.iter().flat_map(|part| part.tokens).copied().collect();
        let mut rows = vec![0f32; tokens.len() * width];
        for (row, token) in rows.chunks_exact_mut(width).zip(&tokens) {
            self.embedding.row(*token as usize, row);
        }
        let lengths: Vec<usize> = parts.iter().map(|part| part.tokens.len()).collect();
        let mut memories: Vec<_> =
            parts.iter_mut().map(|part| part.state.advance(part.tokens.len()).iter_mut()).collect();
        for layer in &self.layers {
            if cancelled() {
                return None;
            }
            let memories = memories.iter_mut().filter_map(Iterator::next).zip(&lengths);
            self.look_back(layer, memories, &angles, &mut rows);
            self.feed(layer, &mut rows);
        }
        if !score {
            return Some(Vec::new());
        }
        let mut lasts = Vec::with_capacity(lengths.len() * width);
        let mut rest = rows.as_slice();
        for length in &lengths {
            let (own, behind) = rest.split_at_checked(length * width)?;
            lasts.extend_from_slice(own.chunks_exact(width).next_back()?);
            rest = behind;
        }
        let output = self.output.as_ref().unwrap_or(&self.embedding);
        let scores = self.product(output, &self.normed(&self.norm, &lasts));
        Some(scores.chunks_exact(output.rows).map(<[f32]>::to_vec).collect())
    }

    fn look_back<'a>(
        &self,
        layer: &Layer,
        memories: impl Iterator<Item = (&'a mut Memory, &'a usize)>,
        angles: &[(f32, f32)],
        rows: &mut [f32],
    ) {
        let input = self.normed(&layer.norm, rows);
        let mut queries = self.biased(&layer.query, &input);
        let mut keys = self.biased(&layer.key, &input);
        let values = self.biased(&layer.value, &input);
        self.turn(&mut queries, self.heads.query_width(), angles);
        self.turn(&mut keys, self.heads.key_width(), angles);
        let mut seen = vec![0f32; queries.len()];
        let (mut keys, mut values) = (keys.as_slice(), values.as_slice());
        let (mut queries, mut out) = (queries.as_slice(), seen.as_mut_slice());
        for (memory, tokens) in memories {
            memory.keys.extend_from_slice(take(&mut keys, tokens * self.heads.key_width()));
            memory.values.extend_from_slice(take(&mut values, tokens * self.heads.key_width()));
            let length = tokens * self.heads.query_width();
            let (own, behind) = std::mem::take(&mut out).split_at_mut(length);
            attend(self.simd, self.heads, take(&mut queries, length), memory, own);
            out = behind;
        }
        let joined = self.product(&layer.joined, &self.rounded(&seen, self.heads.query_width()));
        self.simd.run(
            #[inline(always)]
            || math::add(rows, &joined),
        );
    }

    fn feed(&self, layer: &Layer, rows: &mut [f32]) {
        let input = self.normed(&layer.feed_norm, rows);
        let mut hidden = self.product(&layer.gate, &input);
        let up = self.product(&layer.up, &input);
        let width = layer.gate.rows;
        hidden.par_chunks_exact_mut(width).zip(up.par_chunks_exact(width)).for_each(|(hidden, up)| {
            self.simd.run(
                #[inline(always)]
                || math::gate(hidden, up),
            )
        });
        let down = self.product(&layer.down, &self.rounded(&hidden, width));
        self.simd.run(
            #[inline(always)]
            || math::add(rows, &down),
        );
    }

    fn normed(&self, weights: &[f32], rows: &[f32]) -> Vec<Activation> {
        let per_row = weights.len() / BLOCK;
        let mut out = vec![Activation::ZERO; rows.len() / BLOCK];
        rows.par_chunks_exact(weights.len()).zip(out.par_chunks_exact_mut(per_row)).for_each_init(
            || vec![0f32; weights.len()],
            |scratch, (row, out)| {
                self.simd.run(
                    #[inline(always)]
                    || {
                        math::norm(row, weights, self.epsilon, scratch);
                        math::round(scratch, out);
                    },
                );
            },
        );
        out
    }

    fn rounded(&self, rows: &[f32], width: usize) -> Vec<Activation> {
        let mut out = vec![Activation::ZERO; rows.len() / BLOCK];
        rows.par_chunks_exact(width).zip(out.par_chunks_exact_mut(width / BLOCK)).for_each(|(row, out)| {
            self.simd.run(
                #[inline(always)]
                || math::round(row, out),
            )
        });
        out
    }

    fn product(&self, matrix: &Matrix, input: &[Activation]) -> Vec<f32> {
        let mut out = vec![0f32; input.len() / (matrix.columns / BLOCK) * matrix.rows];
        matrix.multiply(self.simd, input, &mut out);
        out
    }

    fn biased(&self, biased: &Biased, input: &[Activation]) -> Vec<f32> {
        let mut out = self.product(&biased.weights, input);
        out.chunks_exact_mut(biased.bias.len()).for_each(|row| math::add(row, &biased.bias));
        out
    }

    fn turn(&self, rows: &mut [f32], width: usize, angles: &[(f32, f32)]) {
        let half = self.heads.width / 2;
        for (row, angles) in rows.chunks_exact_mut(width).zip(angles.chunks_exact(half)) {
            for head in row.chunks_exact_mut(self.heads.width) {
                math::rotate(head, angles);
            }
        }
    }

    /// Sine and cosine for each position and frequency.
    fn angles(&self, first: usize, count: usize) -> Vec<(f32, f32)> {
        (first..first + count)
            .flat_map(|place| self.rotation.iter().map(move |f| (place as f32 * f).sin_cos()))
            .collect()
    }
}

/// Splits off the first `length` numbers.
fn take<'a>(numbers: &mut &'a [f32], length: usize) -> &'a [f32] {
    let (own, behind) = numbers.split_at(length);
    *numbers = behind;
    own
}

fn vector(bytes: &Bytes, container: &Container, name: &str, length: usize) -> Result<Vec<f32>, String> {
    let info: &TensorInfo = container.tensors.get(name).ok_or_else(|| format!("it has no tensor {name}"))?;
    let whole = (**bytes).as_ref();
    if info.kind != 0 || info.shape != [length] {
        return Err(format!("tensor {name} is not a list of {length} numbers"));
    }
    let range = length.checked_mul(4).and_then(|length| info.range(length, whole.len()));
    let range = range.ok_or_else(|| format!("tensor {name} goes beyond the end: the file is cut short"))?;
    let (numbers, _) = whole.get(range).unwrap_or_default().as_chunks::<4>();
    Ok(numbers.iter().map(|n| f32::from_le_bytes(*n)).collect())
}
