//! `iconv`: between the encodings of Unicode, ASCII and the Latin code pages people still meet.

use crate::input::Input;
use crate::options::{NO, Options, REQ, only};
use crate::quote::raw;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{OpenFlags, Out, open};

mod charset;
mod legacy;
mod pages;

use charset::{Charset, Order};

pub const HELP: &str = "\
Usage: iconv [OPTION...] [FILE...]
Turn text from one encoding into another.

  -f, --from-code=NAME       what the text is in
  -t, --to-code=NAME         encoding for output (//TRANSLIT, //IGNORE)
  -l, --list                 list the encodings
  -c                         leave out what cannot be turned
  -o, --output=FILE          write to FILE
  -s, --silent               no warnings
      --verbose              tell which file is read
  -?, --help                 print this help
  -V, --version              print the version

Known are UTF-8, UTF-16, UTF-32, UCS-2 and UCS-4 (with LE and BE), ASCII,
ISO-8859, the code pages 437, 737, 775, 850 to 869, 874 and 1250 to 1258 (but
864), KOI8, Macintosh, Big5,
EUC-JP, EUC-KR, Shift-JIS and GB18030; GB2312 is taken as GBK, EUC-KR as UHC.
";

const VERBOSE: char = only(0);

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::GraveUsage);
    let long = &[
        ("from-code", REQ, 'f'),
        ("to-code", REQ, 't'),
        ("list", NO, 'l'),
        ("output", REQ, 'o'),
        ("silent", NO, 's'),
        ("verbose", NO, VERBOSE),
    ];
    let mut options = Options::new(args, "f:t:lco:s?V", long).status(64);
    let (mut from, mut to, mut omit, mut output, mut verbose) = (None, None, false, None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'f' => from = Some(opt.text()),
            't' => to = Some(opt.text()),
            'l' => return list(),
            'c' => omit = true,
            VERBOSE => verbose = true,
            'o' => output = Some(opt.value()),
            '?' => return Err(options.help()),
            'V' => return Err(options.version()),
            _ => {}
        }
    }
    let operands = options.operands();
    let usual = || if crate::quote::is_utf8() { "UTF-8".to_owned() } else { "ANSI_X3.4-1968".to_owned() };
    let named = |name: Option<String>| name.filter(|name| !name.is_empty()).unwrap_or_else(usual);
    let (from, to) = (named(from), named(to));
    let mut parts = to.split("//");
    let target = parts.next().unwrap_or_default().to_owned();
    let (mut translit, mut ignore) = (false, false);
    for part in parts {
        translit |= part.eq_ignore_ascii_case("translit");
        ignore |= part.eq_ignore_ascii_case("ignore");
    }
    let source = from.split("//").next().unwrap_or_default();
    let (decoder, encoder) = match (Charset::named(source), Charset::named(&target)) {
        (Some(decoder), Some(encoder)) => (decoder, encoder),
        (decoder, encoder) => {
            let what = match (decoder, encoder) {
                (None, None) => format!("conversions from `{source}' and to `{target}' are not supported"),
                (None, _) => format!("conversion from `{source}' is not supported"),
                _ => format!("conversion to `{target}' is not supported"),
            };
            return Err(report::usage(1, what));
        }
    };
    let mut job = Job {
        from: decoder,
        to: encoder,
        omit: omit || ignore,
        tells: ignore && !omit,
        translit,
        out: Out::stdout(),
        begun: false,
        omitted: false,
    };
    let standard: &[&[u8]] = &[b"-"];
    let mut status = 0;
    let mut target = None;
    for &file in if operands.is_empty() { standard } else { &operands } {
        if verbose && !operands.is_empty() {
            report::plain(&format!("{}:\n", raw(file)));
        }
        let mut input = match Input::open(file) {
            Ok(input) => input,
            Err(e) => {
                let _ = job.out.flush();
                report::error(format_args!("cannot open input file `{}': {e}", raw(file)));
                status = 1;
                continue;
            }
        };
        // Made once there is something to write.
        if let Some(name) = output.take() {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC;
            let unopened = |e| report::die(1, format_args!("cannot open output file: {e}"));
            let file = target.insert(open(name, flags, 0o666).map_err(unopened)?);
            job.out = Out::new(file.raw());
        }
        job.file(&mut input)?;
    }
    // Only what stdio keeps until the end fails with a reason.
    if job.out.buffered() >= 4096 || job.out.error().is_some() {
        let stopped = |_| report::die(1, "conversion stopped due to problem in writing the output");
        job.out.flush().map_err(stopped)?;
    }
    report::output_fails(1, "error while closing output file");
    report::finish(&mut job.out, status)
}

