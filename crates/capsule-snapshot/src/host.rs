//! The world in which the set-up runs. Of WASI only what an interpreter asks before it works: its arguments, a clock that
//! stands still, random numbers that are none, a few files. The interpreter's one host function, `_bashkit.http`, reads
//! inputs (`GET`) and writes outputs (`PUT`) by name, and looks into the interpreter's own memory for what Python code
//! cannot reach: `FIND` tells where some bytes are, `PEEK` reads (the address and the length are the name), `POKE` writes.
//! Whatever else is asked for is not supported.

use anyhow::{Context, Result, anyhow};
use capsule_abi::wire::{Reader, Writer};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wasmtime::{Caller, ExternType, Func, Linker, Memory, Module, Store, Val};

const WASI: &str = "wasi_snapshot_preview1";
const BADF: i32 = 8;
const INVAL: i32 = 28;
const NOENT: i32 = 44;
const NOTSUP: i32 = 58;
const FAULT: i32 = 21;

/// The clock stands at the first second of 2026.
const NOW: u64 = 1_767_225_600_000_000_000;

const FILETYPE_CHARACTER_DEVICE: u8 = 2;
const FILETYPE_DIRECTORY: u8 = 3;
const FILETYPE_REGULAR_FILE: u8 = 4;

/// The first descriptor for an opened file; below are the three streams and the root.
const FIRST: i32 = 4;

/// What the guest is given.
#[derive(Default)]
pub struct Inputs {
    /// By path, without the first slash.
    pub files: BTreeMap<String, Arc<Vec<u8>>>,
    pub named: HashMap<String, Arc<Vec<u8>>>,
}

/// What a run has left.
pub struct Finished {
    pub status: i32,
    pub memory: Vec<u8>,
    /// What it wrote to its standard streams.
    pub printed: String,
    outputs: HashMap<String, Vec<u8>>,
}

impl Finished {
    pub fn output(&self, name: &str) -> Result<Vec<u8>> {
        self.outputs.get(name).cloned().with_context(|| format!("the run made no {name}"))
    }
}

pub struct Host {
    arguments: Vec<Vec<u8>>,
    inputs: Inputs,
    open: HashMap<i32, (Arc<Vec<u8>>, u64)>,
    printed: Vec<u8>,
    outputs: HashMap<String, Vec<u8>>,
    reply: Vec<u8>,
    random: u64,
}

type Guest<'a> = Caller<'a, Host>;

impl Host {
    pub fn run(module: &Module, arguments: &[&str], inputs: Inputs) -> Result<Finished> {
        let host = Host {
            arguments: arguments.iter().map(|argument| [argument.as_bytes(), b"\0"].concat()).collect(),
            inputs,
            open: HashMap::new(),
            printed: Vec::new(),
            outputs: HashMap::new(),
            reply: Vec::new(),
            random: 1,
        };
        let mut store = Store::new(module.engine(), host);
        let outcome = call(&mut store, module);
        let printed = String::from_utf8_lossy(&store.data().printed).into_owned();
        let (status, memory) = outcome.map_err(|e| anyhow!("the set-up died: {e:#}; it had printed:\n{printed}"))?;
        Ok(Finished { status, memory, printed, outputs: store.into_data().outputs })
    }
}

/// Runs the interpreter once: its status, and the memory it leaves.
fn call(store: &mut Store<Host>, module: &Module) -> wasmtime::Result<(i32, Vec<u8>)> {
    let mut linker = Linker::new(module.engine());
    add_wasi(&mut linker)?;
    linker.func_wrap("bashkit", "http_request", http_request)?;
    linker.func_wrap("bashkit", "http_take", http_take)?;
    add_refusals(&mut linker, store, module)?;
    let instance = linker.instantiate(&mut *store, module)?;
    let status = instance.get_typed_func::<(), i32>(&mut *store, "bashkit_run")?.call(&mut *store, ())?;
    let memory = instance.get_memory(&mut *store, "memory");
    Ok((status, memory.map_or(Vec::new(), |memory| memory.data(&*store).to_vec())))
}

