//! The layers of Qwen2, over the weights in the file.

use rayon::prelude::*;

use super::activation::Activation;
use super::attention::{Heads, attend};
use super::blocks::BLOCK;
use super::gguf::{Container, TensorInfo};
use super::math;
use super::matrix::{Bytes, Matrix};
use super::simd::Simd;
use super::state::{Memory, State};

/// The weights of a model and its sizes.
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
    /// Finds the weights in a file. Nothing is copied but the few that are not matrices.
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
        // Without a matrix of its own for the output, a model uses that of the input.
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

    /// Nothing read yet.
    pub(crate) fn fresh(&self) -> State {
        State::new(self.layers.len())
    }

    /// Reads tokens; see [`Model::read`](super::Model::read).
    pub(crate) fn read(
        &self,
        state: &mut State,
        tokens: &[u32],
        score: bool,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<f32>> {
        let width = self.embedding.columns;
        let angles = self.angles(state.len(), tokens.len());
        let mut rows = vec![0f32; tokens.len() * width];
        for (row, token) in rows.chunks_exact_mut(width).zip(tokens) {
            self.embedding.row(*token as usize, row);
        }
        for (layer, memory) in self.layers.iter().zip(state.advance(tokens.len())) {
            if cancelled() {
                return None;
            }
            self.look_back(layer, memory, &angles, &mut rows);
            self.feed(layer, &mut rows);
        }
        let Some(last) = rows.chunks_exact(width).next_back().filter(|_| score) else {
            return Some(Vec::new());
        };
        let output = self.output.as_ref().unwrap_or(&self.embedding);
        Some(self.product(output, &self.normed(&self.norm, last)))
    }

    fn look_back(&self, layer: &Layer, memory: &mut Memory, angles: &[(f32, f32)], rows: &mut [f32]) {
        let input = self.normed(&layer.norm, rows);
        let mut queries = self.biased(&layer.query, &input);
        let mut keys = self.biased(&layer.key, &input);
        self.turn(&mut queries, self.heads.query_width(), angles);
        self.turn(&mut keys, self.heads.key_width(), angles);
        memory.keys.extend_from_slice(&keys);
        memory.values.extend_from_slice(&self.biased(&layer.value, &input));
        let mut seen = vec![0f32; queries.len()];
        attend(self.simd, self.heads, &queries, memory, &mut seen);
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

    /// Sine and cosine of each place and frequency.
    fn angles(&self, first: usize, count: usize) -> Vec<(f32, f32)> {
        (first..first + count)
            .flat_map(|place| self.rotation.iter().map(move |f| (place as f32 * f).sin_cos()))
            .collect()
    }
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
