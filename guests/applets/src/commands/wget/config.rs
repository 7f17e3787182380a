//! All that a command line asks for.

use super::messages::Dots;
use crate::commands::curl::body::{Piece, read_file};
use crate::options::{Long, NO, OPT, Opt, Options, REQ, only};
use crate::{Args, Exit, report};
use capsule_sys::{Fd, OpenFlags, open, random_u64, sleep};

pub const GENERIC: u8 = 1;
pub const USAGE: u8 = 2;
pub const FILE: u8 = 3;
pub const NETWORK: u8 = 4;
pub const TLS: u8 = 5;
pub const AUTHENTICATION: u8 = 6;
pub const SERVER: u8 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Talk {
    Quiet,
    Brief,
    Full,
}

#[derive(Default)]
pub struct Directories {
    /// `-x`, `-nd`: none is as it is usual.
    pub force: Option<bool>,
    pub no_host: bool,
    pub cut: usize,
}

#[derive(Default)]
pub struct Recursion {
    pub on: bool,
    /// 0 is without end.
    pub depth: usize,
    pub no_parent: bool,
    pub span_hosts: bool,
    pub accept: Vec<Vec<u8>>,
    pub reject: Vec<Vec<u8>>,
    pub requisites: bool,
    pub convert: bool,
    pub delete_after: bool,
}

pub struct Config {
    pub talk: Talk,
    pub log: Option<Fd>,
    pub output: Option<Vec<u8>>,
    pub folder: Option<Vec<u8>>,
    pub directories: Directories,
    pub recursion: Recursion,
    pub adjust_extension: bool,
    pub resume: bool,
    pub start_at: Option<u64>,
    pub no_clobber: bool,
    pub timestamping: bool,
    pub server_times: bool,
    pub server_response: bool,
    pub save_headers: bool,
    pub spider: bool,
    pub tries: u64,
    /// Seconds between two files.
    pub wait: u64,
    /// The most seconds before another attempt.
    /// Between half of that and one and a half.
    pub random_wait: bool,
    pub wait_retry: u64,
    pub retry_refused: bool,
    pub retry_status: Vec<u32>,
    pub timeout: u64,
    pub connect_timeout: u64,
    pub headers: Vec<Vec<u8>>,
    pub method: Option<Vec<u8>>,
    pub body: Option<Vec<Piece>>,
    pub agent: Vec<u8>,
    pub referer: Option<Vec<u8>>,
    pub user: Option<Vec<u8>>,
    pub password: Vec<u8>,
    pub no_challenge: bool,
    pub no_cache: bool,
    pub compression: Option<&'static [u8]>,
    pub cookies: bool,
    pub load_cookies: Option<Vec<u8>>,
    pub save_cookies: Option<Vec<u8>>,
    pub session_cookies: bool,
    pub redirects: u32,
    pub disposition: bool,
    pub on_error: bool,
    /// Bytes a second, and bytes of all files; 0 is any number.
    pub rate: u64,
    pub quota: u64,
    pub dots: Dots,
    pub show_progress: bool,
    pub input_files: Vec<Vec<u8>>,
}

