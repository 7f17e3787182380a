//! `-l`: what is inside, found by unpacking it to nowhere.

use super::words::ratio;
use super::{Family, Sizes, Squeezer, pump};
use crate::calendar::{Moment, Zone};
use crate::codec::{self, Decode, Format, Source, gzip};
use capsule_sys::Out;

impl Squeezer {
    pub fn list(&mut self, name: &[u8], mut source: Source) {
        let mut sizes = Sizes::default();
        let mut nowhere = Out::stdout();
        let mut about = (0, 0);
        let start = source.look(13).map(<[u8]>::to_vec).unwrap_or_default();
        let format = codec::sniff(&start).unwrap_or(self.settings.format);
        let result = if self.settings.family == Family::Gzip && format != Format::Lzw {
            let mut decoder = gzip::Decoder::new(source);
            let result = pump(&mut decoder, &mut nowhere, true, &mut sizes);
            sizes.overhead = decoder.overhead;
            about = (decoder.checksum, decoder.header.as_ref().map_or(0, |h| h.mtime));
            sizes.packed = decoder.read_bytes();
            result
        } else {
            let mut decoder = codec::decoder(format, source);
            pump(&mut *decoder, &mut nowhere, true, &mut sizes)
        };
        if let Err(trouble) = result {
            return self.complain(name, trouble);
        }
        if self.settings.family == Family::Gzip {
            self.gzip_line(name, sizes, about);
        } else {
            self.xz_line(name, sizes);
        }
        self.totals = (self.totals.0 + sizes.packed, self.totals.1 + sizes.plain, self.totals.2 + 1);
    }

    fn gzip_line(&mut self, name: &[u8], sizes: Sizes, (checksum, mtime): (u32, u32)) {
        let verbose = self.settings.verbose;
        if self.totals.2 == 0 && !self.settings.quiet {
            if verbose {
                self.out.write(b"method  crc     date  time  ");
            }
            self.out.write(b"         compressed        uncompressed  ratio uncompressed_name\n");
        }
        if verbose {
            let date = Moment::new(mtime.into(), 0, &Zone::local()).format(b"%b %e %H:%M");
            self.out.write(format!("defla {checksum:08x} ").as_bytes());
            self.out.write(&date);
            self.out.byte(b' ');
        }
        let (packed, plain) = (sizes.packed, sizes.plain);
        self.out.write(format!("{packed:19} {plain:19} {} ", ratio(sizes)).as_bytes());
        let shown = if name == b"stdin" { b"stdout".as_slice() } else { strip(name) };
        self.out.write(shown);
        self.out.byte(b'\n');
    }

    fn xz_line(&mut self, name: &[u8], sizes: Sizes) {
        if self.totals.2 == 0 {
            self.out.write(b"  Compressed Uncompressed  Ratio  Filename\n");
        }
        let share = sizes.packed as f64 / sizes.plain.max(1) as f64;
        self.out.write(format!("{:>10} B {:>10} B  {share:.3}  ", sizes.packed, sizes.plain).as_bytes());
        self.out.write(name);
        self.out.byte(b'\n');
    }

    pub fn list_totals(&mut self, files: usize) {
        if files < 2 || self.settings.family != Family::Gzip {
            return;
        }
        let (packed, plain, _) = self.totals;
        let sizes = Sizes { plain, packed, overhead: 0 };
        if self.settings.verbose {
            self.out.write(b"                            ");
        }
        self.out.write(format!("{packed:19} {plain:19} {} (totals)\n", ratio(sizes)).as_bytes());
    }
}

fn strip(name: &[u8]) -> &[u8] {
    [b".gz".as_slice(), b".Z", b".z", b"-gz"].iter().find_map(|s| name.strip_suffix(*s)).unwrap_or(name)
}
