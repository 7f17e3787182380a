use crate::input::{self, Input};
use crate::options::{NO, Options, REQ};
use crate::{Args, Outcome, quote, report};
use capsule_sys::{Out, STDIN, fstat};

pub const HELP: &str = "\
Usage: paste [OPTION]... [FILE]...
Put lines side by side: the first ones of all FILEs, then the
second ones, with tabs between.

Standard input is read where FILE is - or missing.

  -d, --delimiters=LIST   the characters of LIST in turn, not tabs
  -s, --serial            all lines of a file in one, file by file
  -z, --zero-terminated   lines end with NUL
      --help        print this help
      --version     print the version
";

pub fn main(args: &Args) -> Outcome {
    let long = &[("serial", NO, 's'), ("delimiters", REQ, 'd'), ("zero-terminated", NO, 'z')];
    let mut options = Options::new(args, "d:sz", long);
    let (mut given, mut serial, mut end) = (b"\t".as_slice(), false, b'\n');
    while let Some(opt) = options.next()? {
        match opt.letter {
            'd' => given = opt.value(),
            's' => serial = true,
            _ => end = 0,
        }
    }
    let delimiters = list(given).ok_or_else(|| {
        let text = format!("delimiter list ends with an unescaped backslash: {}", String::from_utf8_lossy(given));
        report::die(1, text)
    })?;
    let mut names = options.operands();
    if names.is_empty() {
        names.push(b"-");
    }
    let mut out = Out::stdout();
    let mut status = 0;
    let mut line = Vec::new();
    if serial {
        for &name in &names {
            let mut input = match Input::open(name) {
                Ok(input) => input,
                Err(e) => {
                    report::fault(quote::name(name), e);
                    status = 1;
                    continue;
                }
            };
            let mut count = 0;
            loop {
                line.clear();
                match input.stream.read_until(end, &mut line) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(e) => {
                        report::fault(quote::name(name), e);
                        status = 1;
                        break;
                    }
                }
                if count > 0
                    && let Some(byte) = delimiters[(count - 1) % delimiters.len()]
                {
                    out.byte(byte);
                }
                count += 1;
                out.write(line.strip_suffix(&[end]).unwrap_or(&line));
            }
            out.byte(end);
        }
        if !input::closes(&names, "-") {
            status = 1;
        }
        return report::finish(&mut out, status);
    }
    // Standard input named several times is one stream, read in turns.
    let mut standard = None;
    let mut inputs = Vec::new();
    for &name in &names {
        if name == b"-" {
            standard.get_or_insert_with(Input::stdin);
            inputs.push((None, name, true));
            continue;
        }
        match Input::open(name) {
            Ok(input) => inputs.push((Some(input), name, true)),
            Err(e) => return Err(report::die(1, format_args!("{}: {e}", quote::name(name)))),
        }
    }
    if standard.is_some() && names.iter().any(|name| *name != b"-") && fstat(STDIN).is_err() {
        return Err(report::die(1, "standard input is closed"));
    }
    let mut text = Vec::new();
    loop {
        text.clear();
        let mut any = false;
        let last = inputs.len() - 1;
        for (i, (input, name, open)) in inputs.iter_mut().enumerate() {
            let stream = input.as_mut().or(standard.as_mut());
            if *open && let Some(stream) = stream {
                let start = text.len();
                match stream.stream.read_until(end, &mut text) {
                    Ok(true) => any = true,
                    Ok(false) => *open = false,
                    Err(e) => {
                        report::fault(quote::name(name), e);
                        (status, *open) = (1, false);
                    }
                }
                if text.len() > start && text.last() == Some(&end) {
                    text.pop();
                }
            }
            if i < last
                && let Some(byte) = delimiters[i % delimiters.len()]
            {
                text.push(byte);
            }
        }
        if !any {
            if !input::closes(&names, "-") {
                status = 1;
            }
            return report::finish(&mut out, status);
        }
        text.push(end);
        out.write(&text);
        report::writable(&out)?;
    }
}

/// The delimiters of a list; `\0` is none at all. None when it ends in a backslash.
fn list(text: &[u8]) -> Option<Vec<Option<u8>>> {
    let mut all = Vec::new();
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        all.push(match byte {
            b'\\' => match *bytes.next()? {
                b'0' => None,
                b'b' => Some(8),
                b'f' => Some(12),
                b'n' => Some(b'\n'),
                b'r' => Some(b'\r'),
                b't' => Some(b'\t'),
                b'v' => Some(11),
                other => Some(other),
            },
            other => Some(other),
        });
    }
    if all.is_empty() {
        all.push(None);
    }
    Some(all)
}
