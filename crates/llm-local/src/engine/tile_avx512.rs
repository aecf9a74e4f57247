//! AVX-512 kernel for a tile of weights times rows of activations: a register holds four columns of all sixteen rows.

use std::arch::x86_64::*;
use std::slice::from_mut;

use archmage::{X64V4xToken, arcane};
use bytemuck::{must_cast, must_cast_ref};

use super::activation::Activation;
use super::blocks::{self, Q4K_BYTES, Q6K_BYTES};
use super::dot_avx512;
use super::format::{Format, Q4K, Q6K};
use super::tile::{Place, ROWS, Tile, in_fours, put};

/// Unpacks a Q4_K block of sixteen rows, and adds its products with the block of each row of activations to `sums`.
#[arcane]
pub(crate) fn add_q4k(
    _simd: X64V4xToken,
    tile: &mut Tile,
    rows: &[[u8; Q4K_BYTES]],
    place: Place,
    activations: &[Activation],
    sums: &mut [[f32; ROWS]],
) {
    let mut weights = [[_mm512_setzero_si512(); ROWS]; 4];
    let mut factors = [_mm512_setzero_si512(); ROWS];
    for (row, block) in place.of(rows).enumerate().take(ROWS) {
        let w = blocks::q4k(block);
        put_row(&mut weights, row, dot_avx512::q4k_weights(block));
        let scales_and_mins = _mm_set_epi64x(i64::from_le_bytes(w.mins), i64::from_le_bytes(w.scales));
        put_row(from_mut(&mut factors), row, [twice(_mm512_cvtepu8_epi32(scales_and_mins))]);
        put(&mut tile.scale, row, w.scale);
        put(&mut tile.correction_scale, row, w.floor);
    }
    put_weights(tile, weights);
    // Eight scales and eight corrections.
    let places = tile.scales.iter_mut().take(8).chain(&mut tile.corrections);
    for (place, factor) in places.zip(transposed(factors)) {
        *place = must_cast(factor);
    }
    add::<{ Q4K::GROUP }>(tile, place.of(activations), sums);
}

/// Unpacks a Q6_K block of sixteen rows, and adds its products with the block of each row of activations to `sums`.
#[arcane]
pub(crate) fn add_q6k(
    _simd: X64V4xToken,
    tile: &mut Tile,
    rows: &[[u8; Q6K_BYTES]],
    place: Place,
    activations: &[Activation],
    sums: &mut [[f32; ROWS]],
) {
    let mut weights = [[_mm512_setzero_si512(); ROWS]; 4];
    let mut factors = [[_mm512_setzero_si512(); ROWS]; 2];
    for (row, block) in place.of(rows).enumerate().take(ROWS) {
        let w = blocks::q6k(block);
        put_row(&mut weights, row, dot_avx512::q6k_weights(block));
        let scales: __m128i = must_cast(w.scales);
        // Stored numbers are 32 too large.
        let corrections = _mm256_slli_epi16::<5>(_mm256_cvtepi8_epi16(scales));
        let corrections = _mm512_zextsi256_si512(corrections);
        put_row(&mut factors, row, [twice(_mm512_cvtepi8_epi32(scales)), corrections]);
        put(&mut tile.scale, row, w.scale);
        put(&mut tile.correction_scale, row, w.scale);
    }
    put_weights(tile, weights);
    let [scales, corrections] = factors;
    for (place, scale) in tile.scales.iter_mut().zip(transposed(scales)) {
        *place = must_cast(scale);
    }
    for (place, correction) in tile.corrections.iter_mut().zip(transposed(corrections)) {
        *place = must_cast(correction);
    }
    add::<{ Q6K::GROUP }>(tile, place.of(activations), sums);
}

/// Puts a row into each of several squares.
#[inline]
#[target_feature(enable = "avx512f")]
fn put_row<const N: usize>(squares: &mut [[__m512i; ROWS]], row: usize, values: [__m512i; N]) {
    for (square, value) in squares.iter_mut().zip(values) {
        put(square, row, value);
    }
}

/// Numbers of 16 bits, each in both halves of 32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn twice(numbers: __m512i) -> __m512i {
    let low = _mm512_maskz_mov_epi16(0x5555_5555, numbers);
    _mm512_or_si512(low, _mm512_slli_epi32::<16>(numbers))
}

/// Stores 64 weights of each row, four times.
#[inline]
#[target_feature(enable = "avx512f")]
fn put_weights(tile: &mut Tile, rows: [[__m512i; ROWS]; 4]) {
    let (parts, _) = tile.weights.as_chunks_mut::<ROWS>();
    for (part, rows) in parts.iter_mut().zip(rows) {
        for (place, columns) in part.iter_mut().zip(transposed(rows)) {
            *place = must_cast(columns);
        }
    }
}

