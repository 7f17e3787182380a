use crate::options::{NO, Options};
use crate::quote::{name, quoted};
use crate::{Args, Outcome, report};
use capsule_sys::{In, OpenFlags, Out, STDIN, STDOUT, dup2, open};

pub const HELP: &str = "\
Usage: sponge [-a] [FILE]
Soak up standard input and write it to FILE, once all of it is read: a command
may read the file that its output replaces. Without FILE, standard output.

  -a, --append   append to FILE
      --help        display this help and exit
      --version     output version information and exit
";

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "a", &[("append", NO, 'a')]);
    let mut append = false;
    while options.next()?.is_some() {
        append = true;
    }
    let operands = options.operands();
    if let Some(extra) = operands.get(1) {
        return Err(report::usage(1, format_args!("extra operand {}", quoted(extra))));
    }
    let mut all = Vec::new();
    In::new(STDIN).read_to_end(&mut all).map_err(|e| report::die(1, format_args!("read error: {e}")))?;
    if let Some(file) = operands.first() {
        let how = if append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
        open(file, OpenFlags::WRONLY | OpenFlags::CREAT | how, 0o666)
            .and_then(|fd| dup2(fd.raw(), STDOUT, OpenFlags(0)))
            .map_err(|e| report::die(1, format_args!("error opening output file: {}: {e}", name(file))))?;
    }
    let mut out = Out::stdout();
    out.write(&all);
    report::finish(&mut out, 0)
}
