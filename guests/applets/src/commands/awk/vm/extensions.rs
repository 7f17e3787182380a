//! What gawk has in its extensions and programs load with `@load`.

use super::super::array::{Array, ArrayRef, Key};
use super::super::builtins::Id;
use super::super::chars;
use super::super::value::Value;
use super::{Run, Stop, Vm};
use crate::glob;
use capsule_sys::{Clock, Errno, FileType, OpenFlags, clock, getpid, getppid, open, read_to_end, wait, write_all};

/// So deep may arrays nest in a file that is read.
const DEEPEST: usize = 50;

impl Vm {
    pub fn extension(&mut self, id: Id, args: usize) -> Run<()> {
        let value = match id {
            Id::Ord => {
                let text = self.pop();
                let text = self.text_of(&text);
                match chars::first(&text, self.modes.utf8) {
                    Some(c) => Value::Num(f64::from(c as u32)),
                    None => Value::Num(text.first().map_or(-1.0, |b| f64::from(*b))),
                }
            }
            Id::Chr => {
                let n = self.pop().number() as i64;
                match u32::try_from(n).ok().and_then(char::from_u32) {
                    Some(c) if self.modes.utf8 => Value::string(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    _ => Value::string(&[n as u8]),
                }
            }
            Id::Chdir => {
                let name = self.pop();
                let result = capsule_sys::chdir(&self.text_of(&name));
                self.told(result)
            }
            Id::Stat => self.stat(args)?,
            Id::Fnmatch => {
                let _flags = self.pop();
                let text = self.pop();
                let pattern = self.pop();
                let found = glob::matches(&self.text_of(&pattern), &self.text_of(&text), false);
                Value::Num(f64::from(u8::from(!found)))
            }
            Id::Fork => self.fork()?,
            Id::Wait | Id::Waitpid => {
                let pid = if id == Id::Waitpid { self.pop().number() as i32 } else { -1 };
                match wait(pid, 0) {
                    Ok(Some(waited)) => Value::Num(f64::from(waited.pid)),
                    Ok(None) => Value::Num(0.0),
                    Err(errno) => {
                        self.set_errno(errno);
                        Value::Num(-1.0)
                    }
                }
            }
            Id::Gettimeofday => Value::Num(clock(Clock::Realtime) as f64 / 1e9),
            Id::Sleep => {
                let seconds = self.pop().number();
                let _ = capsule_sys::sleep((seconds.max(0.0) * 1e9) as u64);
                Value::Num(0.0)
            }
            Id::Readfile => {
                let name = self.pop();
                let name = self.text_of(&name);
                let text = open(&name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw()));
                match text {
                    Ok(text) => Value::owned(text),
                    Err(errno) => {
                        self.set_errno(errno);
                        Value::string(b"")
                    }
                }
            }
            Id::Writea => {
                let array = self.pop_array("writea", "second")?;
                let name = self.pop();
                let mut bytes = b"awkarray1\n".to_vec();
                self.encode(&array, DEEPEST, &mut bytes);
                let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
                let result = open(&self.text_of(&name), flags, 0o666).and_then(|fd| write_all(fd.raw(), &bytes));
                Value::Num(f64::from(u8::from(result.is_ok())))
            }
            Id::Reada => {
                let array = self.pop_array("reada", "second")?;
                let name = self.pop();
                let name = self.text_of(&name);
                let bytes = open(&name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).and_then(|fd| read_to_end(fd.raw()));
                let read = bytes.ok().and_then(|bytes| {
                    let mut rest = bytes.strip_prefix(b"awkarray1\n".as_slice())?;
                    decode(&mut rest, DEEPEST)
                });
                match read {
                    Some(made) => {
                        let mut array = array.borrow_mut();
                        let name = std::mem::take(&mut array.name);
                        *array = made;
                        array.name = name;
                        Value::Num(1.0)
                    }
                    None => Value::Num(0.0),
                }
            }
            _ => return Err(self.fatal("this function is not supported here")),
        };
        self.stack.push(value);
        Ok(())
    }

    /// 0, or -1 with ERRNO.
    fn told(&mut self, result: Result<(), Errno>) -> Value {
        match result {
            Ok(()) => Value::Num(0.0),
            Err(errno) => {
                self.set_errno(errno);
                Value::Num(-1.0)
            }
        }
    }

