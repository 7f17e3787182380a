use super::du::block_size;
use crate::human::Unit;
use crate::options::{Long, NO, OPT, Options, REQ, only};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, proc, report};
use capsule_sys::{FsUsage, Out, getenv, stat, statfs};

pub const HELP: &str = "\
Usage: df [OPTION]... [FILE]...
How much room the file systems of the FILEs have,
or all there are.

  -a, --all             also those without blocks, and repeated ones
  -B, --block-size=SIZE  scale sizes by SIZE before printing them
  -h, --human-readable  sizes such as 1023M, in powers of 1024
  -H, --si              sizes such as 1.1G, in powers of 1000
  -i, --inodes          count files, not blocks
  -k                    blocks of 1024 bytes
  -l, --local           limit listing to local file systems (all are)
      --no-sync         do not invoke sync before (default)
      --output[=FIELD_LIST]  show these columns: source, fstype, itotal, iused,
                          iavail, ipcent, size, used, avail, pcent, file, target
  -P, --portability     one line each, as POSIX says
      --sync            write everything to disk first
      --total           produce a grand total
  -t, --type=TYPE       only file systems of this TYPE
  -T, --print-type      with a column of types
  -v                    (changes nothing)
  -x, --exclude-type=TYPE   no file systems of this TYPE
      --help        print this help
      --version     print the version
";

const OUTPUT: char = only(0);
const SYNC: char = only(1);
const TOTAL: char = only(2);
const BLOCK_SIZE: char = only(3);
const LONG: &[Long] = &[
    ("all", NO, 'a'),
    ("block-size", REQ, BLOCK_SIZE),
    ("human-readable", NO, 'h'),
    ("inodes", NO, 'i'),
    ("local", NO, 'l'),
    ("no-sync", NO, SYNC),
    ("output", OPT, OUTPUT),
    ("portability", NO, 'P'),
    ("print-type", NO, 'T'),
    ("si", NO, 'H'),
    ("sync", NO, SYNC),
    ("total", NO, TOTAL),
    ("type", REQ, 't'),
    ("exclude-type", REQ, 'x'),
];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Field {
    Source,
    Fstype,
    Itotal,
    Iused,
    Iavail,
    Ipcent,
    Size,
    Used,
    Avail,
    Pcent,
    File,
    Target,
}

const FIELDS: &[(&str, Field)] = &[
    ("source", Field::Source),
    ("fstype", Field::Fstype),
    ("itotal", Field::Itotal),
    ("iused", Field::Iused),
    ("iavail", Field::Iavail),
    ("ipcent", Field::Ipcent),
    ("size", Field::Size),
    ("used", Field::Used),
    ("avail", Field::Avail),
    ("pcent", Field::Pcent),
    ("file", Field::File),
    ("target", Field::Target),
];

struct Row {
    mount: proc::Mount,
    usage: FsUsage,
    file: Vec<u8>,
}

struct Df<'a> {
    all: bool,
    unit: Unit,
    posix: bool,
    types: Vec<&'a [u8]>,
    excluded: Vec<&'a [u8]>,
    fields: Vec<Field>,
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "aB:hHiklmPTt:vx:", LONG);
    let mut df = Df {
        all: false,
        unit: default_unit(),
        posix: false,
        types: Vec::new(),
        excluded: Vec::new(),
        fields: Vec::new(),
    };
    let (mut inodes, mut kinds, mut total, mut output) = (false, false, false, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'a' => df.all = true,
            'B' => df.unit = block_size(opt.value(), "-B")?,
            BLOCK_SIZE => df.unit = block_size(opt.value(), "--block-size")?,
            'h' => df.unit = Unit::Auto(1024),
            'H' => df.unit = Unit::Auto(1000),
            'i' => inodes = true,
            'k' => df.unit = Unit::Bytes(1024),
            // Not told of, but there.
            'm' => df.unit = Unit::Bytes(1 << 20),
            OUTPUT => output = Some(opt.value),
            'P' => df.posix = true,
            'T' => kinds = true,
            TOTAL => total = true,
            't' => df.types.push(opt.value()),
            'x' => df.excluded.push(opt.value()),
            _ => {}
        }
    }
    let conflict = |with: &str| report::usage(1, format_args!("options {with} and --output are mutually exclusive"));
    if output.is_some() {
        for (given, name) in [(inodes, "-i"), (kinds, "-T"), (df.posix, "-P")] {
            if given {
                return Err(conflict(name));
            }
        }
    }
    if let Some(both) = df.types.iter().find(|t| df.excluded.contains(t)) {
        return Err(report::die(
            1,
            format_args!("file system type {} both selected and excluded", quote::quoted(both)),
        ));
    }
    df.fields = match output {
        Some(list) => chosen(list)?,
        None => {
            let mut fields = vec![Field::Source];
            if kinds {
                fields.push(Field::Fstype);
            }
            fields.extend(match inodes {
                true => [Field::Itotal, Field::Iused, Field::Iavail, Field::Ipcent],
                false => [Field::Size, Field::Used, Field::Avail, Field::Pcent],
            });
            fields.push(Field::Target);
            fields
        }
    };
    let operands = options.operands();
    let mut good = true;
    let mut rows = df.rows(&operands, &mut good);
    if rows.is_empty() {
        return if good { Err(report::die(1, "no file systems processed")) } else { Ok(1) };
    }
    if total {
        let sum = |get: fn(&FsUsage) -> u64| rows.iter().map(|r| get(&r.usage)).sum();
        let usage = FsUsage {
            blocks: sum(|u| u.blocks),
            blocks_free: sum(|u| u.blocks_free),
            files: sum(|u| u.files),
            files_free: sum(|u| u.files_free),
            read_only: false,
        };
        let target = if df.fields.contains(&Field::Source) { b"-".to_vec() } else { b"total".to_vec() };
        let mount = proc::Mount { source: b"total".to_vec(), target, kind: b"-".to_vec(), options: Vec::new() };
        rows.push(Row { mount, usage, file: b"-".to_vec() });
    }
    let mut out = Out::stdout();
    df.table(&rows, inodes, &mut out);
    report::finish(&mut out, u8::from(!good))
}

