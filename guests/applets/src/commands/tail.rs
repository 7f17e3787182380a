use crate::input::{self, Input};
use crate::number;
use crate::options::{NO, OPT, Options, REQ, only, word};
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::{Errno, FileType, In, Out, Seek, fstat, seek};
use std::collections::VecDeque;

mod follow;

pub const HELP: &str = "\
Usage: tail [OPTION]... [FILE]...
The last ten lines of each FILE.
Where there are several, each has a line with its name in front.

Standard input is read where FILE is - or missing.

  -c, --bytes=[+]NUM       NUM bytes; with +,
                             everything from byte NUM on
  -f, --follow[={name|descriptor}]
                           then wait, and print what is added, to the
                             open file (descriptor) or by that name
  -F                       --follow=name with --retry
  -n, --lines=[+]NUM       NUM lines, not ten;
                             with +, everything from line NUM on
      --max-unchanged-stats=N
                           with --follow=name, look whether the name is another
                             file after N looks (here at every one)
      --pid=PID            with -f, until the process PID has ended
  -q, --quiet, --silent    no lines with names
      --retry              wait for files that are not there yet
  -s, --sleep-interval=N   with -f, look every N seconds (1)
  -v, --verbose            lines with names, always
  -z, --zero-terminated    lines end with NUL
      --help        print this help
      --version     print the version

NUM may end in a unit:
b 512, K or KiB 1024, kB 1000, M or MiB 1024 times 1024, MB 1000 times 1000,
and so on with G, T, P, E, Z and Y.
";

const PID: char = only(0);
const RETRY: char = only(1);
const UNCHANGED: char = only(20);

struct Tail {
    count: u64,
    bytes: bool,
    /// From the start: the first to show, counted from 1.
    from_start: bool,
    end: u8,
    titled: bool,
    out: Out,
    /// The file whose title was printed last.
    last: Option<Vec<u8>>,
}

struct Followed {
    name: Vec<u8>,
    input: Option<Input>,
}

pub fn main(args: &Args) -> Outcome {
    let mut tail =
        Tail { count: 10, bytes: false, from_start: false, end: b'\n', titled: false, out: Out::stdout(), last: None };
    let (mut follow, mut by_name, mut pid, mut interval) = (false, false, None, 1.0);
    let (mut quiet, mut verbose, mut retry) = (false, false, false);
    let rewritten = obsolete(args);
    let args = rewritten.as_ref().unwrap_or(args);
    let long = &[
        ("bytes", REQ, 'c'),
        ("follow", OPT, 'f'),
        ("lines", REQ, 'n'),
        ("max-unchanged-stats", REQ, UNCHANGED),
        ("pid", REQ, PID),
        ("quiet", NO, 'q'),
        ("retry", NO, RETRY),
        ("silent", NO, 'q'),
        ("sleep-interval", REQ, 's'),
        ("verbose", NO, 'v'),
        ("zero-terminated", NO, 'z'),
    ];
    let mut options = Options::new(args, "c:n:fFqs:vz0123456789", long);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' | 'n' => {
                tail.bytes = opt.letter == 'c';
                tail.set_count(opt.value())?;
            }
            'f' => {
                let words = &[("descriptor", false), ("name", true)];
                by_name = opt.value.map_or(Ok(false), |v| word(v, "--follow", words, 1))?;
                follow = true;
            }
            'F' => (follow, by_name, retry) = (true, true, true),
            'q' => (quiet, verbose) = (true, false),
            'v' => (quiet, verbose) = (false, true),
            'z' => tail.end = 0,
            's' => {
                interval = super::sleep::duration(opt.value()).ok_or_else(|| {
                    report::die(1, format_args!("invalid number of seconds: {}", quote::locale(opt.value())))
                })?;
            }
            PID => {
                let bad = |bad| number::complain(1, "invalid PID", opt.value(), bad);
                pid = Some(number::unsigned(opt.value(), b"").map_err(bad)? as i32).filter(|pid| *pid != 0);
            }
            RETRY => retry = true,
            // How often a file that does not grow is looked at before its name is: always, here.
            UNCHANGED => {
                let what = "invalid maximum number of unchanged stats between opens";
                number::unsigned(opt.value(), b"").map_err(|bad| number::complain(1, what, opt.value(), bad))?;
            }
            digit => return Err(report::die(1, format_args!("option used in invalid context -- {digit}"))),
        }
    }
    if retry && !follow {
        report::error("warning: --retry ignored; --retry is useful only when following");
    } else if retry && !by_name {
        report::error("warning: --retry only effective for the initial open");
    }
    if pid.is_some() && !follow {
        report::error("warning: PID ignored; --pid=PID is useful only when following");
    }
    let mut names = options.operands();
    if !follow && !tail.from_start && tail.count == 0 {
        return Ok(0);
    }
    if names.is_empty() {
        names.push(b"-");
    }
    tail.titled = verbose || (names.len() > 1 && !quiet);
    let mut status = 0;
    let mut followed = Vec::new();
    report::output_fails(1, "error writing 'standard output'");
    for &name in &names {
        match Input::open(name) {
            Ok(mut input) => {
                tail.title(name);
                if let Err(e) = tail.show(&mut input.stream) {
                    let _ = tail.out.flush();
                    let shown = quote::quoted(if name == b"-" { b"standard input" } else { name });
                    let what = if e == Errno::EBADF { "cannot fstat" } else { "error reading" };
                    report::fault(format_args!("{what} {shown}"), e);
                    status = 1;
                }
                followed.push(Followed { name: name.to_vec(), input: Some(input) });
            }
            Err(e) => {
                let _ = tail.out.flush();
                report::fault(format_args!("cannot open {} for reading", quote::quoted(name)), e);
                status = 1;
                if by_name {
                    followed.push(Followed { name: name.to_vec(), input: None });
                }
            }
        }
        report::writable(&tail.out)?;
    }
    // A pipe has ended; only what can still grow is followed.
    followed.retain(|f| match &f.input {
        Some(input) => fstat(input.fd()).is_ok_and(|s| s.kind == FileType::Regular),
        None => true,
    });
    if follow && followed.is_empty() && status != 0 {
        return Err(report::die(1, "no files remaining"));
    }
    if follow && !followed.is_empty() {
        tail.follow(&mut followed, by_name, pid, interval)?;
    }
    if !input::closes(&names, "-") {
        status = 1;
    }
    report::last_output_fails(&tail.out, "write error");
    report::finish(&mut tail.out, status)
}

