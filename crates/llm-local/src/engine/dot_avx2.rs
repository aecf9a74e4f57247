//! AVX2 kernel for rows of weights times a few rows of activations: reads each weight once, straight from the
//! file.

use std::arch::x86_64::{__m128i, __m256, __m256i};

use pulp::cast;
use pulp::x86::V3;

use super::activation::Activation;
use super::blocks::{self, Q4K_BYTES, Q6K_BYTES};

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

/// Two rows of Q4_K blocks times `N` rows of activations: two memory streams keep more loads in flight, and
/// each weight is read and unpacked once.
#[inline(always)]
pub(crate) fn q4k<const N: usize>(
    simd: V3,
    rows: [&[[u8; Q4K_BYTES]]; 2],
    activations: [&[Activation]; N],
) -> [[f32; N]; 2] {
    let [first, second] = rows;
    let zero = simd.avx._mm256_setzero_ps();
    let (mut one, mut two) = ([zero; N], [zero; N]);
    let mut columns = Columns::of(activations);
    for (x, y) in first.iter().zip(second) {
        let a = columns.next();
        q4k_block(simd, x, &a, &mut one);
        q4k_block(simd, y, &a, &mut two);
    }
    [sums_of(&one), sums_of(&two)]
}

/// Two rows of Q6_K blocks.
#[inline(always)]
pub(crate) fn q6k<const N: usize>(
    simd: V3,
    rows: [&[[u8; Q6K_BYTES]]; 2],
    activations: [&[Activation]; N],
) -> [[f32; N]; 2] {
    let [first, second] = rows;
    let zero = simd.avx._mm256_setzero_ps();
    let (mut one, mut two) = ([zero; N], [zero; N]);
    let mut columns = Columns::of(activations);
    for (x, y) in first.iter().zip(second) {
        let a = columns.next();
        q6k_block(simd, x, &a, &mut one);
        q6k_block(simd, y, &a, &mut two);
    }
    [sums_of(&one), sums_of(&two)]
}

/// The blocks of several rows of activations, column by column.
struct Columns<'a, const N: usize>([std::slice::Iter<'a, Activation>; N]);

