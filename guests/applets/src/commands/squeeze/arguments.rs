//! What the command line asks for, and the variables that each program reads before it.

use super::{Family, Settings, Tool, words, xz_filters};
use crate::codec::{self, Format};
use crate::options::Options;
use crate::{Args, Exit, report};
use capsule_sys::{Out, getenv, read_to_end};

/// The settings, and the files that are named.
pub fn read(args: &Args, tool: &Tool) -> Result<(Settings, Vec<Vec<u8>>), Exit> {
    match tool.family {
        Family::Xz => report::hint(report::Hint::NamedGrave),
        // The others are scripts that call it.
        Family::Gzip => {
            report::hint(report::Hint::Grave);
            report::set_program(b"gzip");
        }
        Family::Bzip2 | Family::Zstd => words::known(args, tool)?,
    }
    let mut settings = Settings {
        decompress: tool.decompress,
        stdout: tool.stdout,
        // `zstdcat` hands on what is not packed.
        force: tool.family == Family::Zstd && tool.stdout,
        only: tool.format == Format::Lzma,
        ..Settings::new(tool.family, tool.format)
    };
    let mut reading = Reading::default();
    reading.variables(&mut settings, tool)?;
    reading.words(&mut settings, tool, args)?;
    settings.level = match settings.family {
        // Beyond these it takes more memory, and must be asked for twice.
        Family::Zstd if settings.level == 0 => codec::usual_level(Format::Zstd),
        Family::Zstd => words::zstd_level(settings.level, reading.ultra),
        Family::Xz => settings.level.min(9),
        _ => settings.level.clamp(1, 9),
    };
    settings.level |= reading.extreme | reading.check;
    xz_filters::check(&settings.chain)?;
    if settings.list && settings.only && settings.format == Format::Lzma {
        return Err(report::die(1, "--list works only on .xz files (--format=xz or --format=auto)"));
    }
    Ok((settings, reading.files))
}

#[derive(Default)]
struct Reading {
    extreme: u32,
    check: u32,
    ultra: bool,
    files: Vec<Vec<u8>>,
}

impl Reading {
    /// Options that are in the environment.
    fn variables(&mut self, settings: &mut Settings, tool: &Tool) -> Result<(), Exit> {
        let names: &[&str] = match tool.family {
            Family::Gzip => &["GZIP"],
            Family::Bzip2 => &["BZIP2", "BZIP"],
            Family::Xz => &["XZ_DEFAULTS", "XZ_OPT"],
            Family::Zstd => &["ZSTD_CLEVEL"],
        };
        for name in names {
            let Some(text) = getenv(name.as_bytes()).filter(|text| !text.is_empty()) else { continue };
            if tool.family == Family::Zstd {
                settings.level = words::zstd_variable(&text, settings.level);
                continue;
            }
            let given = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let argv: Vec<Vec<u8>> = [b"".to_vec()].into_iter().chain(given.map(<[u8]>::to_vec)).collect();
            let found = self.files.len();
            if tool.family == Family::Bzip2 {
                words::known(&Args::new(argv.clone()), tool)?;
            }
            self.words(settings, tool, &Args::new(argv))?;
            match tool.family {
                Family::Gzip => {
                    if let Some(file) = self.files.first() {
                        let file = String::from_utf8_lossy(file);
                        return Err(report::usage(1, format_args!("{file}: non-option in GZIP environment variable")));
                    }
                    report::error("warning: GZIP environment variable is deprecated; use an alias or script");
                }
                // Names are for the command line.
                Family::Xz => self.files.truncate(found),
                _ => {}
            }
        }
        Ok(())
    }