/// `tail -5f`, `tail +5`: the old way to say how many, in the first argument.
fn obsolete(args: &Args) -> Option<Args> {
    let first = args.rest().first()?;
    // Only where at most one file follows.
    match args.rest() {
        [_] => {}
        [_, file] if file.len() < 2 || file[0] != b'-' => {}
        [_, dashes] | [_, dashes, _] if dashes == b"--" => {}
        _ => return None,
    }
    let (sign, rest) = first.split_first()?;
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if !b"+-".contains(sign) {
        return None;
    }
    let mut tail = &rest[digits..];
    if digits == 0 && *sign == b'-' && tail != b"l" {
        return None;
    }
    let mut letter = b'n';
    let mut suffix: &[u8] = b"";
    match tail.first() {
        Some(b'b') => (letter, suffix, tail) = (b'c', b"b", &tail[1..]),
        Some(b'c') => (letter, tail) = (b'c', &tail[1..]),
        Some(b'l') => tail = &tail[1..],
        _ => {}
    }
    let follow = tail == b"f";
    if !tail.is_empty() && !follow {
        return None;
    }
    let number = if digits == 0 { b"10" } else { &rest[..digits] };
    let sign: &[u8] = if *sign == b'+' { b"+" } else { b"" };
    let mut argv = vec![args.argv[0].clone(), vec![b'-', letter], [sign, number, suffix].concat()];
    if follow {
        argv.push(b"-f".to_vec());
    }
    argv.extend_from_slice(&args.argv[2..]);
    Some(Args::new(argv))
}

impl Tail {
    fn set_count(&mut self, text: &[u8]) -> Result<(), Exit> {
        let what = if self.bytes { "invalid number of bytes" } else { "invalid number of lines" };
        self.from_start = text.first() == Some(&b'+');
        let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        self.count = number::unsigned(digits, number::SIZES).map_err(|bad| number::complain(1, what, digits, bad))?;
        Ok(())
    }

    fn title(&mut self, name: &[u8]) {
        if self.titled {
            let shown: &[u8] = if name == b"-" { b"standard input" } else { name };
            let text = [if self.last.is_some() { b"\n==> ".as_slice() } else { b"==> " }, shown, b" <==\n"];
            text.iter().for_each(|t| self.out.write(t));
            self.last = Some(name.to_vec());
        }
    }

    fn show(&mut self, stream: &mut In) -> Result<(), Errno> {
        match (self.from_start, self.bytes) {
            (true, true) => self.skip_bytes(stream),
            (true, false) => self.skip_lines(stream),
            (false, true) => self.last_bytes(stream),
            (false, false) => self.last_lines(stream),
        }
    }

    fn copy(&mut self, stream: &mut In) -> Result<(), Errno> {
        loop {
            let block = stream.fill()?;
            if block.is_empty() || self.out.error().is_some() {
                return Ok(());
            }
            self.out.write(block);
            let n = block.len();
            stream.consume(n);
        }
    }

