//! Describes the machine that figures come from.

/// CPU, cores and memory, in a line.
pub fn description() -> String {
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory =
        field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = memory.map(|kib| format!(", {} GiB", kib.div_ceil(1024 * 1024))).unwrap_or_default();
    format!("{processor}, {cores} cores{memory}, {}", std::env::consts::OS)
}

/// The load averages of the last one, five and fifteen minutes; empty if unavailable.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_has_cores() {
        assert!(super::description().contains(" cores"), "{}", super::description());
    }
}
