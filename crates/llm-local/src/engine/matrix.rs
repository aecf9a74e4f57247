//! `Matrix`: a weight matrix of a model file, and its product with activations.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::activation::Activation;
use super::blocks::{BLOCK, Q4K_BYTES, Q6K_BYTES};
use super::format::{Format, Q4K, Q6K};
use super::gguf::Container;
use super::simd::Simd;
#[cfg(target_arch = "x86_64")]
use super::{tile::Place, tile::Tile, tile_avx2};

/// The rows of weights that are unpacked together into a tile: a matrix has a multiple of them.
pub(crate) const ROWS: usize = 16;
/// Minimum rows of activations for which unpacking tiles is cheaper than reading weights row by row.
#[cfg(target_arch = "x86_64")]
const TILE_FROM: usize = 6;
/// Rows of weights per task, for few rows of activations.
const ROWS_PER_TASK: usize = 64;

/// The bytes of a model file, shared by everything read from it.
pub(crate) type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A matrix of `rows` times `columns` weights, in place in the file.
pub(crate) struct Matrix {
    bytes: Bytes,
    range: Range<usize>,
    kind: Kind,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Q4K,
    Q6K,
}

impl Matrix {
    /// The matrix called `name`, which must have the given size.
    pub(crate) fn open(
        bytes: &Bytes,
        container: &Container,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Self, String> {
        let info = container.tensors.get(name).ok_or_else(|| format!("it has no tensor {name}"))?;
        if info.shape != [columns, rows] {
            return Err(format!("tensor {name} is {:?}, not {columns} x {rows}", info.shape));
        }
        let (kind, block) = match info.kind {
            12 => (Kind::Q4K, Q4K_BYTES),
            14 => (Kind::Q6K, Q6K_BYTES),
            other => {
                return Err(format!("tensor {name} is of type {other}; only Q4_K and Q6_K are supported"));
            }
        };
        if !columns.is_multiple_of(BLOCK) || !rows.is_multiple_of(ROWS) {
            return Err(format!("tensor {name} of {columns} x {rows} cannot be cut into blocks"));
        }
        let length = (columns / BLOCK).checked_mul(rows).and_then(|n| n.checked_mul(block));
        let range = length.and_then(|length| info.range(length, (**bytes).as_ref().len()));
        let range =
            range.ok_or_else(|| format!("tensor {name} goes beyond the end: the file is cut short"))?;
        Ok(Self { bytes: Arc::clone(bytes), range, kind, rows, columns })
    }

    /// One row, dequantised; zeros for a row that does not exist.
    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        match self.kind {
            Kind::Q4K => self.row_as::<Q4K>(row, out),
            Kind::Q6K => self.row_as::<Q6K>(row, out),
        }
    }

    /// Writes the product with each row of `activations` (`columns / 256` blocks each) into `out`, `rows`
    /// numbers each.
    pub(crate) fn multiply(&self, simd: Simd, activations: &[Activation], out: &mut [f32]) {
        match self.kind {
            Kind::Q4K => self.multiply_as::<Q4K>(simd, activations, out),
            Kind::Q6K => self.multiply_as::<Q6K>(simd, activations, out),
        }
    }

    fn row_as<F: Format>(&self, row: usize, out: &mut [f32]) {
        out.fill(0.0);
        let (parts, _) = out.as_chunks_mut::<BLOCK>();
        for (block, part) in self.rows_of::<F>(row, 1).iter().zip(parts) {
            F::write(block, part);
        }
    }

    fn multiply_as<F: Format>(&self, simd: Simd, activations: &[Activation], out: &mut [f32]) {
        let per_row = self.columns / BLOCK;
        match simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512(simd) if activations.len() >= TILE_FROM * per_row => {
                let add = |tile: &mut Tile, rows: &[F::Block], place, sums: &mut [[f32; ROWS]]| {
                    F::add_avx512(simd, tile, rows, place, activations, sums);
                };
                self.multiply_tiles::<F>(activations.len() / per_row, add, out);
            }
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2(simd) if activations.len() >= TILE_FROM * per_row => {
                let add = |tile: &mut Tile, rows: &[F::Block], place, sums: &mut [[f32; ROWS]]| {
                    tile_avx2::add::<F>(simd, tile, rows, place, activations, sums);
                };
                self.multiply_tiles::<F>(activations.len() / per_row, add, out);
            }
            _ => {
                let rows = activations.chunks(4 * per_row).zip(out.chunks_mut(4 * self.rows));
                for (activations, out) in rows {
                    let (one, two, three) = (per_row, 2 * per_row, 3 * per_row);
                    let row = |from: usize| activations.get(from..from + per_row).unwrap_or_default();
                    match activations.len() / per_row {
                        1 => self.multiply_few::<F, 1>(simd, [row(0)], out),
                        2 => self.multiply_few::<F, 2>(simd, [row(0), row(one)], out),
                        3 => self.multiply_few::<F, 3>(simd, [row(0), row(one), row(two)], out),
                        _ => self.multiply_few::<F, 4>(simd, [row(0), row(one), row(two), row(three)], out),
                    }
                }
            }
        }
    }

    /// Every weight is read once, so this is bound by memory.
    fn multiply_few<F: Format, const N: usize>(
        &self,
        simd: Simd,
        activations: [&[Activation]; N],
        out: &mut [f32],
    ) {
        let work = |(task, out): (usize, &mut [[f32; N]])| {
            simd.dots::<F, N>(self.rows_of::<F>(task * ROWS_PER_TASK, out.len()), activations, out);
        };
        if N == 1 {
            // No transposition needed.
            return out.as_chunks_mut::<N>().0.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(work);
        }
        let mut strips = vec![[0f32; N]; self.rows];
        strips.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(work);
        for (number, row) in out.chunks_exact_mut(self.rows).enumerate() {
            for (place, strip) in row.iter_mut().zip(&strips) {
                *place = strip.get(number).copied().unwrap_or_default();
            }
        }
    }

    /// Many rows of activations, `count` of them: sixteen rows of weights are unpacked and multiplied with all of them, by `add`.
    #[cfg(target_arch = "x86_64")]
    fn multiply_tiles<F: Format>(
        &self,
        count: usize,
        add: impl Fn(&mut Tile, &[F::Block], Place, &mut [[f32; ROWS]]) + Sync,
        out: &mut [f32],
    ) {
        let per_row = self.columns / BLOCK;
        let mut strips = vec![[0f32; ROWS]; count * (self.rows / ROWS)];
        strips.par_chunks_mut(count).enumerate().for_each_init(Tile::boxed, |tile, (index, strip)| {
            let rows = self.rows_of::<F>(index * ROWS, ROWS);
            for block in 0..per_row {
                add(tile, rows, Place { block, per_row }, strip);
            }
        });
        out.par_chunks_exact_mut(self.rows).enumerate().for_each(|(row, out)| {
            let (parts, _) = out.as_chunks_mut::<ROWS>();
            for (part, sums) in parts.iter_mut().zip(strips.iter().skip(row).step_by(count)) {
                *part = *sums;
            }
        });
    }

    /// The blocks of consecutive rows; empty if they do not exist.
    fn rows_of<F: Format>(&self, first: usize, count: usize) -> &[F::Block] {
        let per_row = self.columns / BLOCK;
        let all = (*self.bytes).as_ref().get(self.range.clone()).unwrap_or_default();
        F::blocks(all).get(first * per_row..(first + count) * per_row).unwrap_or_default()
    }
}
