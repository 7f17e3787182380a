//! wget: files over HTTP and HTTPS, one after the other, under the session's network policy.

use crate::calendar::{Moment, Zone};
use crate::commands::curl::body::{Piece, read_file};
use crate::commands::curl::url::{Bad, Url};
use crate::http::{Problem, Reading, base64, disposition, head_text, send};
use crate::input::join;
use crate::options::{Long, NO, Options, REQ, only};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::http::{Head, Headers, Request};
use capsule_sys::{Fd, OpenFlags, STDERR, STDOUT, now, open, sleep, stat, write_all};
use std::cell::RefCell;
use std::io::Read;

pub const HELP: &str = "\
Usage: wget [OPTION]... [URL]...
Download files over HTTP and HTTPS.

What may be reached is decided by the session's network policy (capsule … --allow-net HOST); without one, nothing is.

  -q, --quiet                 no messages
  -nv, --no-verbose           one line for each file
  -v, --verbose               all messages (the default)
  -O, --output-document=FILE  write everything to FILE; - is standard output
  -o, --output-file=FILE      messages go to FILE
  -a, --append-output=FILE    messages are added to FILE
  -P, --directory-prefix=DIR  where files go
  -c, --continue              go on with a file that is there in part
  -nc, --no-clobber           leave files that are there
  -i, --input-file=FILE       read URLs from FILE
  -S, --server-response       show the received headers
      --spider                only look whether it is there
  -t, --tries=N               attempts (20; 0 is for ever)
  -w, --wait=SECS             seconds between two files
      --waitretry=SECS        at most this long before another attempt (10)
  -T, --timeout=SECS, --connect-timeout=SECS, --read-timeout=SECS
      --header=LINE           send this header
      --method=METHOD, --body-data=TEXT, --body-file=FILE
      --post-data=TEXT, --post-file=FILE
  -U, --user-agent=NAME, --referer=URL
      --user=NAME, --http-user=NAME, --password=TEXT, --http-password=TEXT
      --max-redirect=N        the most redirects (20)
      --content-disposition   use the name the server sends
      --content-on-error      keep what comes with an HTTP error
      --no-proxy, --progress=TYPE, --show-progress, --no-hsts
      --help, --version

Not supported: -r and what belongs to it, -N, -b; --no-check-certificate is refused, as certificates are always verified.
";

const GENERIC: u8 = 1;
const USAGE: u8 = 2;
const FILE: u8 = 3;
const NETWORK: u8 = 4;
const TLS: u8 = 5;
const AUTHENTICATION: u8 = 6;
const SERVER: u8 = 8;

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
    ("no-hsts", NO, only(23)),
    ("auth-no-challenge", NO, only(24)),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Talk {
    Quiet,
    Brief,
    Full,
}

struct Config {
    talk: Talk,
    log: Option<Fd>,
    output: Option<Vec<u8>>,
    folder: Option<Vec<u8>>,
    resume: bool,
    no_clobber: bool,
    server_response: bool,
    spider: bool,
    tries: u64,
    /// Seconds between two files.
    wait: u64,
    /// The most seconds before another attempt.
    wait_retry: u64,
    timeout: u64,
    connect_timeout: u64,
    headers: Vec<Vec<u8>>,
    method: Option<Vec<u8>>,
    body: Option<Vec<Piece>>,
    agent: Vec<u8>,
    referer: Option<Vec<u8>>,
    user: Option<Vec<u8>>,
    password: Vec<u8>,
    redirects: u32,
    disposition: bool,
    on_error: bool,
}

