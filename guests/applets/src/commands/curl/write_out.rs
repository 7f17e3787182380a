//! `-w`: what became of a transfer, in a format of the user's.

use capsule_sys::http::Head;
use capsule_sys::{STDERR, STDOUT, write_all};

/// What a transfer came to.
#[derive(Default)]
pub struct Facts {
    pub head: Option<Head>,
    pub url: Vec<u8>,
    pub effective: Vec<u8>,
    pub redirect_url: Vec<u8>,
    pub method: Vec<u8>,
    pub referer: Vec<u8>,
    pub scheme: String,
    pub file: Vec<u8>,
    pub redirects: u64,
    pub connects: u64,
    pub downloaded: u64,
    pub uploaded: u64,
    pub header_bytes: u64,
    pub request_bytes: u64,
    pub header_count: u64,
    /// Microseconds.
    pub started: u64,
    pub total: u64,
    pub redirect_time: u64,
    pub status: u8,
    pub message: String,
    pub number: usize,
    pub retries: u64,
}

const NAMES: &[&str] = &[
    "certs",
    "content_type",
    "errormsg",
    "exitcode",
    "filename_effective",
    "ftp_entry_path",
    "http_code",
    "http_connect",
    "http_version",
    "local_ip",
    "local_port",
    "method",
    "num_certs",
    "num_connects",
    "num_headers",
    "num_redirects",
    "proxy_ssl_verify_result",
    "redirect_url",
    "referer",
    "remote_ip",
    "remote_port",
    "response_code",
    "scheme",
    "size_download",
    "size_header",
    "size_request",
    "size_upload",
    "speed_download",
    "speed_upload",
    "ssl_verify_result",
    "time_appconnect",
    "time_connect",
    "time_namelookup",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
    "url",
    "url_effective",
    "urlnum",
];

enum Shown {
    Text(String),
    Number(String),
}

impl Facts {
    fn get(&self, name: &str) -> Option<Shown> {
        let head = self.head.as_ref();
        let text = |bytes: &[u8]| Shown::Text(String::from_utf8_lossy(bytes).into_owned());
        let number = |n: u64| Shown::Number(n.to_string());
        let time = |us: u64| Shown::Number(format!("{}.{:06}", us / 1_000_000, us % 1_000_000));
        let speed = |bytes: u64| number((bytes as u128 * 1_000_000 / u128::from(self.total.max(1))) as u64);
        let before = |us: u64| if head.is_some() { self.redirect_time + us } else { 0 };
        Some(match name {
            "http_code" | "response_code" => Shown::Number(format!("{:03}", head.map_or(0, |h| h.status))),
            "http_connect" => Shown::Number("000".into()),
            "http_version" => Shown::Text(match head.map(|h| h.version) {
                None => "0".into(),
                Some(10) => "1.0".into(),
                Some(_) => "1.1".into(),
            }),
            "content_type" => text(head.and_then(|h| h.header("content-type")).unwrap_or_default()),
            "url" => text(&self.url),
            "url_effective" => text(&self.effective),
            "urlnum" => number(self.number as u64),
            "redirect_url" => text(&self.redirect_url),
            "method" => text(&self.method),
            "scheme" => Shown::Text(self.scheme.to_ascii_uppercase()),
            "filename_effective" => text(&self.file),
            "num_redirects" => number(self.redirects),
            "num_connects" => number(self.connects),
            "num_headers" => number(self.header_count),
            "num_retries" => number(self.retries),
            "size_download" => number(self.downloaded),
            "size_upload" => number(self.uploaded),
            "size_header" => number(self.header_bytes),
            "size_request" => number(self.request_bytes),
            "speed_download" => speed(self.downloaded),
            "speed_upload" => speed(self.uploaded),
            "time_total" => time(self.total),
            "time_redirect" => time(self.redirect_time),
            "time_namelookup" => time(before(head.map_or(0, |h| h.resolved_us))),
            "time_connect" => time(before(head.map_or(0, |h| h.connected_us))),
            "time_appconnect" => time(head.filter(|h| h.secured_us > 0).map_or(0, |h| before(h.secured_us))),
            "time_pretransfer" => time(before(head.map_or(0, |h| h.connected_us.max(h.secured_us)))),
            "time_starttransfer" => time(self.started),
            "remote_ip" => text(head.map_or(b"", |h| h.address.as_slice())),
            "remote_port" => number(head.map_or(0, |h| h.port.into())),
            "local_ip" => Shown::Text(String::new()),
            "local_port" => number(0),
            "ssl_verify_result" | "proxy_ssl_verify_result" | "num_certs" => number(0),
            "certs" | "ftp_entry_path" => Shown::Text(String::new()),
            "exitcode" => number(self.status.into()),
            "errormsg" => Shown::Text(self.message.clone()),
            "referer" => text(self.referer.strip_suffix(b";auto").unwrap_or(&self.referer)),
            _ => return None,
        })
    }

