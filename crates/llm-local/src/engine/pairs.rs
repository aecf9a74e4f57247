//! The order in which the kernels go through a matrix: two rows of weights at a time, and `N` rows of activations
//! column by column.

use super::activation::Activation;

/// The products of consecutive rows of weights, an even number, with `N` rows of activations. `block` adds those of one block
/// of weights to what is summed up so far, `sum` says what that comes to.
///
/// Inlined into a kernel, it is compiled for the kernel's instructions.
#[inline(always)]
pub(crate) fn products<B, T: Copy, const N: usize>(
    rows: &[B],
    activations: [&[Activation]; N],
    out: &mut [[f32; N]],
    zero: T,
    block: impl Fn(&B, &[&Activation; N], &mut [T; N]),
    sum: impl Fn(T) -> f32,
) {
    let width = activations.first().map_or(0, |row| row.len());
    for ([first, second], out) in pairs(rows, width, out) {
        let mut totals = [[zero; N]; 2];
        let mut columns = Columns::of(activations);
        for (x, y) in first.iter().zip(second) {
            let a = columns.next();
            for (weights, totals) in [x, y].into_iter().zip(&mut totals) {
                block(weights, &a, totals);
            }
        }
        for (out, totals) in out.into_iter().zip(totals) {
            for (out, total) in out.iter_mut().zip(totals) {
                *out = sum(total);
            }
        }
    }
}

/// Each row of the first half with the row as far into the second half, and the places of their sums: two streams keep
/// more loads in flight than one. `width` is the number of blocks in a row, and there is an even number of rows.
#[inline(always)]
fn pairs<'a, B, const N: usize>(
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
