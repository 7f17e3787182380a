//! All that a command line asks for.

use super::auth::Auth;
use super::body::{self, Piece};
use super::form::Form;
use super::options::{Found, parse, silence, usage, warn};
use super::trace::{Kind, Trace};
use crate::calendar::{Moment, Zone};
use crate::{Args, Exit};

/// What became of `-X`, `-d`, `-I` …: at most one of them decides the method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    #[default]
    Get,
    Head,
    Post,
    Form,
    Upload,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// `-o FILE`
    File(Vec<u8>),
    /// `-O`
    Remote,
}

/// `-n`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Netrc {
    #[default]
    Off,
    /// The URL's user comes first.
    Optional,
    Required,
}

#[derive(Default)]
pub struct Config {
    pub urls: Vec<Vec<u8>>,
    pub outputs: Vec<Output>,
    pub uploads: Vec<Vec<u8>>,
    pub mode: Mode,
    pub method: Option<Vec<u8>>,
    pub headers: Vec<Vec<u8>>,
    pub data: Option<Vec<u8>>,
    pub json: bool,
    pub form: Form,
    pub form_escape: bool,
    /// `--url-query`
    pub query: Vec<Vec<u8>>,
    pub get: bool,
    pub user: Option<Vec<u8>>,
    pub auth: Auth,
    pub netrc: Netrc,
    pub netrc_file: Option<Vec<u8>>,
    pub no_user_in_url: bool,
    pub bearer: Option<Vec<u8>>,
    pub agent: Option<Vec<u8>>,
    pub referer: Option<Vec<u8>>,
    pub range: Option<Vec<u8>>,
    pub resume: Option<Option<u64>>,
    pub cookies: Vec<Vec<u8>>,
    pub jar: Option<Vec<u8>>,
    pub junk_session: bool,
    pub etag_save: Option<Vec<u8>>,
    pub etag_compare: Option<Vec<u8>>,
    pub write_out: Option<Vec<u8>>,
    pub dump_header: Option<Vec<u8>>,
    pub output_dir: Option<Vec<u8>>,
    pub proto: Option<Vec<u8>>,
    pub proto_redir: Option<Vec<u8>>,
    pub proto_default: Option<Vec<u8>>,
    pub max_time: u64,
    pub connect_timeout: u64,
    pub max_redirs: Option<u64>,
    pub max_filesize: u64,
    /// Bytes a second; 0 is any.
    pub limit_rate: u64,
    pub speed_limit: u64,
    pub speed_time: u64,
    pub retry: u64,
    pub retry_delay: u64,
    pub retry_max_time: u64,
    pub retry_all: bool,
    pub retry_refused: bool,
    pub silent: bool,
    pub show_error: bool,
    pub fail: bool,
    pub fail_with_body: bool,
    pub fail_early: bool,
    pub include: bool,
    pub location: bool,
    pub trusted: bool,
    pub trace: Trace,
    /// `--stderr`
    pub messages: Option<Vec<u8>>,
    pub bar: bool,
    pub no_meter: bool,
    pub raw: bool,
    pub compressed: bool,
    pub create_dirs: bool,
    pub header_name: bool,
    pub clobber: bool,
    pub no_clobber: bool,
    pub remove_on_error: bool,
    /// The file gets the time the server tells.
    pub remote_time: bool,
    /// `-z`
    pub time_condition: Option<TimeCondition>,
    pub remote_all: bool,
    pub path_as_is: bool,
    pub globoff: bool,
    /// Keep POST over 301, 302, 303.
    pub keep_post: [bool; 3],
    pub help: bool,
    pub version: bool,
}

impl Config {
    pub fn read(args: &Args) -> Result<Config, Exit> {
        let mut config = Config { max_redirs: Some(50), ..Config::default() };
        parse(args.rest(), |found| config.take(&found))?;
        Ok(config)
    }

