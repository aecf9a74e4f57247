//! AVX2 kernel for a tile of weights times rows of activations.

use std::arch::x86_64::*;

use archmage::{X64V3Token, arcane};
use bytemuck::{must_cast, must_cast_ref};

use super::activation::Activation;
use super::format::Format;
use super::tile::{Place, ROWS, Tile, in_fours};

/// Unpacks a block of sixteen rows, and adds its products with the block of each row of activations to `sums`.
#[arcane]
pub(crate) fn add<F: Format>(
    _simd: X64V3Token,
    tile: &mut Tile,
    rows: &[F::Block],
    place: Place,
    activations: &[Activation],
    sums: &mut [[f32; ROWS]],
) {
    tile.unpack::<F>(place.of(rows));
    let tile = &*tile;
    in_fours(
        place.of(activations),
        sums,
        |a, sums| add_few::<F, 4>(tile, a, sums),
        |a, sums| add_few::<F, 1>(tile, a, sums),
    );
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn add_few<F: Format, const N: usize>(tile: &Tile, a: [&Activation; N], sums: [&mut [f32; ROWS]; N]) {
    let mut totals = [[_mm256_setzero_si256(); 2]; N];
    let groups = tile.weights.chunks_exact(F::GROUP).zip(&tile.scales);
    for ((group, scales), first) in groups.zip((0..).step_by(F::GROUP)) {
        for (step, first) in group.chunks_exact(F::STEP).zip((first..).step_by(F::STEP)) {
            scale_and_add(scales, products(step, a, first), &mut totals);
        }
    }
    finish(tile, a, totals, sums);
}

/// Sums of products of a few times four columns, from column `4 * first` on.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn products<const N: usize>(
    step: &[[[u8; 4]; ROWS]],
    a: [&Activation; N],
    first: usize,
) -> [[__m256i; 2]; N] {
    let mut out = [[_mm256_setzero_si256(); 2]; N];
    for (weights, column) in step.iter().zip(first..) {
        let weights: [__m256i; 2] = must_cast(*weights);
        for (out, a) in out.iter_mut().zip(a) {
            let quads: &[[i8; 4]; 64] = must_cast_ref(&a.q);
            let quad = _mm256_set1_epi32(must_cast(quads.get(column).copied().unwrap_or_default()));
            for (out, weights) in out.iter_mut().zip(weights) {
                *out = _mm256_add_epi16(*out, _mm256_maddubs_epi16(weights, quad));
            }
        }
    }
    out
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn scale_and_add<const N: usize>(
    scales: &[[i16; 2]; ROWS],
    products: [[__m256i; 2]; N],
    totals: &mut [[__m256i; 2]; N],
) {
    let scales: [__m256i; 2] = must_cast(*scales);
    for (totals, products) in totals.iter_mut().zip(products) {
        for ((total, product), scale) in totals.iter_mut().zip(products).zip(scales) {
            *total = _mm256_add_epi32(*total, _mm256_madd_epi16(product, scale));
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn finish<const N: usize>(
    tile: &Tile,
    a: [&Activation; N],
    totals: [[__m256i; 2]; N],
    sums: [&mut [f32; ROWS]; N],
) {
    for ((a, totals), sums) in a.into_iter().zip(totals).zip(sums) {
        let pairs: &[[i16; 2]; 8] = must_cast_ref(&a.sums);
        let mut offsets = [_mm256_setzero_si256(); 2];
        for (pair, corrections) in pairs.iter().zip(&tile.corrections) {
            let pair = _mm256_set1_epi32(must_cast(*pair));
            for (offset, correction) in offsets.iter_mut().zip(must_cast::<_, [__m256i; 2]>(*corrections)) {
                *offset = _mm256_add_epi32(*offset, _mm256_madd_epi16(correction, pair));
            }
        }
        let unit = _mm256_set1_ps(a.scale);
        let mut halves: [__m256; 2] = must_cast(*sums);
        let scales: [__m256; 2] = must_cast(tile.scale);
        let corrections: [__m256; 2] = must_cast(tile.correction_scale);
        for ((((half, total), offset), scale), correction) in
            halves.iter_mut().zip(totals).zip(offsets).zip(scales).zip(corrections)
        {
            let total = _mm256_mul_ps(_mm256_cvtepi32_ps(total), scale);
            let value = _mm256_fnmadd_ps(_mm256_cvtepi32_ps(offset), correction, total);
            *half = _mm256_fmadd_ps(value, unit, *half);
        }
        *sums = must_cast(halves);
    }
}
