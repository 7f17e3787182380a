use crate::quote::locale;
use crate::{Args, Exit, Outcome, options, report};
use capsule_sys::{Errno, OpenFlags, Out, STDIN, Window, fstat, isatty, open, window};

pub const HELP: &str = "\
Usage: stty [-F DEVICE | --file=DEVICE] [-a | -g | size | speed]
Tell about the terminal that is standard input. A terminal belongs to the host:
nothing of it can be changed here, and only its size is known.

  -a, --all          print all that is known
  -g, --save         (there is nothing to save)
  -F, --file=DEVICE  this device, not standard input
      --help        print this help
      --version     print the version
";

/// Settings that have a value behind them.
const VALUES: &str = "cols columns discard eof eol eol2 erase intr ispeed kill line lnext min ospeed quit rows rprnt \
                      start stop susp swtch time werase";
/// Those that are on or, with a `-`, off.
const FLAGS: &str = "brkint cbreak clocal cmspar cooked cread crt crterase crtkill crtscts cs5 cs6 cs7 cs8 cstopb ctlecho \
                     dec decctlq drain echo echoctl echoe echok echoke echonl echoprt ek evenp extproc flusho hup hupcl \
                     icanon icrnl iexten ignbrk igncr ignpar imaxbel inlcr inpck isig istrip iuclc iutf8 ixany ixoff \
                     ixon lcase LCASE litout nl noflsh ocrnl oddp ofdel ofill olcuc onlcr onlret onocr opost parenb \
                     parity parmrk parodd pass8 prterase raw sane size speed tabs tandem tostop xcase bs0 bs1 cr0 cr1 \
                     cr2 cr3 ff0 ff1 nl0 nl1 tab0 tab1 tab2 tab3 vt0 vt1";

/// What is no option is a setting, and all settings must be known before any is made.
struct Wanted<'a> {
    all: bool,
    save: bool,
    device: Option<&'a [u8]>,
    settings: Vec<&'a [u8]>,
}

fn read(args: &Args) -> Result<Wanted<'_>, Exit> {
    let mut wanted = Wanted { all: false, save: false, device: None, settings: Vec::new() };
    let mut words = args.rest().iter().map(Vec::as_slice);
    while let Some(word) = words.next() {
        match word {
            b"-a" | b"--all" => wanted.all = true,
            b"-g" | b"--save" => wanted.save = true,
            b"-ag" | b"-ga" => (wanted.all, wanted.save) = (true, true),
            b"-F" | b"--file" => match words.next() {
                Some(name) => wanted.device = Some(name),
                None => wanted.settings.push(word),
            },
            b"--" => {}
            b"--help" | b"--version" => {
                let asked = Args::new(vec![args.argv[0].clone(), word.to_vec()]);
                options::only_operands(&asked, 1)?;
            }
            _ => match (word.strip_prefix(b"-F"), word.strip_prefix(b"--file=")) {
                (Some(name), _) | (_, Some(name)) => wanted.device = Some(name),
                _ => wanted.settings.push(word),
            },
        }
    }
    Ok(wanted)
}

fn check(settings: &[&[u8]]) -> Result<(), Exit> {
    let among = |list: &str, word: &[u8]| list.split_whitespace().any(|name| name.as_bytes() == word);
    let is_known = |word: &[u8]| {
        let speed = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
        let saved = word.contains(&b':') && word.iter().all(|b| b.is_ascii_hexdigit() || *b == b':');
        speed || saved || among(FLAGS, word.strip_prefix(b"-").unwrap_or(word))
    };
    let mut words = settings.iter();
    while let Some(&word) = words.next() {
        if among(VALUES, word) {
            let missing = || report::usage(1, format_args!("missing argument to {}", locale(word)));
            words.next().ok_or_else(missing)?;
        } else if !is_known(word) {
            return Err(report::usage(1, format_args!("invalid argument {}", locale(word))));
        }
    }
    Ok(())
}

pub fn main(args: &Args) -> Outcome {
    let Wanted { all, save, device, settings: operands } = read(args)?;
    if all && save {
        let text = "the options for verbose and stty-readable output styles are\nmutually exclusive";
        return Err(report::die(1, text));
    }
    if (all || save) && !operands.is_empty() {
        return Err(report::die(1, "when specifying an output style, modes may not be set"));
    }
    check(&operands)?;
    let opened = match device {
        Some(name) => {
            let opened = open(name, OpenFlags::RDONLY | OpenFlags::NONBLOCK, 0);
            Some(opened.map_err(|e| report::die(1, format_args!("{}: {e}", crate::quote::name(name))))?)
        }
        None => None,
    };
    let fd = opened.as_ref().map_or(STDIN, |fd| fd.raw());
    if !isatty(fd) {
        let name = device.map_or("'standard input'".to_owned(), crate::quote::name);
        return Err(report::die(1, format_args!("{name}: {}", fstat(fd).err().unwrap_or(Errno::ENOTTY))));
    }
    let Window { rows, columns } = window(fd).unwrap_or_default();
    let text = match operands.as_slice() {
        [] if save => return Err(report::die(1, "settings of the terminal are not known here (-g)")),
        [] if all => format!("speed 38400 baud; rows {rows}; columns {columns}; line = 0;\n"),
        [] => "speed 38400 baud; line = 0;\n".to_owned(),
        [b"size"] => format!("{rows} {columns}\n"),
        [b"speed"] => "38400\n".to_owned(),
        [other, ..] => {
            return Err(report::die(1, format_args!("the terminal cannot be changed from here: {}", locale(other))));
        }
    };
    let mut out = Out::stdout();
    out.write(text.as_bytes());
    report::finish(&mut out, 0)
}
