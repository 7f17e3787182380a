//! What the machine offers, asked once: how many processes it can hold, and whether it swaps.

use crate::config::Metering;

/// Maps a pool slot uses: two once it was used, four more while a process lives in it (measured).
const MAPS_PER_SLOT: u64 = 6;

/// Maps left for the rest of the host program: libraries, threads' stacks, the allocator, compiled modules.
const MAPS_FOR_THE_HOST: u64 = 8192;

/// Linux's default, for where `/proc` cannot be read.
const DEFAULT_MAX_MAP_COUNT: u64 = 65_530;

/// A modest machine, for where `/proc` cannot be read.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// A live process with a blocked fiber uses 111 KiB (measured); counting a little more keeps a small machine usable.
const BYTES_PER_PROCESS: u64 = 256 << 10;

/// More processes than this in one host process is a job for several hosts; the bookkeeping costs start-up time.
const MOST_SLOTS: u64 = 8192;

/// Sessions with a fuel limit are few: one in nine slots is theirs.
const FUEL_SHARE: u64 = 9;

/// How many processes may live at once in an engine.
pub fn pool_slots(metering: Metering) -> u32 {
    slots_for(metering, max_map_count(), memory_bytes())
}

fn slots_for(metering: Metering, max_map_count: u64, memory_bytes: u64) -> u32 {
    let by_maps = max_map_count.saturating_sub(MAPS_FOR_THE_HOST) / MAPS_PER_SLOT;
    let all = by_maps.min(memory_bytes / BYTES_PER_PROCESS).max(2 * FUEL_SHARE);
    let slots = match metering {
        Metering::Fuel => all / FUEL_SHARE,
        Metering::Epoch => all - all / FUEL_SHARE,
    };
    slots.min(MOST_SLOTS) as u32
}

fn max_map_count() -> u64 {
    std::fs::read_to_string("/proc/sys/vm/max_map_count")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(DEFAULT_MAX_MAP_COUNT)
}

fn memory_bytes() -> u64 {
    let kibibytes = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    });
    kibibytes.map_or(DEFAULT_MEMORY, |n| n.saturating_mul(1024))
}

/// Whether the machine may move pages to a disk. Unknown counts as yes.
pub fn has_swap() -> bool {
    // The first line is a heading; every further one is a device or file.
    std::fs::read_to_string("/proc/swaps").map_or(true, |text| text.lines().count() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_pools_together_stay_below_the_map_limit() {
        for (maps, memory) in
            [(65_530, 24 << 30), (65_530, 512 << 20), (0, 0), (1 << 20, 1 << 40), (u64::MAX, u64::MAX)]
        {
            let (epoch, fuel) = (slots_for(Metering::Epoch, maps, memory), slots_for(Metering::Fuel, maps, memory));
            assert!(epoch >= 16 && fuel >= 2, "{maps} {memory}");
            let used = u64::from(epoch + fuel) * MAPS_PER_SLOT;
            assert!(maps < MAPS_FOR_THE_HOST || used <= maps - MAPS_FOR_THE_HOST);
        }
        assert_eq!(slots_for(Metering::Epoch, 65_530, 24 << 30), 8192);
        assert_eq!(slots_for(Metering::Fuel, 65_530, 24 << 30), 1061);
    }
}