/// Everything else that the module imports answers "not supported".
fn add_refusals(linker: &mut Linker<Host>, store: &mut Store<Host>, module: &Module) -> wasmtime::Result<()> {
    for import in module.imports() {
        let ExternType::Func(kind) = import.ty() else { continue };
        if linker.get(&mut *store, import.module(), import.name()).is_ok() {
            continue;
        }
        let refuse = Func::new(&mut *store, kind, |_, _, results| {
            results.iter_mut().for_each(|result| *result = Val::I32(NOTSUP));
            Ok(())
        });
        linker.define(&mut *store, import.module(), import.name(), refuse)?;
    }
    Ok(())
}

fn memory(guest: &mut Guest<'_>) -> Memory {
    guest.get_export("memory").and_then(|export| export.into_memory()).expect("the interpreter exports its memory")
}

fn write(guest: &mut Guest<'_>, at: i32, bytes: &[u8]) -> i32 {
    let memory = memory(guest);
    memory.write(guest, at as u32 as usize, bytes).map_or(FAULT, |()| 0)
}

fn read(guest: &mut Guest<'_>, at: i32, len: i32) -> Option<Vec<u8>> {
    let (at, len) = (at as u32 as usize, len as u32 as usize);
    memory(guest).data(&*guest).get(at..at.checked_add(len)?).map(<[u8]>::to_vec)
}

fn add_wasi(linker: &mut Linker<Host>) -> wasmtime::Result<()> {
    linker.func_wrap(WASI, "args_sizes_get", |mut guest: Guest<'_>, count: i32, size: i32| {
        let arguments = &guest.data().arguments;
        let (n, bytes) = (arguments.len() as u32, arguments.concat().len() as u32);
        write(&mut guest, count, &n.to_le_bytes()) | write(&mut guest, size, &bytes.to_le_bytes())
    })?;
    linker.func_wrap(WASI, "args_get", |mut guest: Guest<'_>, list: i32, buffer: i32| {
        let (mut at, mut failed) = (buffer, 0);
        for (i, argument) in guest.data().arguments.clone().into_iter().enumerate() {
            failed |= write(&mut guest, list + 4 * i as i32, &at.to_le_bytes()) | write(&mut guest, at, &argument);
            at += argument.len() as i32;
        }
        failed
    })?;
    linker.func_wrap(WASI, "environ_sizes_get", |mut guest: Guest<'_>, count: i32, size: i32| {
        write(&mut guest, count, &[0; 4]) | write(&mut guest, size, &[0; 4])
    })?;
    linker.func_wrap(WASI, "environ_get", |_: i32, _: i32| 0)?;
    linker.func_wrap(WASI, "clock_res_get", |mut guest: Guest<'_>, _: i32, out: i32| {
        write(&mut guest, out, &1u64.to_le_bytes())
    })?;
    linker.func_wrap(WASI, "clock_time_get", |mut guest: Guest<'_>, _: i32, _: i64, out: i32| {
        write(&mut guest, out, &NOW.to_le_bytes())
    })?;
    linker.func_wrap(WASI, "random_get", |mut guest: Guest<'_>, at: i32, len: i32| {
        let bytes: Vec<u8> = (0..len as u32).map(|_| next(&mut guest.data_mut().random)).collect();
        write(&mut guest, at, &bytes)
    })?;
    linker.func_wrap(WASI, "fd_write", fd_write)?;
    linker.func_wrap(WASI, "fd_read", fd_read)?;
    linker.func_wrap(WASI, "fd_seek", fd_seek)?;
    linker.func_wrap(WASI, "fd_tell", |mut guest: Guest<'_>, fd: i32, out: i32| {
        let Some((_, at)) = guest.data().open.get(&fd) else { return BADF };
        let at = *at;
        write(&mut guest, out, &at.to_le_bytes())
    })?;
    linker.func_wrap(WASI, "fd_close", |mut guest: Guest<'_>, fd: i32| {
        guest.data_mut().open.remove(&fd).map_or(BADF, |_| 0)
    })?;
    linker.func_wrap(WASI, "fd_fdstat_get", |mut guest: Guest<'_>, fd: i32, out: i32| {
        let Some(kind) = kind_of(&guest, fd) else { return BADF };
        let mut stat = [0; 24];
        stat[0] = kind;
        stat[8..].fill(0xff);
        write(&mut guest, out, &stat)
    })?;
    linker.func_wrap(WASI, "fd_filestat_get", |mut guest: Guest<'_>, fd: i32, out: i32| {
        let Some(kind) = kind_of(&guest, fd) else { return BADF };
        let size = guest.data().open.get(&fd).map_or(0, |(bytes, _)| bytes.len());
        write(&mut guest, out, &filestat(kind, size as u64))
    })?;
    linker.func_wrap(
        WASI,
        "path_filestat_get",
        |mut guest: Guest<'_>, _: i32, _: i32, path: i32, len: i32, out: i32| {
            let Some(path) = read(&mut guest, path, len) else { return FAULT };
            match find(&guest.data().inputs, &path) {
                Some(Found::Folder) => write(&mut guest, out, &filestat(FILETYPE_DIRECTORY, 0)),
                Some(Found::File(bytes)) => {
                    write(&mut guest, out, &filestat(FILETYPE_REGULAR_FILE, bytes.len() as u64))
                }
                None => NOENT,
            }
        },
    )?;
    linker.func_wrap(
        WASI,
        "path_open",
        |mut guest: Guest<'_>, _: i32, _: i32, path: i32, len: i32, flags: i32, _: i64, _: i64, _: i32, out: i32| {
            let Some(path) = read(&mut guest, path, len) else { return FAULT };
            let Some(Found::File(bytes)) = find(&guest.data().inputs, &path) else { return NOENT };
            if flags != 0 {
                return NOTSUP;
            }
            let open = &mut guest.data_mut().open;
            let fd = (FIRST..).find(|fd| !open.contains_key(fd)).unwrap_or(FIRST);
            open.insert(fd, (bytes, 0));
            write(&mut guest, out, &fd.to_le_bytes())
        },
    )?;
    Ok(())
}