    fn take(&mut self, found: &Found<'_>) -> Result<(), Exit> {
        let value = || found.value.to_vec();
        match found.name {
            "url" => self.urls.push(value()),
            "output" => self.outputs.push(Output::File(value())),
            "remote-name" => self.outputs.push(Output::Remote),
            "remote-name-all" => self.remote_all = found.on,
            "upload-file" => {
                self.mode(Mode::Upload, "PUT (-T, --upload-file)")?;
                self.uploads.push(value());
            }
            "head" if found.on => self.mode(Mode::Head, "HEAD (-I, --head)")?,
            "data" | "data-ascii" => self.add_data(body::data(found.value, false)?)?,
            "data-binary" => self.add_data(body::data(found.value, true)?)?,
            "data-raw" => self.add_data(value())?,
            "data-urlencode" => self.add_data(body::urlencoded(found.value)?)?,
            "json" => {
                self.json = true;
                let data = body::data(found.value, true)?;
                self.mode(Mode::Post, "POST (-d, --data)")?;
                self.data.get_or_insert_default().extend(data);
            }
            "form" | "form-string" => {
                self.mode(Mode::Form, "multipart formpost (-F, --form)")?;
                if self.form.add(found.value, found.name == "form-string").is_none() {
                    warn("Illegally formatted input field!");
                    return Err(usage(&format!("option {}: is badly used here", found.shown)));
                }
            }
            "form-escape" => self.form_escape = found.on,
            "url-query" => match found.value.strip_prefix(b"+") {
                Some(raw) => self.query.push(raw.to_vec()),
                None => self.query.push(body::urlencoded(found.value)?),
            },
            "get" => self.get = found.on,
            "request" => self.method = Some(value()),
            "header" => self.headers.extend(header_lines(found.value)),
            "user" => self.user = Some(value()),
            "basic" if found.on => self.auth = Auth::Basic,
            "digest" if found.on => self.auth = Auth::Digest,
            "anyauth" if found.on => self.auth = Auth::Any,
            "netrc" => self.netrc = if found.on { Netrc::Required } else { Netrc::Off },
            "netrc-optional" => self.netrc = if found.on { Netrc::Optional } else { Netrc::Off },
            "netrc-file" => {
                self.netrc_file = Some(value());
                self.netrc = Netrc::Required;
            }
            "disallow-username-in-url" => self.no_user_in_url = found.on,
            "oauth2-bearer" => self.bearer = Some(value()),
            "user-agent" => self.agent = Some(value()),
            "referer" => self.referer = Some(value()),
            "range" => {
                let mut range = value();
                if !range.contains(&b'-') {
                    warn("A specified range MUST include at least one dash (-). Appending one for you!");
                    range.push(b'-');
                }
                self.range = Some(range);
            }
            "continue-at" => {
                self.resume = Some(if found.value == b"-" { None } else { Some(number(found)?) });
            }
            "cookie" => self.cookies.push(value()),
            "cookie-jar" => self.jar = Some(value()),
            "junk-session-cookies" => self.junk_session = found.on,
            "etag-save" => self.etag_save = Some(value()),
            "etag-compare" => self.etag_compare = Some(value()),
            "write-out" => {
                let mut format = body::at_file(found.value);
                if found.value.starts_with(b"@") {
                    format.retain(|b| !b"\r\n".contains(b));
                }
                self.write_out = Some(format);
            }
            "dump-header" => self.dump_header = Some(value()),
            "output-dir" => self.output_dir = Some(value()),
            "proto" => self.proto = Some(value()),
            "proto-redir" => self.proto_redir = Some(value()),
            "proto-default" => self.proto_default = Some(value()),
            "max-time" => self.max_time = milliseconds(found)?,
            "connect-timeout" => self.connect_timeout = milliseconds(found)?,
            "max-redirs" => self.max_redirs = if found.value == b"-1" { None } else { Some(number(found)?) },
            "max-filesize" => self.max_filesize = size(found)?,
            "limit-rate" => self.limit_rate = size(found)?,
            "speed-limit" => {
                self.speed_limit = number(found)?;
                self.speed_time = if self.speed_time == 0 { 30 } else { self.speed_time };
            }
            "speed-time" => {
                self.speed_time = number(found)?;
                self.speed_limit = self.speed_limit.max(1);
            }
            "retry" => self.retry = number(found)?,
            "retry-delay" => self.retry_delay = number(found)?,
            "retry-max-time" => self.retry_max_time = number(found)?,
            "retry-all-errors" => self.retry_all = found.on,
            "retry-connrefused" => self.retry_refused = found.on,
            "raw" => self.raw = found.on,
            "stderr" => self.messages = Some(value()),
            "verbose" => self.trace = if found.on { Trace::verbose() } else { Trace::default() },
            "trace" => self.trace = Trace::to(Kind::Hex, found.value),
            "trace-ascii" => self.trace = Trace::to(Kind::Ascii, found.value),
            "progress-bar" => self.bar = found.on,
            "progress-meter" => self.no_meter = !found.on,
            "clobber" => (self.clobber, self.no_clobber) = (found.on, !found.on),
            "remove-on-error" => self.remove_on_error = found.on,
            "silent" => {
                self.silent = found.on;
                silence(found.on);
            }
            "show-error" => self.show_error = found.on,
            "fail" | "fail-with-body" => {
                let with_body = found.name == "fail-with-body";
                let other = if with_body { self.fail } else { self.fail_with_body };
                if found.on && other {
                    warn("you must select either --fail or --fail-with-body, not both.");
                    return Err(usage(&format!("option {}: is badly used here", found.shown)));
                }
                *(if with_body { &mut self.fail_with_body } else { &mut self.fail }) = found.on;
            }
            "fail-early" => self.fail_early = found.on,
            "include" => self.include = found.on,
            "location" => self.location = found.on,
            "location-trusted" => (self.location, self.trusted) = (found.on, found.on),
            "compressed" => self.compressed = found.on,
            "create-dirs" => self.create_dirs = found.on,
            "remote-header-name" => self.header_name = found.on,
            "remote-time" => self.remote_time = found.on,
            "time-cond" => {
                self.time_condition = TimeCondition::read(found.value);
                if self.time_condition.is_none() {
                    warn(
                        "Illegal date format for -z, --time-cond (and not a file name). Disabling time condition. See \
                         curl_getdate(3) for valid date syntax.",
                    );
                }
            }
            "path-as-is" => self.path_as_is = found.on,
            "globoff" => self.globoff = found.on,
            "post301" => self.keep_post[0] = found.on,
            "post302" => self.keep_post[1] = found.on,
            "post303" => self.keep_post[2] = found.on,
            "keepalive-time" | "parallel-max" => drop(number(found)?),
            "expect100-timeout" => drop(milliseconds(found)?),
            "help" | "manual" => self.help = true,
            "version" => self.version = true,
            // What happens anyway: output is not held back, HTTP/1.1 over TLS 1.2 or later, no proxy, no Expect; transfers
            // that may go in parallel may go one after the other.
            _ => {}
        }
        Ok(())
    }

