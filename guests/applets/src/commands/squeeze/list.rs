//! `-l`: what is inside; of gzip, by unpacking it to nowhere.

use super::words::{self, Trouble, ratio};
use super::{Family, Sizes, Squeezer, pump};
use crate::calendar::{Moment, Zone};
use crate::codec::{self, Decode, Format, Source, gzip};
use crate::report;
use capsule_sys::{Out, fstat};

impl Squeezer {
    pub fn list(&mut self, name: &[u8], source: Source) {
        let listed = match (self.settings.family, name == words::standard_input(self.settings.family)) {
            (Family::Gzip, _) | (Family::Bzip2, _) => self.list_gzip(name, source),
            (Family::Xz, true) => {
                report::error("--list does not support reading from standard input");
                self.status = 1;
                Ok(())
            }
            (Family::Zstd, true) => {
                report::plain("zstd: --list does not support reading from standard input \nNo files given \n");
                self.status = 1;
                Ok(())
            }
            (Family::Xz, false) => self.list_xz(name, source.fd(), self.place),
            (Family::Zstd, false) => {
                let size = fstat(source.fd()).map_or(0, |found| found.size);
                self.list_zstd(name, source, size)
            }
        };
        if let Err(trouble) = listed {
            self.complain(name, trouble);
        }
    }

    fn list_gzip(&mut self, name: &[u8], mut source: Source) -> Result<(), Trouble> {
        self.last.0 = 0;
        let mut sizes = Sizes::default();
        let mut nowhere = Out::stdout();
        let mut about = (0, 0);
        let start = source.look(13).map(<[u8]>::to_vec).unwrap_or_default();
        let changed = fstat(source.fd()).map_or(0, |found| super::time_of(&found));
        if codec::sniff(&start) == Some(Format::Lzw) {
            let mut decoder = codec::decoder(Format::Lzw, source);
            pump(&mut *decoder, &mut nowhere, true, &mut sizes)?;
        } else {
            let mut decoder = gzip::Decoder::new(source);
            let result = pump(&mut decoder, &mut nowhere, true, &mut sizes);
            sizes.overhead = decoder.overhead;
            about = (decoder.checksum, decoder.header.as_ref().map_or(0, |h| h.mtime));
            sizes.packed = decoder.read_bytes();
            result?;
        }
        // Without a time inside it is the file's.
        if about.1 == 0 {
            about.1 = changed;
        }
        self.gzip_line(name, sizes, about);
        self.last.0 = sizes.overhead;
        self.totals = (self.totals.0 + sizes.packed, self.totals.1 + sizes.plain, self.totals.2 + 1);
        Ok(())
    }

    fn gzip_line(&mut self, name: &[u8], sizes: Sizes, (checksum, mtime): (u32, u32)) {
        let verbose = self.settings.verbose > 0;
        if self.totals.2 == 0 && self.settings.quiet == 0 {
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
        self.last.1 = shown.to_vec();
    }

    pub fn list_totals(&mut self, files: usize) {
        match self.settings.family {
            Family::Xz => return self.xz_totals(),
            Family::Zstd => return self.zstd_totals(files),
            _ if files < 2 => return,
            _ => {}
        }
        let (packed, plain, _) = self.totals;
        let sizes = Sizes { plain, packed, overhead: self.last.0 };
        if self.settings.verbose > 0 {
            self.out.write(b"                            ");
        }
        self.out.write(format!("{packed:19} {plain:19} {} (totals)\n", ratio(sizes)).as_bytes());
    }
}

fn strip(name: &[u8]) -> &[u8] {
    [b".gz".as_slice(), b".Z", b".z", b"-gz"].iter().find_map(|s| name.strip_suffix(*s)).unwrap_or(name)
}
