//! `diff3`: two comparisons with a common file, joined where they meet in it.

use crate::compare::{Change, Effort, Ignore, Text, changes};
use crate::options::{Long, NO, Options, REQ, only};
use crate::quote::plain;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{FileType, OpenFlags, Out, STDIN, fstat, open};

pub const HELP: &str = "\
Usage: diff3 [OPTION]... MYFILE OLDFILE YOURFILE
Show how two files differ from a third one they come from.

  -A, --show-all              everything, with marks around conflicts
  -e, --ed                    an ed script that brings what changed
                                between OLDFILE and YOURFILE to MYFILE
  -E, --show-overlap          the same, with marks around conflicts
  -3, --easy-only             the same, without what conflicts
  -x, --overlap-only          the same, nothing but what conflicts
  -X                          -x with marks around conflicts
  -i                          end the ed script with w and q
  -m, --merge                 print the file with the changes in it
                                (with -A, unless told otherwise)
  -a, --text                  files are text, whatever they look like
      --strip-trailing-cr     a carriage return at the end does not count
  -T, --initial-tab           put a tab in front, so that tabs line up
  -L, --label=LABEL           LABEL in the place of a file's name
                                (one for each file)
      --help                  print this help
  -v, --version               print the version

- is standard input.
Status: 0 done, 1 with conflicts, 2 an error.
";

const LONG: &[Long] = &[
    ("easy-only", NO, '3'),
    ("ed", NO, 'e'),
    ("initial-tab", NO, 'T'),
    ("label", REQ, 'L'),
    ("merge", NO, 'm'),
    ("overlap-only", NO, 'x'),
    ("show-all", NO, 'A'),
    ("show-overlap", NO, 'E'),
    ("strip-trailing-cr", NO, STRIP_CR),
    ("text", NO, 'a'),
];
const STRIP_CR: char = only(0);
const TROUBLE: u8 = 2;

/// Lines of the common end that the comparisons look at, so that they place their changes alike.
const HORIZON: usize = 100;

/// Which of the three differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Odd {
    First,
    Second,
    Third,
    All,
}

/// A place where they differ: where in each of the three files it begins and ends.
#[derive(Clone, Copy, Debug)]
struct Block {
    ranges: [(usize, usize); 3],
    odd: Odd,
}

#[derive(Default)]
struct How {
    ed: bool,
    merge: bool,
    /// Conflicts are bracketed.
    flag: bool,
    show_old: bool,
    overlap_only: bool,
    easy_only: bool,
    write: bool,
    tab: bool,
}

pub fn main(args: &Args) -> Outcome {
    report::hint(report::Hint::Named);
    report::output_fails(TROUBLE, "standard output");
    let mut options = Options::new(args, "aeimvx3AEL:TX", LONG).status(TROUBLE);
    let mut how = How::default();
    let (mut text, mut strip_cr, mut styles) = (false, false, 0);
    let mut labels: Vec<Vec<u8>> = Vec::new();
    while let Some(opt) = options.next()? {
        styles += u32::from("AeE3xX".contains(opt.letter));
        match opt.letter {
            'a' => text = true,
            'A' => (how.show_old, how.flag) = (true, true),
            'e' => how.ed = true,
            'E' => how.flag = true,
            '3' => how.easy_only = true,
            'x' => how.overlap_only = true,
            // The manual speaks of brackets here, GNU's program writes none.
            'X' => how.overlap_only = true,
            'i' => how.write = true,
            'm' => how.merge = true,
            'T' => how.tab = true,
            'L' => match labels.len() {
                0..3 => labels.push(opt.value().to_vec()),
                _ => return Err(report::die(TROUBLE, "too many file label options")),
            },
            STRIP_CR => strip_cr = true,
            _ => {
                let mut out = Out::stdout();
                out.write(format!("diff3 (Capsule) {}\n", env!("CARGO_PKG_VERSION")).as_bytes());
                return report::finish(&mut out, 0);
            }
        }
    }
    how.ed = styles > 0 && !how.merge;
    if how.merge && styles == 0 {
        (how.show_old, how.flag) = (true, true);
    }
    let incompatible = styles > 1 || (how.write && how.merge) || (!labels.is_empty() && !how.flag);
    if incompatible {
        return Err(report::usage(TROUBLE, "incompatible options"));
    }
    let operands = options.operands();
    let [mine, old, yours] = operands[..] else {
        return Err(match operands.get(3) {
            Some(extra) => report::usage(TROUBLE, format_args!("extra operand {}", plain(extra))),
            None => {
                let last = args.argv.last().map_or(b"diff3".as_slice(), Vec::as_slice);
                report::usage(TROUBLE, format_args!("missing operand after {}", plain(last)))
            }
        });
    };
    if mine == b"-" && yours == b"-" {
        return Err(report::die(TROUBLE, "'-' specified for more than one input file"));
    }
    let mut texts = [read(mine)?, read(old)?, read(yours)?];
    if !text && texts.iter().any(Text::is_binary) {
        let same = texts[0].bytes == texts[1].bytes && texts[1].bytes == texts[2].bytes;
        if !same {
            report::error("diff failed: Binary files differ");
            return Ok(TROUBLE);
        }
    }
    if strip_cr {
        texts.iter_mut().for_each(Text::strip_carriage_returns);
    }
    let names: Vec<Vec<u8>> =
        [mine, old, yours].iter().enumerate().map(|(i, n)| labels.get(i).cloned().unwrap_or(n.to_vec())).collect();
    // Merging asks what both did to the old file; else the last one is the measure.
    let common = if how.merge || how.ed { 1 } else { 2 };
    let blocks = blocks(&texts, common);
    let mut out = Out::stdout();
    let conflicts = match (how.merge, how.ed) {
        (true, _) => merge(&mut out, &texts, &blocks, &names, &how),
        (_, true) => script(&mut out, &texts, &blocks, &names, &how),
        _ => {
            show(&mut out, &texts, &blocks, how.tab);
            false
        }
    };
    report::finish(&mut out, conflicts.into())
}

