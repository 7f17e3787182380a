//! curl: HTTP and HTTPS, under the session's network policy.
//!
//! * `arguments`, `options`, `config`: the command line; `sets`: several URLs in one; `url`: URLs; `body`: what is sent
//! * `transfer`: a URL from the request to the last byte; `sink`: where it goes; `cookies`; `write_out`: `-w`

mod arguments;
pub mod body;
mod config;
mod cookies;
mod options;
mod sets;
mod sink;
mod transfer;
pub mod url;
mod write_out;

use crate::{Args, Exit, Outcome, report};
use capsule_sys::{OpenFlags, STDOUT, open, random_u64, write_all};
use config::{Config, Mode, Output};
use cookies::Cookies;
use transfer::Job;

/// The release whose behaviour this follows.
pub const VERSION: &str = "8.5.0";

pub const HELP: &str = "\
Usage: curl [OPTION]... URL...
Transfer data from or to a server, over HTTP and HTTPS.

What may be reached is decided by the session's network policy (capsule … --allow-net HOST); without one, nothing is.

  -A, --user-agent NAME       send this User-Agent
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
  -f, --fail                  fail with status 22 on HTTP errors, without output
      --fail-with-body        fail on HTTP errors, but with output
      --fail-early            stop at the first failed transfer
  -F, --form NAME=CONTENT     send a multipart form; @FILE uploads, <FILE reads
      --form-string NAME=TEXT
  -G, --get                   put the data of -d into the URL
  -g, --globoff               no sets in URLs: {a,b} [1-9]
  -H, --header LINE           send this header; @FILE reads lines
  -i, --include               show the received headers with the output
  -I, --head                  ask for the headers only
      --json DATA             send JSON with POST
  -L, --location              follow redirects
      --location-trusted      send authentication to other hosts, too
      --max-filesize BYTES    the largest answer
      --max-redirs N          the most redirects (50)
  -m, --max-time SECS         time for the whole transfer
      --oauth2-bearer TOKEN   send this bearer token
  -o, --output FILE           write to FILE
      --output-dir DIR        folder for -o and -O
  -O, --remote-name           write to a file of the URL's name
      --remote-name-all       -O for all URLs
  -J, --remote-header-name    with -O, use the name the server sends
  -R, --remote-time           files get the time that the server tells
      --path-as-is            leave /../ in the URL
      --post301, --post302, --post303
      --proto, --proto-redir, --proto-default PROTOCOLS
  -r, --range RANGE           ask for some bytes only
      --retry N               try again N times on transient problems
      --retry-delay, --retry-max-time SECS
      --retry-all-errors, --retry-connrefused
  -s, --silent                no messages
  -S, --show-error            messages even with -s
  -T, --upload-file FILE      upload with PUT; - is standard input
      --url URL
  -u, --user USER:PASSWORD    authentication (basic)
  -v, --verbose               show requests and answers on standard error
  -w, --write-out FORMAT      print facts after the transfer: %{http_code} …
  -X, --request METHOD
  -z, --time-cond TIME        only what is newer than a date or a file; with a
                              dash in front: not newer
  -K, --config FILE           read options from FILE
  -:, --next                  start another set of options
  -h, --help
  -V, --version

No progress is shown. Refused: -k (certificates are always verified), -x (no
proxies), -Z, --resolve, --connect-to, -4, -6, --cacert, --cert, --key.
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
        return Err(options::usage(if args.rest().is_empty() { "" } else { "no URL specified" }));
    }
    config.settle()?;
    let mut cookies = Cookies::default();
    for given in std::mem::take(&mut config.cookies) {
        cookies.read(&given, false);
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

fn run(config: &Config, cookies: &mut Cookies) -> u8 {
    let mut status = 0;
    let mut number = 0;
    for (place, text) in config.urls.iter().enumerate() {
        let expanded = match config.globoff {
            true => Ok(vec![(text.clone(), Vec::new())]),
            false => sets::expand(text),
        };
        let expanded = match expanded {
            Ok(expanded) => expanded,
            Err(sets::Bad(why, at)) => {
                let shown = String::from_utf8_lossy(text);
                report::plain(&format!(
                    "curl: (3) {why} in URL position {at}:\n{shown}\n{}\n",
                    crate::pad::right("^", at)
                ));
                status = 3;
                continue;
            }
        };
        for (url, values) in expanded {
            let output = match config.outputs.get(place) {
                Some(Output::File(name)) => Some(Output::File(sets::fill_in(name, &values))),
                None if config.remote_all => Some(Output::Remote),
                other => other.cloned(),
            };
            let upload =
                config.uploads.get(place).or(config.uploads.last()).cloned().filter(|_| config.mode == Mode::Upload);
            let boundary = format!("------------------------{:016x}", random_u64());
            let job = Job { config, url, output, upload, boundary, number };
            let (mut facts, outcome) = job.run(cookies);
            number += 1;
            status = 0;
            if let Err(problem) = outcome {
                status = problem.status;
                let told = !config.silent || config.show_error || problem.policy;
                if told && !problem.message.is_empty() {
                    report::plain(&format!("curl: ({}) {}\n", problem.status, problem.message));
                }
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
