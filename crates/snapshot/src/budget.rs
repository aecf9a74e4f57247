//! Selects which contents to keep within a limit.

/// What fits into the limit, and what does not.
pub(super) struct Fitted<T> {
    pub(super) bytes: u64,
    pub(super) fitting: Vec<T>,
    pub(super) left_over: Vec<(u64, T)>,
}

/// Takes the smallest first, so that as many as possible fit.
pub(super) fn fit<T: Ord>(mut sizes: Vec<(u64, T)>, room: u64) -> Fitted<T> {
    sizes.sort();
    let mut fitted = Fitted { bytes: 0, fitting: Vec::new(), left_over: Vec::new() };
    for (size, one) in sizes {
        let sum = fitted.bytes.saturating_add(size);
        if sum <= room {
            fitted.bytes = sum;
            fitted.fitting.push(one);
        } else {
            fitted.left_over.push((size, one));
        }
    }
    fitted
}
