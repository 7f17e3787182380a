//! curl's own command line: values are always separate or behind the letter, long names may be cut, `--no-NAME` turns a
//! switch off.

use crate::{Exit, report};
use std::cell::Cell;

/// What an option does with the next argument.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Switch,
    Value,
    /// Known, and refused: the text says why.
    Refused(&'static str),
}
use Kind::{Refused, Switch, Value};

const VERIFIED: &str = "certificates are always verified here, and this cannot be turned off";
const NO_PROXY: &str = "proxies are not used: the session's network policy decides what is reached";
const OWN_TLS: &str = "TLS is the session's, with its roots: certificates and keys cannot be given here";
const OWN_DNS: &str = "names are resolved by the session, under its network policy";
const VERSIONS: &str = "TLS 1.2 or 1.3 is chosen with the server";
const NOT_HERE: &str = "is not supported here";

/// Long name, letter (or NUL), what it takes.
const TABLE: &[(&str, u8, Kind)] = &[
    ("abstract-unix-socket", 0, Refused(NOT_HERE)),
    ("alt-svc", 0, Refused(NOT_HERE)),
    ("anyauth", 0, Switch),
    ("append", b'a', Refused(NOT_HERE)),
    ("aws-sigv4", 0, Refused(NOT_HERE)),
    ("basic", 0, Switch),
    ("buffer", 0, Switch),
    ("cacert", 0, Refused(OWN_TLS)),
    ("capath", 0, Refused(OWN_TLS)),
    ("cert", b'E', Refused(OWN_TLS)),
    ("cert-status", 0, Refused(OWN_TLS)),
    ("cert-type", 0, Refused(OWN_TLS)),
    ("ciphers", 0, Refused(OWN_TLS)),
    ("clobber", 0, Switch),
    ("compressed", 0, Switch),
    ("config", b'K', Value),
    ("connect-timeout", 0, Value),
    ("connect-to", 0, Refused(OWN_DNS)),
    ("continue-at", b'C', Value),
    ("cookie", b'b', Value),
    ("cookie-jar", b'c', Value),
    ("create-dirs", 0, Switch),
    ("create-file-mode", 0, Refused(NOT_HERE)),
    ("crlf", 0, Refused(NOT_HERE)),
    ("crlfile", 0, Refused(OWN_TLS)),
    ("curves", 0, Refused(OWN_TLS)),
    ("data", b'd', Value),
    ("data-ascii", 0, Value),
    ("data-binary", 0, Value),
    ("data-raw", 0, Value),
    ("data-urlencode", 0, Value),
    ("digest", 0, Switch),
    ("disable", b'q', Switch),
    ("disallow-username-in-url", 0, Switch),
    ("dns-interface", 0, Refused(OWN_DNS)),
    ("dns-ipv4-addr", 0, Refused(OWN_DNS)),
    ("dns-ipv6-addr", 0, Refused(OWN_DNS)),
    ("dns-servers", 0, Refused(OWN_DNS)),
    ("doh-url", 0, Refused(OWN_DNS)),
    ("dump-header", b'D', Value),
    ("etag-compare", 0, Value),
    ("etag-save", 0, Value),
    ("expect100-timeout", 0, Value),
    ("fail", b'f', Switch),
    ("fail-early", 0, Switch),
    ("fail-with-body", 0, Switch),
    ("form", b'F', Value),
    ("form-escape", 0, Switch),
    ("form-string", 0, Value),
    ("get", b'G', Switch),
    ("globoff", b'g', Switch),
    ("haproxy-protocol", 0, Refused(NO_PROXY)),
    ("head", b'I', Switch),
    ("header", b'H', Value),
    ("help", b'h', Switch),
    ("hsts", 0, Refused(NOT_HERE)),
    ("http0.9", 0, Refused(NOT_HERE)),
    ("http1.0", b'0', Refused(NOT_HERE)),
    ("http1.1", 0, Switch),
    ("http2", 0, Switch),
    ("http2-prior-knowledge", 0, Refused(NOT_HERE)),
    ("http3", 0, Refused(NOT_HERE)),
    ("ignore-content-length", 0, Refused(NOT_HERE)),
    ("include", b'i', Switch),
    ("insecure", b'k', Refused(VERIFIED)),
    ("interface", 0, Refused(OWN_DNS)),
    ("ipv4", b'4', Refused(OWN_DNS)),
    ("ipv6", b'6', Refused(OWN_DNS)),
    ("json", 0, Value),
    ("junk-session-cookies", b'j', Switch),
    ("keepalive", 0, Switch),
    ("keepalive-time", 0, Value),
    ("key", 0, Refused(OWN_TLS)),
    ("key-type", 0, Refused(OWN_TLS)),
    ("limit-rate", 0, Value),
    ("local-port", 0, Refused(OWN_DNS)),
    ("location", b'L', Switch),
    ("location-trusted", 0, Switch),
    ("manual", b'M', Switch),
    ("max-filesize", 0, Value),
    ("max-redirs", 0, Value),
    ("max-time", b'm', Value),
    ("negotiate", 0, Refused(NOT_HERE)),
    ("netrc", b'n', Switch),
    ("netrc-file", 0, Value),
    ("netrc-optional", 0, Switch),
    ("next", b':', Switch),
    ("no-buffer", b'N', Switch),
    ("noproxy", 0, Value),
    ("ntlm", 0, Refused(NOT_HERE)),
    ("ntlm-wb", 0, Refused(NOT_HERE)),
    ("oauth2-bearer", 0, Value),
    ("output", b'o', Value),
    ("output-dir", 0, Value),
    ("parallel", b'Z', Switch),
    ("parallel-immediate", 0, Switch),
    ("parallel-max", 0, Value),
    ("pass", 0, Refused(OWN_TLS)),
    ("path-as-is", 0, Switch),
    ("pinnedpubkey", 0, Refused(OWN_TLS)),
    ("post301", 0, Switch),
    ("post302", 0, Switch),
    ("post303", 0, Switch),
    ("preproxy", 0, Refused(NO_PROXY)),
    ("progress-bar", b'#', Switch),
    ("progress-meter", 0, Switch),
    ("proto", 0, Value),
    ("proto-default", 0, Value),
    ("proto-redir", 0, Value),
    ("proxy", b'x', Refused(NO_PROXY)),
    ("proxy-header", 0, Refused(NO_PROXY)),
    ("proxy-insecure", 0, Refused(NO_PROXY)),
    ("proxy-user", b'U', Refused(NO_PROXY)),
    ("proxytunnel", b'p', Refused(NO_PROXY)),
    ("range", b'r', Value),
    ("rate", 0, Refused(NOT_HERE)),
    ("raw", 0, Switch),
    ("referer", b'e', Value),
    ("remote-header-name", b'J', Switch),
    ("remote-name", b'O', Switch),
    ("remote-name-all", 0, Switch),
    ("remote-time", b'R', Switch),
    ("remove-on-error", 0, Switch),
    ("request", b'X', Value),
    ("request-target", 0, Refused(NOT_HERE)),
    ("resolve", 0, Refused(OWN_DNS)),
    ("retry", 0, Value),
    ("retry-all-errors", 0, Switch),
    ("retry-connrefused", 0, Switch),
    ("retry-delay", 0, Value),
    ("retry-max-time", 0, Value),
    ("sessionid", 0, Switch),
    ("show-error", b'S', Switch),
    ("silent", b's', Switch),
    ("socks4", 0, Refused(NO_PROXY)),
    ("socks4a", 0, Refused(NO_PROXY)),
    ("socks5", 0, Refused(NO_PROXY)),
    ("socks5-hostname", 0, Refused(NO_PROXY)),
    ("speed-limit", b'Y', Value),
    ("speed-time", b'y', Value),
    ("ssl-reqd", 0, Switch),
    ("stderr", 0, Value),
    ("styled-output", 0, Switch),
    ("suppress-connect-headers", 0, Switch),
    ("tcp-fastopen", 0, Refused(NOT_HERE)),
    ("tcp-nodelay", 0, Switch),
    ("time-cond", b'z', Value),
    ("tls-max", 0, Refused(VERSIONS)),
    ("tls13-ciphers", 0, Refused(OWN_TLS)),
    ("tlsv1", b'1', Switch),
    ("tlsv1.0", 0, Switch),
    ("tlsv1.1", 0, Switch),
    ("tlsv1.2", 0, Switch),
    ("tlsv1.3", 0, Refused(VERSIONS)),
    ("tr-encoding", 0, Refused(NOT_HERE)),
    ("trace", 0, Value),
    ("trace-ascii", 0, Value),
    ("trace-time", 0, Refused(NOT_HERE)),
    ("unix-socket", 0, Refused(NOT_HERE)),
    ("upload-file", b'T', Value),
    ("url", 0, Value),
    ("url-query", 0, Value),
    ("use-ascii", b'B', Refused(NOT_HERE)),
    ("user", b'u', Value),
    ("user-agent", b'A', Value),
    ("verbose", b'v', Switch),
    ("version", b'V', Switch),
    ("write-out", b'w', Value),
    ("xattr", 0, Refused(NOT_HERE)),
];

