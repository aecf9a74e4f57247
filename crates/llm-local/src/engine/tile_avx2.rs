//! AVX2 kernel for a tile of weights times rows of activations.

use std::arch::x86_64::{__m256, __m256i};

use pulp::cast;
use pulp::x86::V3;

use super::activation::Activation;
use super::tile::{ROWS, Tile};

/// Adds the products of a Q4_K tile with `N` activations to `sums`, one per activation, sixteen rows each.
#[inline(always)]
pub(crate) fn add_q4k<const N: usize>(
    simd: V3,
    tile: &Tile,
    a: [&Activation; N],
    sums: [&mut [f32; ROWS]; N],
) {
    let mut totals = [[simd.avx._mm256_setzero_si256(); 2]; N];
    let (groups, _) = tile.weights.as_chunks::<8>();
    for ((group, scales), i) in groups.iter().zip(&tile.scales).zip(0..8) {
        // Eight products of 4 and 8 bits, added in pairs, stay below 2^15.
        let products = products::<N, 8>(simd, group, a, i * 8);
        scale_and_add(simd, scales, products, &mut totals);
    }
    finish(simd, tile, a, totals, sums);
}

/// The same for a Q6_K tile.
#[inline(always)]
pub(crate) fn add_q6k<const N: usize>(
    simd: V3,
    tile: &Tile,
    a: [&Activation; N],
    sums: [&mut [f32; ROWS]; N],
) {
    let mut totals = [[simd.avx._mm256_setzero_si256(); 2]; N];
    let (groups, _) = tile.weights.as_chunks::<4>();
    for ((group, scales), i) in groups.iter().zip(&tile.scales).zip(0..16) {
        // Products of 6 and 8 bits: two pairs fit below 2^15, so a group of four is added in two steps.
        let (steps, _) = group.as_chunks::<2>();
        for (step, j) in steps.iter().zip(0..2) {
            let products = products::<N, 2>(simd, step, a, i * 4 + j * 2);
            scale_and_add(simd, scales, products, &mut totals);
        }
    }
    finish(simd, tile, a, totals, sums);
}

/// Sums of products of `G` times four columns, from column `4 * first` on.
#[inline(always)]
fn products<const N: usize, const G: usize>(
    simd: V3,
    group: &[[[u8; 4]; ROWS]; G],
    a: [&Activation; N],
    first: usize,
) -> [[__m256i; 2]; N] {
    let mut out = [[simd.avx._mm256_setzero_si256(); 2]; N];
    for (pair, k) in group.iter().zip(first..) {
        let pair: [__m256i; 2] = cast(*pair);
        for (out, a) in out.iter_mut().zip(a) {
            let quads: &[[i8; 4]; 64] = bytemuck::must_cast_ref(&a.q);
            let quad = simd.avx._mm256_set1_epi32(cast(quads.get(k).copied().unwrap_or_default()));
            for (out, w) in out.iter_mut().zip(pair) {
                *out = simd.avx2._mm256_add_epi16(*out, simd.avx2._mm256_maddubs_epi16(w, quad));
            }
        }
    }
    out
}

#[inline(always)]
fn scale_and_add<const N: usize>(
    simd: V3,
    scales: &[[i16; 2]; ROWS],
    products: [[__m256i; 2]; N],
    totals: &mut [[__m256i; 2]; N],
) {
    let scales: [__m256i; 2] = cast(*scales);
    for (totals, products) in totals.iter_mut().zip(products) {
        for ((total, product), scale) in totals.iter_mut().zip(products).zip(scales) {
            *total = simd.avx2._mm256_add_epi32(*total, simd.avx2._mm256_madd_epi16(product, scale));
        }
    }
}

#[inline(always)]
fn finish<const N: usize>(
    simd: V3,
    tile: &Tile,
    a: [&Activation; N],
    totals: [[__m256i; 2]; N],
    sums: [&mut [f32; ROWS]; N],
) {
    let V3 { avx, avx2, fma, .. } = simd;
    for ((a, totals), sums) in a.into_iter().zip(totals).zip(sums) {
        let pairs: &[[i16; 2]; 8] = bytemuck::must_cast_ref(&a.sums);
        let mut offsets = [avx._mm256_setzero_si256(); 2];
        for (pair, corrections) in pairs.iter().zip(&tile.corrections) {
            let pair = avx._mm256_set1_epi32(cast(*pair));
            for (offset, correction) in offsets.iter_mut().zip(cast::<_, [__m256i; 2]>(*corrections)) {
                *offset = avx2._mm256_add_epi32(*offset, avx2._mm256_madd_epi16(correction, pair));
            }
        }
        let unit = avx._mm256_set1_ps(a.scale);
        let mut halves: [__m256; 2] = cast(*sums);
        let scales: [__m256; 2] = cast(tile.scale);
        let corrections: [__m256; 2] = cast(tile.correction_scale);
        for ((((half, total), offset), scale), correction) in
            halves.iter_mut().zip(totals).zip(offsets).zip(scales).zip(corrections)
        {
            let total = avx._mm256_mul_ps(avx._mm256_cvtepi32_ps(total), scale);
            let value = fma._mm256_fnmadd_ps(avx._mm256_cvtepi32_ps(offset), correction, total);
            *half = fma._mm256_fmadd_ps(value, unit, *half);
        }
        *sums = cast(halves);
    }
}
