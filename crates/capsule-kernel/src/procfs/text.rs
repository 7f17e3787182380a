//! The texts, as Linux writes them. What has no meaning here is 0.

use crate::description::FileDescription;
use crate::kernel::Kernel;
use crate::process::{Process, Report};
use capsule_abi::Errno;
use capsule_abi::fs::FileType;
use capsule_abi::limits::Limit;

/// What `sysconf(_SC_CLK_TCK)` answers everywhere.
const NS_PER_TICK: u64 = 10_000_000;
const PAGE: u64 = 4096;

pub fn of_session(kernel: &Kernel, name: &str) -> Result<Vec<u8>, Errno> {
    let clock = kernel.clock();
    let uptime = clock.monotonic();
    let text = match name {
        "cpuinfo" => "processor\t: 0\nvendor_id\t: Capsule\nmodel name\t: WebAssembly\ncpu cores\t: 1\n\n".to_owned(),
        "loadavg" => {
            let reports: Vec<_> = kernel.processes().iter().map(|process| process.report()).collect();
            let running = reports.iter().filter(|report| report.state == 'R').count();
            let last = reports.iter().map(|report| report.pid).max().unwrap_or_default();
            format!("0.00 0.00 0.00 {running}/{} {last}\n", reports.len())
        }
        "meminfo" => {
            let limits = kernel.budget().limits();
            let total = limits.get(Limit::Memory) / 1024;
            let free = total.saturating_sub(kernel.budget().used(Limit::Memory) / 1024);
            let lines = [
                ("MemTotal", total),
                ("MemFree", free),
                ("MemAvailable", free),
                ("Buffers", 0),
                ("Cached", 0),
                ("SwapCached", 0),
                ("SwapTotal", 0),
                ("SwapFree", 0),
                ("Shmem", 0),
                ("SReclaimable", 0),
            ];
            lines.iter().map(|(name, kib)| format!("{:<15}{kib:>9} kB\n", format!("{name}:"))).collect()
        }
        "stat" => {
            let processes = kernel.processes();
            let reports: Vec<_> = processes.iter().map(|process| process.report()).collect();
            let cpu: u64 = reports.iter().map(|report| report.cpu + report.children_cpu).sum::<u64>() / NS_PER_TICK;
            let idle = (uptime / NS_PER_TICK).saturating_sub(cpu);
            let running = reports.iter().filter(|report| report.state == 'R').count();
            let boot = clock.realtime().saturating_sub(uptime) / 1_000_000_000;
            format!(
                "cpu  {cpu} 0 0 {idle} 0 0 0 0 0 0\ncpu0 {cpu} 0 0 {idle} 0 0 0 0 0 0\nintr 0\nctxt 0\nbtime {boot}\n\
                 processes {}\nprocs_running {running}\nprocs_blocked 0\n",
                reports.len()
            )
        }
        "uptime" => format!("{0}.{1:02} {0}.{1:02}\n", uptime / 1_000_000_000, uptime / NS_PER_TICK % 100),
        "version" => concat!("Capsule version ", env!("CARGO_PKG_VERSION"), " (WebAssembly)\n").to_owned(),
        _ => return Err(Errno::ENOENT),
    };
    Ok(text.into_bytes())
}

pub fn of_process(process: &Process, name: &str) -> Result<Vec<u8>, Errno> {
    let report = process.report();
    // A process that has ended keeps its numbers until it is waited for, but nothing else.
    let ended = report.state == 'Z';
    Ok(match name {
        "cmdline" | "environ" if ended => Vec::new(),
        "cmdline" => terminated(&report.argv),
        "environ" => terminated(&process.env()),
        "comm" => [report.comm.as_slice(), b"\n"].concat(),
        "mounts" => mounts(process.kernel()),
        "stat" => stat(&report),
        "statm" => format!("{0} {0} 0 0 0 {0} 0\n", report.memory / PAGE).into_bytes(),
        "status" => status(&report),
        _ => return Err(Errno::ENOENT),
    })
}

fn terminated(strings: &[Vec<u8>]) -> Vec<u8> {
    strings.iter().flat_map(|string| [string.as_slice(), b"\0"].concat()).collect()
}

fn mounts(kernel: &Kernel) -> Vec<u8> {
    let mut text = Vec::new();
    for mount in kernel.vfs().mounts() {
        let kind = match mount.path.as_slice() {
            b"/dev" => "devtmpfs",
            b"/proc" => "proc",
            b"/" => "tmpfs",
            _ => "capsule",
        };
        let access = if mount.options.read_only { "ro" } else { "rw" };
        text.extend_from_slice(format!("{kind} ").as_bytes());
        // Blanks, and the escape itself, as octal numbers.
        for &byte in &mount.path {
            match byte {
                b' ' | b'\t' | b'\n' | b'\\' => text.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
                _ => text.push(byte),
            }
        }
        text.extend_from_slice(format!(" {kind} {access} 0 0\n").as_bytes());
    }
    text
}

fn stat(report: &Report) -> Vec<u8> {
    let mut text = format!("{} (", report.pid).into_bytes();
    text.extend_from_slice(&report.comm);
    let Report { state, ppid, pgid, sid, .. } = report;
    let (user, children) = (report.cpu / NS_PER_TICK, report.children_cpu / NS_PER_TICK);
    let (started, size, resident) = (report.started / NS_PER_TICK, report.memory, report.memory / PAGE);
    let fields = format!(
        ") {state} {ppid} {pgid} {sid} 0 -1 0 0 0 0 0 {user} 0 {children} 0 20 0 1 0 {started} {size} {resident} \
         18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    );
    text.extend_from_slice(fields.as_bytes());
    text
}

fn status(report: &Report) -> Vec<u8> {
    let state = match report.state {
        'R' => "R (running)",
        'T' => "T (stopped)",
        'Z' => "Z (zombie)",
        _ => "S (sleeping)",
    };
    let Report { pid, ppid, uid, gid, umask, .. } = report;
    let mut text = b"Name:\t".to_vec();
    text.extend_from_slice(&report.comm);
    let (peak, now) = (report.peak_memory / 1024, report.memory / 1024);
    let fields = format!(
        "\nUmask:\t{umask:04o}\nState:\t{state}\nTgid:\t{pid}\nPid:\t{pid}\nPPid:\t{ppid}\nTracerPid:\t0\n\
         Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\nFDSize:\t{}\n\
         VmPeak:\t{peak:>8} kB\nVmSize:\t{now:>8} kB\nVmHWM:\t{peak:>8} kB\nVmRSS:\t{now:>8} kB\nThreads:\t1\n",
        report.descriptors
    );
    text.extend_from_slice(fields.as_bytes());
    text
}

/// What stands before the number of a descriptor that has no path.
pub fn descriptor_kind(description: &dyn FileDescription) -> &'static str {
    match description.file_type() {
        FileType::Fifo => "pipe",
        FileType::Socket => "socket",
        _ => "anon_inode",
    }
}
