//! `ulimit`.

use crate::shell::{Flow, Shell};
use capsule_sys::{self as sys, Resource};

/// Letter, resource, what it is, unit in bytes (or 1).
const LIMITS: &[(u8, Option<Resource>, &str, u64)] = &[
    (b'R', None, "real-time non-blocking time  (microseconds, -R) ", 1),
    (b'c', Some(Resource::Core), "core file size              (blocks, -c) ", 512),
    (b'd', None, "data seg size               (kbytes, -d) ", 1024),
    (b'e', None, "scheduling priority                 (-e) ", 1),
    (b'f', Some(Resource::FileSize), "file size                   (blocks, -f) ", 1024),
    (b'i', None, "pending signals                     (-i) ", 1),
    (b'l', None, "max locked memory           (kbytes, -l) ", 1024),
    (b'm', None, "max memory size             (kbytes, -m) ", 1024),
    (b'n', Some(Resource::OpenFiles), "open files                          (-n) ", 1),
    (b'p', None, "pipe size                (512 bytes, -p) ", 512),
    (b'q', None, "POSIX message queues         (bytes, -q) ", 1),
    (b'r', None, "real-time priority                  (-r) ", 1),
    (b's', Some(Resource::Stack), "stack size                  (kbytes, -s) ", 1024),
    (b't', Some(Resource::Cpu), "cpu time                   (seconds, -t) ", 1),
    (b'u', Some(Resource::Processes), "max user processes                  (-u) ", 1),
    (b'v', Some(Resource::AddressSpace), "virtual memory              (kbytes, -v) ", 1024),
    (b'x', None, "file locks                          (-x) ", 1),
];

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    let (mut hard, mut soft, mut all) = (false, false, false);
    let mut which = Vec::new();
    let mut value = None;
    for arg in &args[1..] {
        match &arg[..] {
            [b'-', letters @ ..] if !letters.is_empty() => {
                for &letter in letters {
                    match letter {
                        b'H' => hard = true,
                        b'S' => soft = true,
                        b'a' => all = true,
                        letter if LIMITS.iter().any(|limit| limit.0 == letter) => which.push(letter),
                        letter => {
                            let option = [b'-', letter];
                            return Ok(shell.bad_option("ulimit", &option));
                        }
                    }
                }
            }
            text => value = Some(text.to_vec()),
        }
    }
    if all {
        for limit in LIMITS {
            let text = current(limit.1, limit.3, hard);
            shell.out.extend_from_slice(format!("{}{text}\n", limit.2).as_bytes());
        }
        return Ok(0);
    }
    if which.is_empty() {
        which.push(b'f');
    }
    let many = which.len() > 1;
    for letter in which {
        let Some(limit) = LIMITS.iter().find(|limit| limit.0 == letter) else { continue };
        let Some(text) = &value else {
            let shown = current(limit.1, limit.3, hard);
            let label = if many { limit.2 } else { "" };
            shell.out.extend_from_slice(format!("{label}{shown}\n").as_bytes());
            continue;
        };
        let Some(resource) = limit.1 else { continue };
        let (now_soft, now_hard) = sys::getrlimit(resource).unwrap_or((sys::UNLIMITED, sys::UNLIMITED));
        let wanted = match &text[..] {
            b"unlimited" => sys::UNLIMITED,
            b"hard" => now_hard,
            b"soft" => now_soft,
            text => match super::number(text).and_then(|n| u64::try_from(n).ok()) {
                Some(n) => n.saturating_mul(limit.3),
                None => {
                    shell.complain("ulimit", [text, b": invalid number"].concat());
                    return Ok(1);
                }
            },
        };
        let (new_soft, new_hard) = match (hard, soft) {
            (true, false) => (now_soft.min(wanted), wanted),
            (false, true) => (wanted, now_hard),
            _ => (wanted, wanted),
        };
        if let Err(errno) = sys::setrlimit(resource, new_soft, new_hard) {
            let label = limit.2.split('(').next().unwrap_or_default().trim().to_owned();
            shell.complain("ulimit", format!("{label}: cannot modify limit: {}", errno.text()));
            return Ok(1);
        }
    }
    Ok(0)
}

fn current(resource: Option<Resource>, unit: u64, hard: bool) -> String {
    let limit = resource.and_then(|r| sys::getrlimit(r).ok()).map(|(s, h)| if hard { h } else { s });
    match limit {
        None => "unlimited".to_owned(),
        Some(n) if n == sys::UNLIMITED => "unlimited".to_owned(),
        Some(n) => (n / unit).to_string(),
    }
}
