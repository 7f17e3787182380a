use crate::input::{self, Input};
use crate::number;
use crate::options::{NO, Options, REQ};
use crate::quote::{locale, quoted};
use crate::{Args, Exit, Outcome, report};
use capsule_sys::{Errno, In, Out};

mod paragraph;
use paragraph::{MOST_CHARS, Paragraph};

pub const HELP: &str = "\
Usage: fmt [-WIDTH] [OPTION]... [FILE]...
Fill paragraphs, so that their lines are of about one width.
-WIDTH is short for --width=WIDTH.

  -c, --crown-margin        the first two lines keep their indentation
  -p, --prefix=STRING       only lines that begin with STRING,
                              which is put back in front afterwards
  -s, --split-only          break lines, never join them
  -t, --tagged-paragraph    the first line is indented in its own way
  -u, --uniform-spacing     one blank between words, two after a sentence
  -w, --width=WIDTH         lines have WIDTH columns at the most (75)
  -g, --goal=WIDTH          and should have this many (93% of that)
      --help        print this help
      --version     print the version
";

const TAB: usize = 8;
/// The second indent of a tagged paragraph that has no second line.
const SECOND_INDENT: usize = 3;

#[derive(Default)]
struct Fmt<'a> {
    crown: bool,
    tagged: bool,
    split: bool,
    uniform: bool,
    /// The prefix without blanks around it, the blanks in front, and the length with the blanks behind.
    prefix: &'a [u8],
    lead: usize,
    full: usize,
    /// Tabs were in the input, so they may be in the output.
    tabs: bool,
    column: usize,
    /// Where the line that comes next begins, and its prefix.
    next_prefix_indent: usize,
}

/// Bytes of an input, one at a time.
struct Source<'a> {
    stream: &'a mut In,
    error: Option<Errno>,
}

impl Source<'_> {
    fn next(&mut self) -> Option<u8> {
        match self.stream.fill() {
            Ok(block) => {
                let byte = block.first().copied()?;
                self.stream.consume(1);
                Some(byte)
            }
            Err(e) => {
                self.error = Some(e);
                None
            }
        }
    }

    /// Adds what is at hand of a word, so many bytes at most.
    fn word(&mut self, most: usize, word: &mut Vec<u8>) {
        if self.stream.buffered() == 0 {
            return;
        }
        let block = self.stream.fill().unwrap_or_default();
        let block = &block[..block.len().min(most)];
        let n = block.iter().position(|b| is_white(*b)).unwrap_or(block.len());
        word.extend_from_slice(&block[..n]);
        self.stream.consume(n);
    }
}

fn is_white(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 11
}