    fn mode(&mut self, mode: Mode, name: &str) -> Result<(), Exit> {
        if self.mode != Mode::Get && self.mode != mode {
            let other = match self.mode {
                Mode::Head => "HEAD (-I, --head)",
                Mode::Post => "POST (-d, --data)",
                Mode::Form => "multipart formpost (-F, --form)",
                Mode::Upload => "PUT (-T, --upload-file)",
                Mode::Get => "GET",
            };
            warn(&format!("You can only select one HTTP request method! You asked for both {other} and {name}."));
            return Err(Exit(2));
        }
        self.mode = mode;
        Ok(())
    }

    fn add_data(&mut self, data: Vec<u8>) -> Result<(), Exit> {
        if !self.get {
            self.mode(Mode::Post, "POST (-d, --data)")?;
        }
        match &mut self.data {
            Some(all) => {
                all.push(b'&');
                all.extend(data);
            }
            none => *none = Some(data),
        }
        Ok(())
    }

    /// `-G`: data goes into the query, and the method is GET (or HEAD).
    pub fn settle(&mut self) -> Result<(), Exit> {
        if self.header_name && (self.include || self.mode == Mode::Head) {
            return Err(usage("showing headers and --remote-header-name cannot be combined"));
        }
        for part in std::mem::take(&mut self.query) {
            self.urls.iter_mut().for_each(|url| add_query(url, &part));
        }
        if self.get {
            if self.mode == Mode::Post {
                self.mode = Mode::Get;
            }
            if let Some(data) = self.data.take() {
                self.urls.iter_mut().for_each(|url| add_query(url, &data));
            }
        }
        Ok(())
    }

    /// The body's pieces, for the n-th URL.
    pub fn body(&self, boundary: &str, upload: Option<&[u8]>) -> Result<Option<Vec<Piece>>, Exit> {
        match self.mode {
            Mode::Get | Mode::Head => Ok(None),
            Mode::Post => Ok(Some(vec![Piece::Bytes(self.data.clone().unwrap_or_default())])),
            Mode::Form => self.form.pieces(boundary, self.form_escape).map(Some),
            Mode::Upload => match upload {
                Some(file) => body::upload(file).map(|piece| Some(vec![piece])),
                None => Ok(None),
            },
        }
    }
}

