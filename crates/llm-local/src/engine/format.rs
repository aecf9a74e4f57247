//! The `Format` trait: a weight format and the kernels that multiply it.

use super::activation::Activation;
use super::blocks::{self, BLOCK, Q4K_BYTES, Q6K_BYTES};
use super::dot;
#[cfg(target_arch = "x86_64")]
use super::tile::{Place, ROWS, Tile};
#[cfg(target_arch = "x86_64")]
use super::{dot_avx2, dot_avx512, tile_avx512};
#[cfg(target_arch = "x86_64")]
use archmage::{X64V3Token, X64V4xToken};

/// A weight format in blocks of 256.
pub(crate) trait Format {
    /// The bytes of one block.
    type Block: Sync + 'static;

    /// The bytes as blocks.
    fn blocks(bytes: &[u8]) -> &[Self::Block];

    /// The weights of a block.
    fn write(block: &Self::Block, out: &mut [f32; BLOCK]);

    /// A row of weights times a row of activations.
    fn dot(row: &[Self::Block], activations: &[Activation]) -> f32;

    /// The columns with the same scale, in fours.
    #[cfg(target_arch = "x86_64")]
    const GROUP: usize;

    /// Of these, how many products of four columns can be added in pairs in 16 bits.
    #[cfg(target_arch = "x86_64")]
    const STEP: usize;

    /// Consecutive rows of weights, an even number, times `N` rows of activations, with AVX2.
    #[cfg(target_arch = "x86_64")]
    fn dots_avx2<const N: usize>(
        simd: X64V3Token,
        rows: &[Self::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    );

    /// The same with AVX-512.
    #[cfg(target_arch = "x86_64")]
    fn dots_avx512<const N: usize>(
        simd: X64V4xToken,
        rows: &[Self::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    );

    /// Unpacks a block into a row of a tile.
    #[cfg(target_arch = "x86_64")]
    fn unpack(tile: &mut Tile, row: usize, block: &Self::Block);

    /// Unpacks a column of blocks and adds its products with the activations in the same column to `sums`, with AVX-512.
    #[cfg(target_arch = "x86_64")]
    fn add_avx512(
        simd: X64V4xToken,
        tile: &mut Tile,
        rows: &[Self::Block],
        place: Place,
        activations: &[Activation],
        sums: &mut [[f32; ROWS]],
    );
}

/// Four bits per weight.
pub(crate) struct Q4K;
/// Six bits per weight.
pub(crate) struct Q6K;

impl Format for Q4K {
    type Block = [u8; Q4K_BYTES];

    fn blocks(bytes: &[u8]) -> &[Self::Block] {
        bytes.as_chunks().0
    }

    fn write(block: &Self::Block, out: &mut [f32; BLOCK]) {
        blocks::q4k(block).write(out);
    }

    fn dot(row: &[Self::Block], activations: &[Activation]) -> f32 {
        dot::q4k(row, activations)
    }

    #[cfg(target_arch = "x86_64")]
    const GROUP: usize = 8;

    // Eight products of 4 and 8 bits, added in pairs, stay below 2^15.
    #[cfg(target_arch = "x86_64")]
    const STEP: usize = 8;

    #[cfg(target_arch = "x86_64")]
    fn dots_avx2<const N: usize>(
        simd: X64V3Token,
        rows: &[Self::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    ) {
        dot_avx2::q4k(simd, rows, activations, out);
    }

    #[cfg(target_arch = "x86_64")]
    fn dots_avx512<const N: usize>(
        simd: X64V4xToken,
        rows: &[Self::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    ) {
        dot_avx512::q4k(simd, rows, activations, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn unpack(tile: &mut Tile, row: usize, block: &Self::Block) {
        tile.put_q4k(row, block);
    }

    #[cfg(target_arch = "x86_64")]
    fn add_avx512(
        simd: X64V4xToken,
        tile: &mut Tile,
        rows: &[Self::Block],
        place: Place,
        activations: &[Activation],
        sums: &mut [[f32; ROWS]],
    ) {
        tile_avx512::add_q4k(simd, tile, rows, place, activations, sums);
    }
}

impl Format for Q6K {
    type Block = [u8; Q6K_BYTES];

    fn blocks(bytes: &[u8]) -> &[Self::Block] {
        bytes.as_chunks().0
    }

    fn write(block: &Self::Block, out: &mut [f32; BLOCK]) {
        blocks::q6k(block).write(out);
    }

    fn dot(row: &[Self::Block], activations: &[Activation]) -> f32 {
        dot::q6k(row, activations)
    }

    #[cfg(target_arch = "x86_64")]
    const GROUP: usize = 4;

    // Two pairs of products of 6 and 8 bits do.
    #[cfg(target_arch = "x86_64")]
    const STEP: usize = 2;

    #[cfg(target_arch = "x86_64")]
    fn dots_avx2<const N: usize>(
        simd: X64V3Token,
        rows: &[Self::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    ) {
        dot_avx2::q6k(simd, rows, activations, out);
    }

    #[cfg(target_arch = "x86_64")]
    fn dots_avx512<const N: usize>(
        simd: X64V4xToken,
        rows: &[Self::Block],
        activations: [&[Activation]; N],
        out: &mut [[f32; N]],
    ) {
        dot_avx512::q6k(simd, rows, activations, out);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn unpack(tile: &mut Tile, row: usize, block: &Self::Block) {
        tile.put_q6k(row, block);
    }

    #[cfg(target_arch = "x86_64")]
    fn add_avx512(
        simd: X64V4xToken,
        tile: &mut Tile,
        rows: &[Self::Block],
        place: Place,
        activations: &[Activation],
        sums: &mut [[f32; ROWS]],
    ) {
        tile_avx512::add_q6k(simd, tile, rows, place, activations, sums);
    }
}
