//! Attention of tokens to earlier tokens.

use rayon::prelude::*;

use super::kv_cache::Memory;
use super::math;
use super::simd::Simd;

/// The dimensions of a layer's attention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    /// Query heads.
    pub(crate) queries: usize,
    /// Key heads, each shared by several query heads.
    pub(crate) keys: usize,
    /// Values per head.
    pub(crate) width: usize,
}

impl Heads {
    /// Values in a row of queries.
    pub(crate) fn query_width(self) -> usize {
        self.queries * self.width
    }

    /// Values in a row of keys or values.
    pub(crate) fn key_width(self) -> usize {
        self.keys * self.width
    }
}

/// Computes the attention of each query over the keys and values up to its own position; the last query is at
/// the end of `memory`.
pub(crate) fn attend(simd: Simd, heads: Heads, queries: &[f32], memory: &Memory, out: &mut [f32]) {
    let tokens = queries.len() / heads.query_width();
    let before = memory.keys.len() / heads.key_width() - tokens;
    let sharing = heads.queries / heads.keys;
    let factor = 1.0 / (heads.width as f32).sqrt();
    let units = queries.par_chunks_exact(heads.width).zip(out.par_chunks_exact_mut(heads.width));
    units.enumerate().for_each_init(Vec::new, |scores, (unit, (query, out))| {
        let seen = before + unit / heads.queries + 1;
        let first = unit % heads.queries / sharing * heads.width;
        let part = first..first + heads.width;
        simd.run(
            #[inline(always)]
            || {
                scores.clear();
                for row in memory.keys.chunks_exact(heads.key_width()).take(seen) {
                    scores.push(factor * math::dot(query, row.get(part.clone()).unwrap_or_default()));
                }
                math::softmax(scores);
                out.fill(0.0);
                for (row, share) in memory.values.chunks_exact(heads.key_width()).zip(scores.iter()) {
                    math::add_scaled(out, *share, row.get(part.clone()).unwrap_or_default());
                }
            },
        );
    });
}
