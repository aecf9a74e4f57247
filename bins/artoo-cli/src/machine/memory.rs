//! The memory that this program may use: that of the machine, or less where a container or a limit says so.

use rustix::process::{Resource, getrlimit};

use super::control_groups::{GroupLimit, tightest};

/// The limit of a container.
const OF_THE_GROUP: GroupLimit =
    GroupLimit { controller: "memory", first: "memory.limit_in_bytes", second: "memory.max" };

/// The memory in bytes; `None` where the system does not tell.
pub(crate) fn usable_memory() -> Option<u64> {
    let table = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = table.and_then(|table| total(&table));
    [machine, tightest(&OF_THE_GROUP), getrlimit(Resource::As).current].into_iter().flatten().min()
}

/// The machine's memory, in a table whose lines are such as `MemTotal:  16318480 kB`.
fn total(table: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_kernel_is_read() {
        assert_eq!(total("MemTotal:       16318480 kB\nMemFree:  1 kB\n"), Some(16_318_480 * 1024));
        assert_eq!(total("MemFree:  1 kB\n"), None);
        assert_eq!(total("MemTotal: 18446744073709551615 kB\n"), None);
    }
}
