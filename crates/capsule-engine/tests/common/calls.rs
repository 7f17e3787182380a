//! Random calls: a guest that knows every function of a door and carries out a script of calls, whatever the arguments.
//! The scripts come from a fuzzer or from a test; the host must not panic.

use super::Session;
use capsule_abi::process::SpawnRequest;
use capsule_abi::{door, wasi};

/// The functions of WASI preview1 with their parameters: `i` is an i32, `l` an i64. All but `proc_exit` answer an i32.
pub const WASI: &[(&str, &str)] = &[
    ("args_get", "ii"),
    ("args_sizes_get", "ii"),
    ("environ_get", "ii"),
    ("environ_sizes_get", "ii"),
    ("clock_res_get", "ii"),
    ("clock_time_get", "ili"),
    ("fd_advise", "illi"),
    ("fd_allocate", "ill"),
    ("fd_close", "i"),
    ("fd_datasync", "i"),
    ("fd_fdstat_get", "ii"),
    ("fd_fdstat_set_flags", "ii"),
    ("fd_fdstat_set_rights", "ill"),
    ("fd_filestat_get", "ii"),
    ("fd_filestat_set_size", "il"),
    ("fd_filestat_set_times", "illi"),
    ("fd_pread", "iiili"),
    ("fd_prestat_get", "ii"),
    ("fd_prestat_dir_name", "iii"),
    ("fd_pwrite", "iiili"),
    ("fd_read", "iiii"),
    ("fd_readdir", "iiili"),
    ("fd_renumber", "ii"),
    ("fd_seek", "ilii"),
    ("fd_sync", "i"),
    ("fd_tell", "ii"),
    ("fd_write", "iiii"),
    ("path_create_directory", "iii"),
    ("path_filestat_get", "iiiii"),
    ("path_filestat_set_times", "iiiilli"),
    ("path_link", "iiiiiii"),
    ("path_open", "iiiiillii"),
    ("path_readlink", "iiiiii"),
    ("path_remove_directory", "iii"),
    ("path_rename", "iiiiii"),
    ("path_symlink", "iiiii"),
    ("path_unlink_file", "iii"),
    ("poll_oneoff", "iiii"),
    ("proc_exit", "i"),
    ("proc_raise", "i"),
    ("sched_yield", ""),
    ("random_get", "ii"),
    ("sock_accept", "iii"),
    ("sock_recv", "iiiiii"),
    ("sock_send", "iiiii"),
    ("sock_shutdown", "ii"),
];

/// The functions of the capsule door.
pub const CAPSULE: &[(&str, &str)] = &[
    ("fork", "i"),
    ("spawn", "ii"),
    ("exec", "ii"),
    ("wait", "iii"),
    ("getpid", ""),
    ("getppid", ""),
    ("getpgid", "i"),
    ("setpgid", "ii"),
    ("getsid", "i"),
    ("setsid", ""),
    ("getids", "i"),
    ("kill", "ii"),
    ("signal_action", "ii"),
    ("signal_mask", "iii"),
    ("signal_take", ""),
    ("pause", ""),
    ("getrlimit", "ii"),
    ("setrlimit", "ii"),
    ("getrusage", "ii"),
    ("open", "iiiii"),
    ("pipe", "ii"),
    ("dup", "iii"),
    ("dup2", "iii"),
    ("fcntl", "iii"),
    ("isatty", "i"),
    ("winsize", "i"),
    ("poll", "iii"),
    ("getdents", "iii"),
    ("stat", "iiiii"),
    ("statfs", "iiii"),
    ("access", "iiiii"),
    ("chmod", "iiiii"),
    ("chown", "iiiiii"),
    ("utimens", "iiiii"),
    ("truncate", "iiil"),
    ("mkdir", "iiii"),
    ("mkfifo", "iiii"),
    ("symlink", "iiiii"),
    ("readlink", "iiiii"),
    ("link", "iiiiiii"),
    ("unlink", "iiii"),
    ("rename", "iiiiiii"),
    ("chdir", "ii"),
    ("fchdir", "i"),
    ("getcwd", "ii"),
    ("umask", "i"),
    ("http_open", "ii"),
    ("http_finish", "i"),
    ("http_head", "iii"),
    ("http_error", "iii"),
];

/// Which door is called.
#[derive(Clone, Copy)]
pub enum Door {
    Wasi,
    Capsule,
}

impl Door {
    fn functions(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Door::Wasi => WASI,
            Door::Capsule => CAPSULE,
        }
    }

    fn module(self) -> &'static str {
        match self {
            Door::Wasi => wasi::MODULE,
            Door::Capsule => door::MODULE,
        }
    }
}

/// Where the script lies in the guest's memory, and its longest length.
const SCRIPT: usize = 0x20000;
const SCRIPT_MAX: usize = 0x8000;
/// Where useful bytes lie: names, a table of buffers, a spawn request, and room to write.
const NAMES: usize = 0x400;
const BUFFERS: usize = 0x800;
const REQUEST: usize = 0xa00;
const ROOM: usize = 0x10000;
/// The end of the memory, which cannot grow.
const END: usize = 4 << 16;
/// Bytes of one call: an opcode and ten arguments, eight bytes each.
const RECORD: usize = 11 * 8;
const MAX_CALLS: usize = SCRIPT_MAX / RECORD;

