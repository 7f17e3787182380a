use super::tree::json;
use crate::input::Input;
use crate::options::{Long, NO, Options, REQ};
use crate::quote::{self, plain};
use crate::width::width as char_width;
use crate::{Args, Exit, Outcome, number, report};
use capsule_sys::{Errno, Out, STDOUT, getenv, window};

pub const HELP: &str = "\
Usage: column [OPTION]... [FILE]...
Put lines into columns, or (-t) words into a table.

  -t, --table                  make a table
  -n, --table-name=NAME        the table's name in JSON
  -O, --table-order=COLUMNS    the order of columns
  -N, --table-columns=NAMES    names of columns, with commas
  -l, --table-columns-limit=N  at most N columns
  -d, --table-noheadings       no line of names
  -H, --table-hide=COLUMNS     leave these out (- those without a name)
  -R, --table-right=COLUMNS    align these to the right
  -L, --keep-empty-lines       keep empty lines
  -J, --json                   write JSON
  -c, --output-width=WIDTH     width of the output
  -o, --output-separator=STRING  between columns of a table (two blanks)
  -s, --separator=STRING       characters that part columns (white space)
  -x, --fillrows               go along the rows, not down the columns
  -e, --table-header-repeat    names again on every page of a terminal (no pages here)
  -h, --help                   print this help
  -V, --version                print the version
";

const LONG: &[Long] = &[
    ("table", NO, 't'),
    ("table-name", REQ, 'n'),
    ("table-order", REQ, 'O'),
    ("table-columns", REQ, 'N'),
    ("table-columns-limit", REQ, 'l'),
    ("table-noheadings", NO, 'd'),
    ("table-hide", REQ, 'H'),
    ("table-right", REQ, 'R'),
    ("keep-empty-lines", NO, 'L'),
    ("json", NO, 'J'),
    ("output-width", REQ, 'c'),
    ("columns", REQ, 'c'),
    ("output-separator", REQ, 'o'),
    ("separator", REQ, 's'),
    ("fillrows", NO, 'x'),
    ("table-header-repeat", NO, 'e'),
];

struct Column<'a> {
    table: bool,
    json: bool,
    name: &'a [u8],
    order: Option<&'a [u8]>,
    names: Option<&'a [u8]>,
    limit: usize,
    headings: bool,
    hide: Option<&'a [u8]>,
    right: Option<&'a [u8]>,
    keep_empty: bool,
    output: &'a [u8],
    separators: Option<&'a [u8]>,
    across: bool,
    width: usize,
}

/// What the window tells, then COLUMNS.
fn terminal_width() -> usize {
    let said = || getenv(b"COLUMNS").and_then(|v| std::str::from_utf8(&v).ok()?.parse().ok());
    window(STDOUT).map(|window| window.columns.into()).or_else(said).filter(|&n| n > 0).unwrap_or(80)
}

