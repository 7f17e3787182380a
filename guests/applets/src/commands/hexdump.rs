use crate::input::Input;
use crate::number;
use crate::options::{Long, NO, OPT, Options, REQ};
use crate::quote;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, Out};

mod format;
use format::Format;

pub const HELP: &str = "\
Usage: hexdump [OPTION]... [FILE]...
Show files in hexadecimal, decimal, octal or as characters.

  -b, --one-byte-octal      bytes, in octal
  -c, --one-byte-char       bytes, as characters
  -C, --canonical           hexadecimal and characters
  -d, --two-bytes-decimal   pairs of bytes, in decimal
  -o, --two-bytes-octal     pairs of bytes, in octal
  -x, --two-bytes-hex       pairs of bytes, in hexadecimal
  -e, --format=FORMAT       a format: [COUNT][/BYTES] \"TEXT\" ..., where TEXT has
                              conversions of C, %_a[dox] and %_A[dox] for the
                              address, %_c %_p %_u for characters
  -f, --format-file=FILE    formats, one a line
  -n, --length=LENGTH       read only LENGTH bytes
  -s, --skip=OFFSET         skip OFFSET bytes
  -v, --no-squeezing        show lines that are the same, too
  -L, --color[=WHEN]        colours: always, auto or never (no format has any)
  -h, --help                print this help
  -V, --version             print the version
";

pub mod hd {
    use crate::{Args, Outcome};

    pub const HELP: &str = "\
Usage: hd [OPTION]... [FILE]...
Show files in hexadecimal and as characters: hexdump -C. The options are those
of hexdump.

      --help        print this help
      --version     print the version
";

    pub fn main(args: &Args) -> Outcome {
        let mut argv = args.argv.clone();
        let at = argv.len().min(1);
        argv.insert(at, b"-C".to_vec());
        super::main(&Args::new(argv))
    }
}

const LONG: &[Long] = &[
    ("one-byte-octal", NO, 'b'),
    ("one-byte-char", NO, 'c'),
    ("canonical", NO, 'C'),
    ("two-bytes-decimal", NO, 'd'),
    ("two-bytes-octal", NO, 'o'),
    ("two-bytes-hex", NO, 'x'),
    ("format", REQ, 'e'),
    ("format-file", REQ, 'f'),
    ("length", REQ, 'n'),
    ("skip", REQ, 's'),
    ("no-squeezing", NO, 'v'),
    ("color", OPT, 'L'),
];

const USUAL: &[&[u8]] = &[b"\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"", b"\"%07.7_Ax\\n\""];

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "bcCde:f:hL::n:os:vVx", LONG);
    let (mut formats, mut limit, mut skip, mut all) = (Vec::new(), u64::MAX, 0, false);
    let size = |text: &[u8], what: &str| {
        let value = match text.strip_prefix(b"0x") {
            Some(hex) => {
                std::str::from_utf8(hex).ok().and_then(|h| u64::from_str_radix(h, 16).ok()).ok_or(Errno::EINVAL)
            }
            None => number::unsigned(text, b"bkKmMGTPEZY0").map_err(|bad| match bad {
                number::Bad::Invalid => Errno::EINVAL,
                number::Bad::Overflow => Errno::ERANGE,
            }),
        };
        value.map_err(|e| report::die(1, format_args!("failed to parse {what}: {}: {e}", quote::plain(text))))
    };
    while let Some(opt) = options.next()? {
        let preset: &[&[u8]] = match opt.letter {
            'b' => &[b"\"%07.7_ax \" 16/1 \"%03o \" \"\\n\"", USUAL[1]],
            'c' => &[b"\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\"", USUAL[1]],
            'C' => &[
                b"\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \"",
                b"\"  |\" 16/1 \"%_p\" \"|\\n\"",
                b"\"%08.8_Ax\\n\"",
            ],
            'd' => &[b"\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\"", USUAL[1]],
            'o' => &[b"\"%07.7_ax \" 8/2 \" %06o \" \"\\n\"", USUAL[1]],
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            'x' => &[b"\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\"", USUAL[1]],
            'e' => &[opt.value()],
            'f' => {
                let mut text = Vec::new();
                Input::open(opt.value())
                    .and_then(|mut i| i.stream.read_to_end(&mut text))
                    .map_err(|e| report::die(1, format_args!("can't read {}: {e}", quote::raw(opt.value()))))?;
                for line in text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii) {
                    if !line.is_empty() && line[0] != b'#' {
                        formats.push(Format::parse(line)?);
                    }
                }
                continue;
            }
            letter => {
                match letter {
                    'n' => limit = size(opt.value(), "length")?,
                    's' => skip = size(opt.value(), "offset")?,
                    // Colours are for formats that name them, and those are refused.
                    'L' => {}
                    _ => all = true,
                }
                continue;
            }
        };
        for text in preset {
            formats.push(Format::parse(text)?);
        }
    }
    if formats.is_empty() {
        for text in USUAL {
            formats.push(Format::parse(text)?);
        }
    }
    let operands = options.operands();
    let mut out = Out::stdout();
    let mut reader = Reader::new(operands);
    let skip = reader.skip(skip);
    dump(formats, &mut reader, skip, limit, all, &mut out)?;
    if reader.failed && !reader.opened {
        return Err(report::die(1, "all input file arguments failed"));
    }
    report::finish(&mut out, u8::from(reader.failed))
}

