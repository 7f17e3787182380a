use crate::input::{self, Input};
use crate::number;
use crate::options::{NO, Options, REQ};
use crate::{Args, Exit, Outcome, quote, report};
use capsule_sys::{Errno, In, Out, Seek, seek};
use std::collections::VecDeque;

pub const HELP: &str = "\
Usage: head [OPTION]... [FILE]...
The first ten lines of each FILE.
Where there are several, each has a line with its name in front.

Standard input is read where FILE is - or missing.

  -c, --bytes=[-]NUM       NUM bytes; with -,
                             all but the last NUM
  -n, --lines=[-]NUM       NUM lines, not ten;
                             all but the last NUM
                             all but the last NUM
  -q, --quiet, --silent    no lines with names
  -v, --verbose            lines with names, always
  -z, --zero-terminated    lines end with NUL
      --help        print this help
      --version     print the version

NUM may end in a unit:
b 512, K or KiB 1024, kB 1000, M or MiB 1024 times 1024, MB 1000 times 1000,
and so on with G, T, P, E, Z and Y.
";

#[derive(Clone, Copy, PartialEq)]
enum Headers {
    Auto,
    Always,
    Never,
}

struct Wanted {
    count: u64,
    bytes: bool,
    /// All but the last `count`.
    but: bool,
    end: u8,
}

pub fn main(args: &Args) -> Outcome {
    let mut wanted = Wanted { count: 10, bytes: false, but: false, end: b'\n' };
    let mut headers = Headers::Auto;
    let rewritten = obsolete(args, &mut wanted, &mut headers)?;
    let args = rewritten.as_ref().unwrap_or(args);
    let long = &[
        ("bytes", REQ, 'c'),
        ("lines", REQ, 'n'),
        ("quiet", NO, 'q'),
        ("silent", NO, 'q'),
        ("verbose", NO, 'v'),
        ("zero-terminated", NO, 'z'),
    ];
    let mut options = Options::new(args, "c:n:qvz0123456789", long);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' | 'n' => {
                wanted.bytes = opt.letter == 'c';
                let value = opt.value();
                let digits = value.strip_prefix(b"-");
                wanted.but = digits.is_some();
                wanted.count = count(digits.unwrap_or(value), wanted.bytes)?;
            }
            'q' => headers = Headers::Never,
            'v' => headers = Headers::Always,
            'z' => wanted.end = 0,
            digit => return Err(report::usage(1, format_args!("invalid trailing option -- {digit}"))),
        }
    }
    let mut operands = options.operands();
    if operands.is_empty() {
        operands.push(b"-");
    }
    let titled = headers == Headers::Always || (headers == Headers::Auto && operands.len() > 1);
    let mut out = Out::stdout();
    let (mut status, mut first) = (0, true);
    report::output_fails(1, "error writing 'standard output'");
    for &name in &operands {
        let mut input = match Input::open(name) {
            Ok(input) => input,
            Err(e) => {
                let _ = out.flush();
                report::fault(format_args!("cannot open {} for reading", quote::quoted(name)), e);
                status = 1;
                continue;
            }
        };
        if titled {
            let shown: &[u8] = if name == b"-" { b"standard input" } else { name };
            out.write(if first { b"==> " } else { b"\n==> " });
            out.write(shown);
            out.write(b" <==\n");
            first = false;
        }
        if let Err(e) = wanted.copy(&mut input.stream, &mut out) {
            let _ = out.flush();
            let shown = quote::quoted(if name == b"-" { b"standard input" } else { name });
            let what = if wanted.but && e == Errno::EBADF { "cannot fstat" } else { "error reading" };
            report::fault(format_args!("{what} {shown}"), e);
            status = 1;
        }
        report::writable(&out)?;
    }
    if !input::closes(&operands, "-") {
        status = 1;
    }
    report::last_output_fails(&out, "write error");
    report::finish(&mut out, status)
}

fn count(text: &[u8], bytes: bool) -> Result<u64, Exit> {
    let what = if bytes { "invalid number of bytes" } else { "invalid number of lines" };
    number::unsigned(text, number::SIZES).map_err(|bad| number::complain(1, what, text, bad))
}