const LONG: &[Long] = &[
    ("quiet", NO, 'q'),
    ("verbose", NO, 'v'),
    ("no-verbose", NO, only(0)),
    ("output-document", REQ, 'O'),
    ("output-file", REQ, 'o'),
    ("append-output", REQ, 'a'),
    ("directory-prefix", REQ, 'P'),
    ("continue", NO, 'c'),
    ("no-clobber", NO, only(1)),
    ("input-file", REQ, 'i'),
    ("server-response", NO, 'S'),
    ("spider", NO, only(2)),
    ("tries", REQ, 't'),
    ("wait", REQ, 'w'),
    ("waitretry", REQ, only(3)),
    ("timeout", REQ, 'T'),
    ("connect-timeout", REQ, only(4)),
    ("read-timeout", REQ, only(5)),
    ("dns-timeout", REQ, only(6)),
    ("header", REQ, only(7)),
    ("method", REQ, only(8)),
    ("body-data", REQ, only(9)),
    ("body-file", REQ, only(10)),
    ("post-data", REQ, only(11)),
    ("post-file", REQ, only(12)),
    ("user-agent", REQ, 'U'),
    ("referer", REQ, only(13)),
    ("user", REQ, only(14)),
    ("http-user", REQ, only(14)),
    ("password", REQ, only(15)),
    ("http-password", REQ, only(15)),
    ("max-redirect", REQ, only(16)),
    ("content-disposition", NO, only(17)),
    ("content-on-error", NO, only(18)),
    ("no-check-certificate", NO, only(19)),
    ("progress", REQ, only(20)),
    ("show-progress", NO, only(21)),
    ("no-proxy", NO, only(22)),
    ("no-hsts", NO, only(22)),
    ("no-config", NO, only(22)),
    ("no-netrc", NO, only(22)),
    ("no-http-keep-alive", NO, only(22)),
    ("no-dns-cache", NO, only(22)),
    ("auth-no-challenge", NO, only(24)),
    ("timestamping", NO, 'N'),
    ("no-use-server-timestamps", NO, only(25)),
    ("recursive", NO, 'r'),
    ("level", REQ, 'l'),
    ("mirror", NO, 'm'),
    ("page-requisites", NO, 'p'),
    ("convert-links", NO, 'k'),
    ("no-parent", NO, only(26)),
    ("span-hosts", NO, 'H'),
    ("accept", REQ, 'A'),
    ("reject", REQ, 'R'),
    ("delete-after", NO, only(27)),
    ("force-directories", NO, 'x'),
    ("no-directories", NO, only(28)),
    ("no-host-directories", NO, only(29)),
    ("cut-dirs", REQ, only(30)),
    ("adjust-extension", NO, 'E'),
    ("limit-rate", REQ, only(31)),
    ("quota", REQ, 'Q'),
    ("random-wait", NO, only(32)),
    ("no-cache", NO, only(33)),
    ("no-cookies", NO, only(34)),
    ("load-cookies", REQ, only(35)),
    ("save-cookies", REQ, only(36)),
    ("keep-session-cookies", NO, only(37)),
    ("compression", REQ, only(38)),
    ("start-pos", REQ, only(39)),
    ("retry-connrefused", NO, only(40)),
    ("retry-on-http-error", REQ, only(41)),
    ("save-headers", NO, only(42)),
    ("execute", REQ, 'e'),
    ("background", NO, 'b'),
    ("debug", NO, 'd'),
    ("inet4-only", NO, '4'),
    ("inet6-only", NO, '6'),
    ("backups", OPT, only(43)),
    ("ignore-length", NO, only(44)),
    ("restrict-file-names", REQ, only(45)),
    ("ca-certificate", REQ, only(46)),
    ("ca-directory", REQ, only(46)),
    ("certificate", REQ, only(46)),
    ("private-key", REQ, only(46)),
    ("secure-protocol", REQ, only(46)),
];

/// Two letters behind one dash are one option here.
const PAIRS: &[(&[u8], &[u8])] = &[
    (b"-nv", b"--no-verbose"),
    (b"-nc", b"--no-clobber"),
    (b"-nd", b"--no-directories"),
    (b"-nH", b"--no-host-directories"),
    (b"-np", b"--no-parent"),
];

impl Config {
    /// Waits between two files.
    pub fn pause(&self) {
        let whole = self.wait.saturating_mul(1_000_000_000);
        let time = if self.random_wait { whole / 2 + random_u64() % whole.max(1) } else { whole };
        let _ = sleep(time);
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            talk: Talk::Full,
            log: None,
            output: None,
            folder: None,
            directories: Directories::default(),
            recursion: Recursion { depth: 5, ..Recursion::default() },
            adjust_extension: false,
            resume: false,
            start_at: None,
            no_clobber: false,
            timestamping: false,
            server_times: true,
            server_response: false,
            save_headers: false,
            spider: false,
            tries: 20,
            wait: 0,
            random_wait: false,
            wait_retry: 10,
            retry_refused: false,
            retry_status: Vec::new(),
            timeout: 0,
            connect_timeout: 0,
            headers: Vec::new(),
            method: None,
            body: None,
            agent: b"Wget/1.21.3".to_vec(),
            referer: None,
            user: None,
            password: Vec::new(),
            no_challenge: false,
            no_cache: false,
            compression: None,
            cookies: true,
            load_cookies: None,
            save_cookies: None,
            session_cookies: false,
            redirects: 20,
            disposition: false,
            on_error: false,
            rate: 0,
            quota: 0,
            dots: Dots::USUAL,
            show_progress: false,
            input_files: Vec::new(),
        }
    }
}

/// The value of an option is none of its kind.
fn wrong(opt: &Opt, kind: &str, end: &str) -> Exit {
    let name = LONG.iter().find(|long| long.2 == opt.letter).map_or("", |long| long.0);
    report::error(format_args!("--{name}: Invalid {kind} {}{end}", crate::quote::locale(opt.value())));
    Exit(USAGE)
}

fn refused(option: &str, why: &str) -> Exit {
    report::error(format_args!("{option} is refused: {why}"));
    Exit(USAGE)
}

