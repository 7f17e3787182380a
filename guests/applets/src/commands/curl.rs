//! curl: HTTP and HTTPS, under the session's network policy.
//!
//! * `arguments`, `options`, `config`: the command line; `sets`: several URLs in one; `url`: URLs; `body`: what is sent
//! * `transfer`: a URL from the request to the last byte; `headers`: of a request; `auth`, `netrc`, `cookies`: who asks;
//!   `form`: bodies of several parts; `receive`: the answer; `sink`: where it goes
//! * `trace`: `-v` and its like; `progress`: the meter; `write_out`: `-w`

mod arguments;
pub mod auth;
pub mod body;
mod config;
pub mod cookies;
mod form;
mod headers;
mod local;
mod netrc;
mod options;
mod progress;
mod receive;
mod sets;
mod sink;
mod trace;
mod transfer;
pub mod url;
mod write_out;

use crate::http::Problem;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Fd, OpenFlags, STDERR, STDOUT, dup, dup2, getenv, isatty, open, random_u64, write_all};
use config::{Config, Mode, Output};
use cookies::Cookies;
use progress::Style;
use std::cell::Cell;
use transfer::Job;

/// The release whose behaviour this follows.
pub const VERSION: &str = "7.88.1";

pub const HELP: &str = "\
Usage: curl [options...] <url>
Transfer data from or to a server, over HTTP and HTTPS; file:// is a file of
the sandbox.

What may be reached is decided by the session's network policy (capsule … --allow-net HOST); without one, nothing is.

  -A, --user-agent NAME       send this User-Agent
      --anyauth, --basic, --digest
                              how -u is told: as the server likes, at once, as a digest
  -b, --cookie DATA|FILE      send cookies, or read them from a file
  -c, --cookie-jar FILE       write cookies to FILE at the end
      --compressed            ask for a compressed answer and decode it
      --connect-timeout SECS  time for connecting
  -C, --continue-at OFFSET    go on with a download; - finds the offset
      --create-dirs           make folders for -o
  -d, --data DATA             send DATA with POST; @FILE reads it from a file
      --data-binary, --data-raw, --data-urlencode DATA
  -D, --dump-header FILE      write the received headers to FILE
  -e, --referer URL           send this Referer
      --etag-compare FILE, --etag-save FILE
  -f, --fail                  fail with status 22 on HTTP errors, without output
      --fail-with-body        fail on HTTP errors, but with output
      --fail-early            stop at the first failed transfer
  -F, --form NAME=CONTENT     send a multipart form; @FILE uploads, <FILE reads
      --form-string NAME=TEXT, --form-escape
  -G, --get                   put the data of -d into the URL
  -g, --globoff               no sets in URLs: {a,b} [1-9]
  -H, --header LINE           send this header; @FILE reads lines
  -i, --include               show the received headers with the output
  -I, --head                  ask for the headers only
  -j, --junk-session-cookies  forget the cookies of -b that have no date
      --json DATA             send JSON with POST
      --limit-rate SPEED      at most so many bytes a second: 100k, 1M
  -L, --location              follow redirects
      --location-trusted      send authentication to other hosts, too
      --max-filesize BYTES    the largest answer
      --max-redirs N          the most redirects (50)
  -m, --max-time SECS         time for the whole transfer
  -n, --netrc, --netrc-optional, --netrc-file FILE
      --no-clobber            leave files that are there
      --oauth2-bearer TOKEN   send this bearer token
  -o, --output FILE           write to FILE
      --output-dir DIR        folder for -o and -O
  -O, --remote-name           write to a file of the URL's name
      --remote-name-all       -O for all URLs
  -J, --remote-header-name    with -O, use the name the server sends
  -R, --remote-time           files get the time that the server tells
      --remove-on-error       remove files that are not complete
      --path-as-is            leave /../ in the URL
      --post301, --post302, --post303
      --proto, --proto-redir, --proto-default PROTOCOLS
  -r, --range RANGE           ask for some bytes only
      --raw                   no decoding
      --retry N               try again N times on transient problems
      --retry-delay, --retry-max-time SECS
      --retry-all-errors, --retry-connrefused
  -s, --silent                no messages and no progress
  -S, --show-error            messages even with -s
  -#, --progress-bar, --no-progress-meter
      --stderr FILE           messages go to FILE
  -T, --upload-file FILE      upload with PUT; - is standard input
      --trace FILE, --trace-ascii FILE
      --url URL, --url-query DATA
  -u, --user USER:PASSWORD    authentication
  -v, --verbose               show requests and answers on standard error
  -w, --write-out FORMAT      print facts after the transfer: %{http_code} …
  -X, --request METHOD
  -Y, --speed-limit BYTES, -y, --speed-time SECS
                              give up what is slower than so many bytes a second for so long
  -z, --time-cond TIME        only what is newer than a date or a file; with a
                              dash in front: not newer
  -Z, --parallel              taken; transfers go one after the other all the same
  -K, --config FILE           read options from FILE
  -q, --disable               do not read ~/.curlrc
  -:, --next                  start another set of options
  -h, --help
  -V, --version

Refused: -k (certificates are always verified), -x (no proxies), --resolve, --connect-to, -4, -6, --cacert, --cert, --key.
";

pub fn main(args: &Args) -> Outcome {
    let sets = arguments::sets(args.rest())?;
    let mut status = 0;
    for set in sets {
        let name = args.argv.first().cloned().unwrap_or_default();
        status = one_set(&Args::new([vec![name], set].concat()))?;
    }
    Ok(status)
}