pub fn main(args: &Args) -> Outcome {
    // Two letters behind one dash are one option here.
    let args = Args::new(
        args.argv
            .iter()
            .map(|arg| match arg.as_slice() {
                b"-nv" => b"--no-verbose".to_vec(),
                b"-nc" => b"--no-clobber".to_vec(),
                _ => arg.clone(),
            })
            .collect(),
    );
    let (config, urls) = read(&args)?;
    if urls.is_empty() {
        report::plain("wget: missing URL\n");
        return Err(report::try_help(GENERIC));
    }
    let mut together = match &config.output {
        Some(name) if name != b"-" && !config.spider => {
            let way = if config.resume { OpenFlags::APPEND } else { OpenFlags::TRUNC };
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | way;
            Some(open(name, flags, 0o666).map_err(|e| {
                report::fault(String::from_utf8_lossy(name), e);
                Exit(FILE)
            })?)
        }
        _ => None,
    };
    let mut status = 0;
    for (at, url) in urls.iter().enumerate() {
        if at > 0 && config.wait > 0 {
            let _ = sleep(config.wait.saturating_mul(1_000_000_000));
        }
        if let Err(failed) = config.fetch(url, &mut together) {
            // The first in this list that happened is told.
            let rank =
                |s: u8| [0, SERVER, AUTHENTICATION, TLS, NETWORK, FILE, USAGE, GENERIC].iter().position(|&x| x == s);
            status = if rank(failed) > rank(status) { failed } else { status };
        }
    }
    Ok(status)
}

fn read(args: &Args) -> Result<(Config, Vec<Vec<u8>>), Exit> {
    let mut config = Config {
        talk: Talk::Full,
        log: None,
        output: None,
        folder: None,
        resume: false,
        no_clobber: false,
        server_response: false,
        spider: false,
        tries: 20,
        wait: 0,
        wait_retry: 10,
        timeout: 0,
        connect_timeout: 0,
        headers: Vec::new(),
        method: None,
        body: None,
        agent: b"Wget/1.21.4".to_vec(),
        referer: None,
        user: None,
        password: Vec::new(),
        redirects: 20,
        disposition: false,
        on_error: false,
    };
    let mut urls = Vec::new();
    let mut options = Options::new(args, "qvdO:o:a:P:ci:St:T:U:w:", LONG).status(USAGE);
    while let Some(opt) = options.next()? {
        let value = || opt.value().to_vec();
        let number = || -> Result<u64, Exit> {
            if opt.value() == b"inf" {
                return Ok(0);
            }
            opt.text().parse::<f64>().ok().filter(|n| *n >= 0.0).map(|n| n.ceil() as u64).ok_or_else(|| {
                report::error(format_args!("invalid number {}", crate::quote::locale(opt.value())));
                Exit(USAGE)
            })
        };
        let file = || -> Result<Vec<u8>, Exit> {
            read_file(opt.value()).map_err(|e| {
                report::fault(opt.text(), e);
                Exit(FILE)
            })
        };
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
            'i' => {
                let lines = file()?;
                let lines = lines.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
                urls.extend(lines.filter(|l| !l.is_empty() && !l.starts_with(b"#")).map(<[u8]>::to_vec));
            }
            'S' => config.server_response = true,
            't' => config.tries = number()?,
            'w' => config.wait = number()?,
            c if c == only(3) => config.wait_retry = number()?,
            'T' => {
                config.timeout = number()? * 1000;
                config.connect_timeout = config.timeout;
            }
            'U' => config.agent = value(),
            'd' => return Err(report::die(2, "the option -d (--debug) is not supported")),
            c if c == only(0) => config.talk = Talk::Brief,
            c if c == only(1) => config.no_clobber = true,
            c if c == only(2) => config.spider = true,
            c if c == only(4) => config.connect_timeout = number()? * 1000,
            c if c == only(5) => config.timeout = number()? * 1000,
            c if c == only(7) => config.headers.push(value()),
            c if c == only(8) => config.method = Some(opt.value().to_ascii_uppercase()),
            c if c == only(9) => config.body = Some(vec![Piece::Bytes(value())]),
            c if c == only(10) => config.body = Some(vec![Piece::Bytes(file()?)]),
            c if c == only(11) || c == only(12) => {
                let bytes = if c == only(11) { value() } else { file()? };
                config.body = Some(vec![Piece::Bytes(bytes)]);
                config.method.get_or_insert_with(|| b"POST".to_vec());
                config.headers.insert(0, b"Content-Type: application/x-www-form-urlencoded".to_vec());
            }
            c if c == only(13) => config.referer = Some(value()),
            c if c == only(14) => config.user = Some(value()),
            c if c == only(15) => config.password = value(),
            c if c == only(16) => config.redirects = u32::try_from(number()?).unwrap_or(u32::MAX),
            c if c == only(17) => config.disposition = true,
            c if c == only(18) => config.on_error = true,
            c if c == only(19) => {
                report::error("--no-check-certificate is refused: certificates are always verified here");
                return Err(Exit(USAGE));
            }
            // Waiting between attempts is short here; no progress is shown, no proxy used, nothing kept about hosts.
            _ => {}
        }
    }
    urls.extend(options.operands().iter().map(|url| url.to_vec()));
    Ok((config, urls))
}