pub fn read(args: &Args) -> Result<(Config, Vec<Vec<u8>>), Exit> {
    let spelled = |arg: &Vec<u8>| PAIRS.iter().find(|pair| pair.0 == arg).map_or(arg.clone(), |pair| pair.1.to_vec());
    let args = Args::new(args.argv.iter().map(spelled).collect());
    let mut config = Config::default();
    report::hint(report::Hint::Options);
    report::before_hint("Usage: wget [OPTION]... [URL]...\n\n".into());
    let mut options = Options::new(&args, "qvdO:o:a:P:ci:St:T:U:w:Nrl:mpkHA:R:xEQ:e:b46hV", LONG).status(USAGE);
    let (mut form, mut posted) = (false, None);
    while let Some(opt) = options.next()? {
        let value = || opt.value().to_vec();
        let bad = || wrong(&opt, "value", ".");
        let number = || -> Result<u64, Exit> {
            if opt.value() == b"inf" {
                return Ok(0);
            }
            opt.text().parse::<f64>().ok().filter(|n| *n >= 0.0).map(|n| n.ceil() as u64).ok_or_else(bad)
        };
        let milliseconds = || -> Result<u64, Exit> {
            let seconds = opt.text().parse::<f64>().ok().filter(|n| *n >= 0.0);
            seconds.map(|n| (n * 1000.0) as u64).ok_or_else(|| wrong(&opt, "time period", ""))
        };
        let size = || -> Result<u64, Exit> {
            let text = opt.text().to_ascii_lowercase();
            let digits = text.trim_end_matches(['k', 'm', 'g', 't']);
            let shift = match &text[digits.len()..] {
                "" => 0,
                "k" => 10,
                "m" => 20,
                "g" => 30,
                "t" => 40,
                _ => return Err(wrong(&opt, "byte value", "")),
            };
            let number = digits.parse::<f64>().ok().filter(|n| *n >= 0.0);
            if text == "inf" {
                return Ok(0);
            }
            number.map(|n| (n * (1u64 << shift) as f64) as u64).ok_or_else(|| wrong(&opt, "byte value", ""))
        };
        let file = || -> Result<Vec<u8>, Exit> {
            read_file(opt.value()).map_err(|e| {
                report::fault(opt.text(), e);
                Exit(FILE)
            })
        };
        let list = || opt.value().split(|&b| b == b',').filter(|w| !w.is_empty()).map(<[u8]>::to_vec);
        let recursion = &mut config.recursion;
        match opt.letter {
            'q' => config.talk = Talk::Quiet,
            'v' => config.talk = Talk::Full,
            'O' => config.output = Some(value()),
            'o' | 'a' => {
                let way = if opt.letter == 'a' { OpenFlags::APPEND } else { OpenFlags::TRUNC };
                let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | way;
                config.log = Some(open(opt.value(), flags, 0o666).map_err(|e| {
                    report::fault(opt.text(), e);
                    Exit(FILE)
                })?);
            }
            'P' => config.folder = Some(value()),
            'c' => config.resume = true,
            'i' => config.input_files.push(value()),
            'S' => config.server_response = true,
            't' => config.tries = number()?,
            'w' => config.wait = milliseconds()?.div_ceil(1000),
            'T' => {
                config.timeout = milliseconds()?;
                config.connect_timeout = config.timeout;
            }
            'U' => config.agent = value(),
            'N' => config.timestamping = true,
            'r' => recursion.on = true,
            'l' => recursion.depth = number()? as usize,
            'm' => {
                (recursion.on, recursion.depth) = (true, 0);
                config.timestamping = true;
            }
            'p' => recursion.requisites = true,
            'k' => recursion.convert = true,
            'H' => recursion.span_hosts = true,
            'A' => recursion.accept.extend(list()),
            'R' => recursion.reject.extend(list()),
            'x' => config.directories.force = Some(true),
            'E' => config.adjust_extension = true,
            'Q' => config.quota = size()?,
            'e' => match opt.text().replace(' ', "").as_str() {
                "robots=off" | "robots=on" => {}
                _ => return Err(refused("-e", "of the commands of a .wgetrc only robots is known here")),
            },
            'b' => return Err(refused("-b", "start wget with & instead")),
            'd' => return Err(refused("-d", "use -S to see the headers")),
            '4' | '6' => {
                return Err(refused(
                    if opt.letter == '4' { "-4" } else { "-6" },
                    "names are resolved by the session, under its network policy",
                ));
            }
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            c if c == only(0) => config.talk = Talk::Brief,
            c if c == only(1) => config.no_clobber = true,
            c if c == only(2) => config.spider = true,
            c if c == only(3) => config.wait_retry = milliseconds()?.div_ceil(1000),
            c if c == only(4) => config.connect_timeout = milliseconds()?,
            c if c == only(5) => config.timeout = milliseconds()?,
            c if c == only(7) => {
                // An empty one takes those before it back.
                if opt.value().is_empty() {
                    config.headers.clear();
                } else if !opt.value().contains(&b':') || opt.value().contains(&b'\n') {
                    return Err(wrong(&opt, "header", "."));
                } else {
                    config.headers.push(value());
                }
            }
            c if c == only(8) => config.method = Some(opt.value().to_ascii_uppercase()),
            c if c == only(9) => config.body = Some(vec![Piece::Bytes(value())]),
            c if c == only(10) => config.body = Some(vec![Piece::Bytes(file()?)]),
            c if c == only(11) || c == only(12) => {
                if posted.is_some_and(|before| before != c) {
                    report::plain("You cannot specify both --post-data and --post-file.\n");
                    return Err(Exit(GENERIC));
                }
                posted = Some(c);
                let bytes = if c == only(11) { value() } else { file()? };
                config.body = Some(vec![Piece::Bytes(bytes)]);
                form = true;
            }
            c if c == only(13) => config.referer = Some(value()),
            c if c == only(14) => config.user = Some(value()),
            c if c == only(15) => config.password = value(),
            c if c == only(16) => config.redirects = u32::try_from(number()?).unwrap_or(u32::MAX),
            c if c == only(17) => config.disposition = true,
            c if c == only(18) => config.on_error = true,
            c if c == only(19) => {
                return Err(refused("--no-check-certificate", "certificates are always verified here"));
            }
            c if c == only(20) => {
                let text = opt.text();
                let (kind, style) = text.split_once(':').unwrap_or((&text, ""));
                // Where messages go is no terminal: a bar is dots there.
                config.dots = match kind {
                    "bar" => Dots::USUAL,
                    "dot" => Dots::named(style).ok_or_else(bad)?,
                    _ => return Err(wrong(&opt, "progress type", ".")),
                };
            }
            c if c == only(32) => config.random_wait = true,
            c if c == only(21) => config.show_progress = true,
            c if c == only(24) => config.no_challenge = true,
            c if c == only(25) => config.server_times = false,
            c if c == only(26) => recursion.no_parent = true,
            c if c == only(27) => recursion.delete_after = true,
            c if c == only(28) => config.directories.force = Some(false),
            c if c == only(29) => config.directories.no_host = true,
            c if c == only(30) => config.directories.cut = number()? as usize,
            c if c == only(31) => config.rate = size()?,
            c if c == only(33) => config.no_cache = true,
            c if c == only(34) => config.cookies = false,
            c if c == only(35) => config.load_cookies = Some(value()),
            c if c == only(36) => config.save_cookies = Some(value()),
            c if c == only(37) => config.session_cookies = true,
            c if c == only(38) => {
                config.compression = match opt.value() {
                    b"auto" | b"gzip" => Some(b"gzip"),
                    b"none" => None,
                    _ => return Err(bad()),
                };
            }
            c if c == only(39) => config.start_at = Some(size()?),
            c if c == only(40) => config.retry_refused = true,
            c if c == only(41) => {
                let text = opt.text();
                config.retry_status.extend(text.split(',').filter_map(|n| n.trim().parse::<u32>().ok()));
            }
            c if c == only(42) => config.save_headers = true,
            c if c == only(43) => return Err(refused("--backups", "it is not supported here")),
            c if c == only(44) => return Err(refused("--ignore-length", "it is not supported here")),
            c if c == only(45) => return Err(refused("--restrict-file-names", "it is not supported here")),
            c if c == only(46) => {
                return Err(refused("what is about certificates", "TLS is the session's, with its roots"));
            }
            // What happens anyway: no proxy is used, nothing is kept about hosts, waiting is no longer than was said.
            _ => {}
        }
    }
    if form {
        config.method = Some(b"POST".to_vec());
    } else if config.body.is_some() && config.method.is_none() {
        report::plain(
            "You must specify a method through --method=HTTPMethod to use with --body-data or --body-file.\n",
        );
        return Err(Exit(GENERIC));
    }
    if config.timestamping && config.no_clobber {
        report::plain(
            "Can't timestamp and not clobber old files at the same time.\nUsage: wget [OPTION]... [URL]...\n",
        );
        return Err(Exit(GENERIC));
    }
    if config.output.is_some() && (config.recursion.on || config.recursion.requisites) {
        report::plain(
            "WARNING: combining -O with -r or -p will mean that all downloaded content\nwill be placed in the single file \
             you specified.\n\n",
        );
    }
    let urls = options.operands().iter().map(|url| url.to_vec()).collect();
    Ok((config, urls))
}
