use crate::options::{Options, REQ};
use crate::quote::locale;
use crate::{Args, Outcome, number, program, report};
use capsule_sys::{Errno, Out, environ};

pub const HELP: &str = "\
Usage: nice [OPTION] [COMMAND [ARG]...]
Run COMMAND with another niceness, which affects scheduling. With no COMMAND,
print the current niceness.

  -n, --adjustment=N   add N to the niceness (10)
      --help        print this help
      --version     print the version

Processes here are scheduled alike: the niceness is always 0, a higher one is
accepted and changes nothing, a lower one is refused as for any user.
";

const FAILED: u8 = 125;

pub fn main(args: &Args) -> Outcome {
    // `-10` and `--10`, as they were before `-n`.
    let mut argv = args.argv.clone();
    if let Some(first) = argv.get_mut(1)
        && let Some(number) = first.strip_prefix(b"-")
        && number
            .strip_prefix(b"-")
            .or(number.strip_prefix(b"+"))
            .unwrap_or(number)
            .first()
            .is_some_and(u8::is_ascii_digit)
    {
        *first = [b"-n", number].concat();
    }
    let args = Args::new(argv);
    let mut options = Options::new(&args, "+n:", &[("adjustment", REQ, 'n')]).status(FAILED);
    let mut adjustment = None;
    while let Some(opt) = options.next()? {
        adjustment = Some(opt.value());
    }
    let by = match adjustment {
        None => 10,
        Some(text) => match number::signed(text, b"") {
            Ok(n) => n,
            Err(number::Bad::Overflow) => {
                if text.starts_with(b"-") {
                    -39
                } else {
                    39
                }
            }
            Err(_) => return Err(report::die(FAILED, format_args!("invalid adjustment {}", locale(text)))),
        },
    };
    let command: Vec<Vec<u8>> = options.operands().iter().map(|w| w.to_vec()).collect();
    if command.is_empty() {
        if adjustment.is_some() {
            return Err(report::usage(FAILED, "a command must be given with an adjustment"));
        }
        let mut out = Out::stdout();
        out.write(b"0\n");
        return report::finish(&mut out, 0);
    }
    if by < 0 {
        report::error(format_args!("cannot set niceness: {}", Errno::EACCES));
    }
    let why = program::become_command(&command, &environ());
    report::error(format_args!("{}: {why}", locale(&command[0])));
    Ok(program::status(why))
}