    fn stat(&mut self, args: usize) -> Run<Value> {
        if args > 2 {
            self.pop();
        }
        let array = self.pop_array("stat", "second")?;
        let name = self.pop();
        let name = self.text_of(&name);
        let found = match capsule_sys::lstat(&name) {
            Ok(found) => found,
            Err(errno) => return Ok(self.told(Err(errno))),
        };
        let link = match found.kind {
            FileType::Symlink => capsule_sys::readlink(&name).ok(),
            _ => None,
        };
        let mut array = array.borrow_mut();
        array.clear();
        array.set(Key::from_bytes(b"name"), Value::string(&name));
        let mut put = |key: &str, n: f64| array.set(Key::from_bytes(key.as_bytes()), Value::Num(n));
        put("dev", found.dev as f64);
        put("ino", found.ino as f64);
        put("mode", f64::from(found.st_mode()));
        put("nlink", f64::from(found.nlink));
        put("uid", f64::from(found.uid));
        put("gid", f64::from(found.gid));
        put("size", found.size as f64);
        put("blocks", found.blocks as f64);
        put("atime", found.atime.sec as f64);
        put("mtime", found.mtime.sec as f64);
        put("ctime", found.ctime.sec as f64);
        put("blksize", 4096.0);
        let mut put = |key: &str, text: &[u8]| array.set(Key::from_bytes(key.as_bytes()), Value::string(text));
        put("pmode", crate::mode::show(found.st_mode()).as_bytes());
        if let Some(link) = link {
            put("linkval", &link);
        }
        let kind = match found.kind {
            FileType::Regular => "file",
            FileType::Directory => "directory",
            FileType::Symlink => "symlink",
            FileType::Fifo => "fifo",
            FileType::CharDevice => "chardev",
            FileType::BlockDevice => "blockdev",
            FileType::Socket => "socket",
        };
        put("type", kind.as_bytes());
        array.set(Key::from_bytes(b"devbsize"), Value::Num(512.0));
        Ok(Value::Num(0.0))
    }

    /// The child goes on in a copy of this machine and ends there.
    fn fork(&mut self) -> Run<Value> {
        self.flush_all()?;
        let here = self.pc;
        let child = || {
            self.stack.push(Value::Num(0.0));
            let ids = [("pid", getpid()), ("ppid", getppid())];
            for (name, id) in ids {
                self.procinfo.borrow_mut().set(Key::from_bytes(name.as_bytes()), Value::Num(f64::from(id)));
            }
            let result = self.run(here);
            i32::from(self.end_child(result))
        };
        match capsule_sys::fork(child) {
            Ok(pid) => Ok(Value::Num(f64::from(pid))),
            Err(errno) => Ok(self.told(Err(errno))),
        }
    }

    fn end_child(&mut self, result: Run<()>) -> u8 {
        if let Err(Stop::Fatal(status)) = result {
            return self.give_up(status);
        }
        self.finish(result == Err(Stop::Exit))
    }

    /// What is nested deeper than can be read again is left out.
    fn encode(&self, array: &ArrayRef, deep: usize, out: &mut Vec<u8>) {
        let array = array.borrow();
        out.extend_from_slice(&(array.len() as u32).to_le_bytes());
        let text = |bytes: &[u8], out: &mut Vec<u8>| {
            out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            out.extend_from_slice(bytes);
        };
        for (key, value) in array.iter() {
            text(&key.text(), out);
            match value {
                Value::Array(inner) if deep > 0 => {
                    out.push(b'a');
                    self.encode(inner, deep - 1, out);
                }
                Value::Bool(b) => out.push(if *b { b't' } else { b'f' }),
                Value::Num(n) => {
                    out.push(b'n');
                    out.extend_from_slice(&n.to_le_bytes());
                }
                other => {
                    out.push(match other.type_name() {
                        "strnum" => b'i',
                        "regexp" => b'r',
                        "unassigned" => b'u',
                        _ => b's',
                    });
                    text(&self.text_of(other), out);
                }
            }
        }
    }
}

fn decode(rest: &mut &[u8], deep: usize) -> Option<Array> {
    let mut array = Array::default();
    let count = number(rest)?;
    for _ in 0..count {
        let key = Key::from_bytes(text(rest)?);
        let (kind, behind) = rest.split_first()?;
        *rest = behind;
        let value = match kind {
            b'a' => {
                let inner = decode(rest, deep.checked_sub(1)?)?;
                Value::Array(std::rc::Rc::new(std::cell::RefCell::new(inner)))
            }
            b'n' => {
                let (bytes, behind) = rest.split_first_chunk()?;
                *rest = behind;
                Value::Num(f64::from_le_bytes(*bytes))
            }
            b't' | b'f' => Value::Bool(*kind == b't'),
            b'i' => Value::input(text(rest)?),
            b'r' => Value::regex(text(rest)?.to_vec()),
            b'u' => {
                text(rest)?;
                Value::Unset
            }
            _ => Value::string(text(rest)?),
        };
        array.set(key, value);
    }
    Some(array)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u32::from_le_bytes(*bytes))
}

fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let n = number(rest)? as usize;
    let (bytes, behind) = rest.split_at_checked(n)?;
    *rest = behind;
    Some(bytes)
}