/// `-H LINE`, or the lines of a file with `-H @FILE`.
fn header_lines(value: &[u8]) -> Vec<Vec<u8>> {
    let Some(file) = value.strip_prefix(b"@") else { return vec![value.to_vec()] };
    let Ok(text) = body::read_file(file) else {
        warn(&format!("Failed to open {}!", String::from_utf8_lossy(file)));
        return Vec::new();
    };
    let lines = text.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

fn add_query(url: &mut Vec<u8>, part: &[u8]) {
    let fragment = url.iter().position(|&b| b == b'#').unwrap_or(url.len());
    url.truncate(fragment);
    url.push(if url.contains(&b'?') { b'&' } else { b'?' });
    url.extend_from_slice(part);
}

/// A number of bytes: `100`, `1.5k`, `2M`.
fn size(found: &Found<'_>) -> Result<u64, Exit> {
    let text = String::from_utf8_lossy(found.value).into_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => Some(1u64),
        "k" => Some(1 << 10),
        "m" => Some(1 << 20),
        "g" => Some(1 << 30),
        "t" => Some(1 << 40),
        _ => None,
    };
    let number = digits.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    match (number, unit) {
        (Some(number), Some(unit)) => Ok((number * unit as f64) as u64),
        (None, Some(_)) if !digits.is_empty() => Err(not_a_number(found)),
        (number, _) => {
            let what = if found.name == "limit-rate" { "rate" } else { "max-filesize" };
            match number {
                None => warn(&format!("invalid number specified for {what}")),
                Some(_) => warn(&format!("unsupported {what} unit. Use G, M, K or B!")),
            }
            Err(usage(&format!("option {}: is badly used here", found.shown)))
        }
    }
}

fn number(found: &Found<'_>) -> Result<u64, Exit> {
    let text = std::str::from_utf8(found.value).ok();
    match text.and_then(|text| text.trim().parse::<i64>().ok()) {
        Some(number) => u64::try_from(number).map_err(|_| not_positive(found)),
        None => Err(not_a_number(found)),
    }
}

/// Seconds, with a fraction.
fn milliseconds(found: &Found<'_>) -> Result<u64, Exit> {
    let text = std::str::from_utf8(found.value).ok();
    let seconds = text.and_then(|text| text.parse::<f64>().ok()).filter(|s| s.is_finite());
    if seconds.is_some_and(|seconds| seconds < 0.0) {
        return Err(not_positive(found));
    }
    seconds.map(|s| (s * 1000.0) as u64).ok_or_else(|| not_a_number(found))
}

fn not_positive(found: &Found<'_>) -> Exit {
    usage(&format!("option {}: expected a positive numerical parameter", found.shown))
}

fn not_a_number(found: &Found<'_>) -> Exit {
    usage(&format!("option {}: expected a proper numerical parameter", found.shown))
}

/// `-z`: newer than a date or than a file; a dash in front: not newer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeCondition {
    newer: bool,
    seconds: i64,
}

impl TimeCondition {
    fn read(text: &[u8]) -> Option<TimeCondition> {
        let (newer, text) = match text.strip_prefix(b"-") {
            Some(rest) => (false, rest),
            None => (true, text),
        };
        // A file first: names of one letter are dates, too.
        let file = capsule_sys::stat(text).ok().map(|s| s.mtime.sec);
        let date = || crate::calendar::parse::parse(text, capsule_sys::now(), &Zone::utc()).map(|time| time.sec);
        Some(TimeCondition { newer, seconds: file.or_else(date)? })
    }

    /// The header that asks for it.
    pub fn header(&self) -> (&'static str, Vec<u8>) {
        let date = Moment::new(self.seconds, 0, &Zone::utc()).format(b"%a, %d %b %Y %H:%M:%S GMT");
        (if self.newer { "If-Modified-Since" } else { "If-Unmodified-Since" }, date)
    }

    /// Whether an answer of this time is wanted; servers need not look at the header.
    pub fn holds(&self, modified: i64) -> bool {
        (modified > self.seconds) == self.newer
    }
}
