//! CPU time of this process.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
pub(crate) use xtask::bench::stats::{median, ms, quantile, ratio};

/// CPU time of this process, without children.
pub(crate) fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
