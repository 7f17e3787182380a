//! The calls of the kernel, by name. Each decodes its body (numbers little-endian, strings with their length in front),
//! makes one call into the kernel, and encodes the result. They are those of the capsule door (`docs/DOORS.md`), without
//! the ones that WASI has already.

use crate::call::{Guest, answer, heed_signals};
use crate::door::process::explain;
use crate::ending::Ended;
use crate::fuel;
use crate::marks::SignalMarks;
use capsule_abi::Errno;
use capsule_abi::door::{F_GETFD, F_GETFL, F_SETFD, F_SETFL, FD_CLOEXEC};
use capsule_abi::fs::{OpenFlags, PATH_MAX, SetTime};
use capsule_abi::http::{MAX_REQUEST, Request};
use capsule_abi::process::SpawnRequest;
use capsule_abi::signal::{Disposition, Signal};
use capsule_abi::wire::{Reader, Short, Writer};
use capsule_kernel::{PollFd, Process};
use std::sync::Arc;
use std::time::Duration;

/// The most descriptors one `poll` may name.
const MAX_POLL: u32 = 4096;

type Answer = Result<Vec<u8>, Errno>;

/// Makes the call with this name.
pub async fn call(guest: &mut Guest<'_>, name: &[u8], body: &[u8]) -> wasmtime::Result<Answer> {
    let process = guest.data().process.clone();
    let arguments = Arguments(Reader::new(body));
    match name {
        b"begin" => Ok(begin(guest, &process, body)),
        b"http_open" => Ok(http_open(&process, body)),
        b"spawn" | b"exec" => {
            fuel::settle(&mut *guest)?;
            start(&process, name == b"exec", body).await
        }
        b"wait" => waiting(&process, wait(&process, arguments).await).await,
        b"open" => waiting(&process, open(&process, arguments).await).await,
        b"poll" => waiting(&process, poll(&process, arguments).await).await,
        b"sleep" => waiting(&process, sleep(&process, arguments).await).await,
        b"http_head" => waiting(&process, http_head(&process, arguments).await).await,
        b"pause" => waiting(&process, Err(process.pause().await)).await,
        // Those may have sent a signal to the caller itself.
        b"kill" | b"signal_mask" => {
            let outcome = quick(&process, name, arguments);
            heed_signals(&process).await?;
            Ok(outcome)
        }
        _ => Ok(quick(&process, name, arguments)),
    }
}

/// What an interpreter does when it starts, in one call: says where it wants to be told of signals, catches INT unless it
/// is ignored, ignores PIPE and XFSZ. Answers what became of INT, and the working directory.
fn begin(guest: &mut Guest<'_>, process: &Process, body: &[u8]) -> Answer {
    let marks = SignalMarks::decode(body)?;
    let action = |signal: Signal, wanted: Disposition| process.signal_action(signal.number().into(), wanted as i32);
    let mut interrupts = Disposition::Catch;
    if action(Signal::INT, Disposition::Catch)? == Disposition::Ignore {
        interrupts = Disposition::Ignore;
        action(Signal::INT, interrupts)?;
    }
    action(Signal::PIPE, Disposition::Ignore)?;
    action(Signal::XFSZ, Disposition::Ignore)?;
    guest.data_mut().marks = Some(marks);
    Ok([number(interrupts as i32), process.getcwd()?].concat())
}

async fn waiting(process: &Process, outcome: Answer) -> wasmtime::Result<Answer> {
    answer(process, outcome).await
}

async fn start(process: &Arc<Process>, replace: bool, body: &[u8]) -> wasmtime::Result<Answer> {
    let request = match SpawnRequest::from_wire(body) {
        Ok(request) => request,
        Err(Short) => return Ok(Err(Errno::EINVAL)),
    };
    if !replace {
        let outcome = process.spawn(request).await.map_err(|error| explain(process, error));
        return answer(process, outcome.map(number)).await;
    }
    let outcome = process.exec(request).await.map_err(|error| explain(process, error));
    heed_signals(process).await?;
    match outcome {
        Ok(()) => Err(Ended::Exec.into()),
        Err(errno) => Ok(Err(errno)),
    }
}

/// pid, flags; answers pid (0: nobody has ended), raw status, processor time in ns, peak memory.
async fn wait(process: &Process, mut arguments: Arguments<'_>) -> Answer {
    let (pid, flags) = (arguments.i32()?, arguments.u32()?);
    let mut out = Writer::default();
    match process.wait(pid, flags).await? {
        Some(waited) => {
            out.i32(waited.pid).u32(waited.status.to_raw()).u64(waited.cpu_ns).u64(waited.peak_memory);
        }
        None => {
            out.i32(0).u32(0).u64(0).u64(0);
        }
    }
    Ok(out.finish())
}

