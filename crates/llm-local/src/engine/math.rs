//! Elementwise and row functions between the matrix products. Each works on one row and is compiled for the
//! caller's instructions.

use super::activation::Activation;
use super::blocks::BLOCK;

/// e to the power of `x`, accurate to about seven digits; 0 and infinity become the smallest and largest
/// normal numbers.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 leaves the nearest integer in the lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    // ln 2 in two parts, so that the remainder of x is exact.
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_58e-2, 1.666_666_5e-1, 0.5, 1.0, 1.0] {
        p = p * r + c;
    }
    p * f32::from_bits((shifted.to_bits().wrapping_sub(SHIFT.to_bits()).wrapping_add(127)) << 23)
}

/// `x / (1 + e^-x) * y`, stored in `x`.
#[inline(always)]
pub(crate) fn gate(x: &mut [f32], y: &[f32]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x = *x / (1.0 + exp(-*x)) * y;
    }
}

/// Turns scores into shares that add up to one.
#[inline(always)]
pub(crate) fn softmax(scores: &mut [f32]) {
    let top = scores.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    for score in scores.iter_mut() {
        *score = exp(*score - top);
    }
    let total: f32 = scores.iter().sum();
    for score in scores {
        *score /= total;
    }
}

/// RMS norm: divides by the root mean square, and multiplies with the layer's weights.
#[inline(always)]
pub(crate) fn norm(row: &[f32], weights: &[f32], epsilon: f32, out: &mut [f32]) {
    let mean = dot(row, row) / row.len() as f32;
    let factor = 1.0 / (mean + epsilon).sqrt();
    for ((out, x), w) in out.iter_mut().zip(row).zip(weights) {
        *out = x * factor * w;
    }
}

/// Dot product.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; 32];
    for (a, b) in a.as_chunks::<32>().0.iter().zip(b.as_chunks::<32>().0) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    lanes.iter().sum()
}

/// Adds `factor * b` to `a`.
#[inline(always)]
pub(crate) fn add_scaled(a: &mut [f32], factor: f32, b: &[f32]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

/// Adds `b` to `a`.
#[inline(always)]
pub(crate) fn add(a: &mut [f32], b: &[f32]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}

/// Rotary embedding: rotates each pair (one value of each half) by the angle of its position in the text.
#[inline(always)]
pub(crate) fn rotate(head: &mut [f32], angles: &[(f32, f32)]) {
    let (first, second) = head.split_at_mut(angles.len().min(head.len()));
    for ((a, b), (sin, cos)) in first.iter_mut().zip(second).zip(angles) {
        (*a, *b) = (*a * cos - *b * sin, *a * sin + *b * cos);
    }
}

/// Quantises a row to 8 bits.
#[inline(always)]
pub(crate) fn round(row: &[f32], out: &mut [Activation]) {
    for (out, values) in out.iter_mut().zip(row.as_chunks::<BLOCK>().0) {
        *out = Activation::round(values);
    }
}
