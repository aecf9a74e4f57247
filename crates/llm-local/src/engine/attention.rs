//! How tokens look back at the tokens before them.

use rayon::prelude::*;

use super::math;
use super::simd::Simd;
use super::state::Memory;

/// The sizes of a layer's attention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    /// Heads that ask.
    pub(crate) queries: usize,
    /// Heads that are looked at, each by several of those that ask.
    pub(crate) keys: usize,
    /// Numbers in a head.
    pub(crate) width: usize,
}

impl Heads {
    /// Numbers in a row of queries.
    pub(crate) fn query_width(self) -> usize {
        self.queries * self.width
    }

    /// Numbers in a row of keys or values.
    pub(crate) fn key_width(self) -> usize {
        self.keys * self.width
    }
}

/// Answers each query from the keys and values up to its own place; the last query stands at the end of
/// `memory`.
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