enum Found {
    File(Arc<Vec<u8>>),
    Folder,
}

fn find(inputs: &Inputs, path: &[u8]) -> Option<Found> {
    let path = std::str::from_utf8(path).ok()?.trim_matches('/');
    if let Some(bytes) = inputs.files.get(path) {
        return Some(Found::File(bytes.clone()));
    }
    let folder = path.is_empty()
        || path == "."
        || inputs.files.keys().any(|file| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
    folder.then_some(Found::Folder)
}

fn kind_of(guest: &Guest<'_>, fd: i32) -> Option<u8> {
    match fd {
        0..=2 => Some(FILETYPE_CHARACTER_DEVICE),
        3 => Some(FILETYPE_DIRECTORY),
        _ => guest.data().open.contains_key(&fd).then_some(FILETYPE_REGULAR_FILE),
    }
}

/// dev, ino, type, links, size, three times.
fn filestat(kind: u8, size: u64) -> [u8; 64] {
    let mut stat = [0; 64];
    stat[8] = 1;
    stat[16] = kind;
    stat[24] = 1;
    stat[32..40].copy_from_slice(&size.to_le_bytes());
    stat
}

/// The same numbers every time: a snapshot must not depend on chance.
fn next(state: &mut u64) -> u8 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 56) as u8
}

/// The buffers of a scattered read or write.
fn buffers(guest: &mut Guest<'_>, list: i32, count: i32) -> Option<Vec<(i32, i32)>> {
    let records = read(guest, list, count.checked_mul(8)?)?;
    let number = |bytes: &[u8]| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Some(records.chunks_exact(8).map(|record| (number(record), number(&record[4..]))).collect())
}

fn fd_write(mut guest: Guest<'_>, fd: i32, list: i32, count: i32, out: i32) -> i32 {
    if !(1..=2).contains(&fd) {
        return BADF;
    }
    let Some(buffers) = buffers(&mut guest, list, count) else { return FAULT };
    let mut written = 0u32;
    for (at, len) in buffers {
        let Some(bytes) = read(&mut guest, at, len) else { return FAULT };
        written += bytes.len() as u32;
        guest.data_mut().printed.extend(bytes);
    }
    write(&mut guest, out, &written.to_le_bytes())
}