/// `head -5 file`, `head -3c file`: digits and letters in the first argument. The arguments without it.
fn obsolete(args: &Args, wanted: &mut Wanted, headers: &mut Headers) -> Result<Option<Args>, Exit> {
    let Some(spec) = args.rest().first().and_then(|a| a.strip_prefix(b"-")) else { return Ok(None) };
    let digits = spec.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return Ok(None);
    }
    let mut text = spec[..digits].to_vec();
    for &letter in &spec[digits..] {
        match letter {
            b'c' => wanted.bytes = true,
            b'b' | b'k' | b'm' => {
                wanted.bytes = true;
                text.push(letter);
            }
            b'l' => wanted.bytes = false,
            b'q' => *headers = Headers::Never,
            b'v' => *headers = Headers::Always,
            b'z' => wanted.end = 0,
            other => return Err(report::usage(1, format_args!("invalid trailing option -- {}", other as char))),
        }
    }
    wanted.count = count(&text, wanted.bytes)?;
    let mut argv = args.argv.clone();
    argv.remove(1);
    Ok(Some(Args::new(argv)))
}

impl Wanted {
    fn copy(&self, stream: &mut In, out: &mut Out) -> Result<(), Errno> {
        match (self.but, self.bytes) {
            (false, true) => self.first_bytes(stream, out),
            (false, false) => self.first_lines(stream, out),
            (true, true) => self.all_but_bytes(stream, out),
            (true, false) => self.all_but_lines(stream, out),
        }
    }

    fn first_bytes(&self, stream: &mut In, out: &mut Out) -> Result<(), Errno> {
        let mut left = self.count;
        while left > 0 && out.error().is_none() {
            let block = stream.fill()?;
            if block.is_empty() {
                break;
            }
            let n = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            out.write(&block[..n]);
            stream.consume(n);
            left -= n as u64;
        }
        give_back(stream);
        Ok(())
    }

    fn first_lines(&self, stream: &mut In, out: &mut Out) -> Result<(), Errno> {
        let mut left = self.count;
        while left > 0 && out.error().is_none() {
            let block = stream.fill()?;
            if block.is_empty() {
                break;
            }
            let mut used = block.len();
            for end in memchr::memchr_iter(self.end, block) {
                left -= 1;
                if left == 0 {
                    used = end + 1;
                    break;
                }
            }
            out.write(&block[..used]);
            stream.consume(used);
        }
        give_back(stream);
        Ok(())
    }

    fn all_but_bytes(&self, stream: &mut In, out: &mut Out) -> Result<(), Errno> {
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
                out.write(first);
                held.pop_front();
            }
        }
        let mut free = bytes.saturating_sub(self.count);
        for block in held {
            let n = block.len().min(free as usize);
            out.write(&block[..n]);
            free -= n as u64;
        }
        Ok(())
    }

    /// Blocks are held until enough line ends are known behind them.
    fn all_but_lines(&self, stream: &mut In, out: &mut Out) -> Result<(), Errno> {
        let mut held: VecDeque<(Vec<u8>, u64)> = VecDeque::new();
        let mut lines = 0u64;
        let mut ended = true;
        loop {
            let block = stream.fill()?;
            let Some(&last) = block.last() else { break };
            let n = memchr::memchr_iter(self.end, block).count() as u64;
            lines += n;
            ended = last == self.end;
            held.push_back((block.to_vec(), n));
            let used = block.len();
            stream.consume(used);
            while let Some(first) = held.front()
                && lines - first.1 > self.count
            {
                lines -= first.1;
                out.write(&first.0);
                held.pop_front();
            }
        }
        // A last line without an end is a line too.
        let total = lines + u64::from(!ended);
        let mut keep = total.saturating_sub(self.count);
        for (block, n) in held {
            if keep == 0 {
                break;
            }
            if n < keep {
                keep -= n;
                out.write(&block);
                // The unfinished line may be all that is left to keep.
                continue;
            }
            if let Some(end) = memchr::memchr_iter(self.end, &block).nth(keep as usize - 1) {
                out.write(&block[..=end]);
            }
            break;
        }
        Ok(())
    }
}

/// Puts the offset of a file behind what was used, for whoever reads it next.
fn give_back(stream: &In) {
    if stream.buffered() > 0 {
        let _ = seek(stream.fd(), Seek::Current(-(stream.buffered() as i64)));
    }
}