/// The transfers of one set of options.
fn one_set(args: &Args) -> Outcome {
    let mut config = Config::read(args)?;
    if config.help || config.version {
        let text = match config.help {
            true => HELP.to_owned(),
            false => format!("curl {VERSION} (Capsule)\nProtocols: http https\nFeatures: IDN IPv6 SSL libz zstd\n"),
        };
        write_all(STDOUT, text.as_bytes()).map_err(|_| Exit(23))?;
        return Ok(0);
    }
    if config.urls.is_empty() {
        return Err(options::usage(if args.rest().is_empty() { "" } else { "no URL specified!" }));
    }
    let _elsewhere = config.messages.as_deref().and_then(Elsewhere::to);
    config.settle()?;
    let mut cookies = Cookies::default();
    for given in std::mem::take(&mut config.cookies) {
        cookies.read(&given, config.junk_session);
    }
    if config.jar.is_some() {
        cookies.activate();
    }
    let status = run(&config, &mut cookies);
    if let Some(name) = &config.jar {
        keep(name, &cookies.jar());
    }
    Ok(status)
}

/// `--stderr`: standard error is another file until this is dropped.
struct Elsewhere(Fd);

impl Elsewhere {
    fn to(name: &[u8]) -> Option<Elsewhere> {
        let before = dup(STDERR, 10, true).map(Fd::new).ok()?;
        let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
        let done = match name {
            b"-" => dup2(STDOUT, STDERR, OpenFlags::RDONLY),
            name => open(name, flags, 0o666).and_then(|file| dup2(file.raw(), STDERR, OpenFlags::RDONLY)),
        };
        if done.is_err() {
            report::plain(&format!("Warning: Failed to open {}!\n", String::from_utf8_lossy(name)));
        }
        Some(Elsewhere(before))
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = dup2(self.0.raw(), STDERR, OpenFlags::RDONLY);
    }
}

/// What is shown while bytes go by: nothing where the answer itself goes to a terminal.
fn style(config: &Config, output: Option<&Output>) -> Style {
    let stdout = match output {
        None => true,
        Some(Output::File(name)) => name == b"-",
        Some(Output::Remote) => false,
    };
    if config.silent || config.no_meter || stdout && isatty(STDOUT) {
        Style::Nothing
    } else if config.bar {
        Style::Bar
    } else {
        Style::Meter
    }
}

/// The width of the bar of `-#`.
fn columns() -> usize {
    let given = getenv(b"COLUMNS").and_then(|text| String::from_utf8_lossy(&text).parse().ok());
    let window = || capsule_sys::window(STDERR).map(|w| w.columns.into()).filter(|&columns| columns > 0);
    given.or_else(window).filter(|columns| (20..10_000).contains(columns)).unwrap_or(79)
}

fn tell(config: &Config, problem: &Problem) {
    let told = !config.silent || config.show_error || problem.policy;
    if told && !problem.message.is_empty() {
        report::plain(&format!("curl: ({}) {}\n", problem.status, problem.message));
    }
}

/// The URLs or files that a text stands for; a message when it is none.
fn expanded(config: &Config, text: &[u8]) -> Option<Vec<sets::Expanded>> {
    if config.globoff {
        return Some(vec![(text.to_vec(), Vec::new())]);
    }
    match sets::expand(text) {
        Ok(all) => Some(all),
        Err(sets::Bad(why, at)) => {
            let (shown, mark) = (String::from_utf8_lossy(text), crate::pad::right("^", at));
            report::plain(&format!("curl: (3) {why} in URL position {at}:\n{shown}\n{mark}\n"));
            None
        }
    }
}

fn run(config: &Config, cookies: &mut Cookies) -> u8 {
    let mut status = 0;
    let mut number = 0;
    let connections = Cell::new(0);
    for (place, text) in config.urls.iter().enumerate() {
        let upload = config.uploads.get(place).or(config.uploads.last()).filter(|_| config.mode == Mode::Upload);
        let uploads = match upload {
            Some(name) => expanded(config, name).map(|all| all.into_iter().map(|(name, _)| Some(name)).collect()),
            None => Some(vec![None]),
        };
        let (Some(uploads), Some(urls)) = (uploads, expanded(config, text)) else {
            status = 3;
            continue;
        };
        for (upload, (url, values)) in uploads.iter().flat_map(|upload| urls.iter().map(move |url| (upload, url))) {
            let output = match config.outputs.get(place) {
                Some(Output::File(name)) => Some(Output::File(sets::fill_in(name, values))),
                None if config.remote_all => Some(Output::Remote),
                other => other.cloned(),
            };
            let boundary = format!("------------------------{:016x}", random_u64());
            let (url, upload) = (url.clone(), upload.clone());
            let job = Job { config, url, output, upload, boundary, number, connections: &connections };
            let (mut facts, outcome) = job.run(cookies);
            number += 1;
            status = 0;
            if let Err(problem) = outcome {
                status = problem.status;
                tell(config, &problem);
                (facts.status, facts.message) = (problem.status, problem.message);
            }
            if let Some(format) = &config.write_out {
                write_out::print(format, &facts);
            }
            if status != 0 && config.fail_early {
                return status;
            }
        }
    }
    status
}

/// `-c`: `-` is standard output.
fn keep(name: &[u8], text: &str) {
    let written = match name {
        b"-" => write_all(STDOUT, text.as_bytes()),
        name => open(name, OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC, 0o666)
            .and_then(|file| write_all(file.raw(), text.as_bytes())),
    };
    if written.is_err() {
        report::plain(&format!("Warning: failed to save cookies in {}\n", String::from_utf8_lossy(name)));
    }
}
