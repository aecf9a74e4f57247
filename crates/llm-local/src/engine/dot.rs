//! Dot product of a row of weights and a row of activations, in portable Rust: the fallback without a faster
//! kernel, and the reference in tests of the faster kernels.

use super::activation::Activation;
use super::blocks::{self, Q4K_BYTES, Q6K_BYTES};

/// A row of Q4_K blocks.
pub(crate) fn q4k(row: &[[u8; Q4K_BYTES]], activations: &[Activation]) -> f32 {
    let mut total = 0.0;
    for (block, a) in row.iter().zip(activations) {
        let w = blocks::q4k(block);
        let mut sum = 0i32;
        let (pairs, _) = a.q.as_chunks::<2>();
        let (scales, _) = w.scales.as_chunks::<2>();
        for ((bytes, [low, high]), [s, t]) in w.quants.iter().zip(pairs).zip(scales) {
            let dot = |shift: u32, q: &[i8; 32]| -> i32 {
                bytes.iter().zip(q).map(|(b, q)| i32::from((b >> shift) & 15) * i32::from(*q)).sum()
            };
            sum += dot(0, low) * i32::from(*s) + dot(4, high) * i32::from(*t);
        }
        let floor: i32 = w.mins.iter().zip(&a.pair_sums).map(|(m, s)| i32::from(*m) * i32::from(*s)).sum();
        total += a.scale * (w.scale * sum as f32 - w.floor * floor as f32);
    }
    total
}

/// A row of Q6_K blocks.
pub(crate) fn q6k(row: &[[u8; Q6K_BYTES]], activations: &[Activation]) -> f32 {
    let mut total = 0.0;
    for (block, a) in row.iter().zip(activations) {
        let w = blocks::q6k(block);
        let raw = w.raw();
        let (raw, _) = raw.as_flattened().as_chunks::<16>();
        let (q, _) = a.q.as_flattened().as_chunks::<16>();
        let mut sum = 0i32;
        for (((raw, q), scale), offset) in raw.iter().zip(q).zip(w.scales).zip(a.sums) {
            let dot: i32 = raw.iter().zip(q).map(|(w, q)| i32::from(*w) * i32::from(*q)).sum();
            sum += i32::from(scale) * (dot - 32 * i32::from(offset));
        }
        total += a.scale * w.scale * sum as f32;
    }
    total
}