fn read(name: &[u8]) -> Result<Text, Exit> {
    let fault = |e| report::die(TROUBLE, format_args!("{}: {e}", crate::quote::raw(name)));
    if name == b"-" {
        return Text::read(STDIN).map_err(fault);
    }
    let file = open(name, OpenFlags::RDONLY | OpenFlags::CLOEXEC, 0).map_err(fault)?;
    if fstat(file.raw()).is_ok_and(|s| s.kind == FileType::Directory) {
        return Err(fault(capsule_sys::Errno::EISDIR));
    }
    Text::read(file.raw()).map_err(fault)
}

/// Joins the changes of the other two against the common file.
fn blocks(texts: &[Text; 3], common: usize) -> Vec<Block> {
    let others = match common {
        1 => [0, 2],
        _ => [0, 1],
    };
    let effort = Effort { minimal: false, horizon: HORIZON };
    let ignore = Ignore::default();
    let lists: Vec<Vec<Change>> = others.iter().map(|&o| changes(&texts[o], &texts[common], &ignore, effort)).collect();
    let mut at = [0, 0];
    let mut all = Vec::new();
    // Where in each file the last block ended.
    let mut ended = [0; 3];
    loop {
        let next = |thread: usize, at: &[usize; 2]| lists[thread].get(at[thread]).copied();
        let base = match (next(0, &at), next(1, &at)) {
            (None, None) => break,
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (Some(x), Some(y)) => usize::from(x.b > y.b),
        };
        let mut used: [Option<(Change, Change)>; 2] = [None, None];
        let mut take = |thread: usize, at: &mut [usize; 2]| -> usize {
            let change = lists[thread][at[thread]];
            at[thread] += 1;
            used[thread] = Some((used[thread].map_or(change, |u| u.0), change));
            change.b + change.inserted
        };
        let start = lists[base][at[base]].b;
        let (mut high, mut mark) = (base, take(base, &mut at));
        // A change of the other that touches this one belongs to it, and may reach further.
        while let Some(change) = next(high ^ 1, &at)
            && change.b <= mark
        {
            let end = take(high ^ 1, &mut at);
            if end > mark {
                high ^= 1;
                mark = end;
            }
        }
        let mut ranges = [(0, 0); 3];
        ranges[common] = (start, mark);
        for thread in 0..2 {
            let file = others[thread];
            ranges[file] = match used[thread] {
                Some((first, last)) => {
                    (first.a - (first.b - start), last.a + last.deleted + (mark - (last.b + last.inserted)))
                }
                None => {
                    let low = ended[file] + (start - ended[common]);
                    (low, low + (mark - start))
                }
            };
        }
        ended = ranges.map(|r| r.1);
        let equal = |i: usize, j: usize| {
            let lines = |n: usize| (ranges[n].0..ranges[n].1).map(move |l| texts[n].line(l));
            lines(i).eq(lines(j))
        };
        let odd_of = |file: usize| [Odd::First, Odd::Second, Odd::Third][file];
        let odd = match used {
            [Some(_), None] => odd_of(others[0]),
            [None, Some(_)] => odd_of(others[1]),
            _ if equal(others[0], others[1]) => odd_of(common),
            _ => Odd::All,
        };
        all.push(Block { ranges, odd });
    }
    all
}

/// The usual output: each file's range, and its lines unless the next file has the same.
fn show(out: &mut Out, texts: &[Text; 3], blocks: &[Block], tab: bool) {
    for block in blocks {
        let (mark, hidden) = match block.odd {
            Odd::All => ("", 3),
            Odd::First => ("1", 1),
            Odd::Second => ("2", 0),
            Odd::Third => ("3", 0),
        };
        out.write(format!("===={mark}\n").as_bytes());
        // Those that are the same stand together.
        let order = if block.odd == Odd::Second { [0, 2, 1] } else { [0, 1, 2] };
        for file in order {
            let (start, end) = block.ranges[file];
            let text = match end - start {
                0 => format!("{}:{start}a\n", file + 1),
                1 => format!("{}:{end}c\n", file + 1),
                _ => format!("{}:{},{end}c\n", file + 1, start + 1),
            };
            out.write(text.as_bytes());
            if file == hidden {
                continue;
            }
            for line in start..end {
                out.write(if tab { b"\t" } else { b"  " });
                out.write(texts[file].content(line));
                out.byte(b'\n');
                if texts[file].ends_early(line) {
                    out.write(b"\\ No newline at end of file\n");
                }
            }
        }
    }
}

