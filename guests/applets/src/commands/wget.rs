//! wget: files over HTTP and HTTPS, one after the other, under the session's network policy.
//!
//! * `config`: the command line; `fetch`: one file; `ask`: one request; `names`: where it goes; `messages`: what is said
//! * `recurse`, `links`: the files that pages name

mod ask;
mod config;
mod fetch;
mod links;
mod messages;
mod names;
mod recurse;

use crate::commands::curl::body::read_file;
use crate::commands::curl::cookies::Cookies;
use crate::http::now_ms;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{OpenFlags, open, write_all};
use config::{AUTHENTICATION, Config, FILE, GENERIC, NETWORK, SERVER, TLS, USAGE};
use fetch::{Session, lossy, marked};

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
      --start-pos=BYTES       leave the first bytes out
  -nc, --no-clobber           leave files that are there
  -N, --timestamping          only what is newer than the file that is there
      --no-use-server-timestamps
  -i, --input-file=FILE       read URLs from FILE
  -S, --server-response       show the received headers
      --save-headers          write them to the file, too
      --spider                only look whether it is there
  -t, --tries=N               attempts (20; 0 is for ever)
      --retry-connrefused, --retry-on-http-error=LIST
  -w, --wait=SECS             seconds between two files
      --random-wait           half of that up to one and a half
      --waitretry=SECS        at most this long before another attempt (10)
  -T, --timeout=SECS, --connect-timeout=SECS, --read-timeout=SECS
      --limit-rate=SPEED      at most so many bytes a second: 100k, 1m
  -Q, --quota=BYTES           start no more files beyond this
      --header=LINE           send this header
      --method=METHOD, --body-data=TEXT, --body-file=FILE
      --post-data=TEXT, --post-file=FILE
  -U, --user-agent=NAME, --referer=URL, --no-cache
      --user=NAME, --http-user=NAME, --password=TEXT, --http-password=TEXT
      --auth-no-challenge     tell them before they are asked for
      --load-cookies=FILE, --save-cookies=FILE, --keep-session-cookies, --no-cookies
      --compression=TYPE      auto, gzip or none (the default)
      --max-redirect=N        the most redirects (20)
      --content-disposition   use the name the server sends
      --content-on-error      keep what comes with an HTTP error
      --progress=TYPE         dot:default, dot:binary, dot:mega, dot:giga
      --show-progress         also with -q
      --no-proxy, --no-hsts, --no-config, --no-netrc, --no-dns-cache,
      --no-http-keep-alive, --dns-timeout=SECS
                              what happens anyway: names are the session's affair

  -x, --force-directories, -nd, --no-directories, -nH, --no-host-directories, --cut-dirs=N
  -E, --adjust-extension      pages end in .html
  -r, --recursive             also what the pages name, of the same host
  -l, --level=N               as deep as this (5; inf is without end)
  -m, --mirror                -r -N -l inf
  -p, --page-requisites       also what a page needs to be shown
  -k, --convert-links         links of pages lead to the files
  -np, --no-parent            nothing above the first folder
  -H, --span-hosts            also other hosts
  -A, --accept=LIST, -R, --reject=LIST
                              ends of names, or patterns
      --delete-after
  -h, --help, -V, --version

Not read: robots.txt (-e, --execute=robots=off), .wgetrc. Refused: -b, --background,
-d, --debug, -4, --inet4-only, -6, --inet6-only, --backups, --ignore-length,
--restrict-file-names, --certificate, --private-key, --ca-certificate,
--ca-directory, --secure-protocol, and --no-check-certificate, as certificates are always verified.
";

pub fn main(args: &Args) -> Outcome {
    let (config, mut urls) = config::read(args)?;
    for name in &config.input_files {
        urls.extend(listed(&config, name));
    }
    if urls.is_empty() {
        if !config.input_files.is_empty() {
            return Ok(0);
        }
        report::plain("wget: missing URL\n");
        return Err(report::try_help(GENERIC));
    }
    let together = match &config.output {
        Some(name) if name != b"-" && !config.spider => {
            let way = if config.resume { OpenFlags::APPEND } else { OpenFlags::TRUNC };
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | way;
            Some(open(name, flags, 0o666).map_err(|e| {
                report::plain(&format!("{}: {e}\n", lossy(name)));
                Exit(GENERIC)
            })?)
        }
        _ => None,
    };
    let mut cookies = Cookies::of_wget();
    if let Some(name) = &config.load_cookies {
        cookies.read(name, false);
    }
    if config.spider {
        config.say("Spider mode enabled. Check if remote file exists.\n");
    }
    let mut session = Session { config: &config, cookies, together, files: 0, bytes: 0, milliseconds: 0 };
    let began = now_ms();
    let mut status = 0;
    let mut worst = |failed: u8| {
        // The first in this list that happened is told.
        let rank = |s: u8| [0, SERVER, AUTHENTICATION, TLS, NETWORK, FILE, USAGE, GENERIC].iter().position(|&x| x == s);
        status = if rank(failed) > rank(status) { failed } else { status };
    };
    for (at, url) in urls.iter().enumerate() {
        if at > 0 && config.wait > 0 {
            config.pause();
        }
        if config.quota > 0 && session.bytes > config.quota {
            config.tell(&format!("Download quota of {} EXCEEDED!\n", config.quota));
            break;
        }
        if config.recursion.on || config.recursion.requisites {
            recurse::recurse(&mut session, url, &mut worst);
        } else if let Err(failed) = session.fetch(url, None) {
            worst(failed);
        }
    }
    if (urls.len() > 1 || config.recursion.on) && session.files > 0 {
        let (files, bytes, took) = (session.files, session.bytes, session.milliseconds);
        config.say(&format!(
            "FINISHED --{}--\nTotal wall clock time: {}\nDownloaded: {files} files, {bytes} in {} ({})\n",
            messages::time(),
            messages::seconds(now_ms() - began),
            messages::seconds(took),
            messages::speed(bytes, took)
        ));
    }
    if let Some(name) = &config.save_cookies {
        save(name, &session.cookies.file_of_wget(config.session_cookies, &messages::time()));
    }
    Ok(status)
}

/// The URLs of `-i`.
fn listed(config: &Config, name: &[u8]) -> Vec<Vec<u8>> {
    let text = match read_file(name) {
        Ok(text) => text,
        Err(e) => {
            config.tell(&format!("{}: {e}\n", lossy(name)));
            Vec::new()
        }
    };
    let lines = text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    let urls: Vec<Vec<u8>> = lines.filter(|l| !l.is_empty() && !l.starts_with(b"#")).map(<[u8]>::to_vec).collect();
    if urls.is_empty() {
        config.tell(&format!("No URLs found in {}.\n", lossy(name)));
    }
    urls
}

fn save(name: &[u8], text: &str) {
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
    let written = open(name, flags, 0o666).and_then(|file| write_all(file.raw(), text.as_bytes()));
    if let Err(e) = written {
        report::plain(&format!("Cannot open cookies file {}: {e}\n", marked(&lossy(name))));
    }
}
