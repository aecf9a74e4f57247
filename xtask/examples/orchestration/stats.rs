//! Processor time of this process and of its children.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
pub(crate) use xtask::bench::stats::{median, ms, quantile, ratio};

/// CPU time of this process, without children.
pub(crate) fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Processor time of the children of this process that have ended, with theirs. Measured in ticks of a hundredth of a second: a median of
/// many tells more than one of them.
pub(crate) fn cpu_of_children() -> Result<Duration, crate::Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name in brackets may hold blanks.
    let fields = stat.rsplit_once(')').ok_or("/proc/self/stat has another form")?.1;
    let field = |number: usize| -> Option<u64> { fields.split_whitespace().nth(number)?.parse().ok() };
    let both = field(13).zip(field(14)).ok_or("/proc/self/stat has another form")?;
    Ok(Duration::from_millis((both.0 + both.1).saturating_mul(10)))
}