    fn words(&mut self, settings: &mut Settings, tool: &Tool, args: &Args) -> Result<(), Exit> {
        let mut options = Options::new(args, tool.short, tool.long);
        let mut digits = None::<u32>;
        while let Some(opt) = options.next()? {
            match opt.letter {
                // Memory is bounded as it is, progress is never shown, every level is allowed.
                's' | words::PLAIN => {}
                'a' => report::error("option --ascii ignored on this system"),
                'b' if !opt.value().iter().all(u8::is_ascii_digit) => {
                    return Err(report::usage(1, "-b operand is not an integer"));
                }
                'Z' => return Err(report::usage(1, "-Z not supported in this version")),
                'e' => self.extreme = codec::EXTREME,
                'C' => self.check = words::check(opt.value())?,
                words::NO_CHECK => self.check = codec::NO_CHECK,
                words::CHECK => self.check = 0,
                'Q' => settings.no_warn = true,
                // So many threads at most: there is one.
                'T' => words::threads(tool.family, opt.value())?,
                'M' if tool.family == Family::Gzip => settings.no_time = false,
                'M' => words::memory(opt.value())?,
                'c' => settings.stdout = true,
                'd' => settings.decompress = true,
                'z' => settings.decompress = false,
                'f' => settings.force = true,
                'F' => {
                    (settings.format, settings.only) = words::format(opt.value(), tool)?;
                    settings.suffix = super::suffix(settings.format).to_vec();
                }
                'h' | 'H' | '?' => return Err(words::help(tool.family)),
                'k' => settings.keep = true,
                words::REMOVE => settings.keep = false,
                'l' => (settings.list, settings.decompress) = (true, true),
                'n' => settings.name = Some(false),
                'N' => settings.name = Some(true),
                'm' => settings.no_time = true,
                'o' => settings.output = opt.value.map(<[u8]>::to_vec),
                words::FLAT => settings.directory = Some((opt.value().to_vec(), false)),
                words::MIRROR => settings.directory = Some((opt.value().to_vec(), true)),
                words::FILES => self.list(opt.value.unwrap_or(b"-"), b'\n', tool.family)?,
                words::FILES0 => self.list(opt.value.unwrap_or(b"-"), 0, tool.family)?,
                words::PASS => settings.pass = Some(true),
                words::NO_PASS => settings.pass = Some(false),
                words::ROBOT => settings.robot = true,
                words::SYNC => settings.sync = true,
                words::RSYNCABLE => settings.rsyncable = true,
                words::SINGLE => settings.single = true,
                words::UNPACKED => settings.only_unpacked = true,
                'q' => settings.quiet += 1,
                'r' if tool.family == Family::Xz => return Err(report::try_help(1)),
                'r' => settings.recursive = true,
                'S' => settings.suffix = words::suffix(tool.family, opt.value())?,
                't' => (settings.test, settings.decompress) = (true, true),
                'v' => settings.verbose += 1,
                'V' | 'L' => {
                    let mut out = Out::stdout();
                    out.write(format!("{} (Capsule) {}\n", report::program(), env!("CARGO_PKG_VERSION")).as_bytes());
                    return Err(match report::finish(&mut out, 0) {
                        Ok(status) => Exit(status),
                        Err(exit) => exit,
                    });
                }
                words::FAST if tool.family == Family::Xz => settings.level = 0,
                words::FAST => settings.level = words::fast(opt.value)?,
                words::BEST => settings.level = 9,
                words::ULTRA => self.ultra = true,
                digit @ '0'..='9' => {
                    let digit = digit as u32 - '0' as u32;
                    // Levels of zstd have two digits.
                    let before = digits.filter(|_| tool.family == Family::Zstd).unwrap_or(0);
                    digits = Some(before.saturating_mul(10).saturating_add(digit));
                    settings.level = digits.unwrap_or(6);
                }
                letter => {
                    if let Some((_, kind)) = words::FILTERS.iter().find(|filter| filter.0 == letter) {
                        xz_filters::add(&mut settings.chain, *kind, opt.value)?;
                    }
                }
            }
            if !opt.letter.is_ascii_digit() || !options.in_cluster() {
                digits = None;
            }
        }
        self.files.extend(options.operands().iter().map(|o| o.to_vec()));
        Ok(())
    }

    /// Names of files that are in a file.
    fn list(&mut self, path: &[u8], end: u8, family: Family) -> Result<(), Exit> {
        let shown = String::from_utf8_lossy(path).into_owned();
        let text =
            crate::input::Input::open(path).and_then(|input| read_to_end(input.fd())).map_err(|e| match family {
                Family::Zstd => {
                    report::plain(&format!("zstd: error reading {shown} \n"));
                    Exit(1)
                }
                _ => report::die(1, format_args!("{shown}: {e}")),
            })?;
        if end == 0 && !text.is_empty() && text.last() != Some(&0) {
            return Err(report::die(1, format_args!("{shown}: Unexpected end of input when reading filenames")));
        }
        self.files.extend(text.split(|b| *b == end).filter(|name| !name.is_empty()).map(<[u8]>::to_vec));
        Ok(())
    }
}