impl<'a, const N: usize> Columns<'a, N> {
    #[inline(always)]
    fn of(rows: [&'a [Activation]; N]) -> Self {
        Self(rows.map(
            #[inline(always)]
            |row| row.iter(),
        ))
    }

    /// Yields zeros after the end.
    #[inline(always)]
    fn next(&mut self) -> [&'a Activation; N] {
        let mut column = [&Activation::ZERO; N];
        for (place, row) in column.iter_mut().zip(&mut self.0) {
            if let Some(next) = row.next() {
                *place = next;
            }
        }
        column
    }
}

#[inline(always)]
fn q4k_block<const N: usize>(
    simd: V3,
    block: &[u8; Q4K_BYTES],
    activations: &[&Activation; N],
    totals: &mut [__m256; N],
) {
    let V3 { sse2, sse4_1, avx, avx2, fma, .. } = simd;
    let w = blocks::q4k(block);
    let scales = sse4_1._mm_cvtepu8_epi16(sse2._mm_set_epi64x(0, i64::from_le_bytes(w.scales)));
    let scales = avx2._mm256_broadcastsi128_si256(scales);
    let mins = sse4_1._mm_cvtepu8_epi16(sse2._mm_set_epi64x(0, i64::from_le_bytes(w.mins)));
    let [b0, b1, b2, b3] = w.quants;
    let [p0, p1, p2, p3, p4, p5, p6, p7] = &PICK_16;
    let w0 = q4k_unpacked(simd, b0, scales, [p0, p1]);
    let w1 = q4k_unpacked(simd, b1, scales, [p2, p3]);
    let w2 = q4k_unpacked(simd, b2, scales, [p4, p5]);
    let w3 = q4k_unpacked(simd, b3, scales, [p6, p7]);
    for (total, a) in totals.iter_mut().zip(activations) {
        // Four sums in eight lanes, the others zero.
        let floor = sse2._mm_madd_epi16(mins, cast::<_, __m128i>(a.pair_sums));
        let floor = avx2._mm256_cvtepu32_epi64(floor);
        let [q0, q1, q2, q3, q4, q5, q6, q7] = &a.q;
        let mut sum = q4k_step(simd, w0, [q0, q1]);
        sum = avx2._mm256_add_epi32(sum, q4k_step(simd, w1, [q2, q3]));
        sum = avx2._mm256_add_epi32(sum, q4k_step(simd, w2, [q4, q5]));
        sum = avx2._mm256_add_epi32(sum, q4k_step(simd, w3, [q6, q7]));
        let scale = avx._mm256_set1_ps(a.scale * w.scale);
        *total = fma._mm256_fmadd_ps(scale, avx._mm256_cvtepi32_ps(sum), *total);
        let scale = avx._mm256_set1_ps(a.scale * w.floor);
        *total = fma._mm256_fnmadd_ps(scale, avx._mm256_cvtepi32_ps(floor), *total);
    }
}

/// 64 weights and their scales.
type Unpacked = [[__m256i; 2]; 2];

#[inline(always)]
fn q4k_unpacked(
    simd: V3,
    bytes: &[u8; 32],
    scales: __m256i,
    [pick_low, pick_high]: [&[u8; 32]; 2],
) -> Unpacked {
    let V3 { avx, avx2, .. } = simd;
    let mask = avx._mm256_set1_epi8(15);
    let bytes = cast::<_, __m256i>(*bytes);
    let low = avx2._mm256_and_si256(bytes, mask);
    let high = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<4>(bytes), mask);
    let scales = [
        avx2._mm256_shuffle_epi8(scales, cast(*pick_low)),
        avx2._mm256_shuffle_epi8(scales, cast(*pick_high)),
    ];
    [[low, high], scales]
}

#[inline(always)]
fn q4k_step(
    simd: V3,
    [[low, high], [scale_low, scale_high]]: Unpacked,
    [q_low, q_high]: [&[i8; 32]; 2],
) -> __m256i {
    let V3 { avx2, .. } = simd;
    let low = avx2._mm256_maddubs_epi16(low, cast(*q_low));
    let high = avx2._mm256_maddubs_epi16(high, cast(*q_high));
    let low = avx2._mm256_madd_epi16(low, scale_low);
    let high = avx2._mm256_madd_epi16(high, scale_high);
    avx2._mm256_add_epi32(low, high)
}

#[inline(always)]
fn q6k_block<const N: usize>(
    simd: V3,
    block: &[u8; Q6K_BYTES],
    activations: &[&Activation; N],
    totals: &mut [__m256; N],
) {
    let V3 { avx, avx2, fma, .. } = simd;
    let w = blocks::q6k(block);
    let scales = cast::<_, __m128i>(w.scales);
    let wide_scales = avx2._mm256_cvtepi8_epi16(scales);
    let [low_a, low_b] = w.low;
    let [high_a, high_b] = &w.high;
    let [p0, p1, p2, p3, p4, p5, p6, p7] = &PICK_8;
    let [w0, w1, w2, w3] = q6k_unpacked(simd, low_a, high_a, scales, [p0, p1, p2, p3]);
    let [w4, w5, w6, w7] = q6k_unpacked(simd, low_b, high_b, scales, [p4, p5, p6, p7]);
    for (total, a) in totals.iter_mut().zip(activations) {
        // Stored numbers are 32 too large: subtract 32 times the sums of the activations.
        let offset = avx2._mm256_madd_epi16(wide_scales, cast(a.sums));
        let offset = avx2._mm256_slli_epi32::<5>(offset);
        let [q0, q1, q2, q3, q4, q5, q6, q7] = &a.q;
        let first = q6k_sum(simd, [w0, w1, w2, w3], [q0, q1, q2, q3]);
        let second = q6k_sum(simd, [w4, w5, w6, w7], [q4, q5, q6, q7]);
        let sum = avx2._mm256_sub_epi32(avx2._mm256_add_epi32(first, second), offset);
        let scale = avx._mm256_set1_ps(a.scale * w.scale);
        *total = fma._mm256_fmadd_ps(scale, avx._mm256_cvtepi32_ps(sum), *total);
    }
}