    fn skip_bytes(&mut self, stream: &mut In) -> Result<(), Errno> {
        let mut skip = self.count.saturating_sub(1);
        while skip > 0 {
            let block = stream.fill()?;
            if block.is_empty() {
                return Ok(());
            }
            let n = block.len().min(usize::try_from(skip).unwrap_or(usize::MAX));
            stream.consume(n);
            skip -= n as u64;
        }
        self.copy(stream)
    }

    fn skip_lines(&mut self, stream: &mut In) -> Result<(), Errno> {
        let mut skip = self.count.saturating_sub(1);
        while skip > 0 {
            let block = stream.fill()?;
            if block.is_empty() {
                return Ok(());
            }
            let mut used = block.len();
            for end in memchr::memchr_iter(self.end, block) {
                skip -= 1;
                if skip == 0 {
                    used = end + 1;
                    break;
                }
            }
            stream.consume(used);
        }
        self.copy(stream)
    }

    fn last_bytes(&mut self, stream: &mut In) -> Result<(), Errno> {
        // A file is not read where it is not shown.
        if let Ok(s) = fstat(stream.fd())
            && s.kind == FileType::Regular
            && let Ok(at) = seek(stream.fd(), Seek::Current(0))
        {
            let from = s.size.saturating_sub(self.count).max(at.min(s.size));
            seek(stream.fd(), Seek::Start(from))?;
            return self.copy(stream);
        }
        let mut held: VecDeque<Vec<u8>> = VecDeque::new();
        let mut bytes = 0u64;
        loop {
            let block = stream.fill()?;
            if block.is_empty() {
                break;
            }
            let n = block.len();
            bytes += n as u64;
            held.push_back(block.to_vec());
            stream.consume(n);
            while let Some(first) = held.front()
                && bytes - first.len() as u64 >= self.count
            {
                bytes -= first.len() as u64;
                held.pop_front();
            }
        }
        let mut skip = bytes.saturating_sub(self.count) as usize;
        for block in held {
            self.out.write(&block[skip.min(block.len())..]);
            skip = skip.saturating_sub(block.len());
        }
        Ok(())
    }

    fn last_lines(&mut self, stream: &mut In) -> Result<(), Errno> {
        if let Ok(s) = fstat(stream.fd())
            && s.kind == FileType::Regular
            && let Ok(at) = seek(stream.fd(), Seek::Current(0))
        {
            let from = self.find_lines(stream.fd(), at.min(s.size), s.size)?;
            seek(stream.fd(), Seek::Start(from))?;
            return self.copy(stream);
        }
        // Blocks with their line counts; those that are surely too early are dropped.
        let mut held: VecDeque<(Vec<u8>, u64)> = VecDeque::new();
        let mut lines = 0;
        loop {
            let block = stream.fill()?;
            if block.is_empty() {
                break;
            }
            let n = memchr::memchr_iter(self.end, block).count() as u64;
            lines += n;
            held.push_back((block.to_vec(), n));
            let used = block.len();
            stream.consume(used);
            while let Some(first) = held.front()
                && lines - first.1 > self.count
            {
                lines -= first.1;
                held.pop_front();
            }
        }
        let ended = held.back().and_then(|b| b.0.last()).is_none_or(|b| *b == self.end);
        let mut skip = (lines + u64::from(!ended)).saturating_sub(self.count);
        if self.count == 0 {
            return Ok(());
        }
        for (block, n) in held {
            if skip > n {
                skip -= n;
                continue;
            }
            let start = match skip {
                0 => 0,
                _ => memchr::memchr_iter(self.end, &block).nth(skip as usize - 1).map_or(block.len(), |i| i + 1),
            };
            skip = 0;
            self.out.write(&block[start..]);
        }
        Ok(())
    }

    /// Where the last lines of a file begin, searched from its end.
    fn find_lines(&self, fd: i32, start: u64, size: u64) -> Result<u64, Errno> {
        let mut left = self.count;
        if left == 0 {
            return Ok(size);
        }
        let mut buf = vec![0; capsule_sys::io::BLOCK];
        let mut end = size;
        while end > start {
            let from = end.saturating_sub(buf.len() as u64).max(start);
            let n = (end - from) as usize;
            let mut have = 0;
            while have < n {
                match capsule_sys::pread(fd, &mut buf[have..n], from + have as u64)? {
                    0 => break,
                    more => have += more,
                }
            }
            for at in memchr::memrchr_iter(self.end, &buf[..have]) {
                // The end of the last line is not the end of the one before it.
                if from + at as u64 + 1 == size {
                    continue;
                }
                left -= 1;
                if left == 0 {
                    return Ok(from + at as u64 + 1);
                }
            }
            end = from;
        }
        Ok(start)
    }
}
