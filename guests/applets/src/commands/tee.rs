use crate::options::{NO, OPT, Options, only, word};
use crate::{Args, Exit, Outcome, input, quote, report};
use capsule_sys::{Disposition, Errno, Fd, In, OpenFlags, STDIN, STDOUT, Signal, open_apart, signal_action, write_all};

pub const HELP: &str = "\
Usage: tee [OPTION]... [FILE]...
Write standard input to the FILEs, and to standard output.

  -a, --append              behind what they hold
  -i, --ignore-interrupts   an interrupt does not end it
  -p                        tell errors of outputs that are no pipes
      --output-error[=MODE]   set behavior on write error: warn,
                              warn-nopipe, exit, exit-nopipe
      --help        print this help
      --version     print the version
";

#[derive(Clone, Copy, PartialEq)]
enum OnError {
    /// A broken pipe ends the program, other errors are told.
    Default,
    Warn,
    WarnNoPipe,
    Exit,
    ExitNoPipe,
}

pub fn main(args: &Args) -> Outcome {
    const OUTPUT_ERROR: char = only(0);
    let long = &[("append", NO, 'a'), ("ignore-interrupts", NO, 'i'), ("output-error", OPT, OUTPUT_ERROR)];
    let mut options = Options::new(args, "aip", long);
    let (mut append, mut on_error) = (false, OnError::Default);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => append = true,
            'i' => drop(signal_action(Signal::INT, Disposition::Ignore)),
            'p' => on_error = OnError::WarnNoPipe,
            _ => {
                let words = &[
                    ("warn", OnError::Warn),
                    ("warn-nopipe", OnError::WarnNoPipe),
                    ("exit", OnError::Exit),
                    ("exit-nopipe", OnError::ExitNoPipe),
                ];
                on_error = opt.value.map_or(Ok(OnError::WarnNoPipe), |v| word(v, "--output-error", words, 1))?;
            }
        }
    }
    if on_error != OnError::Default {
        let _ = signal_action(Signal::PIPE, Disposition::Ignore);
    }
    let mode = if append { OpenFlags::APPEND } else { OpenFlags::TRUNC };
    let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::CLOEXEC | mode;
    let mut outputs: Vec<(Fd, Vec<u8>)> = vec![(Fd::new(STDOUT), b"standard output".to_vec())];
    let mut status = 0;
    for name in options.operands() {
        match open_apart(name, flags, 0o666) {
            Ok(fd) => outputs.push((fd, name.to_vec())),
            Err(e) => {
                report::fault(quote::name(name), e);
                status = 1;
            }
        }
    }
    let mut standard = In::new(STDIN);
    loop {
        let block = match standard.fill() {
            Ok(block) => block,
            Err(e) => {
                report::error(format_args!("read error: {e}"));
                input::closes(&[], "standard input");
                return Err(Exit(1));
            }
        };
        if block.is_empty() || outputs.is_empty() {
            return Ok(status);
        }
        let mut failed = Vec::new();
        for (i, (fd, name)) in outputs.iter().enumerate() {
            let Err(e) = write_all(fd.raw(), block) else { continue };
            failed.push(i);
            let quiet = e == Errno::EPIPE && matches!(on_error, OnError::WarnNoPipe | OnError::ExitNoPipe);
            if !quiet {
                report::fault(if i == 0 { "'standard output'".to_owned() } else { quote::name(name) }, e);
                status = 1;
                if matches!(on_error, OnError::Exit | OnError::ExitNoPipe) {
                    return Ok(1);
                }
            }
        }
        for i in failed.into_iter().rev() {
            outputs.remove(i);
        }
        let n = block.len();
        standard.consume(n);
    }
}
