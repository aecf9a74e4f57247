//! AVX2 kernel for rows of weights times a few rows of activations: reads each weight once, straight from the
//! file.

use std::arch::x86_64::*;

use archmage::{X64V3Token, arcane};
use bytemuck::must_cast;

use super::activation::Activation;
use super::blocks::{self, Q4K_BYTES, Q6K_BYTES};
use super::pairs::products;

/// Selects one of eight 16-bit scales for all 16 lanes of a register.
#[expect(
    clippy::indexing_slicing,
    reason = "computed when compiled: an index out of range would not compile"
)]
const PICK_16: [[u8; 32]; 8] = {
    let mut table = [[0; 32]; 8];
    let mut j = 0;
    while j < 8 {
        let mut i = 0;
        while i < 32 {
            table[j][i] = (2 * j + i % 2) as u8;
            i += 1;
        }
        j += 1;
    }
    table
};

/// Selects two adjacent ones of sixteen 8-bit scales, each for eight lanes.
#[expect(
    clippy::indexing_slicing,
    reason = "computed when compiled: an index out of range would not compile"
)]
const PICK_8: [[u8; 16]; 8] = {
    let mut table = [[0; 16]; 8];
    let mut j = 0;
    while j < 8 {
        let mut i = 0;
        while i < 16 {
            table[j][i] = (2 * j + i / 8) as u8;
            i += 1;
        }
        j += 1;
    }
    table
};

/// Rows of Q4_K blocks times `N` rows of activations.
#[arcane]
pub(crate) fn q4k<const N: usize>(
    _simd: X64V3Token,
    rows: &[[u8; Q4K_BYTES]],
    activations: [&[Activation]; N],
    out: &mut [[f32; N]],
) {
    products(
        rows,
        activations,
        out,
        _mm256_setzero_ps(),
        |b, a, totals| q4k_block(b, a, totals),
        |total| sum_of(total),
    );
}

/// Rows of Q6_K blocks times `N` rows of activations.
#[arcane]
pub(crate) fn q6k<const N: usize>(
    _simd: X64V3Token,
    rows: &[[u8; Q6K_BYTES]],
    activations: [&[Activation]; N],
    out: &mut [[f32; N]],
) {
    products(
        rows,
        activations,
        out,
        _mm256_setzero_ps(),
        |b, a, totals| q6k_block(b, a, totals),
        |total| sum_of(total),
    );
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn q4k_block<const N: usize>(
    block: &[u8; Q4K_BYTES],
    activations: &[&Activation; N],
    totals: &mut [__m256; N],
) {
    let w = blocks::q4k(block);
    let scales = _mm_cvtepu8_epi16(_mm_set_epi64x(0, i64::from_le_bytes(w.scales)));
    let scales = _mm256_broadcastsi128_si256(scales);
    let mins = _mm_cvtepu8_epi16(_mm_set_epi64x(0, i64::from_le_bytes(w.mins)));
    let [b0, b1, b2, b3] = w.quants;
    let [p0, p1, p2, p3, p4, p5, p6, p7] = &PICK_16;
    let w0 = q4k_unpacked(b0, scales, [p0, p1]);
    let w1 = q4k_unpacked(b1, scales, [p2, p3]);
    let w2 = q4k_unpacked(b2, scales, [p4, p5]);
    let w3 = q4k_unpacked(b3, scales, [p6, p7]);
    for (total, a) in totals.iter_mut().zip(activations) {
        // Four sums in eight lanes, the others zero.
        let floor = _mm_madd_epi16(mins, must_cast::<_, __m128i>(a.pair_sums));
        let floor = _mm256_cvtepu32_epi64(floor);
        let [q0, q1, q2, q3, q4, q5, q6, q7] = &a.q;
        let mut sum = q4k_step(w0, [q0, q1]);
        sum = _mm256_add_epi32(sum, q4k_step(w1, [q2, q3]));
        sum = _mm256_add_epi32(sum, q4k_step(w2, [q4, q5]));
        sum = _mm256_add_epi32(sum, q4k_step(w3, [q6, q7]));
        let scale = _mm256_set1_ps(a.scale * w.scale);
        *total = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(sum), *total);
        let scale = _mm256_set1_ps(a.scale * w.floor);
        *total = _mm256_fnmadd_ps(scale, _mm256_cvtepi32_ps(floor), *total);
    }
}

/// 64 weights and their scales.
type Unpacked = [[__m256i; 2]; 2];

