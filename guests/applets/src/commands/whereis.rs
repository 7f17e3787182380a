use crate::input::{base_name, join};
use crate::{Args, Exit, Outcome, options, report};
use capsule_sys::{Out, getenv, read_dir, stat};

pub const HELP: &str = "\
Usage: whereis [OPTION]... [-BMS DIRECTORY... -f] NAME...
Locate the files of commands: programs, manuals and sources.

  -b   programs         -B DIRECTORY...   look for programs there
  -m   manuals          -M DIRECTORY...   look for manuals there
  -s   sources          -S DIRECTORY...   look for sources there
  -f   ends a list of directories
  -u   only names that have not one file of each kind asked for
  -l   write the directories that are searched
  -h, --help        print this help
  -V, --version     print the version
";

const PROGRAMS: &[&[u8]] = &[
    b"/usr/bin",
    b"/usr/sbin",
    b"/usr/lib",
    b"/bin",
    b"/sbin",
    b"/etc",
    b"/usr/etc",
    b"/lib",
    b"/usr/games",
    b"/usr/local/bin",
    b"/usr/local/sbin",
    b"/usr/local/etc",
    b"/usr/local/lib",
    b"/usr/local/games",
    b"/usr/include",
    b"/usr/local",
    b"/usr/libexec",
    b"/usr/share",
];
const MANUALS: &[&[u8]] = &[b"/usr/man", b"/usr/share/man", b"/usr/share/info"];
const SOURCES: &[&[u8]] = &[b"/usr/src"];

/// A kind of files: its letter, how lists name it, whether it is asked for, and where it is looked for.
struct Kind {
    letter: u8,
    name: &'static str,
    asked: bool,
    dirs: Vec<Vec<u8>>,
}

struct Search {
    kinds: [Kind; 3],
    unusual: bool,
    list: bool,
}

pub fn main(args: &Args) -> Outcome {
    let kind = |letter, name, dirs: &[&[u8]]| {
        let path = getenv(b"PATH").filter(|_| letter == b'b').unwrap_or_default();
        let dirs = different(dirs.iter().copied().chain(path.split(|&b| b == b':')));
        Kind { letter, name, asked: false, dirs }
    };
    let kinds = [kind(b'b', "bin", PROGRAMS), kind(b'm', "man", MANUALS), kind(b's', "src", SOURCES)];
    let mut search = Search { kinds, unusual: false, list: false };
    if args.rest().is_empty() {
        return Err(report::usage(1, "not enough arguments"));
    }
    let mut out = Out::stdout();
    let mut words = args.rest().iter().map(Vec::as_slice).peekable();
    let mut named = false;
    while let Some(word) = words.next() {
        match word {
            b"-h" | b"--help" => return Err(options::Options::new(args, "", &[]).help()),
            b"-V" | b"--version" => return Err(options::Options::new(args, "", &[]).version()),
            [b'-', letters @ ..] => {
                for (i, letter) in letters.iter().enumerate() {
                    if let Some(kind) = search.kinds.iter_mut().find(|k| k.letter == letter.to_ascii_lowercase()) {
                        if letter.is_ascii_lowercase() {
                            kind.asked = true;
                            continue;
                        }
                        // A list of directories, the first of which may follow at once.
                        let mut dirs = vec![&letters[i + 1..]];
                        while let Some(dir) = words.next_if(|word| !word.starts_with(b"-")) {
                            dirs.push(dir);
                        }
                        if words.peek().is_none() {
                            return Err(report::die(1, "option -f is missing"));
                        }
                        kind.dirs = different(dirs.into_iter());
                        break;
                    }
                    match letter {
                        b'f' => {}
                        b'u' => search.unusual = true,
                        b'l' => search.list = true,
                        _ => return Err(bad_usage()),
                    }
                }
            }
            name => {
                named = true;
                search.look_for(base_name(name), &mut out);
            }
        }
    }
    if search.list {
        for kind in search.asked() {
            for dir in &kind.dirs {
                out.write(&[kind.name.as_bytes(), b": ", dir, b"\n"].concat());
            }
        }
    } else if !named && args.rest().iter().any(|word| word == b"--") {
        return Err(bad_usage());
    }
    report::finish(&mut out, 0)
}

fn bad_usage() -> Exit {
    report::usage(1, "bad usage")
}

/// Those that are there; two names of one directory are searched once.
fn different<'a>(dirs: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let (mut ids, mut found) = (Vec::new(), Vec::new());
    for dir in dirs {
        if let Ok(s) = stat(dir)
            && !ids.contains(&(s.dev, s.ino))
        {
            ids.push((s.dev, s.ino));
            found.push(dir.to_vec());
        }
    }
    found
}

impl Search {
    /// The kinds that were asked for, or all.
    fn asked(&self) -> impl Iterator<Item = &Kind> {
        let all = !self.kinds.iter().any(|kind| kind.asked);
        self.kinds.iter().filter(move |kind| all || kind.asked)
    }

    fn look_for(&self, name: &[u8], out: &mut Out) {
        let (mut line, mut usual) = ([name, b":"].concat(), true);
        for kind in self.asked() {
            let found: Vec<Vec<u8>> = kind.dirs.iter().flat_map(|dir| in_dir(dir, name)).collect();
            usual &= found.len() == 1;
            found.iter().for_each(|file| line.extend([b" ", file.as_slice()].concat()));
        }
        if !(self.unusual && usual) {
            out.write(&line);
            out.byte(b'\n');
        }
    }
}

/// Files of this name, whatever ending they have.
fn in_dir(dir: &[u8], name: &[u8]) -> Vec<Vec<u8>> {
    let fits = |entry: &[u8]| entry.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."));
    let Ok(entries) = read_dir(dir) else { return Vec::new() };
    let names = entries.flatten().map(|entry| entry.name);
    names.filter(|entry| fits(entry)).map(|entry| join(dir, &entry)).collect()
}