/// What a redirect led to, or an answer that counts.
struct Answered {
    exchange: capsule_sys::http::Exchange,
    head: Head,
    url: Url,
}

impl Config {
    fn say(&self, text: &str) {
        if self.talk == Talk::Full {
            self.tell(text);
        }
    }

    fn tell(&self, text: &str) {
        if self.talk != Talk::Quiet {
            let _ = write_all(self.log.as_ref().map_or(STDERR, Fd::raw), text.as_bytes());
        }
    }

    fn fetch(&self, text: &[u8], together: &mut Option<Fd>) -> Result<(), u8> {
        let shown = String::from_utf8_lossy(text).into_owned();
        let url = Url::parse(text, "http", false).map_err(|bad| {
            match bad {
                Bad::Malformed => self.tell(&format!("{shown}: Invalid URL.\n")),
                Bad::Scheme(scheme) => self.tell(&format!("{shown}: Unsupported scheme ‘{scheme}’.\n")),
            }
            GENERIC
        })?;
        let name = self.name(&url);
        if self.no_clobber && self.output.is_none() && stat(&name).is_ok() {
            self.say(&format!("File ‘{}’ already there; not retrieving.\n\n", String::from_utf8_lossy(&name)));
            return Ok(());
        }
        let mut attempt = 1;
        loop {
            match self.attempt(&url, &name, together) {
                Err((status, true)) if self.tries == 0 || attempt < self.tries => {
                    self.say("Retrying.\n\n");
                    attempt += 1;
                    let _ = status;
                    let _ = sleep((attempt - 1).min(self.wait_retry).saturating_mul(1_000_000_000));
                }
                Err((status, _)) => return Err(status),
                Ok(()) => return Ok(()),
            }
        }
    }

    fn name(&self, url: &Url) -> Vec<u8> {
        if let Some(name) = &self.output {
            return name.clone();
        }
        let base = match (url.file_name(), url.target.split(|&b| b == b'?').nth(1)) {
            (b"", None) => b"index.html".to_vec(),
            (b"", Some(query)) => [b"index.html?", query].concat(),
            (name, Some(query)) => [name, b"?", query].concat(),
            (name, None) => name.to_vec(),
        };
        // A query may have slashes in it; it names a file all the same.
        let base: Vec<u8> = base.into_iter().map(|b| if b == b'/' { b'_' } else { b }).collect();
        match &self.folder {
            Some(folder) => join(folder, &base),
            None => base,
        }
    }

    fn headers(&self, url: &Url, first: bool, offset: u64) -> Headers {
        let mut headers: Headers = vec![
            (b"User-Agent".to_vec(), self.agent.clone()),
            (b"Accept".to_vec(), b"*/*".to_vec()),
            (b"Accept-Encoding".to_vec(), b"identity".to_vec()),
        ];
        let mut add = |name: &[u8], value: &[u8]| {
            headers.retain(|h| !h.0.eq_ignore_ascii_case(name));
            headers.push((name.to_vec(), value.to_vec()));
        };
        let own = self.user.as_ref().filter(|_| first).map(|user| [user.as_slice(), b":", &self.password].concat());
        if let Some(user) = url.user.clone().or(own) {
            add(b"Authorization", format!("Basic {}", base64(&user)).as_bytes());
        }
        if offset > 0 {
            add(b"Range", format!("bytes={offset}-").as_bytes());
        }
        if let Some(referer) = &self.referer {
            add(b"Referer", referer);
        }
        for line in &self.headers {
            let Some(at) = line.iter().position(|&b| b == b':') else { continue };
            let name = line[..at].trim_ascii();
            let private = [b"authorization".as_slice(), b"cookie", b"host"];
            if first || !private.contains(&name.to_ascii_lowercase().as_slice()) {
                add(name, line[at + 1..].trim_ascii());
            }
        }
        headers
    }

