use crate::input::join;
use crate::options::{NO, OPT, Options, REQ, only};
use crate::quote::locale;
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, OpenFlags, Out, getenv, lstat, mkdir, open, random};

pub const HELP: &str = "\
Usage: mktemp [OPTION]... [TEMPLATE]
Make a file, or a directory, that was not there before, and print its name.
TEMPLATE ends in three X or more, which are replaced
(tmp.XXXXXXXXXX in the directory for such files, if none is given).
Nobody but you may read it.

  -d, --directory     a directory
  -u, --dry-run       only print a name that is free now
  -q, --quiet         no messages if it cannot be made
      --suffix=SUFF   append SUFF to TEMPLATE; SUFF must not contain a slash
  -p DIR, --tmpdir[=DIR]  TEMPLATE is below DIR; without DIR, below
                        $TMPDIR, or else /tmp
  -t                  TEMPLATE is a name without slashes, and is made
                        in $TMPDIR, or else in what -p says, or /tmp
      --help        print this help
      --version     print the version
";

const SUFFIX: char = only(0);
const TMPDIR: char = only(1);

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("directory", NO, 'd'),
        ("quiet", NO, 'q'),
        ("dry-run", NO, 'u'),
        ("suffix", REQ, SUFFIX),
        ("tmpdir", OPT, TMPDIR),
    ];
    let mut options = Options::new(args, "dp:qtu", long);
    let (mut directory, mut dry, mut quiet, mut old) = (false, false, false, false);
    let (mut suffix, mut dir, mut in_tmp) = (None, None, false);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'd' => directory = true,
            'u' => dry = true,
            'q' => quiet = true,
            't' => (old, in_tmp) = (true, true),
            'p' => (dir, in_tmp) = (Some(opt.value()), true),
            TMPDIR => (dir, in_tmp) = (opt.value, true),
            _ => suffix = Some(opt.value()),
        }
    }
    let operands = options.operands();
    if operands.len() > 1 {
        return Err(report::usage(1, "too many templates"));
    }
    in_tmp |= operands.is_empty();
    let template: &[u8] = operands.first().copied().unwrap_or(b"tmp.XXXXXXXXXX");
    let path = whole_template(template, suffix, dir, in_tmp, old)?;
    for _ in 0..100 {
        let name = fill(&path.0, path.1);
        let made = if dry {
            match lstat(&name) {
                Ok(_) => Err(Errno::EEXIST),
                Err(Errno::ENOENT) => Ok(()),
                Err(e) => Err(e),
            }
        } else if directory {
            mkdir(&name, 0o700)
        } else {
            open(&name, OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::EXCL, 0o600).map(drop)
        };
        match made {
            Err(Errno::EEXIST) => {}
            Ok(()) => {
                let mut out = Out::stdout();
                out.write(&name);
                out.byte(b'\n');
                return report::finish(&mut out, 0);
            }
            Err(e) => {
                if !quiet {
                    let what = if directory { "directory" } else { "file" };
                    report::error(format_args!("failed to create {what} via template {}: {e}", locale(&path.0)));
                }
                return Err(Exit(1));
            }
        }
    }
    Err(report::die(1, format_args!("failed to create file via template {}: {}", locale(&path.0), Errno::EEXIST)))
}

/// The whole path with its X's, and how many bytes follow them.
fn whole_template(
    template: &[u8],
    suffix: Option<&[u8]>,
    dir: Option<&[u8]>,
    in_tmp: bool,
    old: bool,
) -> Result<(Vec<u8>, usize), Exit> {
    let (mut text, after) = match suffix {
        Some(suffix) => {
            if template.last() != Some(&b'X') {
                let text = format!("with --suffix, template {} must end in X", locale(template));
                return Err(report::die(1, text));
            }
            ([template, suffix].concat(), suffix.len())
        }
        None => {
            let end = template.iter().rposition(|&b| b == b'X').map_or(template.len(), |i| i + 1);
            (template.to_vec(), template.len() - end)
        }
    };
    if text[text.len() - after..].contains(&b'/') {
        let shown = locale(&text[text.len() - after..]);
        return Err(report::die(1, format_args!("invalid suffix {shown}, contains directory separator")));
    }
    let before = &text[..text.len() - after];
    if before.iter().rev().take_while(|b| **b == b'X').count() < 3 {
        return Err(report::die(1, format_args!("too few X's in template {}", locale(template))));
    }
    if in_tmp {
        let variable = getenv(b"TMPDIR").filter(|t| !t.is_empty());
        let base = if old {
            if template.contains(&b'/') {
                let shown = locale(template);
                let text = format!("invalid template, {shown}, contains directory separator");
                return Err(report::die(1, text));
            }
            variable.or_else(|| dir.map(<[u8]>::to_vec))
        } else {
            if template.starts_with(b"/") {
                let shown = locale(template);
                let text = format!("invalid template, {shown}; with --tmpdir, it may not be absolute");
                return Err(report::die(1, text));
            }
            dir.filter(|d| !d.is_empty()).map(<[u8]>::to_vec).or(variable)
        };
        text = join(&base.unwrap_or_else(|| b"/tmp".to_vec()), &text);
    }
    Ok((text, after))
}

fn fill(template: &[u8], after: usize) -> Vec<u8> {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut name = template.to_vec();
    let end = name.len() - after;
    let start = end - name[..end].iter().rev().take_while(|b| **b == b'X').count();
    let mut bytes = vec![0; end - start];
    let _ = random(&mut bytes);
    for (place, byte) in name[start..end].iter_mut().zip(bytes) {
        *place = LETTERS[usize::from(byte) % LETTERS.len()];
    }
    name
}