/// dir, path, flags, mode; answers the descriptor.
async fn open(process: &Process, mut arguments: Arguments<'_>) -> Answer {
    let (dir, path) = (arguments.i32()?, arguments.path()?);
    let (flags, mode) = (arguments.u32()?, arguments.u32()?);
    process.open(dir, path, OpenFlags(flags), mode, 0).await.map(number)
}

/// timeout in ms (-1: for ever), count, then fd and events of each; answers the events of each.
async fn poll(process: &Process, mut arguments: Arguments<'_>) -> Answer {
    let timeout = u64::try_from(arguments.i32()?).ok().map(Duration::from_millis);
    let count = arguments.u32()?;
    if count > MAX_POLL {
        return Err(Errno::EINVAL);
    }
    let mut questions = Vec::new();
    for _ in 0..count {
        questions.push(PollFd { fd: arguments.i32()?, events: arguments.u32()? as u16, revents: 0 });
    }
    process.poll(&mut questions, timeout).await?;
    let mut out = Writer::default();
    for question in &questions {
        out.u32(question.revents.into());
    }
    Ok(out.finish())
}

/// ns.
async fn sleep(process: &Process, mut arguments: Arguments<'_>) -> Answer {
    process.sleep(Duration::from_nanos(arguments.u64()?)).await.map(|()| Vec::new())
}

/// A request; answers its descriptor.
fn http_open(process: &Arc<Process>, body: &[u8]) -> Answer {
    if body.len() > MAX_REQUEST {
        return Err(Errno::E2BIG);
    }
    let request = Request::from_wire(body).map_err(|Short| Errno::EINVAL)?;
    process.http_open(request).map(number)
}

/// fd, timeout in ms (-1: for ever); answers the head of the answer.
async fn http_head(process: &Process, mut arguments: Arguments<'_>) -> Answer {
    let head = process.http_head(arguments.i32()?);
    let head = match u64::try_from(arguments.i32()?) {
        Ok(timeout) => {
            tokio::time::timeout(Duration::from_millis(timeout), head).await.map_err(|_| Errno::ETIMEDOUT)?
        }
        Err(_) => head.await,
    };
    head.map(|head| head.to_wire())
}