pub fn main(args: &Args) -> Outcome {
    let long = &[
        ("crown-margin", NO, 'c'),
        ("prefix", REQ, 'p'),
        ("split-only", NO, 's'),
        ("tagged-paragraph", NO, 't'),
        ("uniform-spacing", NO, 'u'),
        ("width", REQ, 'w'),
        ("goal", REQ, 'g'),
    ];
    // `-72` in front is a width.
    let mut argv = args.argv.clone();
    if let Some(first) = argv.get_mut(1)
        && let Some(digits) = first.strip_prefix(b"-")
        && digits.first().is_some_and(u8::is_ascii_digit)
    {
        *first = [b"-w", digits].concat();
    }
    let args = Args::new(argv);
    let mut options = Options::new(&args, "0123456789cstuw:p:g:", long);
    let mut fmt = Fmt::default();
    let (mut width, mut goal) = (None, None);
    while let Some(opt) = options.next()? {
        match opt.letter {
            'c' => fmt.crown = true,
            's' => fmt.split = true,
            't' => fmt.tagged = true,
            'u' => fmt.uniform = true,
            'w' => width = Some(opt.value()),
            'g' => goal = Some(opt.value()),
            'p' => {
                let text = opt.value();
                fmt.lead = text.iter().take_while(|b| **b == b' ').count();
                fmt.full = text.len() - fmt.lead;
                let end = text.iter().rposition(|b| *b != b' ').map_or(fmt.lead, |i| i + 1);
                fmt.prefix = &text[fmt.lead..end.max(fmt.lead)];
            }
            digit => {
                let text = format!(
                    "invalid option -- {digit}; -WIDTH is recognized only when it is the first\noption; use -w N instead"
                );
                return Err(report::usage(1, text));
            }
        }
    }
    let mut most = match width {
        Some(text) => checked(text, MOST_CHARS / 2)?,
        None => 75,
    };
    let goal = match goal {
        Some(text) => {
            let goal = checked(text, if width.is_some() { most } else { 75 })?;
            most = if width.is_some() { most } else { goal + 10 };
            goal
        }
        None => most * 187 / 200,
    };
    let operands = options.operands();
    let mut out = Out::stdout();
    let mut status = 0;
    let standard: &[&[u8]] = &[b"-"];
    for &name in if operands.is_empty() { standard } else { &operands } {
        let result = Input::open(name).map_err(|e| format!("cannot open {} for reading: {e}", quoted(name)));
        let result = result.and_then(|mut input| {
            let mut source = Source { stream: &mut input.stream, error: None };
            fmt.file(&mut source, Paragraph::new(most, goal), &mut out);
            source.error.map_or(Ok(()), |_| Err("read error".to_owned()))
        });
        if let Err(what) = result {
            let _ = out.flush();
            report::error(what);
            status = 1;
        }
        report::writable(&out)?;
    }
    if !input::closes(&operands, "closing standard input") {
        status = 1;
    }
    report::finish(&mut out, status)
}

fn checked(text: &[u8], most: usize) -> Result<usize, Exit> {
    let complain = |end: &str| report::die(1, format_args!("invalid width: {}{end}", locale(text)));
    match number::unsigned(text, b"") {
        Ok(n) if n <= most as u64 => Ok(n as usize),
        Ok(n) if n <= 0x3fff_ffff => Err(complain(": Numerical result out of range")),
        Ok(_) | Err(number::Bad::Overflow) => Err(complain(": Value too large for defined data type")),
        Err(number::Bad::Invalid) => Err(complain("")),
    }
}