fn default_unit() -> Unit {
    for name in [b"DF_BLOCK_SIZE".as_slice(), b"BLOCK_SIZE", b"BLOCKSIZE"] {
        if let Some(value) = getenv(name) {
            return Unit::parse(&value).unwrap_or(Unit::Bytes(1024));
        }
    }
    Unit::Bytes(if getenv(b"POSIXLY_CORRECT").is_some() { 512 } else { 1024 })
}

fn chosen(list: Option<&[u8]>) -> Result<Vec<Field>, Exit> {
    let Some(list) = list else { return Ok(FIELDS.iter().map(|f| f.1).collect()) };
    let mut fields = Vec::new();
    for name in list.split(|&b| b == b',') {
        let Some(found) = FIELDS.iter().find(|f| f.0.as_bytes() == name) else {
            return Err(report::usage(1, format_args!("option --output: field {} unknown", locale(name))));
        };
        if fields.contains(&found.1) {
            let text = format!("option --output: field {} used more than once", locale(name));
            return Err(report::usage(1, text));
        }
        fields.push(found.1);
    }
    Ok(fields)
}

impl Df<'_> {
    fn wanted(&self, mount: &proc::Mount) -> bool {
        (self.types.is_empty() || self.types.contains(&mount.kind.as_slice()))
            && !self.excluded.contains(&mount.kind.as_slice())
    }

    fn rows(&self, operands: &[&[u8]], good: &mut bool) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        if operands.is_empty() {
            let mut seen = Vec::new();
            for mount in proc::mounts() {
                let (Ok(usage), Ok(s)) = (statfs(&mount.target), stat(&mount.target)) else { continue };
                // Those without blocks only pretend, and one device is shown once.
                if !self.wanted(&mount) || (!self.all && (usage.blocks == 0 || seen.contains(&s.dev))) {
                    continue;
                }
                seen.push(s.dev);
                rows.push(Row { mount, usage, file: b"-".to_vec() });
            }
            return rows;
        }
        for file in operands {
            let found = statfs(file).and_then(|usage| Ok((usage, stat(file)?)));
            match found {
                Err(e) => {
                    report::fault(quote::name(file), e);
                    *good = false;
                }
                Ok((usage, s)) => {
                    let on = |m: &proc::Mount| stat(&m.target).is_ok_and(|t| t.dev == s.dev);
                    let mounts = proc::mounts();
                    let path =
                        crate::path::canonical(file, crate::path::Missing::None, false, true).unwrap_or_default();
                    // The innermost mount above the file; any of its device where paths do not tell.
                    let above = |m: &&proc::Mount| {
                        m.target == b"/"
                            || path.strip_prefix(m.target.as_slice()).is_some_and(|r| r.is_empty() || r[0] == b'/')
                    };
                    let best = mounts.iter().filter(above).filter(|m| on(m)).max_by_key(|m| m.target.len());
                    let best = best.or_else(|| mounts.iter().find(|m| on(m))).or(mounts.first());
                    let Some(mount) = best else { continue };
                    let (source, target, kind) = (mount.source.clone(), mount.target.clone(), mount.kind.clone());
                    let mount = proc::Mount { source, target, kind, options: Vec::new() };
                    if self.wanted(&mount) {
                        rows.push(Row { mount, usage, file: file.to_vec() });
                    }
                }
            }
        }
        rows
    }

    fn title(&self, field: Field) -> String {
        let size = match self.unit {
            Unit::Bytes(1024) if self.posix => "1024-blocks".to_owned(),
            Unit::Auto(_) => "Size".to_owned(),
            Unit::Named(_, name) => format!("1{name}-blocks"),
            Unit::Bytes(n) if self.posix => format!("{n}-blocks"),
            Unit::Bytes(n) => {
                let powers = [
                    (1u64 << 30, "G"),
                    (1_000_000_000, "GB"),
                    (1 << 20, "M"),
                    (1_000_000, "MB"),
                    (1 << 10, "K"),
                    (1000, "kB"),
                ];
                let power = powers.into_iter().find(|p| n % p.0 == 0);
                match power {
                    Some((unit, letter)) => format!("{}{letter}-blocks", n / unit),
                    None => format!("{n}B-blocks"),
                }
            }
        };
        match field {
            Field::Source => "Filesystem".to_owned(),
            Field::Fstype => "Type".to_owned(),
            Field::Itotal => "Inodes".to_owned(),
            Field::Iused => "IUsed".to_owned(),
            Field::Iavail => "IFree".to_owned(),
            Field::Ipcent => "IUse%".to_owned(),
            Field::Size => size,
            Field::Used => "Used".to_owned(),
            Field::Avail if matches!(self.unit, Unit::Auto(_)) => "Avail".to_owned(),
            Field::Avail => "Available".to_owned(),
            Field::Pcent if self.posix && !matches!(self.unit, Unit::Auto(_)) => "Capacity".to_owned(),
            Field::Pcent => "Use%".to_owned(),
            Field::File => "File".to_owned(),
            Field::Target => "Mounted on".to_owned(),
        }
    }

    fn cell(&self, row: &Row, field: Field, inodes: bool) -> Vec<u8> {
        let u = &row.usage;
        let percent = |used: u64, all: u64| match all {
            0 => "-".to_owned(),
            all => format!("{}%", (u128::from(used) * 100).div_ceil(u128::from(all))),
        };
        // A block of the door is as large as the smallest that people count in.
        let bytes = |blocks: u64| self.unit.show(blocks.saturating_mul(BLOCK));
        let count =
            |n: u64| if inodes && matches!(self.unit, Unit::Auto(_)) { self.unit.show(n) } else { n.to_string() };
        let text = match field {
            Field::Source => return row.mount.source.clone(),
            Field::Fstype => return row.mount.kind.clone(),
            Field::File => return row.file.clone(),
            Field::Target => return row.mount.target.clone(),
            Field::Itotal => count(u.files),
            Field::Iused => count(u.files - u.files_free.min(u.files)),
            Field::Iavail => count(u.files_free),
            Field::Ipcent => percent(u.files - u.files_free.min(u.files), u.files),
            Field::Size => bytes(u.blocks),
            Field::Used => bytes(u.blocks - u.blocks_free.min(u.blocks)),
            Field::Avail => bytes(u.blocks_free),
            Field::Pcent => percent(u.blocks - u.blocks_free.min(u.blocks), u.blocks),
        };
        text.into_bytes()
    }

    fn table(&self, rows: &[Row], inodes: bool, out: &mut Out) {
        let mut cells: Vec<Vec<Vec<u8>>> = vec![self.fields.iter().map(|f| self.title(*f).into_bytes()).collect()];
        cells.extend(rows.iter().map(|r| self.fields.iter().map(|f| self.cell(r, *f, inodes)).collect()));
        let least = |f: Field| match f {
            Field::Source => 14,
            Field::Fstype => 4,
            Field::Size | Field::Used | Field::Avail | Field::Itotal | Field::Iused | Field::Iavail => 5,
            Field::Pcent | Field::Ipcent => 4,
            _ => 0,
        };
        let width = |i: usize| cells.iter().map(|r| r[i].len()).max().unwrap_or(0).max(least(self.fields[i]));
        let widths: Vec<usize> = (0..self.fields.len()).map(width).collect();
        for row in &cells {
            let mut line = Vec::new();
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    line.push(b' ');
                }
                let left = matches!(self.fields[i], Field::Source | Field::Fstype | Field::File | Field::Target);
                let blanks = vec![b' '; widths[i].saturating_sub(cell.len())];
                match (left, i + 1 == row.len()) {
                    (true, true) => line.extend_from_slice(cell),
                    (true, false) => line.extend([cell.as_slice(), &blanks].concat()),
                    (false, _) => line.extend([&blanks, cell.as_slice()].concat()),
                }
            }
            line.push(b'\n');
            out.write(&line);
        }
    }
}

/// Bytes of a block as `statfs` counts them.
const BLOCK: u64 = 4096;
