//! The order in which the kernels go through a matrix: two rows of weights at a time, and `N` rows of activations
//! column by column.

use super::activation::Activation;

/// Each row of the first half with the row as far into the second half, and the places of their sums: two streams keep
/// more loads in flight than one. `width` is the number of blocks in a row, and there is an even number of rows.
#[inline(always)]
pub(crate) fn pairs<'a, B, const N: usize>(
    rows: &'a [B],
    width: usize,
    out: &'a mut [[f32; N]],
) -> impl Iterator<Item = ([&'a [B]; 2], [&'a mut [f32; N]; 2])> {
    let width = width.max(1);
    let half = out.len() / 2;
    let (upper, lower) = rows.split_at((half * width).min(rows.len()));
    let (out_upper, out_lower) = out.split_at_mut(half);
    let rows = upper.chunks_exact(width).zip(lower.chunks_exact(width));
    rows.zip(out_upper.iter_mut().zip(out_lower)).map(
        #[inline(always)]
        |((x, y), (out_x, out_y))| ([x, y], [out_x, out_y]),
    )
}

/// The blocks of several rows of activations, column by column.
pub(crate) struct Columns<'a, const N: usize>([std::slice::Iter<'a, Activation>; N]);

impl<'a, const N: usize> Columns<'a, N> {
    #[inline(always)]
    pub(crate) fn of(rows: [&'a [Activation]; N]) -> Self {
        Self(rows.map(
            #[inline(always)]
            |row| row.iter(),
        ))
    }

    /// Yields zeros after the end.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> [&'a Activation; N] {
        let mut column = [&Activation::ZERO; N];
        for (place, row) in column.iter_mut().zip(&mut self.0) {
            if let Some(next) = row.next() {
                *place = next;
            }
        }
        column
    }
}
