use crate::input::Input;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::Out;
use std::collections::HashSet;

pub const HELP: &str = "\
Usage: combine FILE1 and|not|or|xor FILE2
Combine the lines of two files: those of the first that are in the second, or
are not in it; those of both; those that only one of them has.

With - for a FILE, read standard input. Called `_', the last word is a `_', too.
";

pub fn main(args: &Args) -> Outcome {
    let words = args.rest();
    let usage = || {
        report::plain("Usage: combine file1 OP file2\n");
        Exit(255)
    };
    let [first, how, second] = words else { return Err(usage()) };
    let how = how.to_ascii_lowercase();
    if !matches!(how.as_slice(), b"and" | b"not" | b"xor" | b"or") {
        report::plain(&format!("unknown operation, {}\n", crate::quote::raw(&how)));
        return Err(Exit(255));
    }
    let (first, second) = (lines(first)?, lines(second)?);
    let in_first: HashSet<&[u8]> = first.iter().map(Vec::as_slice).collect();
    let in_second: HashSet<&[u8]> = second.iter().map(Vec::as_slice).collect();
    let mut out = Out::stdout();
    let mut show = |lines: &[Vec<u8>], keep: &dyn Fn(&[u8]) -> bool| {
        for line in lines.iter().filter(|line| keep(line)) {
            out.write(line);
            out.byte(b'\n');
        }
    };
    match how.as_slice() {
        b"and" => show(&first, &|line| in_second.contains(line)),
        b"not" => show(&first, &|line| !in_second.contains(line)),
        b"xor" => {
            show(&first, &|line| !in_second.contains(line));
            show(&second, &|line| !in_first.contains(line));
        }
        _ => {
            show(&first, &|_| true);
            show(&second, &|_| true);
        }
    }
    report::finish(&mut out, 0)
}

fn lines(file: &[u8]) -> Result<Vec<Vec<u8>>, Exit> {
    let mut text = Vec::new();
    let read = Input::open(file).and_then(|mut input| input.stream.read_to_end(&mut text));
    read.map_err(|e| {
        report::plain(&format!("{}: {e}\n", crate::quote::raw(file)));
        Exit(2)
    })?;
    let text = text.strip_suffix(b"\n").unwrap_or(&text);
    Ok(if text.is_empty() { Vec::new() } else { text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect() })
}