/// The calls that never wait.
fn quick(process: &Arc<Process>, name: &[u8], mut a: Arguments<'_>) -> Answer {
    match name {
        b"ids" => Ok(ids(process)),
        b"http_finish" => process.http_finish(a.i32()?).map(done),
        b"http_error" => process.http_failure(a.i32()?).map(|why| why.map_or(Vec::new(), |why| why.to_wire())),
        b"getpgid" => process.getpgid(a.i32()?).map(number),
        b"setpgid" => process.setpgid(a.i32()?, a.i32()?).map(done),
        b"getsid" => process.getsid(a.i32()?).map(number),
        b"setsid" => process.setsid().map(number),
        b"kill" => process.kill(a.i32()?, a.i32()?).map(done),
        b"signal_action" => process.signal_action(a.i32()?, a.i32()?).map(|old| number(old as i32)),
        b"signal_mask" => process.signal_mask(a.i32()?, Some(a.u64()?)).map(|old| old.to_le_bytes().to_vec()),
        b"signal_take" => Ok(number(process.signal_take().map_or(0, |signal| signal.number().into()))),
        b"getrlimit" => process.getrlimit(a.i32()?).map(pair),
        b"setrlimit" => process.setrlimit(a.i32()?, a.u64()?, a.u64()?).map(done),
        b"getrusage" => process.getrusage(a.i32()?).map(pair),
        b"pipe" => process.pipe(OpenFlags(a.u32()?)).map(|(read, write)| [number(read), number(write)].concat()),
        b"dup" => process.dup(a.i32()?, a.i32()?, a.u32()? != 0).map(number),
        b"dup2" => process.dup2(a.i32()?, a.i32()?, a.u32()? != 0).map(number),
        b"fcntl" => fcntl(process, a.i32()?, a.i32()?, a.u32()?).map(number),
        b"isatty" => process.description(a.i32()?).map(|file| number(file.terminal().is_some().into())),
        b"winsize" => process.window(a.i32()?).map(|window| number(window.to_wire())),
        b"stat" => process.stat(a.i32()?, a.path()?, a.u32()?).map(|stat| stat.to_wire()),
        b"statfs" => process.statfs(a.i32()?, a.path()?).map(|usage| usage.to_wire()),
        b"access" => process.access(a.i32()?, a.path()?, a.u32()?, a.u32()?).map(done),
        b"chmod" => process.chmod(a.i32()?, a.path()?, a.u32()?, a.u32()?).map(done),
        b"chown" => process.chown(a.i32()?, a.path()?, a.u32()?, a.u32()?, a.u32()?).map(done),
        b"utimens" => {
            let (dir, path, flags) = (a.i32()?, a.path()?, a.u32()?);
            let (atime, mtime) = (a.time()?, a.time()?);
            process.utimens(dir, path, atime, mtime, flags).map(done)
        }
        b"truncate" => process.truncate(a.i32()?, a.path()?, a.i64()?).map(done),
        b"mkdir" => process.mkdir(a.i32()?, a.path()?, a.u32()?).map(done),
        b"mkfifo" => process.mkfifo(a.i32()?, a.path()?, a.u32()?).map(done),
        b"unlink" => process.unlink(a.i32()?, a.path()?, a.u32()?).map(done),
        b"readlink" => process.readlink(a.i32()?, a.path()?),
        b"link" => process.link(a.i32()?, a.path()?, a.i32()?, a.path()?, a.u32()?).map(done),
        b"symlink" => process.symlink(a.path()?, a.i32()?, a.path()?).map(done),
        b"rename" => process.rename(a.i32()?, a.path()?, a.i32()?, a.path()?, a.u32()?).map(done),
        b"chdir" => process.chdir(a.path()?).map(done),
        b"fchdir" => process.fchdir(a.i32()?).map(done),
        b"getcwd" => process.getcwd(),
        b"umask" => Ok(number(process.umask(a.u32()?) as i32)),
        _ => Err(Errno::ENOSYS),
    }
}

/// pid, parent, group, session, user, group of the user.
fn ids(process: &Arc<Process>) -> Vec<u8> {
    let (credentials, mut out) = (process.credentials(), Writer::default());
    out.i32(process.pid()).i32(process.ppid()).i32(process.pgid()).i32(process.getsid(0).unwrap_or(0));
    out.u32(credentials.uid).u32(credentials.gid);
    out.finish()
}

fn fcntl(process: &Process, fd: i32, command: i32, argument: u32) -> Result<i32, Errno> {
    match command {
        F_GETFD => process.close_on_exec(fd).map(|on| if on { FD_CLOEXEC } else { 0 }),
        F_SETFD => process.set_close_on_exec(fd, argument as i32 & FD_CLOEXEC != 0).map(|()| 0),
        F_GETFL => process.description(fd).map(|file| file.flags().get().0 as i32),
        F_SETFL => {
            process.description(fd)?.flags().set(OpenFlags(argument));
            Ok(0)
        }
        _ => Err(Errno::EINVAL),
    }
}

fn number(value: i32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

fn pair((first, second): (u64, u64)) -> Vec<u8> {
    [first.to_le_bytes(), second.to_le_bytes()].concat()
}

fn done((): ()) -> Vec<u8> {
    Vec::new()
}

/// The body of a call. What is cut off or out of range is `EINVAL`.
struct Arguments<'a>(Reader<'a>);

impl<'a> Arguments<'a> {
    fn i32(&mut self) -> Result<i32, Errno> {
        self.0.i32().map_err(|Short| Errno::EINVAL)
    }

    fn u32(&mut self) -> Result<u32, Errno> {
        self.0.u32().map_err(|Short| Errno::EINVAL)
    }

    fn i64(&mut self) -> Result<i64, Errno> {
        self.0.i64().map_err(|Short| Errno::EINVAL)
    }

    fn u64(&mut self) -> Result<u64, Errno> {
        self.0.u64().map_err(|Short| Errno::EINVAL)
    }

    fn time(&mut self) -> Result<SetTime, Errno> {
        SetTime::read(&mut self.0).map_err(|Short| Errno::EINVAL)
    }

    /// The same rules as for a path through the other doors.
    fn path(&mut self) -> Result<&'a [u8], Errno> {
        let path = self.0.bytes().map_err(|Short| Errno::EINVAL)?;
        if path.len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        if path.contains(&0) { Err(Errno::EINVAL) } else { Ok(path) }
    }
}
