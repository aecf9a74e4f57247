//! A tile: one block of sixteen rows unpacked side by side, so that many activations can be multiplied with
//! it at once.
//!
//! Unpacking costs about as much as three rows of activations, so it pays from a handful of prompt tokens on.
//! A tile lives only as long as it is used: the file stays the only copy of the weights.

use super::activation::Activation;
use super::blocks::{self, Q4K_BYTES, Q6K_BYTES};
use super::format::Format;
pub(crate) use super::matrix::ROWS;

/// One block of sixteen rows. The innermost sixteen elements are always the rows.
#[repr(align(64))]
pub(crate) struct Tile {
    /// For each four adjacent columns: four weights of each row.
    pub(crate) weights: [[[u8; 4]; ROWS]; 64],
    /// For each group of columns: the row's scale, twice.
    pub(crate) scales: [[[i16; 2]; ROWS]; 16],
    /// For each two groups of 16 columns: the factor of the sums of activations, to be subtracted.
    pub(crate) corrections: [[[i16; 2]; ROWS]; 8],
    /// The rows' scales.
    pub(crate) scale: [f32; ROWS],
    /// The rows' scales of the corrections.
    pub(crate) correction_scale: [f32; ROWS],
}

impl Tile {
    /// A tile to unpack into.
    pub(crate) fn boxed() -> Box<Self> {
        Box::new(Self {
            weights: [[[0; 4]; ROWS]; 64],
            scales: [[[0; 2]; ROWS]; 16],
            corrections: [[[0; 2]; ROWS]; 8],
            scale: [0.0; ROWS],
            correction_scale: [0.0; ROWS],
        })
    }

    /// Unpacks one block of each row.
    #[inline(always)]
    pub(crate) fn unpack<'a, F: Format>(&mut self, blocks: impl Iterator<Item = &'a F::Block>) {
        for (row, block) in blocks.enumerate() {
            F::unpack(self, row, block);
        }
    }

    /// Unpacks a Q4_K block of row `row`: eight groups of 32 columns.
    #[inline(always)]
    pub(crate) fn put_q4k(&mut self, row: usize, block: &[u8; Q4K_BYTES]) {
        let w = blocks::q4k(block);
        let (parts, _) = self.weights.as_chunks_mut::<16>();
        for (part, bytes) in parts.iter_mut().zip(w.quants) {
            let (low, high) = part.split_at_mut(8);
            let (quads, _) = bytes.as_chunks::<4>();
            for ((low, high), quad) in low.iter_mut().zip(high).zip(quads) {
                let quad = u32::from_le_bytes(*quad);
                put(low, row, (quad & 0x0F0F_0F0F).to_le_bytes());
                put(high, row, ((quad >> 4) & 0x0F0F_0F0F).to_le_bytes());
            }
        }
        for (place, scale) in self.scales.iter_mut().zip(w.scales) {
            put(place, row, [i16::from(scale); 2]);
        }
        for (place, min) in self.corrections.iter_mut().zip(w.mins) {
            put(place, row, [i16::from(min); 2]);
        }
        put(&mut self.scale, row, w.scale);
        put(&mut self.correction_scale, row, w.floor);
    }

    /// Unpacks a Q6_K block of row `row`: sixteen groups of 16 columns.
    #[inline(always)]
    pub(crate) fn put_q6k(&mut self, row: usize, block: &[u8; Q6K_BYTES]) {
        let w = blocks::q6k(block);
        let raw = w.raw();
        let (quads, _) = raw.as_flattened().as_chunks::<4>();
        for (place, quad) in self.weights.iter_mut().zip(quads) {
            put(place, row, *quad);
        }
        for (place, scale) in self.scales.iter_mut().zip(w.scales) {
            put(place, row, [i16::from(scale); 2]);
        }
        // Stored numbers are 32 too large.
        for (place, [a, b]) in self.corrections.iter_mut().zip(w.scales.as_chunks::<2>().0) {
            put(place, row, [32 * i16::from(*a), 32 * i16::from(*b)]);
        }
        put(&mut self.scale, row, w.scale);
        put(&mut self.correction_scale, row, w.scale);
    }
}

/// A column of blocks.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Its number.
    pub(crate) block: usize,
    /// The blocks of a row.
    pub(crate) per_row: usize,
}

impl Place {
    /// What stands in this column, in each row.
    #[inline(always)]
    pub(crate) fn of<T>(self, rows: &[T]) -> impl Iterator<Item = &T> {
        rows.iter().skip(self.block).step_by(self.per_row)
    }
}

/// Goes through activations and their sums, four at a time and then one by one: `four` and `one` add the products of a tile.
#[inline(always)]
pub(crate) fn in_fours<'a>(
    mut activations: impl Iterator<Item = &'a Activation>,
    sums: &mut [[f32; ROWS]],
    four: impl Fn([&Activation; 4], [&mut [f32; ROWS]; 4]),
    one: impl Fn([&Activation; 1], [&mut [f32; ROWS]; 1]),
) {
    let (fours, rest) = sums.as_chunks_mut::<4>();
    for sums in fours {
        if let (Some(a), Some(b), Some(c), Some(d)) =
            (activations.next(), activations.next(), activations.next(), activations.next())
        {
            four([a, b, c, d], sums.each_mut());
        }
    }
    for (sums, a) in rest.iter_mut().zip(activations) {
        one([a], [sums]);
    }
}

/// Stores the value of a row.
#[inline(always)]
pub(crate) fn put<T>(places: &mut [T; ROWS], row: usize, value: T) {
    if let Some(place) = places.get_mut(row % ROWS) {
        *place = value;
    }
}