fn list() -> Outcome {
    let mut out = Out::stdout();
    for names in charset::NAMES {
        let line: Vec<String> = names.1.iter().map(|name| format!("{name}//")).collect();
        out.write(format!("{}\n", line.join(" ")).as_bytes());
    }
    report::finish(&mut out, 0)
}

/// The bytes of the longest character, and of the longest mark.
const LONGEST: usize = 4;

struct Job {
    from: Charset,
    to: Charset,
    omit: bool,
    /// What was left out is told at the end.
    tells: bool,
    translit: bool,
    out: Out,
    /// A byte order mark has been written where the encoding begins with one.
    begun: bool,
    omitted: bool,
}

impl Job {
    fn file(&mut self, input: &mut Input) -> Result<(), Exit> {
        let (mut text, mut position, mut order) = (Vec::new(), 0, None);
        loop {
            let block = match input.stream.fill() {
                Ok(block) => block,
                Err(e) => {
                    let _ = self.out.flush();
                    return Err(report::die(1, format_args!("error while reading the input: {e}")));
                }
            };
            let (more, length) = (!block.is_empty(), block.len());
            text.extend_from_slice(block);
            input.stream.consume(length);
            // A mark must be whole before it is looked at.
            if more && text.len() < LONGEST {
                continue;
            }
            let (from, mark) = *order.get_or_insert_with(|| match self.from.order_of(&text) {
                Some((order, mark)) => (self.from.with(order), mark),
                None => (self.from, 0),
            });
            if !self.begun && !text.is_empty() {
                self.begun = true;
                self.out.write(self.to.mark());
            }
            let skip = if position == 0 { mark } else { 0 };
            let used = self.convert(from, &text, skip, position, !more)?;
            position += used;
            text.drain(..used);
            if !more {
                break;
            }
        }
        if self.tells && self.omitted {
            return Err(self.stop(position));
        }
        Ok(())
    }

    /// Converts a piece of text from `at` on; how much of it that was. At the end, all must be whole characters.
    fn convert(
        &mut self,
        from: Charset,
        text: &[u8],
        mut at: usize,
        position: usize,
        last: bool,
    ) -> Result<usize, Exit> {
        let to = self.to.with(Order::Little);
        while at < text.len() && (last || text.len() - at >= LONGEST) {
            match from.decode(&text[at..]) {
                Ok((c, length)) => {
                    let mut bytes = Vec::new();
                    if to.encode(c, &mut bytes) {
                        self.out.write(&bytes);
                    } else if self.translit {
                        for c in charset::instead(c).chars() {
                            let _ = to.encode(c, &mut bytes);
                        }
                        self.out.write(&bytes);
                    } else if self.omit {
                        self.omitted = true;
                    } else {
                        return Err(self.stop(position + at));
                    }
                    at += length;
                }
                Err(charset::Broken::Short) => {
                    let _ = self.out.flush();
                    return Err(report::die(1, "incomplete character or shift sequence at end of buffer"));
                }
                Err(charset::Broken::Bad(length)) if self.omit => {
                    self.omitted = true;
                    at += length;
                }
                Err(charset::Broken::Bad(_)) => return Err(self.stop(position + at)),
            }
        }
        Ok(at)
    }

    /// What was converted so far goes out before the complaint.
    fn stop(&mut self, at: usize) -> Exit {
        let _ = self.out.flush();
        report::die(1, format_args!("illegal input sequence at position {at}"))
    }
}
