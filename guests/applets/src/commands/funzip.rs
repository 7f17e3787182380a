//! `funzip`: the first member of a zip archive that comes in a pipe, or gzip's data.

use crate::codec::gzip::Decoder;
use crate::codec::{Decode, Fault, Source};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{OpenFlags, Out, STDIN, open};
use flate2::{Crc, Decompress, FlushDecompress, Status};

pub const HELP: &str = "\
Usage: funzip [FILE[.zip|.gz]]
Write the first member of a zip archive, or what gzip has packed, to standard output.

Standard input is read where there is no FILE. Members with a password are not read.
";

fn error(status: u8, text: &str) -> Exit {
    report::plain(&format!("funzip error: {text}\n"));
    Exit(status)
}

pub fn main(args: &Args) -> Outcome {
    crate::input::hold_standard();
    let mut names = Vec::new();
    for word in args.rest() {
        match word.as_slice() {
            b"--help" => {
                let mut out = Out::stdout();
                out.write(HELP.as_bytes());
                return report::finish(&mut out, 0);
            }
            [b'-', _, ..] => return Err(error(3, "members with a password are not supported here")),
            name => names.push(name),
        }
    }
    let mut source = match names.first() {
        None => Source::new(STDIN, None),
        Some(name) => {
            let flags = OpenFlags::RDONLY | OpenFlags::CLOEXEC;
            let found =
                ["", ".zip", ".gz"].iter().find_map(|end| open(&[name, end.as_bytes()].concat(), flags, 0).ok());
            let file = found.ok_or_else(|| error(2, "cannot find input file"))?;
            Source::new(file.raw(), Some(file))
        }
    };
    let mut out = Out::stdout();
    let mut buf = vec![0; 64 << 10];
    let start = source.look(4).unwrap_or_default().to_vec();
    let mut decode: Box<dyn Decode> = match start.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(Decoder::new(source)),
        b"PK\x03\x04" => Box::new(Member::new(source)?),
        [b'P', b'K', ..] => return Err(error(3, "invalid zipfile")),
        _ => return Err(error(3, "input not a zip or gzip file")),
    };
    let ended = loop {
        match decode.read(&mut buf) {
            Ok(0) => break Ok(()),
            Ok(n) => {
                out.write(&buf[..n]);
                report::writable(&out)?;
            }
            Err(fault) => break Err(fault),
        }
    };
    let _ = out.flush();
    ended.map_err(|fault| match fault {
        Fault::Checksum => error(4, "invalid compressed data--crc error"),
        Fault::Length => error(4, "invalid compressed data--length error"),
        Fault::Read(e) => error(4, &e.to_string()),
        _ => error(4, "invalid compressed data--format violated"),
    })?;
    if decode.garbage() {
        report::plain("funzip warning: zipfile has more than one entry--rest ignored\n");
    }
    report::finish(&mut out, 0)
}

/// A member behind its header; what is known of it only afterwards follows its data.
struct Member {
    source: Source,
    inflate: Option<Decompress>,
    /// Of stored data.
    left: u64,
    crc: Crc,
    known: Option<(u32, u32)>,
    ended: bool,
    more: bool,
}

impl Member {
    fn new(mut source: Source) -> Result<Member, Exit> {
        let cut = || error(3, "invalid zipfile");
        let mut bytes =
            |count: usize| -> Option<Vec<u8>> { (0..count).map(|_| source.byte().ok().flatten()).collect() };
        let head = bytes(30).ok_or_else(cut)?;
        let short = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let long = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        bytes(usize::from(short(26)) + usize::from(short(28))).ok_or_else(cut)?;
        let (flags, method) = (short(6), short(8));
        if flags & 1 != 0 {
            return Err(error(3, "members with a password are not supported here"));
        }
        let follows = flags & 8 != 0;
        let inflate = match method {
            8 => Some(Decompress::new(false)),
            0 if !follows && long(18) != u32::MAX => None,
            _ => return Err(error(3, "first entry not deflated or stored--cannot unzip")),
        };
        let known = (!follows).then(|| (long(14), long(22)));
        let left = long(18).into();
        Ok(Member { source, inflate, left, crc: Crc::new(), known, ended: false, more: false })
    }

    /// Compares what was read with what is known of it.
    fn end(&mut self) -> Result<usize, Fault> {
        self.ended = true;
        let (crc, size) = match self.known {
            Some(known) => known,
            None => {
                let mut bytes = [0; 16];
                for byte in &mut bytes {
                    *byte = self.source.byte()?.ok_or(Fault::Eof)?;
                }
                let long = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                (long(4), self.crc.amount())
            }
        };
        self.more = self.source.look(4)? == b"PK\x03\x04";
        if crc != self.crc.sum() {
            return Err(Fault::Checksum);
        }
        if size != u32::MAX && size != self.crc.amount() { Err(Fault::Length) } else { Ok(0) }
    }
}

impl Decode for Member {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Fault> {
        loop {
            if self.ended {
                return Ok(0);
            }
            let input = self.source.fill()?;
            let (used, made, last) = match &mut self.inflate {
                None => {
                    let n = input.len().min(buf.len()).min(usize::try_from(self.left).unwrap_or(usize::MAX));
                    buf[..n].copy_from_slice(&input[..n]);
                    self.left -= n as u64;
                    (n, n, self.left == 0)
                }
                Some(inflate) => {
                    let before = (inflate.total_in(), inflate.total_out());
                    let status = inflate.decompress(input, buf, FlushDecompress::None).map_err(|_| Fault::Invalid)?;
                    let used = (inflate.total_in() - before.0) as usize;
                    (used, (inflate.total_out() - before.1) as usize, status == Status::StreamEnd)
                }
            };
            let nothing = input.is_empty() && made == 0 && !last;
            self.source.consume(used);
            self.crc.update(&buf[..made]);
            if nothing {
                return Err(Fault::Eof);
            }
            if last {
                // The data is good for as long as it is not judged.
                return match self.end() {
                    Ok(_) => Ok(made),
                    Err(fault) if made == 0 => Err(fault),
                    Err(fault) => {
                        self.ended = false;
                        self.inflate = None;
                        self.left = 0;
                        Err(fault)
                    }
                };
            }
            if made > 0 {
                return Ok(made);
            }
        }
    }

    fn garbage(&self) -> bool {
        self.more
    }

    fn read_bytes(&self) -> u64 {
        self.source.taken()
    }
}