#[inline]
#[target_feature(enable = "avx2,fma")]
fn q4k_unpacked(bytes: &[u8; 32], scales: __m256i, [pick_low, pick_high]: [&[u8; 32]; 2]) -> Unpacked {
    let mask = _mm256_set1_epi8(15);
    let bytes = must_cast::<_, __m256i>(*bytes);
    let low = _mm256_and_si256(bytes, mask);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), mask);
    let scales = [
        _mm256_shuffle_epi8(scales, must_cast(*pick_low)),
        _mm256_shuffle_epi8(scales, must_cast(*pick_high)),
    ];
    [[low, high], scales]
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn q4k_step([[low, high], [scale_low, scale_high]]: Unpacked, [q_low, q_high]: [&[i8; 32]; 2]) -> __m256i {
    let low = _mm256_maddubs_epi16(low, must_cast(*q_low));
    let high = _mm256_maddubs_epi16(high, must_cast(*q_high));
    let low = _mm256_madd_epi16(low, scale_low);
    let high = _mm256_madd_epi16(high, scale_high);
    _mm256_add_epi32(low, high)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn q6k_block<const N: usize>(
    block: &[u8; Q6K_BYTES],
    activations: &[&Activation; N],
    totals: &mut [__m256; N],
) {
    let w = blocks::q6k(block);
    let scales = must_cast::<_, __m128i>(w.scales);
    let wide_scales = _mm256_cvtepi8_epi16(scales);
    let [low_a, low_b] = w.low;
    let [high_a, high_b] = &w.high;
    let [p0, p1, p2, p3, p4, p5, p6, p7] = &PICK_8;
    let [w0, w1, w2, w3] = q6k_unpacked(low_a, high_a, scales, [p0, p1, p2, p3]);
    let [w4, w5, w6, w7] = q6k_unpacked(low_b, high_b, scales, [p4, p5, p6, p7]);
    for (total, a) in totals.iter_mut().zip(activations) {
        // Stored numbers are 32 too large: subtract 32 times the sums of the activations.
        let offset = _mm256_madd_epi16(wide_scales, must_cast(a.sums));
        let offset = _mm256_slli_epi32::<5>(offset);
        let [q0, q1, q2, q3, q4, q5, q6, q7] = &a.q;
        let first = q6k_sum([w0, w1, w2, w3], [q0, q1, q2, q3]);
        let second = q6k_sum([w4, w5, w6, w7], [q4, q5, q6, q7]);
        let sum = _mm256_sub_epi32(_mm256_add_epi32(first, second), offset);
        let scale = _mm256_set1_ps(a.scale * w.scale);
        *total = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(sum), *total);
    }
}

/// 128 weights: 32 and their scales, four times.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn q6k_unpacked(
    [low_a, low_b]: &[[u8; 32]; 2],
    high: &[u8; 32],
    scales: __m128i,
    [p0, p1, p2, p3]: [&[u8; 16]; 4],
) -> [[__m256i; 2]; 4] {
    let low_bits = _mm256_set1_epi8(15);
    let high_bits = _mm256_set1_epi8(0x30);
    let low_a = must_cast::<_, __m256i>(*low_a);
    let low_b = must_cast::<_, __m256i>(*low_b);
    let high = must_cast::<_, __m256i>(*high);
    let w0 = _mm256_and_si256(low_a, low_bits);
    let w1 = _mm256_and_si256(low_b, low_bits);
    let w2 = _mm256_and_si256(_mm256_srli_epi16::<4>(low_a), low_bits);
    let w3 = _mm256_and_si256(_mm256_srli_epi16::<4>(low_b), low_bits);
    let h0 = _mm256_and_si256(_mm256_slli_epi16::<4>(high), high_bits);
    let h1 = _mm256_and_si256(_mm256_slli_epi16::<2>(high), high_bits);
    let h2 = _mm256_and_si256(high, high_bits);
    let h3 = _mm256_and_si256(_mm256_srli_epi16::<2>(high), high_bits);
    [
        [_mm256_or_si256(w0, h0), q6k_scale(scales, p0)],
        [_mm256_or_si256(w1, h1), q6k_scale(scales, p1)],
        [_mm256_or_si256(w2, h2), q6k_scale(scales, p2)],
        [_mm256_or_si256(w3, h3), q6k_scale(scales, p3)],
    ]
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn q6k_scale(scales: __m128i, pick: &[u8; 16]) -> __m256i {
    _mm256_cvtepi8_epi16(_mm_shuffle_epi8(scales, must_cast(*pick)))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn q6k_sum([w0, w1, w2, w3]: [[__m256i; 2]; 4], [q0, q1, q2, q3]: [&[i8; 32]; 4]) -> __m256i {
    let first = _mm256_add_epi32(q6k_step(w0, q0), q6k_step(w1, q1));
    let second = _mm256_add_epi32(q6k_step(w2, q2), q6k_step(w3, q3));
    _mm256_add_epi32(first, second)
}

/// 32 weights.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn q6k_step([weights, scale]: [__m256i; 2], q: &[i8; 32]) -> __m256i {
    _mm256_madd_epi16(_mm256_maddubs_epi16(weights, must_cast(*q)), scale)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn sum_of(lanes: __m256) -> f32 {
    let [a, b, c, d, e, f, g, h] = must_cast::<_, [f32; 8]>(lanes);
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