fn request() -> Vec<u8> {
    SpawnRequest { path: b"/bin/x".to_vec(), argv: vec![b"x".to_vec()], ..Default::default() }.to_wire()
}

/// A guest that reads a script from standard input and carries it out: opcode n+1 is function n of the door, 0 ends it.
pub fn guest(door: Door) -> Vec<u8> {
    let mut text = String::from("(module\n");
    let mut calls = String::new();
    for (at, (name, params)) in door.functions().iter().enumerate() {
        let types: String = params.chars().map(|p| if p == 'l' { " i64" } else { " i32" }).collect();
        let exits = *name == "proc_exit";
        let result = if exits { "" } else { "(result i32)" };
        text += &format!("(import \"{}\" \"{name}\" (func $f{at} (param{types}) {result}))\n", door.module());
        let arguments: String = params
            .chars()
            .enumerate()
            .map(|(index, p)| {
                let load = if p == 'l' { "i64.load" } else { "i32.load" };
                format!("({load} offset={} (local.get $at))", 8 + index * 8)
            })
            .collect();
        let call = format!("(call $f{at} {arguments})");
        let call = if exits { call } else { format!("(drop {call})") };
        calls += &format!("(if (i32.eq (i32.load (local.get $at)) (i32.const {})) (then {call}))\n", at + 1);
    }
    text += &format!("(import \"{}\" \"fd_read\" (func $read (param i32 i32 i32 i32) (result i32)))\n", wasi::MODULE);
    text += "(memory (export \"memory\") 4 4) (global (export \"__stack_pointer\") (mut i32) (i32.const 4096))\n";
    text += "(func (export \"capsule_fork_child\") (param i32))\n";
    text += &data(NAMES, b"f\0g\0d\0d/h\0/dev/null\0..\0/dev/zero\0/bin/x\0fifo\0/dev/fd/1");
    let buffers = [[ROOM as u32, 16], [ROOM as u32, 0], [ROOM as u32, 5000], [SCRIPT as u32, 0x10000]];
    text += &data(BUFFERS, &buffers.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>());
    text += &data(REQUEST, &request());
    text += &data(8, &[SCRIPT as u32, SCRIPT_MAX as u32].map(u32::to_le_bytes).concat());
    text += &format!(
        "(func (export \"_start\") (local $at i32)
        (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 16)))
        (local.set $at (i32.const {SCRIPT}))
        (loop $next
          (if (i32.eqz (i32.load (local.get $at))) (then return))
          {calls}
          (local.set $at (i32.add (local.get $at) (i32.const {RECORD})))
          (br_if $next (i32.lt_u (local.get $at) (i32.const {}))))))",
        SCRIPT + MAX_CALLS * RECORD
    );
    wat::parse_str(text).unwrap()
}

fn data(at: usize, bytes: &[u8]) -> String {
    let bytes: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
    format!("(data (i32.const {at}) \"{bytes}\")\n")
}

/// A script from any bytes: one for the function, three for each argument.
pub fn script(door: Door, input: &[u8]) -> Vec<u8> {
    let mut input = input.iter().copied();
    let mut script = Vec::new();
    for _ in 0..MAX_CALLS {
        let Some(function) = input.next() else { break };
        let function = usize::from(function) % door.functions().len();
        let mut record = [0; RECORD];
        record[0] = function as u8 + 1;
        for index in 0..door.functions()[function].1.len() {
            let mut byte = || input.next().unwrap_or(0);
            let argument = argument(byte(), u16::from_le_bytes([byte(), byte()]));
            record[8 + index * 8..16 + index * 8].copy_from_slice(&argument.to_le_bytes());
        }
        script.extend(record);
    }
    script
}

/// Arguments that mean something, and some that do not.
fn argument(kind: u8, value: u16) -> u64 {
    let value = usize::from(value);
    let address = match kind % 12 {
        0 => value % 10,
        1 => NAMES + value % 60,
        2 => value % 16,
        3 => BUFFERS + 8 * (value % 5),
        4 => REQUEST,
        5 => request().len(),
        6 => ROOM + value,
        7 => END - value % 100,
        8 => return (value as u64) << 16 | value as u64,
        9 => return (value as u64).wrapping_neg(),
        // AT_FDCWD.
        10 => return (-100i64) as u64,
        _ => return 1 << (value % 64),
    };
    address as u64
}

/// Carries out a script in a session of its own; whatever the guest does, this comes back.
pub async fn carry_out(guest: &[u8], script: &[u8]) -> Session {
    let limits = ["wall=10ms", "disk=1M", "files=64", "processes=8", "open-files=64", "output=1M", "memory=8M"];
    let session = Session::limited(&limits);
    session.put("/bin/x", guest);
    session.run_with(&["x"], script).await.unwrap();
    session
}
