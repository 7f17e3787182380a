//! The language is in `capsule-jq`; here are its options, inputs and outputs.

pub mod inputs;
mod options;
pub mod output;
pub mod world;

use crate::{Args, Exit, Outcome};
use capsule_jq::{Machine, Program, Stop, Value, compile, json};
use capsule_sys::{Out, STDERR, write_all};
use inputs::Inputs;
use options::Settings;
pub use options::read_file;
use output::Writer;
use world::World;

pub const HELP: &str = "\
Usage: jq [OPTION]... FILTER [FILE]...
  or:  jq [OPTION]... --args FILTER [STRING]...
  or:  jq [OPTION]... --jsonargs FILTER [JSON]...
Apply FILTER to JSON values and print what it gives as JSON.
With no FILE, read standard input. The language is that of jq 1.8.

  -n, --null-input          use null as the only input
  -R, --raw-input           read each line as a string
  -s, --slurp               read all inputs into one array
  -c, --compact-output      one line for each value
  -r, --raw-output          print strings without quotes
      --raw-output0         as -r, each output followed by NUL
  -j, --join-output         as -r, without newlines
  -a, --ascii-output        print strings in ASCII
  -S, --sort-keys           print objects with sorted keys
  -C, --color-output        use colours; JQ_COLORS sets them
  -M, --monochrome-output   use no colours
      --tab                 indent with tabs
      --indent N            indent by N blanks, at most 7
      --unbuffered          write each output at once
  -b, --binary              write no carriage returns; here none ever are
      --stream              read inputs as a stream of events
      --stream-errors       as --stream, errors are events too
      --seq                 read and write JSON text sequences
  -f, --from-file FILE      read the filter from FILE
  -L, --library-path DIR    look for modules in DIR
  -e, --exit-status         the status tells the last output
      --arg NAME VALUE      set $NAME to a string
      --argjson NAME JSON   set $NAME to a JSON value
      --slurpfile NAME FILE set $NAME to an array of the values in FILE
      --rawfile NAME FILE   set $NAME to the text of FILE
      --args                the rest are strings, for $ARGS.positional
      --jsonargs            the rest are JSON values, for $ARGS.positional
  -h, --help                print this help
  -V, --version             print the version
      --build-configuration tell how it was built and exit

The status is 0; 1 or 4 with -e when the last output was false or null, or there was none; 2 for wrong usage and bad
input; 3 when the filter cannot be compiled; 5 after an error of the filter.
";

/// The statuses jq has names for.
const USAGE: u8 = 2;
const COMPILE: u8 = 3;
const NO_OUTPUT: u8 = 4;
const ERROR: u8 = 5;

pub fn main(args: &Args) -> Outcome {
    let settings = options::parse(args)?;
    let inputs = Inputs::new(&settings);
    let mut world = World::new(inputs, settings.search.clone());
    let program = compile_or_tell(&settings, &mut world)?;
    let mut out = Out::stdout();
    let mut status = run(&program, &settings, &mut world, &mut out)?;
    if world.source.failed() {
        status = USAGE;
    }
    match out.flush() {
        Ok(()) => Ok(status),
        Err(e) => {
            tell(format_args!("error: writing output failed: {e}"));
            Err(Exit(USAGE))
        }
    }
}

/// A message; jq calls itself so whatever name it was called by.
pub fn tell(message: impl std::fmt::Display) {
    let _ = write_all(STDERR, format!("jq: {message}\n").as_bytes());
}

/// An error in a sequence of texts, which goes on.
pub fn tell_ignored(message: &Value) {
    tell(format_args!("ignoring parse error: {}", message.as_str().unwrap_or_default()));
}

/// As [`tell`], for names that may not be UTF-8.
pub fn tell_bytes(message: &[u8]) {
    let _ = write_all(STDERR, &[b"jq: ", message, b"\n"].concat());
}

fn compile_or_tell(settings: &Settings, world: &mut World<Inputs>) -> Result<Program, Exit> {
    compile(&settings.program, settings.globals.clone(), world).map_err(|e| {
        let (count, plural) = (e.0.len(), if e.0.len() == 1 { "" } else { "s" });
        let _ = write_all(STDERR, format!("{}\njq: {count} compile error{plural}\n", e.0.join("\n")).as_bytes());
        Exit(COMPILE)
    })
}

fn run(program: &Program, settings: &Settings, world: &mut World<Inputs>, out: &mut Out) -> Result<u8, Exit> {
    let writer = Writer::new(settings.layout.clone(), settings.ending);
    let mut machine = Machine::new(program, world);
    let mut buffer = Vec::new();
    // The last output, where somebody asks; whether an error was told.
    let (mut last, mut failed) = (None, false);
    let mut once = settings.null_input;
    loop {
        let input = if settings.null_input {
            if !std::mem::take(&mut once) {
                break;
            }
            Value::Null
        } else {
            match machine.context.host.input() {
                None => break,
                Some(Ok(value)) => value,
                Some(Err(message)) => {
                    let _ = out.flush();
                    if settings.sequence {
                        tell_ignored(&message);
                        continue;
                    }
                    let text = message.as_str().unwrap_or_default();
                    tell(format_args!("parse error: {text}"));
                    return Err(flushed(out, ERROR));
                }
            }
        };
        machine.start(input);
        // The status tells the end: an error before the last input is forgotten.
        failed = false;
        while let Some(output) = machine.next() {
            match output {
                Ok(value) => {
                    buffer.clear();
                    if settings.sequence && !writer.is_raw(&value) {
                        buffer.push(0x1e);
                    }
                    if let Err(message) = writer.write(&value, &mut buffer) {
                        let _ = out.flush();
                        tell(format_args!("error (at {}): {message}", machine.context.host.position()));
                        failed = true;
                        break;
                    }
                    out.write(&buffer);
                    if settings.unbuffered {
                        let _ = out.flush();
                    }
                    if let Some(e) = out.error() {
                        tell(format_args!("error: writing output failed: {e}"));
                        return Err(Exit(USAGE));
                    }
                    last = Some(value.is_true());
                }
                Err(Stop::Halt(status, value)) => {
                    let _ = out.flush();
                    if let Some(value) = value {
                        tell_halt(&value);
                    }
                    return Err(Exit(status.max(0) as u8));
                }
                Err(Stop::Error(error)) => {
                    let _ = out.flush();
                    let position = machine.context.host.position();
                    match &error {
                        Value::String(text) => {
                            // A NUL ends what is told.
                            let text = text.split('\0').next().unwrap_or_default();
                            tell(format_args!("error (at {position}): {text}"));
                        }
                        other => {
                            let text = json::to_string(other);
                            tell(format_args!("error (at {position}) (not a string): {text}"));
                        }
                    }
                    failed = true;
                    break;
                }
            }
        }
    }
    if failed {
        return Ok(ERROR);
    }
    if !settings.exit_status {
        return Ok(0);
    }
    Ok(match last {
        Some(true) => 0,
        Some(false) => 1,
        None => NO_OUTPUT,
    })
}

/// What `halt_error` was given: strings as they are, null is nothing.
fn tell_halt(value: &Value) {
    let text = match value {
        Value::Null => return,
        Value::String(text) => text.to_string(),
        other => json::to_string(other) + "\n",
    };
    let _ = write_all(STDERR, text.as_bytes());
}

fn flushed(out: &mut Out, status: u8) -> Exit {
    let _ = out.flush();
    Exit(status)
}