/// 128 weights: 32 and their scales, four times.
#[inline(always)]
fn q6k_unpacked(
    simd: V3,
    [low_a, low_b]: &[[u8; 32]; 2],
    high: &[u8; 32],
    scales: __m128i,
    [p0, p1, p2, p3]: [&[u8; 16]; 4],
) -> [[__m256i; 2]; 4] {
    let V3 { avx, avx2, .. } = simd;
    let low_bits = avx._mm256_set1_epi8(15);
    let high_bits = avx._mm256_set1_epi8(0x30);
    let low_a = cast::<_, __m256i>(*low_a);
    let low_b = cast::<_, __m256i>(*low_b);
    let high = cast::<_, __m256i>(*high);
    let w0 = avx2._mm256_and_si256(low_a, low_bits);
    let w1 = avx2._mm256_and_si256(low_b, low_bits);
    let w2 = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<4>(low_a), low_bits);
    let w3 = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<4>(low_b), low_bits);
    let h0 = avx2._mm256_and_si256(avx2._mm256_slli_epi16::<4>(high), high_bits);
    let h1 = avx2._mm256_and_si256(avx2._mm256_slli_epi16::<2>(high), high_bits);
    let h2 = avx2._mm256_and_si256(high, high_bits);
    let h3 = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<2>(high), high_bits);
    [
        [avx2._mm256_or_si256(w0, h0), q6k_scale(simd, scales, p0)],
        [avx2._mm256_or_si256(w1, h1), q6k_scale(simd, scales, p1)],
        [avx2._mm256_or_si256(w2, h2), q6k_scale(simd, scales, p2)],
        [avx2._mm256_or_si256(w3, h3), q6k_scale(simd, scales, p3)],
    ]
}

#[inline(always)]
fn q6k_scale(simd: V3, scales: __m128i, pick: &[u8; 16]) -> __m256i {
    let V3 { ssse3, avx2, .. } = simd;
    avx2._mm256_cvtepi8_epi16(ssse3._mm_shuffle_epi8(scales, cast(*pick)))
}

#[inline(always)]
fn q6k_sum(simd: V3, [w0, w1, w2, w3]: [[__m256i; 2]; 4], [q0, q1, q2, q3]: [&[i8; 32]; 4]) -> __m256i {
    let V3 { avx2, .. } = simd;
    let first = avx2._mm256_add_epi32(q6k_step(simd, w0, q0), q6k_step(simd, w1, q1));
    let second = avx2._mm256_add_epi32(q6k_step(simd, w2, q2), q6k_step(simd, w3, q3));
    avx2._mm256_add_epi32(first, second)
}

/// 32 weights.
#[inline(always)]
fn q6k_step(simd: V3, [weights, scale]: [__m256i; 2], q: &[i8; 32]) -> __m256i {
    let V3 { avx2, .. } = simd;
    avx2._mm256_madd_epi16(avx2._mm256_maddubs_epi16(weights, cast(*q)), scale)
}

#[inline(always)]
fn sums_of<const N: usize>(lanes: &[__m256; N]) -> [f32; N] {
    let mut sums = [0.0; N];
    for (sum, lanes) in sums.iter_mut().zip(lanes) {
        *sum = sum_of(*lanes);
    }
    sums
}

#[inline(always)]
fn sum_of(lanes: __m256) -> f32 {
    let [a, b, c, d, e, f, g, h] = cast::<_, [f32; 8]>(lanes);
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