impl Fmt<'_> {
    fn file(&mut self, source: &mut Source<'_>, mut p: Paragraph, out: &mut Out) {
        self.tabs = false;
        let mut next = self.read_prefix(source);
        loop {
            p.last_length = 0;
            // Blank lines and lines without the prefix pass as they are.
            while matches!(next, None | Some(b'\n'))
                || self.next_prefix_indent < self.lead
                || self.column < self.next_prefix_indent + self.full
            {
                next = self.copy_rest(source, next, out);
                if next.is_none() {
                    return;
                }
                out.byte(b'\n');
                next = self.read_prefix(source);
            }
            p.prefix_indent = self.next_prefix_indent;
            p.first_indent = self.column;
            next = self.line(source, next, &mut p, out);
            self.set_second_indent(&mut p, next);
            let first = p.first_indent;
            let more = |fmt: &Self, p: &Paragraph, next| fmt.belongs(p, next) && fmt.column == p.other_indent;
            if !self.split {
                let goes_on = match (self.crown, self.tagged) {
                    (true, _) => self.belongs(&p, next),
                    (false, true) => self.belongs(&p, next) && self.column != first,
                    _ => more(self, &p, next),
                };
                if goes_on {
                    loop {
                        next = self.line(source, next, &mut p, out);
                        if !more(self, &p, next) {
                            break;
                        }
                    }
                }
            }
            p.end_sentence();
            p.break_lines();
            p.write(p.len(), self.prefix, self.tabs, out);
            p.clear();
            if out.error().is_some() {
                return;
            }
        }
    }

    /// Whether the line that comes next goes on with the paragraph.
    fn belongs(&self, p: &Paragraph, next: Option<u8>) -> bool {
        self.next_prefix_indent == p.prefix_indent
            && self.column >= self.next_prefix_indent + self.full
            && !matches!(next, None | Some(b'\n'))
    }

    fn set_second_indent(&self, p: &mut Paragraph, next: Option<u8>) {
        let same = self.belongs(p, next);
        self.second_indent(p, same);
    }

    fn second_indent(&self, p: &mut Paragraph, same: bool) {
        if self.crown && !self.split {
            p.other_indent = if same { self.column } else { p.first_indent };
        } else if self.tagged && !self.split {
            if same && self.column != p.first_indent {
                p.other_indent = self.column;
            } else if p.other_indent == p.first_indent {
                p.other_indent = if p.first_indent == 0 { SECOND_INDENT } else { 0 };
            }
        } else {
            p.other_indent = p.first_indent;
        }
    }

    /// The words of a line; the first byte of the next.
    fn line(&mut self, source: &mut Source<'_>, mut next: Option<u8>, p: &mut Paragraph, out: &mut Out) -> Option<u8> {
        loop {
            let mut word = p.room();
            while let Some(byte) = next.filter(|b| word.is_empty() || !is_white(*b)) {
                if p.chars() + word.len() == MOST_CHARS {
                    self.second_indent(p, true);
                    self.flush(p, &mut word, out);
                }
                word.push(byte);
                source.word(MOST_CHARS.saturating_sub(p.chars() + word.len()), &mut word);
                next = source.next();
            }
            self.column += word.len();
            let start = self.column;
            next = self.skip_blanks(source, next);
            let ended = matches!(next, None | Some(b'\n'));
            // The lines are broken without the word that has no room.
            if p.is_full() {
                self.second_indent(p, true);
                self.flush(p, &mut Vec::new(), out);
            }
            p.push(word, self.column - start, ended, next.is_none(), self.uniform);
            if ended {
                return self.read_prefix(source);
            }
        }
    }

    /// No room: the lines that are surely good are written. A word longer than all room is written as it is.
    fn flush(&self, p: &mut Paragraph, word: &mut Vec<u8>, out: &mut Out) {
        if p.len() == 0 {
            out.write(word);
            word.clear();
            return;
        }
        p.break_lines();
        let at = p.best_split();
        p.write(at, self.prefix, self.tabs, out);
        p.drop_first(at);
    }

    fn skip_blanks(&mut self, source: &mut Source<'_>, mut next: Option<u8>) -> Option<u8> {
        loop {
            match next {
                Some(b' ') => self.column += 1,
                Some(b'\t') => {
                    self.tabs = true;
                    self.column = self.column / TAB * TAB + TAB;
                }
                other => return other,
            }
            next = source.next();
        }
    }

    /// Blanks and the prefix at the start of a line; the byte behind.
    fn read_prefix(&mut self, source: &mut Source<'_>) -> Option<u8> {
        self.column = 0;
        let first = source.next();
        let mut next = self.skip_blanks(source, first);
        if self.prefix.is_empty() {
            self.next_prefix_indent = self.lead.min(self.column);
            return next;
        }
        self.next_prefix_indent = self.column;
        for &byte in self.prefix {
            if next != Some(byte) {
                return next;
            }
            self.column += 1;
            next = source.next();
        }
        self.skip_blanks(source, next)
    }

    fn copy_rest(&self, source: &mut Source<'_>, mut next: Option<u8>, out: &mut Out) -> Option<u8> {
        let ended = matches!(next, None | Some(b'\n'));
        if self.column > self.next_prefix_indent || !ended {
            let mut column = 0;
            paragraph::write_space(out, &mut column, self.next_prefix_indent, self.tabs);
            let shown = self.prefix.len().min(self.column.saturating_sub(column));
            out.write(&self.prefix[..shown]);
            column += shown;
            if !ended {
                let space = self.column.saturating_sub(column);
                paragraph::write_space(out, &mut column, space, self.tabs);
            }
            if next.is_none() && self.column >= self.next_prefix_indent + self.prefix.len() {
                out.byte(b'\n');
            }
        }
        while let Some(byte) = next.filter(|b| *b != b'\n') {
            out.byte(byte);
            next = source.next();
        }
        next
    }
}
