//! The `Format` trait: a weight format and the kernels that multiply it.

use super::activation::Activation;
use super::blocks::{self, BLOCK, Q4K_BYTES, Q6K_BYTES};
use super::dot;
#[cfg(target_arch = "x86_64")]
use super::{dot_avx2, tile::ROWS, tile::Tile, tile_avx2};
#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

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

    /// The same for two rows of weights and `N` rows of activations with AVX2.
    #[cfg(target_arch = "x86_64")]
    fn dot_avx2<const N: usize>(
        simd: V3,
        rows: [&[Self::Block]; 2],
        activations: [&[Activation]; N],
    ) -> [[f32; N]; 2];

    /// Unpacks a block into a row of a tile.
    #[cfg(target_arch = "x86_64")]
    fn unpack(tile: &mut Tile, row: usize, block: &Self::Block);

    /// Adds the products of a tile and `N` blocks of activations to their sums.
    #[cfg(target_arch = "x86_64")]
    fn add_avx2<const N: usize>(simd: V3, tile: &Tile, a: [&Activation; N], sums: [&mut [f32; ROWS]; N]);
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
    #[inline(always)]
    fn dot_avx2<const N: usize>(
        simd: V3,
        rows: [&[Self::Block]; 2],
        activations: [&[Activation]; N],
    ) -> [[f32; N]; 2] {
        dot_avx2::q4k(simd, rows, activations)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn unpack(tile: &mut Tile, row: usize, block: &Self::Block) {
        tile.put_q4k(row, block);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn add_avx2<const N: usize>(simd: V3, tile: &Tile, a: [&Activation; N], sums: [&mut [f32; ROWS]; N]) {
        tile_avx2::add_q4k(simd, tile, a, sums);
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
    #[inline(always)]
    fn dot_avx2<const N: usize>(
        simd: V3,
        rows: [&[Self::Block]; 2],
        activations: [&[Activation]; N],
    ) -> [[f32; N]; 2] {
        dot_avx2::q6k(simd, rows, activations)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn unpack(tile: &mut Tile, row: usize, block: &Self::Block) {
        tile.put_q6k(row, block);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn add_avx2<const N: usize>(simd: V3, tile: &Tile, a: [&Activation; N], sums: [&mut [f32; ROWS]; N]) {
        tile_avx2::add_q6k(simd, tile, a, sums);
    }
}