/// The rows of a square of numbers of 32 bits as columns.
#[inline]
#[target_feature(enable = "avx512f")]
fn transposed(rows: [__m512i; ROWS]) -> [__m512i; ROWS] {
    // Of four rows, the columns 0, 4, 8, 12 in one register, and so on.
    let (fours, _) = rows.as_chunks::<4>();
    let mut quarters = [[_mm512_setzero_si512(); 4]; 4];
    for (quarter, [a, b, c, d]) in quarters.iter_mut().zip(fours) {
        let (ab, cd) = (_mm512_unpacklo_epi32(*a, *b), _mm512_unpacklo_epi32(*c, *d));
        let (ab_high, cd_high) = (_mm512_unpackhi_epi32(*a, *b), _mm512_unpackhi_epi32(*c, *d));
        *quarter = [
            _mm512_unpacklo_epi64(ab, cd),
            _mm512_unpackhi_epi64(ab, cd),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ];
    }
    let [q0, q1, q2, q3] = quarters;
    let mut columns = [_mm512_setzero_si512(); ROWS];
    for ((((column, a), b), c), d) in (0..4).zip(q0).zip(q1).zip(q2).zip(q3) {
        let (ab, cd) = (_mm512_shuffle_i32x4::<0x44>(a, b), _mm512_shuffle_i32x4::<0x44>(c, d));
        let (ab_high, cd_high) = (_mm512_shuffle_i32x4::<0xEE>(a, b), _mm512_shuffle_i32x4::<0xEE>(c, d));
        let of_four = [
            _mm512_shuffle_i32x4::<0x88>(ab, cd),
            _mm512_shuffle_i32x4::<0xDD>(ab, cd),
            _mm512_shuffle_i32x4::<0x88>(ab_high, cd_high),
            _mm512_shuffle_i32x4::<0xDD>(ab_high, cd_high),
        ];
        for (place, four) in columns.iter_mut().skip(column).step_by(4).zip(of_four) {
            *place = four;
        }
    }
    columns
}

/// Adds the products of a tile, of which `GROUP` times four columns have the same scale.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add<'a, const GROUP: usize>(
    tile: &Tile,
    activations: impl Iterator<Item = &'a Activation>,
    sums: &mut [[f32; ROWS]],
) {
    in_fours(
        activations,
        sums,
        |a, sums| add_few::<GROUP, 4>(tile, a, sums),
        |a, sums| add_few::<GROUP, 1>(tile, a, sums),
    );
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn add_few<const GROUP: usize, const N: usize>(
    tile: &Tile,
    a: [&Activation; N],
    sums: [&mut [f32; ROWS]; N],
) {
    let zero = _mm512_setzero_si512();
    let mut totals = [zero; N];
    let (groups, _) = tile.weights.as_chunks::<GROUP>();
    let mut columns = a.map(|a| {
        let fours: &[[i8; 4]; 64] = must_cast_ref(&a.q);
        fours.as_chunks::<GROUP>().0.iter()
    });
    for (group, scales) in groups.iter().zip(&tile.scales) {
        let columns = columns.each_mut().map(|columns| columns.next().unwrap_or(&[[0; 4]; GROUP]));
        let mut products = [zero; N];
        for (place, weights) in group.iter().enumerate() {
            let weights: __m512i = must_cast(*weights);
            for (product, columns) in products.iter_mut().zip(columns) {
                let four = must_cast(columns.get(place).copied().unwrap_or_default());
                *product = _mm512_dpbusd_epi32(*product, weights, _mm512_set1_epi32(four));
            }
        }
        // A scale stands there twice, in 16 bits each.
        let scales = _mm512_srai_epi32::<16>(must_cast(*scales));
        for (total, product) in totals.iter_mut().zip(products) {
            *total = _mm512_add_epi32(*total, _mm512_mullo_epi32(product, scales));
        }
    }
    let (scale, correction) = (must_cast(tile.scale), must_cast(tile.correction_scale));
    for ((a, total), sums) in a.into_iter().zip(totals).zip(sums) {
        let pairs: &[[i16; 2]; 8] = must_cast_ref(&a.sums);
        let mut offset = zero;
        for (pair, corrections) in pairs.iter().zip(&tile.corrections) {
            let pair = _mm512_set1_epi32(must_cast(*pair));
            offset = _mm512_add_epi32(offset, _mm512_madd_epi16(must_cast(*corrections), pair));
        }
        let total = _mm512_mul_ps(_mm512_cvtepi32_ps(total), scale);
        let value = _mm512_fnmadd_ps(_mm512_cvtepi32_ps(offset), correction, total);
        let unit = _mm512_set1_ps(a.scale);
        *sums = must_cast(_mm512_fmadd_ps(value, unit, must_cast(*sums)));
    }
}