/// An option found: its long name, and its value; switches that were turned off are not `on`.
pub struct Found<'a> {
    pub name: &'static str,
    pub value: &'a [u8],
    pub on: bool,
    /// As it was written, for messages.
    pub shown: String,
}

/// A message about the command line, and the end.
pub fn usage(message: &str) -> Exit {
    if !message.is_empty() {
        report::plain(&format!("curl: {message}\n"));
    }
    report::plain(HINT);
    Exit(2)
}

/// Where help is.
pub const HINT: &str = "curl: try 'curl --help' or 'curl --manual' for more information\n";

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Whether warnings are kept back from now on.
pub fn silence(on: bool) {
    SILENT.set(on);
}

/// A warning, in lines of 79 columns.
pub fn warn(message: &str) {
    if SILENT.get() {
        return;
    }
    const WIDTH: usize = 70;
    let (mut text, mut rest) = (String::new(), message);
    while rest.len() > WIDTH {
        let blank = rest.as_bytes()[1..WIDTH].iter().rposition(u8::is_ascii_whitespace);
        let mut end = blank.map_or(WIDTH, |at| at + 2);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        text += &format!("Warning: {}\n", &rest[..end]);
        rest = &rest[end..];
    }
    report::plain(&format!("{text}Warning: {rest}\n"));
}

