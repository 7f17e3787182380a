use crate::number;
use crate::options::{Options, REQ};
use crate::quote::locale;
use crate::{Args, Exit, Outcome, program, report};
use capsule_sys::{Errno, environ};

pub const HELP: &str = "\
Usage: stdbuf OPTION... COMMAND
Run COMMAND with other buffers for its standard streams.

  -i, --input=MODE   the buffer of standard input
  -o, --output=MODE  the buffer of standard output
  -e, --error=MODE   the buffer of standard error
      --help        print this help
      --version     print the version

MODE is L for whole lines, 0 for no buffer, else a size with K, M, G …

The commands of the sandbox look at the mode of standard output: with L or 0
they write every line at once. Input is always read as it comes, and errors are
never held back, so nothing else has an effect. Other programs do not know it.
";

const FAILED: u8 = 125;

pub fn main(args: &Args) -> Outcome {
    let long = &[("input", REQ, 'i'), ("output", REQ, 'o'), ("error", REQ, 'e')];
    let mut options = Options::new(args, "+i:o:e:", long).status(FAILED);
    let mut modes = Vec::new();
    while let Some(opt) = options.next()? {
        let name = opt.letter.to_ascii_uppercase();
        let value = mode(opt.value(), opt.letter)?;
        modes.push([format!("_STDBUF_{name}=").as_bytes(), &value].concat());
    }
    let command: Vec<Vec<u8>> = options.operands().iter().map(|w| w.to_vec()).collect();
    if command.is_empty() {
        return Err(report::usage(FAILED, "missing operand"));
    }
    if modes.is_empty() {
        return Err(report::usage(FAILED, "you must specify a buffering mode option"));
    }
    let mut env = environ();
    for mode in modes {
        let name = &mode[..mode.iter().position(|&b| b == b'=').map_or(0, |i| i + 1)];
        env.retain(|v| !v.starts_with(name));
        env.push(mode);
    }
    let why = program::become_command(&command, &env);
    report::error(format_args!("failed to run command {}: {why}", locale(&command[0])));
    Ok(program::status(why))
}

fn mode(text: &[u8], letter: char) -> Result<Vec<u8>, Exit> {
    if text == b"L" {
        if letter == 'i' {
            return Err(report::usage(FAILED, "line buffering stdin is meaningless"));
        }
        return Ok(text.to_vec());
    }
    let size = number::unsigned(text, b"EgGkKmMPtTYZ0").map_err(|bad| match bad {
        number::Bad::Invalid => report::die(FAILED, format_args!("invalid mode {}", locale(text))),
        number::Bad::Overflow => {
            report::die(FAILED, format_args!("invalid mode {}: {}", locale(text), Errno::EOVERFLOW))
        }
    })?;
    Ok(size.to_string().into_bytes())
}
