//! AVX-512 kernel for a tile of weights times rows of activations: a register holds four columns of all sixteen rows.

use std::arch::x86_64::*;

use archmage::{X64V4xToken, arcane};
use bytemuck::{must_cast, must_cast_ref};

use super::activation::Activation;
use super::blocks::{Q4K_BYTES, Q6K_BYTES};
use super::dot_avx512;
use super::format::{Format, Q4K, Q6K};
use super::tile::{Place, ROWS, Tile};

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
    put_q4k_factors(tile, rows, place);
    let mut rows_of_weights = [[_mm512_setzero_si512(); ROWS]; 4];
    for (row, block) in place.of(rows).enumerate().take(ROWS) {
        for (part, weights) in rows_of_weights.iter_mut().zip(dot_avx512::q4k_weights(block)) {
            if let Some(place) = part.get_mut(row) {
                *place = weights;
            }
        }
    }
    put_weights(tile, rows_of_weights);
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
    put_q6k_factors(tile, rows, place);
    let mut rows_of_weights = [[_mm512_setzero_si512(); ROWS]; 4];
    for (row, block) in place.of(rows).enumerate().take(ROWS) {
        for (part, weights) in rows_of_weights.iter_mut().zip(dot_avx512::q6k_weights(block)) {
            if let Some(place) = part.get_mut(row) {
                *place = weights;
            }
        }
    }
    put_weights(tile, rows_of_weights);
    add::<{ Q6K::GROUP }>(tile, place.of(activations), sums);
}

/// Not inlined: compiled for AVX-512, these single numbers would be scattered, which takes longer.
#[inline(never)]
fn put_q4k_factors(tile: &mut Tile, rows: &[[u8; Q4K_BYTES]], place: Place) {
    for (row, block) in place.of(rows).enumerate() {
        tile.put_q4k_factors(row, block);
    }
}

#[inline(never)]
fn put_q6k_factors(tile: &mut Tile, rows: &[[u8; Q6K_BYTES]], place: Place) {
    for (row, block) in place.of(rows).enumerate() {
        tile.put_q6k_factors(row, block);
    }
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
    mut activations: impl Iterator<Item = &'a Activation>,
    sums: &mut [[f32; ROWS]],
) {
    let (fours, rest) = sums.as_chunks_mut::<4>();
    for four in fours {
        if let (Some(a), Some(b), Some(c), Some(d)) =
            (activations.next(), activations.next(), activations.next(), activations.next())
        {
            add_few::<GROUP, 4>(tile, [a, b, c, d], four.each_mut());
        }
    }
    for (sums, a) in rest.iter_mut().zip(activations) {
        add_few::<GROUP, 1>(tile, [a], [sums]);
    }
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