fn dump(
    mut formats: Vec<Format>,
    reader: &mut Reader<'_>,
    skip: u64,
    limit: u64,
    all: bool,
    out: &mut Out,
) -> Result<(), Exit> {
    let block = formats.iter().map(Format::size).max().unwrap_or(0);
    formats.iter_mut().for_each(|f| f.fill(block));
    if block == 0 {
        // Nothing is read by formats without data; text alone is written once.
        return Ok(());
    }
    let (mut at, mut left) = (skip, limit);
    let (mut data, mut before, mut text) = (Vec::new(), Vec::new(), Vec::new());
    let (mut starred, mut end) = (false, None);
    loop {
        data.clear();
        reader.read(block.min(usize::try_from(left).unwrap_or(usize::MAX)), &mut data);
        if data.is_empty() {
            break;
        }
        left -= data.len() as u64;
        let full = data.len() == block;
        if full && !all && data == before {
            if !starred {
                out.write(b"*\n");
                starred = true;
            }
            at += block as u64;
            continue;
        }
        starred = false;
        if !full {
            end = Some(at + data.len() as u64);
        }
        text.clear();
        for format in &formats {
            format.show(&data, at, &mut text);
        }
        out.write(&text);
        report::writable(out)?;
        at += data.len() as u64;
        if !full {
            break;
        }
        std::mem::swap(&mut data, &mut before);
    }
    let end = end.unwrap_or(at);
    if end > 0 {
        text.clear();
        // Of several, the last one tells where it ended.
        for format in formats.iter().rev() {
            format.show_end(end, &mut text);
            if !text.is_empty() {
                break;
            }
        }
        out.write(&text);
    }
    Ok(())
}

/// The files, one behind the other.
struct Reader<'a> {
    names: std::vec::IntoIter<&'a [u8]>,
    current: Option<(Input, &'a [u8])>,
    failed: bool,
    /// Some file was there.
    opened: bool,
}

impl<'a> Reader<'a> {
    fn new(names: Vec<&'a [u8]>) -> Reader<'a> {
        let current = names.is_empty().then(|| (Input::stdin(), b"-".as_slice()));
        Reader { opened: current.is_some(), names: names.into_iter(), current, failed: false }
    }

    fn read(&mut self, count: usize, to: &mut Vec<u8>) {
        while to.len() < count {
            let Some((input, name)) = &mut self.current else {
                let Some(name) = self.names.next() else { return };
                match Input::named(name) {
                    Ok(input) => (self.current, self.opened) = (Some((input, name)), true),
                    Err(e) => {
                        report::fault(quote::raw(name), e);
                        self.failed = true;
                    }
                }
                continue;
            };
            match input.stream.fill() {
                Ok([]) => self.current = None,
                Ok(block) => {
                    let n = block.len().min(count - to.len());
                    to.extend_from_slice(&block[..n]);
                    input.stream.consume(n);
                }
                // Told, and no failure: so does util-linux's.
                Err(e) => {
                    report::fault(quote::raw(name), e);
                    self.current = None;
                }
            }
        }
    }

    /// Leaves bytes out; how many there were.
    fn skip(&mut self, count: u64) -> u64 {
        let mut scratch = Vec::new();
        let mut skipped = 0;
        while skipped < count {
            scratch.clear();
            self.read(usize::try_from(count - skipped).unwrap_or(usize::MAX).min(65_536), &mut scratch);
            if scratch.is_empty() {
                break;
            }
            skipped += scratch.len() as u64;
        }
        skipped
    }
}