    /// The status when it failed, and whether another attempt may do better.
    fn attempt(&self, first: &Url, name: &[u8], together: &mut Option<Fd>) -> Result<(), (u8, bool)> {
        let offset =
            if self.resume && self.output.as_deref() != Some(b"-") { stat(name).map_or(0, |s| s.size) } else { 0 };
        let Answered { exchange, head, url } = self.ask(first, offset)?;
        if head.status >= 400 && head.status != 416 {
            let reason = String::from_utf8_lossy(&head.reason).into_owned();
            if self.spider && head.status == 404 {
                self.tell("Remote file does not exist -- broken link!!!\n\n");
            } else {
                self.tell(&format!("{} ERROR {}: {reason}.\n", time(), head.status));
            }
            if !self.on_error {
                return Err((if head.status == 401 { AUTHENTICATION } else { SERVER }, false));
            }
        }
        if head.status == 416 {
            self.say("\n    The file is already fully retrieved; nothing to do.\n\n");
            return Ok(());
        }
        let length = head.header("content-length").and_then(|v| String::from_utf8_lossy(v).trim().parse::<u64>().ok());
        let kind = head.header("content-type").map(|v| String::from_utf8_lossy(v).into_owned()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let shown = length.map_or_else(|| "unspecified".to_owned(), |n| n.to_string());
        self.say(&format!("Length: {shown}{}\n", if kind.is_empty() { String::new() } else { format!(" [{kind}]") }));
        if self.spider {
            self.tell("Remote file exists.\n\n");
            return Ok(());
        }
        let (name, file) = self.open(name, together, &head, offset > 0 && head.status == 206)?;
        let to = file.as_ref().or(together.as_ref()).map_or(STDOUT, Fd::raw);
        let display = if name == b"-" { "STDOUT".to_owned() } else { String::from_utf8_lossy(&name).into_owned() };
        self.say(&format!("Saving to: ‘{display}’\n\n"));
        let (failed, received) = (RefCell::new(None), RefCell::new(0));
        let mut body = Reading::new(&exchange, &failed, &received);
        let mut buf = vec![0; 64 << 10];
        while let Ok(n) = body.read(&mut buf) {
            if n == 0 {
                break;
            }
            if let Err(e) = write_all(to, &buf[..n]) {
                self.tell(&format!("\nCannot write to ‘{display}’ ({e}).\n"));
                return Err((FILE, false));
            }
        }
        let got = *received.borrow();
        if let Some(failure) = failed.borrow().as_ref() {
            self.tell(&format!("{} - Read error at byte {got} ({}).\n", time(), failure.message));
            return Err((NETWORK, true));
        }
        let of = length.map(|n| format!("/{n}")).unwrap_or_default();
        match self.talk {
            Talk::Brief => {
                let url = String::from_utf8_lossy(&url.text()).into_owned();
                self.tell(&format!("{} URL:{url} [{got}{of}] -> \"{display}\" [1]\n", time()));
            }
            _ if name == b"-" => self.say(&format!("\n{} - written to stdout [{got}{of}]\n\n", time())),
            _ => self.say(&format!("\n{} - ‘{display}’ saved [{got}{of}]\n\n", time())),
        }
        Ok(())
    }

    /// Sends the request and follows redirects.
    fn ask(&self, first: &Url, offset: u64) -> Result<Answered, (u8, bool)> {
        let mut url = first.clone();
        let mut method = match (&self.method, self.spider) {
            (Some(method), _) => method.clone(),
            (None, true) => b"HEAD".to_vec(),
            (None, false) => b"GET".to_vec(),
        };
        let mut body = self.body.clone();
        let mut hops = 0;
        loop {
            self.say(&format!("--{}--  {}\n", time(), String::from_utf8_lossy(&url.text())));
            let same = (url.host(), url.port(), &url.scheme) == (first.host(), first.port(), &first.scheme);
            let request = Request {
                method: method.clone(),
                url: url.text(),
                headers: self.headers(&url, same, offset),
                timeout_ms: self.timeout,
                connect_timeout_ms: self.connect_timeout,
                ..Request::default()
            };
            let (exchange, head, _) = send(request, body.as_deref()).map_err(|problem| self.failed(&problem, &url))?;
            let reason = String::from_utf8_lossy(&head.reason).into_owned();
            self.say(&format!("HTTP request sent, awaiting response... {} {reason}\n", head.status));
            if self.server_response {
                for line in head_text(&head).split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty()) {
                    self.tell(&format!("  {}\n", String::from_utf8_lossy(line)));
                }
            }
            let location = head.header("location").filter(|_| matches!(head.status, 301 | 302 | 303 | 307 | 308));
            let Some(location) = location else { return Ok(Answered { exchange, head, url }) };
            if hops >= self.redirects {
                self.tell(&format!("{} redirections exceeded.\n", self.redirects));
                return Err((SERVER, false));
            }
            hops += 1;
            self.say(&format!("Location: {} [following]\n", String::from_utf8_lossy(location)));
            url = url.join(location).map_err(|_| {
                self.tell(&format!("{}: Unsupported scheme.\n", String::from_utf8_lossy(location)));
                (GENERIC, false)
            })?;
            if !matches!(head.status, 307 | 308) && method == b"POST" {
                (method, body) = (b"GET".to_vec(), None);
            }
        }
    }