    fn json(&self) -> String {
        let fields = NAMES.iter().filter_map(|name| Some((name, self.get(name)?)));
        let fields = fields.map(|(name, value)| match value {
            // `000` is no number of JSON.
            Shown::Number(n) if !n.contains('.') => format!("\"{name}\":{}", n.parse::<u64>().unwrap_or(0)),
            Shown::Number(n) => format!("\"{name}\":{n}"),
            Shown::Text(t) if t.is_empty() && *name != "certs" => format!("\"{name}\":null"),
            Shown::Text(t) => format!("\"{name}\":{}", quoted(&t)),
        });
        format!("{{{},\"curl_version\":\"{}\"}}", fields.collect::<Vec<_>>().join(","), super::VERSION)
    }

    fn header_json(&self) -> String {
        let Some(head) = &self.head else { return "{}".into() };
        let mut names: Vec<&Vec<u8>> = Vec::new();
        for (name, _) in &head.headers {
            if !names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
                names.push(name);
            }
        }
        let values = |name: &Vec<u8>| {
            let all = head.headers.iter().filter(|h| h.0.eq_ignore_ascii_case(name));
            all.map(|h| quoted(&String::from_utf8_lossy(&h.1))).collect::<Vec<_>>().join(",")
        };
        let lines = names
            .iter()
            .map(|n| format!("{}:[{}]", quoted(&String::from_utf8_lossy(n).to_ascii_lowercase()), values(n)));
        format!("{{{}\n}}", lines.collect::<Vec<_>>().join(",\n"))
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c if c.is_control() => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Prints the format; what is no variable is told on standard error, as curl does.
pub fn print(format: &[u8], facts: &Facts) {
    let mut to = STDOUT;
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let rest = &format[at..];
        if rest.starts_with(b"%%") {
            out.push(b'%');
            at += 2;
        } else if let Some(after) = rest.strip_prefix(b"%{")
            && let Some(end) = after.iter().position(|&b| b == b'}')
        {
            let name = String::from_utf8_lossy(&after[..end]).into_owned();
            at += 2 + end + 1;
            match name.as_str() {
                "stderr" | "stdout" => {
                    let _ = write_all(to, &out);
                    out.clear();
                    to = if name == "stderr" { STDERR } else { STDOUT };
                }
                "json" => out.extend(facts.json().bytes()),
                "header_json" => out.extend(facts.header_json().bytes()),
                "onerror" if facts.status == 0 => break,
                "onerror" => {}
                name => match facts.get(name) {
                    Some(Shown::Text(value) | Shown::Number(value)) => out.extend(value.bytes()),
                    None => crate::report::plain(&format!("curl: unknown --write-out variable: '{name}'\n")),
                },
            }
        } else if let Some(after) = rest.strip_prefix(b"%header{")
            && let Some(end) = after.iter().position(|&b| b == b'}')
        {
            let name = String::from_utf8_lossy(&after[..end]).into_owned();
            at += b"%header{".len() + end + 1;
            out.extend(facts.head.as_ref().and_then(|h| h.header(&name)).unwrap_or_default());
        } else if let [b'\\', letter, ..] = rest {
            match letter {
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b't' => out.push(b'\t'),
                other => out.extend([b'\\', *other]),
            }
            at += 2;
        } else {
            out.push(rest[0]);
            at += 1;
        }
    }
    let _ = write_all(to, &out);
}