pub fn main(args: &Args) -> Outcome {
    let mut options = Options::new(args, "tn:O:N:l:dH:R:LJc:o:s:xehV", LONG);
    let mut c = Column {
        table: false,
        json: false,
        name: b"table",
        order: None,
        names: None,
        limit: usize::MAX,
        headings: true,
        hide: None,
        right: None,
        keep_empty: false,
        output: b"  ",
        separators: None,
        across: false,
        width: terminal_width(),
    };
    while let Some(opt) = options.next()? {
        let size = |what: &str| {
            number::signed(opt.value(), b"").and_then(|n| u32::try_from(n).map_err(|_| number::Bad::Overflow)).map_err(
                |bad| {
                    let why = if bad == number::Bad::Overflow { ": Numerical result out of range" } else { "" };
                    report::die(1, format_args!("invalid {what} argument: {}{why}", plain(opt.value())))
                },
            )
        };
        match opt.letter {
            't' => c.table = true,
            'n' => c.name = opt.value(),
            'O' => c.order = Some(opt.value()),
            'N' => c.names = Some(opt.value()),
            'l' => {
                c.limit = match size("columns limit")? {
                    0 => return Err(report::die(1, "columns limit must be greater than zero")),
                    limit => limit as usize,
                }
            }
            'd' => c.headings = false,
            'H' => c.hide = Some(opt.value()),
            'R' => c.right = Some(opt.value()),
            'L' => c.keep_empty = true,
            'J' => (c.json, c.table) = (true, true),
            'c' => c.width = if opt.value() == b"unlimited" { usize::MAX } else { size("columns")? as usize },
            'o' => c.output = opt.value(),
            's' => c.separators = Some(opt.value()),
            'h' => return Err(options.help()),
            'V' => return Err(options.version()),
            // Headings again on every page of a terminal.
            'e' => {}
            _ => c.across = true,
        }
    }
    if c.across && c.table {
        let table = if c.json { "json" } else { "table" };
        return Err(report::die(1, format_args!("mutually exclusive arguments: --{table} --fillrows")));
    }
    if c.json && c.names.is_none() {
        return Err(report::die(1, "option --table-columns required for --json"));
    }
    let table_only =
        c.order.is_some() || c.names.is_some() || c.hide.is_some() || c.right.is_some() || c.name != b"table";
    if table_only && !c.table {
        return Err(report::die(1, "option --table required for all --table-*"));
    }
    let operands = options.operands();
    let (mut lines, mut status) = (Vec::new(), 0);
    let standard: &[&[u8]] = &[b"-"];
    for &name in if operands.is_empty() { standard } else { &operands } {
        let mut text = Vec::new();
        let opened = if operands.is_empty() { Ok(Input::stdin()) } else { Input::named(name) };
        match opened.and_then(|mut i| i.stream.read_to_end(&mut text)) {
            Ok(()) => {
                let body = text.strip_suffix(b"\n").unwrap_or(&text);
                if !text.is_empty() {
                    lines.extend(body.split(|&b| b == b'\n').map(shown));
                }
            }
            Err(e) => {
                if matches!(e, Errno::EISDIR | Errno::EBADF) {
                    return Err(report::die(1, format_args!("read failed: {e}")));
                }
                report::fault(quote::raw(name), e);
                status += 1;
            }
        }
    }
    let blank = |line: &Vec<u8>| line.iter().all(u8::is_ascii_whitespace);
    match c.keep_empty {
        true => lines.iter_mut().filter(|line| blank(line)).for_each(Vec::clear),
        false => lines.retain(|line| !blank(line)),
    }
    let mut out = Out::stdout();
    // Files that could not be read count where nothing was printed, and where it was no table.
    let status = match (c.table, lines.is_empty()) {
        (true, false) => {
            c.table(&lines, &mut out)?;
            0
        }
        (false, true) => status,
        _ => status.min(1),
    };
    if !c.table {
        c.list(&lines, &mut out);
    }
    report::finish(&mut out, status)
}

/// A line up to its first NUL, with what is no character as `\xHH`.
fn shown(line: &[u8]) -> Vec<u8> {
    let line = &line[..memchr::memchr(0, line).unwrap_or(line.len())];
    let mut out = Vec::with_capacity(line.len());
    let escape = |out: &mut Vec<u8>, bytes: &[u8]| {
        out.extend(bytes.iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes()));
    };
    for chunk in line.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            if c.is_ascii() || quote::is_utf8() {
                out.extend_from_slice(bytes);
            } else {
                escape(&mut out, bytes);
            }
        }
        escape(&mut out, chunk.invalid());
    }
    out
}

fn wide(text: &[u8]) -> usize {
    text.utf8_chunks().map(|chunk| chunk.valid().chars().map(char_width).sum::<usize>() + chunk.invalid().len()).sum()
}