/// The options and URLs, in order: `each` gets one after the other, an operand under the name `url`.
pub fn parse<'a>(args: &'a [Vec<u8>], mut each: impl FnMut(Found<'a>) -> Result<(), Exit>) -> Result<(), Exit> {
    let mut rest = args.iter();
    let mut options = true;
    while let Some(arg) = rest.next() {
        match arg.as_slice() {
            b"--" if options => options = false,
            long if options && long.starts_with(b"--") => {
                let shown = String::from_utf8_lossy(long).into_owned();
                let (entry, on) = find(&shown)?;
                let value = value_of(entry.2, &shown, &mut rest)?;
                each(Found { name: entry.0, value, on, shown })?;
            }
            cluster if options && cluster.len() > 1 && cluster[0] == b'-' => {
                let mut at = 1;
                while at < cluster.len() {
                    let letter = cluster[at];
                    at += 1;
                    // As curl says it: the word up to here.
                    let letters = String::from_utf8_lossy(if letter.is_ascii() { &cluster[..at] } else { cluster });
                    let shown = letters.into_owned();
                    let entry = TABLE.iter().find(|entry| entry.1 == letter && letter != 0);
                    let entry = entry.ok_or_else(|| usage(&format!("option {shown}: is unknown")))?;
                    let shown = match entry.2 {
                        Refused(_) => format!("-{}", letter as char),
                        _ => shown,
                    };
                    let mut value: &[u8] = &[];
                    if entry.2 == Value && at < cluster.len() {
                        value = &cluster[at..];
                        at = cluster.len();
                    } else {
                        value = value_of(entry.2, &shown, &mut rest)?.get(..).unwrap_or(value);
                    }
                    each(Found { name: entry.0, value, on: true, shown })?;
                }
            }
            url => each(Found { name: "url", value: url, on: true, shown: String::new() })?,
        }
    }
    Ok(())
}

fn value_of<'a>(kind: Kind, shown: &str, rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<&'a [u8], Exit> {
    match kind {
        Switch => Ok(&[]),
        Value => match rest.next() {
            Some(value) => Ok(value),
            None => Err(usage(&format!("option {shown}: requires parameter"))),
        },
        Refused(why) if why == NOT_HERE => Err(usage(&format!("option {shown}: {why}"))),
        Refused(why) => Err(usage(&format!("option {shown}: is refused: {why}"))),
    }
}

/// An option of the table.
pub(super) type Entry = &'static (&'static str, u8, Kind);

/// Whether an option takes the next argument.
pub(super) fn takes_value(entry: Entry) -> bool {
    entry.2 == Value
}

/// Whether a letter does.
pub fn letter_takes_value(letter: u8) -> bool {
    TABLE.iter().any(|entry| entry.1 == letter && letter != 0 && entry.2 == Value)
}

/// Whether a config file may name it.
pub(super) fn is_known(name: &str) -> bool {
    let name = name.strip_prefix("no-").unwrap_or(name);
    TABLE.iter().any(|entry| entry.0.starts_with(name))
}

pub(super) fn find(shown: &str) -> Result<(Entry, bool), Exit> {
    let name = shown.strip_prefix("--").unwrap_or(shown);
    if let Some(exact) = TABLE.iter().find(|entry| entry.0 == name) {
        return Ok((exact, true));
    }
    if let Some(off) = name.strip_prefix("no-")
        && let Some(entry) = TABLE.iter().find(|entry| entry.0 == off)
    {
        return match entry.2 {
            Switch => Ok((entry, false)),
            // Not asking for what is not there is no question.
            Refused(_) => Ok((&("progress-meter", 0, Switch), true)),
            Value => Err(usage(&format!("option {shown}: used '--no-' for option that isn't a boolean"))),
        };
    }
    let mut near = TABLE.iter().filter(|entry| entry.0.starts_with(name));
    match (near.next(), near.next()) {
        (Some(entry), None) if !name.is_empty() => Ok((entry, true)),
        (Some(_), Some(_)) if !name.is_empty() => Err(usage(&format!("option {shown}: is ambiguous"))),
        _ => Err(usage(&format!("option {shown}: is unknown"))),
    }
}
