//! AVX-512 kernel for rows of weights times a few rows of activations: reads each weight once, straight from the file.
//!
//! A dot product of four bytes (VNNI) is one instruction. Two registers of such sums, which fit into 16 bits, are packed
//! into one and multiplied with the scales of their groups.

use std::arch::x86_64::*;

use archmage::{X64V4xToken, arcane};
use bytemuck::{must_cast, must_cast_ref};

use super::activation::Activation;
use super::blocks::{self, Q4K_BYTES, Q6K_BYTES};
use super::pairs::products;

/// Selects the 16-bit scales of four groups of 32 weights for the lanes of two packed registers, for the first and for the
/// last four of eight groups.
const PICK_16: [[u8; 64]; 2] = [picked_16(0), picked_16(4)];
/// Selects the 8-bit scales of eight groups of 16 weights in the same way, for the first and for the last eight of sixteen.
const PICK_8: [[u8; 32]; 2] = [picked_8(0), picked_8(8)];
/// How far the weights in the lower and in the upper half of a register are shifted to the right.
const NIBBLES: [[u16; 16]; 2] = [[0; 16], [4; 16]];
/// The same for the upper two bits of weights of six bits: to the left for the first 64, to the right for the others.
const HIGH_LEFT: [[u16; 16]; 2] = [[4; 16], [2; 16]];
const HIGH_RIGHT: [[u16; 16]; 2] = [[0; 16], [2; 16]];

/// Rows of Q4_K blocks times `N` rows of activations.
#[arcane]
pub(crate) fn q4k<const N: usize>(
    _simd: X64V4xToken,
    rows: &[[u8; Q4K_BYTES]],
    activations: [&[Activation]; N],
    out: &mut [[f32; N]],
) {
    products(
        rows,
        activations,
        out,
        (_mm512_setzero_ps(), _mm_setzero_ps()),
        |b, a, totals| q4k_block(b, a, totals),
        |(total, floor)| sum_of(total) - sum_of_four(floor),
    );
}

/// Rows of Q6_K blocks times `N` rows of activations.
#[arcane]
pub(crate) fn q6k<const N: usize>(
    _simd: X64V4xToken,
    rows: &[[u8; Q6K_BYTES]],
    activations: [&[Activation]; N],
    out: &mut [[f32; N]],
) {
    products(
        rows,
        activations,
        out,
        _mm512_setzero_ps(),
        |b, a, totals| q6k_block(b, a, totals),
        |total| sum_of(total),
    );
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn q4k_block<const N: usize>(
    block: &[u8; Q4K_BYTES],
    activations: &[&Activation; N],
    totals: &mut [(__m512, __m128); N],
) {
    let w = blocks::q4k(block);
    let scales = _mm_cvtepu8_epi16(_mm_set_epi64x(0, i64::from_le_bytes(w.scales)));
    let scales = _mm512_broadcast_i32x4(scales);
    let mins = _mm_cvtepu8_epi16(_mm_set_epi64x(0, i64::from_le_bytes(w.mins)));
    let [scales_a, scales_b] = PICK_16;
    let scales_a = _mm512_shuffle_epi8(scales, must_cast(scales_a));
    let scales_b = _mm512_shuffle_epi8(scales, must_cast(scales_b));
    let [w0, w1, w2, w3] = q4k_weights(block);
    for ((total, floor), a) in totals.iter_mut().zip(activations) {
        let [q0, q1, q2, q3]: &[[i8; 64]; 4] = must_cast_ref(&a.q);
        let first = scaled([w0, w1], [q0, q1], scales_a);
        let second = scaled([w2, w3], [q2, q3], scales_b);
        let sum = _mm512_cvtepi32_ps(_mm512_add_epi32(first, second));
        *total = _mm512_fmadd_ps(_mm512_set1_ps(a.scale * w.scale), sum, *total);
        let sum = _mm_cvtepi32_ps(_mm_madd_epi16(mins, must_cast(a.pair_sums)));
        *floor = _mm_fmadd_ps(_mm_set1_ps(a.scale * w.floor), sum, *floor);
    }
}

/// The weights of a block, 64 in each register.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn q4k_weights(block: &[u8; Q4K_BYTES]) -> [__m512i; 4] {
    let [b0, b1, b2, b3] = blocks::q4k(block).quants;
    [q4k_unpacked(b0), q4k_unpacked(b1), q4k_unpacked(b2), q4k_unpacked(b3)]
}

/// 64 weights: those in the lower halves of the bytes, then those in the upper halves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn q4k_unpacked(bytes: &[u8; 32]) -> __m512i {
    let bytes = _mm512_broadcast_i64x4(must_cast(*bytes));
    _mm512_and_si512(_mm512_srlv_epi16(bytes, must_cast(NIBBLES)), _mm512_set1_epi8(15))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,fma")]