impl Column<'_> {
    /// Words side by side, with tabs between them.
    fn list(&self, lines: &[Vec<u8>], out: &mut Out) {
        const TAB: usize = 8;
        let items: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let longest = items.iter().map(|i| wide(i)).max().unwrap_or(0);
        if longest >= self.width || items.is_empty() {
            for item in items {
                out.write(item);
                out.byte(b'\n');
            }
            return;
        }
        let each = (longest + TAB) & !(TAB - 1);
        let columns = (self.width / each).max(1);
        let rows = items.len().div_ceil(columns);
        for row in 0..rows {
            let mut position = 0;
            for column in 0..columns {
                let at = if self.across { row * columns + column } else { column * rows + row };
                let Some(item) = items.get(at) else { break };
                out.write(item);
                position += wide(item);
                let next = if self.across { at + 1 } else { at + rows };
                let end = (column + 1) * each;
                if next < items.len() && column + 1 < columns {
                    while (position & !(TAB - 1)) + TAB <= end {
                        out.byte(b'\t');
                        position = (position & !(TAB - 1)) + TAB;
                    }
                }
            }
            out.byte(b'\n');
        }
    }

    fn cells(&self, line: &[u8]) -> Vec<Vec<u8>> {
        let mut cells: Vec<Vec<u8>> = match self.separators {
            Some(separators) => line.split(|b| separators.contains(b)).map(<[u8]>::to_vec).collect(),
            None => line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(<[u8]>::to_vec).collect(),
        };
        if cells.len() > self.limit {
            // The last column takes the rest of the line as it is.
            let mut rest = line;
            for i in 0..self.limit - 1 {
                if self.separators.is_none() {
                    rest = rest.trim_ascii_start();
                }
                // The separator goes with the column before it.
                rest = &rest[cells[i].len() + 1..];
            }
            cells.truncate(self.limit - 1);
            cells.push(rest.to_vec());
        }
        cells
    }

    /// Columns by name or number, counted from one.
    fn chosen(&self, list: Option<&[u8]>, names: &[Vec<u8>], count: usize) -> Result<Vec<usize>, Exit> {
        let Some(list) = list else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for word in list.split(|&b| b == b',') {
            let number = std::str::from_utf8(word).ok().and_then(|t| t.parse::<usize>().ok());
            match (names.iter().position(|n| n == word), number) {
                (Some(at), _) => all.push(at),
                (None, Some(n)) if n > 0 => all.push(n - 1),
                // Those without a name.
                (None, _) if word == b"-" => all.extend(names.len()..count),
                (None, _) if word == b"0" => all.extend(0..count),
                _ => return Err(report::die(1, format_args!("undefined column name {}", quote::locale(word)))),
            }
        }
        Ok(all)
    }

    fn table(&self, lines: &[Vec<u8>], out: &mut Out) -> Result<(), Exit> {
        let rows: Vec<Vec<Vec<u8>>> = lines.iter().map(|l| self.cells(l)).collect();
        let names: Vec<Vec<u8>> =
            self.names.map_or(Vec::new(), |n| n.split(|&b| b == b',').map(<[u8]>::to_vec).collect());
        let count = rows.iter().map(Vec::len).max().unwrap_or(0).max(names.len());
        let hidden = self.chosen(self.hide, &names, count)?;
        let right = self.chosen(self.right, &names, count)?;
        let mut order = self.chosen(self.order, &names, count)?;
        order.extend((0..count).filter(|i| !order.contains(i)).collect::<Vec<_>>());
        order.retain(|i| !hidden.contains(i) && *i < count);
        let empty = Vec::new();
        let cell = |row: &'_ [Vec<u8>], i: usize| row.get(i).cloned().unwrap_or_else(|| empty.clone());
        if self.json {
            return self.json(&rows, &names, &order, out);
        }
        let heading = (!names.is_empty() && self.headings).then_some(names.as_slice());
        let all: Vec<&[Vec<u8>]> = heading.into_iter().chain(rows.iter().map(Vec::as_slice)).collect();
        let widths: Vec<usize> =
            (0..count).map(|i| all.iter().map(|r| r.get(i).map_or(0, |c| wide(c))).max().unwrap_or(0)).collect();
        for row in all {
            let mut line = Vec::new();
            for (n, &i) in order.iter().enumerate() {
                let text = cell(row, i);
                let blanks = vec![b' '; widths[i].saturating_sub(wide(&text))];
                let last = n + 1 == order.len();
                if right.contains(&i) {
                    line.extend([blanks.as_slice(), &text].concat());
                } else {
                    line.extend_from_slice(&text);
                    // Nothing is padded behind the last column.
                    if !last {
                        line.extend_from_slice(&blanks);
                    }
                }
                if !last {
                    line.extend_from_slice(self.output);
                }
            }
            line.push(b'\n');
            out.write(&line);
        }
        Ok(())
    }

    fn json(&self, rows: &[Vec<Vec<u8>>], names: &[Vec<u8>], order: &[usize], out: &mut Out) -> Result<(), Exit> {
        if let Some(line) = rows.iter().position(|row| row.len() > names.len()) {
            let (line, column) = (line + 2, names.len() + 1);
            let text = format!("line {line}: for JSON the name of the column {column} is required");
            return Err(report::die(1, text));
        }
        let mut text = format!("{{\n   {}: [\n", json(self.name));
        for (r, row) in rows.iter().enumerate() {
            text += if r == 0 { "      {\n" } else { "{\n" };
            let order: Vec<usize> = order.iter().copied().filter(|i| *i < names.len()).collect();
            for (n, i) in order.iter().enumerate() {
                let name = json(&names[*i].to_ascii_lowercase());
                let value = row.get(*i).filter(|c| !c.is_empty()).map_or("null".to_owned(), |c| json(c));
                text += &format!("         {name}: {value}{}\n", if n + 1 < order.len() { "," } else { "" });
            }
            text += if r + 1 < rows.len() { "      }," } else { "      }\n" };
        }
        out.write((text + "   ]\n}\n").as_bytes());
        Ok(())
    }
}
