//! Activations quantised to 8 bits, so that they can be multiplied with quantised weights in integers.

use super::blocks::BLOCK;

/// 256 activations: value = `scale * q[i]`.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Activation {
    pub(crate) q: [[i8; 32]; 8],
    /// Sums of 16 adjacent values.
    pub(crate) sums: [i16; 16],
    /// Sums of 32 adjacent values.
    pub(crate) pair_sums: [i16; 8],
    pub(crate) scale: f32,
}

impl Activation {
    /// Activations that are all zero.
    pub(crate) const ZERO: Self = Self { q: [[0; 32]; 8], sums: [0; 16], pair_sums: [0; 8], scale: 0.0 };

    /// Quantises 256 values. The largest becomes 127 steps, so no sum of 16 or 32 of them overflows an i16.
    #[inline(always)]
    pub(crate) fn round(values: &[f32; BLOCK]) -> Self {
        let mut lanes = [0f32; 16];
        for chunk in values.as_chunks::<16>().0 {
            for (lane, value) in lanes.iter_mut().zip(chunk) {
                *lane = lane.max(value.abs());
            }
        }
        let largest = lanes.iter().fold(0f32, |a, b| a.max(*b));
        let mut out = Self::ZERO;
        if largest == 0.0 || !largest.is_finite() {
            return out;
        }
        out.scale = largest / 127.0;
        let steps = 127.0 / largest;
        let (parts, _) = values.as_chunks::<32>();
        for (q, part) in out.q.iter_mut().zip(parts) {
            for (q, value) in q.iter_mut().zip(part) {
                // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer without a call.
                *q = ((value * steps + 12_582_912.0) - 12_582_912.0) as i8;
            }
        }
        for (sum, part) in out.sums.iter_mut().zip(out.q.as_flattened().as_chunks::<16>().0) {
            *sum = part.iter().map(|q| i16::from(*q)).sum();
        }
        for (sum, [a, b]) in out.pair_sums.iter_mut().zip(out.sums.as_chunks::<2>().0) {
            *sum = a + b;
        }
        out
    }
}