fn q6k_block<const N: usize>(
    block: &[u8; Q6K_BYTES],
    activations: &[&Activation; N],
    totals: &mut [__m512; N],
) {
    let w = blocks::q6k(block);
    let scales: __m128i = must_cast(w.scales);
    let wide_scales = _mm256_cvtepi8_epi16(scales);
    let scales = _mm256_broadcastsi128_si256(scales);
    let [scales_a, scales_b] = PICK_8;
    let scales_a = _mm512_cvtepi8_epi16(_mm256_shuffle_epi8(scales, must_cast(scales_a)));
    let scales_b = _mm512_cvtepi8_epi16(_mm256_shuffle_epi8(scales, must_cast(scales_b)));
    let [w0, w1, w2, w3] = q6k_weights(block);
    for (total, a) in totals.iter_mut().zip(activations) {
        // Stored numbers are 32 too large: subtract 32 times the sums of the activations.
        let offset = _mm256_slli_epi32::<5>(_mm256_madd_epi16(wide_scales, must_cast(a.sums)));
        let [q0, q1, q2, q3]: &[[i8; 64]; 4] = must_cast_ref(&a.q);
        let first = scaled([w0, w1], [q0, q1], scales_a);
        let second = scaled([w2, w3], [q2, q3], scales_b);
        let sum = _mm512_sub_epi32(_mm512_add_epi32(first, second), _mm512_zextsi256_si512(offset));
        let scale = _mm512_set1_ps(a.scale * w.scale);
        *total = _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(sum), *total);
    }
}

/// The weights of a block, 32 too large, 64 in each register.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn q6k_weights(block: &[u8; Q6K_BYTES]) -> [__m512i; 4] {
    let w = blocks::q6k(block);
    let [low_a, low_b] = w.low;
    let [high_a, high_b] = &w.high;
    let ([w0, w1], [w2, w3]) = (q6k_unpacked(low_a, high_a), q6k_unpacked(low_b, high_b));
    [w0, w1, w2, w3]
}

/// 128 weights.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn q6k_unpacked(low: &[[u8; 32]; 2], high: &[u8; 32]) -> [__m512i; 2] {
    let low: __m512i = must_cast(*low);
    let high = _mm512_broadcast_i64x4(must_cast(*high));
    let low_bits = _mm512_set1_epi8(15);
    let high_bits = _mm512_set1_epi8(0x30);
    let first = _mm512_and_si512(low, low_bits);
    let second = _mm512_and_si512(_mm512_srli_epi16::<4>(low), low_bits);
    let first_high = _mm512_and_si512(_mm512_sllv_epi16(high, must_cast(HIGH_LEFT)), high_bits);
    let second_high = _mm512_and_si512(_mm512_srlv_epi16(high, must_cast(HIGH_RIGHT)), high_bits);
    [_mm512_or_si512(first, first_high), _mm512_or_si512(second, second_high)]
}

/// The products of 128 weights, in sums of eight, times the scales of their groups. A sum of four products is at most
/// `4 * 63 * 127`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn scaled([w0, w1]: [__m512i; 2], [q0, q1]: [&[i8; 64]; 2], scales: __m512i) -> __m512i {
    let zero = _mm512_setzero_si512();
    let first = _mm512_dpbusd_epi32(zero, w0, must_cast(*q0));
    let second = _mm512_dpbusd_epi32(zero, w1, must_cast(*q1));
    _mm512_madd_epi16(_mm512_packs_epi32(first, second), scales)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sum_of(lanes: __m512) -> f32 {
    let lanes: [[f32; 8]; 2] = must_cast(lanes);
    let [first, second] = lanes;
    let [a, b, c, d, e, f, g, h] = first;
    let [i, j, k, l, m, n, o, p] = second;
    (((a + i) + (e + m)) + ((c + k) + (g + o))) + (((b + j) + (f + n)) + ((d + l) + (h + p)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn sum_of_four(lanes: __m128) -> f32 {
    let [a, b, c, d]: [f32; 4] = must_cast(lanes);
    (a + c) + (b + d)
}

/// Packing takes the lanes of 16 bytes in turn: four sums of one register, four of the other. The first register has the
/// groups `from` and `from + 1`, of two lanes each; the second has the two groups after these.
#[expect(
    clippy::indexing_slicing,
    reason = "computed when compiled: an index out of range would not compile"
)]
const fn picked_16(from: u8) -> [u8; 64] {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        let group = from + (i / 32) as u8 + 2 * ((i % 16) / 8) as u8;
        table[i] = 2 * group + (i % 2) as u8;
        i += 1;
    }
    table
}

/// The first register has the groups `from` to `from + 3`, of one lane each; the second has the four groups after these.
#[expect(
    clippy::indexing_slicing,
    reason = "computed when compiled: an index out of range would not compile"
)]
const fn picked_8(from: u8) -> [u8; 32] {
    let mut table = [0; 32];
    let mut i = 0;
    while i < 32 {
        table[i] = from + (i / 8) as u8 + 4 * ((i % 8) / 4) as u8;
        i += 1;
    }
    table
}
