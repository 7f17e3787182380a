use crate::{Args, Outcome, options, report};
use capsule_sys::{STDOUT, write_all};

pub const HELP: &str = "\
Usage: yes [STRING]...
  or:  yes OPTION
Print y, or the STRINGs, again and again.

      --help        print this help
      --version     print the version
";

/// How much one write carries: a pipe's capacity.
const BLOCK: usize = 64 * 1024;

pub fn main(args: &Args) -> Outcome {
    let words = options::only_operands(args, 1)?;
    let mut line = if words.is_empty() { b"y".to_vec() } else { words.join(&b' ') };
    line.push(b'\n');
    // Whole lines, as many as fit, so that the loop is one call for many lines.
    let block = line.repeat((BLOCK / line.len()).max(1));
    loop {
        if let Err(e) = write_all(STDOUT, &block) {
            return Err(report::die(1, format_args!("standard output: {e}")));
        }
    }
}
