//! Messages to standard error, with bash's prefixes.

use super::{Flow, Opt, Shell, Unwind};
use capsule_sys as sys;

impl Shell {
    /// `bash: line 3: `, as bash words it: the file (or `$0`) and the line unless interactive.
    pub fn prefix(&self) -> Vec<u8> {
        let mut prefix = self.source_name();
        if !self.interactive {
            prefix.extend_from_slice(format!(": line {}", self.line.max(1)).as_bytes());
        }
        prefix.extend_from_slice(b": ");
        prefix
    }

    /// The name errors are reported under: the file being run, or `$0`.
    pub fn source_name(&self) -> Vec<u8> {
        match self.calls.last() {
            Some(call) if !call.source.is_empty() => call.source.to_vec(),
            _ => self.arg0.clone(),
        }
    }

    /// Writes to standard error at once, after what the running builtin has written so far.
    pub fn stderr(&mut self, text: &[u8]) {
        self.flush_out();
        let _ = sys::write_all(sys::STDERR, text);
    }

    pub fn error(&mut self, message: impl AsRef<[u8]>) {
        let mut text = self.prefix();
        text.extend_from_slice(message.as_ref());
        text.push(b'\n');
        self.stderr(&text);
    }

    /// `name: what: message`.
    pub fn error_about(&mut self, what: &[u8], message: impl AsRef<[u8]>) {
        self.error([what, b": ", message.as_ref()].concat());
    }

    /// An error in an expansion: a script ends, with status 1 (127 when interactive has a say; never here).
    pub fn fatal<T>(&mut self, message: impl AsRef<[u8]>) -> Flow<T> {
        self.error(message);
        self.status = 1;
        self.pipe_status = vec![1];
        Err(if self.interactive { Unwind::Discard } else { Unwind::Exit })
    }

    /// An error that abandons the command line but not the script.
    pub fn discard<T>(&mut self, message: impl AsRef<[u8]>) -> Flow<T> {
        self.error(message);
        self.status = 1;
        self.pipe_status = vec![1];
        Err(Unwind::Discard)
    }

    /// Writes what the running builtin has put together.
    pub fn flush_out(&mut self) -> Option<sys::Errno> {
        if self.out.is_empty() || self.capturing {
            return None;
        }
        let out = std::mem::take(&mut self.out);
        let result = sys::write_all(sys::STDOUT, &out).err();
        // Keep the allocation for the next builtin.
        self.out = out;
        self.out.clear();
        result
    }

    pub fn posix(&self) -> bool {
        self.options.get(Opt::Posix)
    }
}