fn fd_read(mut guest: Guest<'_>, fd: i32, list: i32, count: i32, out: i32) -> i32 {
    let Some(buffers) = buffers(&mut guest, list, count) else { return FAULT };
    let mut done = 0u32;
    for (at, len) in buffers {
        let part = match guest.data_mut().open.get_mut(&fd) {
            Some((bytes, place)) => {
                let start = (*place as usize).min(bytes.len());
                let part = bytes[start..bytes.len().min(start + len as u32 as usize)].to_vec();
                *place += part.len() as u64;
                part
            }
            None if fd == 0 => Vec::new(),
            None => return BADF,
        };
        done += part.len() as u32;
        if write(&mut guest, at, &part) != 0 {
            return FAULT;
        }
    }
    write(&mut guest, out, &done.to_le_bytes())
}

fn fd_seek(mut guest: Guest<'_>, fd: i32, offset: i64, whence: i32, out: i32) -> i32 {
    let Some((bytes, place)) = guest.data_mut().open.get_mut(&fd) else { return BADF };
    let from = match whence {
        0 => 0,
        1 => *place as i64,
        2 => bytes.len() as i64,
        _ => return INVAL,
    };
    let Some(to) = from.checked_add(offset).and_then(|to| u64::try_from(to).ok()) else { return INVAL };
    *place = to;
    write(&mut guest, out, &to.to_le_bytes())
}

/// Reads an input or takes an output; the answer waits to be taken.
fn http_request(mut guest: Guest<'_>, request: i32, len: i32, _timeout: i64, out: i32) -> i32 {
    let Some(request) = read(&mut guest, request, len) else { return FAULT };
    let Some(request) = Request::decode(&request) else { return INVAL };
    let answer = match request.method.as_str() {
        "FIND" => find_bytes(&mut guest, &request.body).map(|places| (200, Arc::new(places))),
        "PEEK" => peek(&mut guest, &request.name).map(|bytes| (200, Arc::new(bytes))),
        "POKE" => poke(&mut guest, &request.name, &request.body).map(|()| (200, Arc::default())),
        _ => guest.data_mut().answer(request),
    };
    let host = guest.data_mut();
    let Some((status, body)) = answer else { return INVAL };
    let mut reply = Writer::with_capacity(body.len() + 12);
    reply.u32(status).u32(0).bytes(&body);
    host.reply = reply.finish();
    let len = host.reply.len() as u32;
    write(&mut guest, out, &len.to_le_bytes())
}

struct Request {
    method: String,
    name: String,
    body: Vec<u8>,
}

impl Request {
    fn decode(record: &[u8]) -> Option<Request> {
        let mut reader = Reader::new(record);
        let mut text = || Some(String::from_utf8_lossy(reader.bytes().ok()?).into_owned());
        let (method, name) = (text()?, text()?);
        // Headers are never sent.
        (reader.u32().ok()? == 0).then_some(())?;
        Some(Request { method, name, body: reader.bytes().ok()?.to_vec() })
    }
}

impl Host {
    fn answer(&mut self, request: Request) -> Option<(u32, Arc<Vec<u8>>)> {
        match request.method.as_str() {
            "GET" => {
                Some(self.inputs.named.get(&request.name).map_or((404, Arc::default()), |bytes| (200, bytes.clone())))
            }
            "PUT" => {
                self.outputs.insert(request.name, request.body);
                Some((200, Arc::default()))
            }
            _ => None,
        }
    }
}

/// The addresses, multiples of four, at which some bytes stand.
fn find_bytes(guest: &mut Guest<'_>, wanted: &[u8]) -> Option<Vec<u8>> {
    let memory = memory(guest).data(&*guest);
    let found = (0..memory.len()).step_by(4).filter(|&at| memory[at..].starts_with(wanted));
    Some(found.flat_map(|at| (at as u32).to_le_bytes()).collect())
}

/// `ADDRESS LENGTH`, in decimal.
fn peek(guest: &mut Guest<'_>, name: &str) -> Option<Vec<u8>> {
    let (at, len) = name.split_once(' ')?;
    read(guest, at.parse::<u32>().ok()? as i32, len.parse().ok()?)
}

fn poke(guest: &mut Guest<'_>, name: &str, bytes: &[u8]) -> Option<()> {
    (write(guest, name.parse::<u32>().ok()? as i32, bytes) == 0).then_some(())
}

fn http_take(mut guest: Guest<'_>, buffer: i32, len: i32) -> i32 {
    let reply = std::mem::take(&mut guest.data_mut().reply);
    if len < 0 || reply.len() != len as usize {
        return FAULT;
    }
    write(&mut guest, buffer, &reply)
}