/// Whether a block is wanted, and whether it is shown as a conflict.
fn wanted(odd: Odd, how: &How) -> Option<bool> {
    match odd {
        Odd::First => None,
        Odd::Second => how.show_old.then_some(true),
        Odd::Third => (!how.overlap_only).then_some(false),
        Odd::All => (!how.easy_only).then_some(how.flag),
    }
}

fn merge(out: &mut Out, texts: &[Text; 3], blocks: &[Block], names: &[Vec<u8>], how: &How) -> bool {
    let mut conflicts = false;
    let mut at = 0;
    let lines = |out: &mut Out, file: usize, (start, end): (usize, usize)| {
        (start..end).for_each(|line| out.write(texts[file].line(line)));
    };
    let bracket = |out: &mut Out, mark: &[u8], name: &[u8]| out.write(&[mark, b" ", name, b"\n"].concat());
    for block in blocks {
        let Some(conflict) = wanted(block.odd, how) else { continue };
        lines(out, 0, (at, block.ranges[0].0));
        at = block.ranges[0].1;
        if conflict {
            conflicts = true;
            if block.odd == Odd::All {
                bracket(out, b"<<<<<<<", &names[0]);
                lines(out, 0, block.ranges[0]);
            }
            if how.show_old {
                bracket(out, if block.odd == Odd::All { b"|||||||" } else { b"<<<<<<<" }, &names[1]);
                lines(out, 1, block.ranges[1]);
            }
            out.write(b"=======\n");
        }
        lines(out, 2, block.ranges[2]);
        if conflict {
            bracket(out, b">>>>>>>", &names[2]);
        }
    }
    lines(out, 0, (at, texts[0].len()));
    conflicts
}

/// A script for `ed`, from the last block to the first.
fn script(out: &mut Out, texts: &[Text; 3], blocks: &[Block], names: &[Vec<u8>], how: &How) -> bool {
    let mut conflicts = false;
    // Lines that begin with a dot get one more, which is taken away again below.
    let dotted = |out: &mut Out, file: usize, (start, end): (usize, usize)| -> bool {
        let mut any = false;
        for line in start..end {
            let content = texts[file].content(line);
            if content.first() == Some(&b'.') {
                any = true;
                out.byte(b'.');
            }
            out.write(content);
            out.byte(b'\n');
        }
        any
    };
    let undot = |out: &mut Out, any: bool, start: usize, count: usize| {
        out.write(b".\n");
        if any {
            let range = if count == 1 { format!("{start}") } else { format!("{start},{}", start + count - 1) };
            out.write(format!("{range}s/^\\.//\n").as_bytes());
        }
    };
    for block in blocks.iter().rev() {
        let Some(conflict) = wanted(block.odd, how) else { continue };
        let [(low, high), old, new] = block.ranges;
        let (old_count, new_count) = (old.1 - old.0, new.1 - new.0);
        if conflict {
            conflicts = true;
            out.write(format!("{high}a\n").as_bytes());
            let mut any = false;
            if block.odd == Odd::All {
                if how.show_old {
                    out.write(&[b"||||||| ", names[1].as_slice(), b"\n"].concat());
                    any = dotted(out, 1, old);
                }
                out.write(b"=======\n");
                any |= dotted(out, 2, new);
            }
            out.write(&[b">>>>>>> ", names[2].as_slice(), b"\n"].concat());
            undot(out, any, high + 2, old_count + new_count + 1);
            let name = if block.odd == Odd::All { &names[0] } else { &names[1] };
            out.write(format!("{low}a\n").as_bytes());
            out.write(&[b"<<<<<<< ", name.as_slice(), b"\n"].concat());
            let mut any = false;
            if block.odd == Odd::Second {
                any = dotted(out, 1, old);
                out.write(b"=======\n");
            }
            undot(out, any, low + 2, old_count);
            continue;
        }
        let range = match high - low {
            0 => high.to_string(),
            1 => high.to_string(),
            _ => format!("{},{high}", low + 1),
        };
        if new_count == 0 {
            out.write(format!("{range}d\n").as_bytes());
            continue;
        }
        let letter = if high == low { 'a' } else { 'c' };
        out.write(format!("{range}{letter}\n").as_bytes());
        let any = dotted(out, 2, new);
        undot(out, any, low + 1, new_count);
    }
    if how.write {
        out.write(b"w\nq\n");
    }
    conflicts
}