    fn failed(&self, problem: &Problem, url: &Url) -> (u8, bool) {
        let message = match problem.status {
            6 if !problem.policy => format!("wget: unable to resolve host address ‘{}’\n", url.host()),
            _ => format!("wget: {}\n", problem.message),
        };
        // What the policy forbids is told even to those who want silence: nobody could guess it.
        match problem.policy {
            true => report::plain(&message),
            false => self.tell(&message),
        }
        match problem.status {
            35 | 60 => (TLS, false),
            3 | 43 => (GENERIC, false),
            28 => (NETWORK, true),
            _ => (NETWORK, false),
        }
    }

    /// The file for an answer, and its name: one that is there already stays.
    fn open(
        &self,
        name: &[u8],
        together: &Option<Fd>,
        head: &Head,
        append: bool,
    ) -> Result<(Vec<u8>, Option<Fd>), (u8, bool)> {
        if together.is_some() || name == b"-" {
            return Ok((name.to_vec(), None));
        }
        let mut name = name.to_vec();
        if self.disposition
            && let Some(given) = head.header("content-disposition").and_then(disposition)
        {
            name = self.folder.as_ref().map_or_else(|| given.clone(), |folder| join(folder, &given));
        }
        if let Some(folder) = &self.folder {
            let _ = capsule_sys::mkdir(folder, 0o777);
        }
        if !append && !self.resume {
            let plain = name.clone();
            let mut number = 0;
            while stat(&name).is_ok() {
                number += 1;
                name = [plain.as_slice(), format!(".{number}").as_bytes()].concat();
            }
        }
        let way = if append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | way;
        match open(&name, flags, 0o666) {
            Ok(fd) => Ok((name, Some(fd))),
            Err(e) => {
                self.tell(&format!("{}: {e}\n", String::from_utf8_lossy(&name)));
                Err((FILE, false))
            }
        }
    }
}

/// `2026-11-16 04:00:00`
fn time() -> String {
    let m = Moment::new(now().sec, 0, &Zone::local());
    format!("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", m.year, m.month, m.day, m.hour, m.minute, m.second)
}
