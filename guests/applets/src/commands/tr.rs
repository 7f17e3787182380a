use crate::options::{NO, Options};
use crate::quote::locale;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{In, Out, STDIN};

mod set;

pub const HELP: &str = "\
Usage: tr [OPTION]... STRING1 [STRING2]
Replace, squeeze or remove characters of standard input.
STRING1 lists what is meant (ARRAY1), and STRING2
what becomes of it (ARRAY2).

  -c, -C, --complement    everything that is not in ARRAY1
  -d, --delete            remove what is in ARRAY1
  -s, --squeeze-repeats   one for several in a row, of what is in
                            the last ARRAY
  -t, --truncate-set1     leave the end of a longer ARRAY1 away
      --help        print this help
      --version     print the version

Strings are written as characters, with \\NNN, \\\\, \\a, \\b, \\f, \\n, \\r, \\t, \\v;
CHAR1-CHAR2, [CHAR*], [CHAR*REPEAT], [:CLASS:] and [=CHAR=].
";

pub fn main(args: &Args) -> Outcome {
    let long =
        &[("complement", NO, 'c'), ("delete", NO, 'd'), ("squeeze-repeats", NO, 's'), ("truncate-set1", NO, 't')];
    let mut options = Options::new(args, "+cCdst", long);
    let (mut complement, mut delete, mut squeeze, mut truncate) = (false, false, false, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' | 'C' => complement = true,
            'd' => delete = true,
            's' => squeeze = true,
            _ => truncate = true,
        }
    }
    let operands = options.operands();
    let translating = !delete && (operands.len() > 1 || !squeeze);
    check_operands(&operands, delete, squeeze)?;
    let first = set::parse(operands[0])?;
    let second = operands.get(1).map(|text| set::parse(text)).transpose()?;
    set::check_fills(&first, second.as_ref(), translating)?;
    let mut one = first.expand(None, complement)?;
    let mut map: [u8; 256] = std::array::from_fn(|i| i as u8);
    let mut deleted = [false; 256];
    let mut squeezed = [false; 256];
    if let Some(second) = second.as_ref().filter(|_| translating) {
        let mut two = second.expand(Some(one.len()), false)?;
        set::check_classes(&first, second, complement)?;
        if two.is_empty() && !truncate {
            return Err(report::die(1, "when not truncating set1, string2 must be non-empty"));
        }
        if truncate {
            one.truncate(two.len());
        } else if two.len() < one.len() {
            if second.ends_in_class() {
                let text = "when translating with string1 longer than string2,\nthe latter string must not end with a \
                            character class";
                return Err(report::die(1, text));
            }
            let last = two[two.len() - 1];
            two.resize(one.len(), last);
        }
        for (from, to) in one.iter().zip(&two) {
            map[usize::from(*from)] = *to;
        }
        if squeeze {
            two.iter().for_each(|b| squeezed[usize::from(*b)] = true);
        }
    } else {
        if delete {
            one.iter().for_each(|b| deleted[usize::from(*b)] = true);
        }
        if squeeze {
            let last = if let Some(second) = second { second.expand(None, false)? } else { one };
            last.iter().for_each(|b| squeezed[usize::from(*b)] = true);
        }
    }
    run(&map, delete.then_some(&deleted), squeeze.then_some(&squeezed))
}

fn check_operands(operands: &[&[u8]], delete: bool, squeeze: bool) -> Result<(), Exit> {
    let Some(last) = operands.last() else {
        return Err(report::usage(1, "missing operand"));
    };
    let least = 1 + usize::from(delete == squeeze);
    let most = 1 + usize::from(!delete || squeeze);
    let hint = |text: &str| {
        let _ = capsule_sys::write_all(capsule_sys::STDERR, text.as_bytes());
        report::try_help(1)
    };
    if operands.len() < least {
        report::error(format_args!("missing operand after {}", locale(last)));
        return Err(hint(if squeeze {
            "Two strings must be given when both deleting and squeezing repeats.\n"
        } else {
            "Two strings must be given when translating.\n"
        }));
    }
    if let Some(extra) = operands.get(most) {
        report::error(format_args!("extra operand {}", locale(extra)));
        let only_one = operands.len() == 2;
        return Err(if only_one {
            hint("Only one string may be given when deleting without squeezing repeats.\n")
        } else {
            report::try_help(1)
        });
    }
    Ok(())
}

fn run(map: &[u8; 256], deleted: Option<&[bool; 256]>, squeezed: Option<&[bool; 256]>) -> Outcome {
    let mut input = In::new(STDIN);
    let mut out = Out::stdout();
    let mut result = Vec::new();
    let mut before = None;
    loop {
        let block = match input.fill() {
            Ok(block) => block,
            Err(e) => return Err(report::die(1, format_args!("read error: {e}"))),
        };
        if block.is_empty() {
            return report::finish(&mut out, 0);
        }
        let n = block.len();
        result.clear();
        match deleted {
            Some(deleted) => keep(block, deleted, &mut result),
            // One table look-up a byte; the bounds are known, so the loop is unrolled.
            None => result.extend(block.iter().map(|b| map[usize::from(*b)])),
        }
        if let Some(squeezed) = squeezed {
            result.retain(|b| {
                let again = before == Some(*b) && squeezed[usize::from(*b)];
                before = Some(*b);
                !again
            });
        }
        out.write(&result);
        input.consume(n);
        report::writable(&out)?;
    }
}

/// The bytes that are not deleted. All are written, and those that are kept move the next one's place on: no branch that
/// nobody could foresee.
fn keep(block: &[u8], deleted: &[bool; 256], result: &mut Vec<u8>) {
    result.resize(block.len(), 0);
    let mut at = 0;
    for &byte in block {
        if let Some(place) = result.get_mut(at) {
            *place = byte;
        }
        at += usize::from(!deleted[usize::from(byte)]);
    }
    result.truncate(at);
}
