//! Every format but the long one: a name a line, in columns down or across, or with commas.

use super::color::Colors;
use super::options::{Format, Indicator, Settings};
use super::{Entry, executable};
use capsule_sys::{FileType, Out};

/// Two blanks at least between columns; a name takes one column at least.
const GAP: usize = 2;
const NARROWEST: usize = 3;

/// What stands beside a name, with widths that fit all of them.
struct Frills {
    inode: usize,
    blocks: usize,
}

/// The columns fit `all`, of which the first `shown` are listed here.
pub fn show(all: &[Entry], shown: usize, settings: &Settings, mut colors: Option<&mut Colors>, out: &mut Out) {
    let entries = &all[..shown];
    let mut frills = Frills { inode: 0, blocks: 0 };
    if settings.format != Format::Commas {
        for entry in all {
            frills.inode = frills.inode.max(inode(entry).len());
            frills.blocks = frills.blocks.max(blocks(entry, settings).len());
        }
    }
    let mut one = |entry: &Entry, out: &mut Out| {
        if let Some(colors) = colors.as_deref_mut() {
            colors.normal(out);
        }
        if settings.inode {
            out.write(format!("{:>1$} ", inode(entry), frills.inode).as_bytes());
        }
        if settings.blocks {
            out.write(format!("{:>1$} ", blocks(entry, settings), frills.blocks).as_bytes());
        }
        if settings.context {
            out.write(b"? ");
        }
        name(entry, settings, colors.as_deref_mut(), out);
    };
    let length = |entry: &Entry| {
        let mut n = entry.shown.width + usize::from(indicator(entry, settings).is_some());
        if settings.context {
            n += 2;
        }
        if settings.inode {
            n += 1 + frills.inode.max(inode(entry).len());
        }
        if settings.blocks {
            n += 1 + frills.blocks.max(blocks(entry, settings).len());
        }
        n
    };
    match settings.format {
        Format::Commas => {
            let mut at = 0;
            for (i, entry) in entries.iter().enumerate() {
                let n = length(entry);
                if i > 0 {
                    out.byte(b',');
                    if settings.width == 0 || at + n + GAP < settings.width {
                        at += GAP;
                        out.byte(b' ');
                    } else {
                        at = 0;
                        out.byte(settings.end());
                    }
                }
                one(entry, out);
                at += n;
            }
            if !entries.is_empty() {
                out.byte(settings.end());
            }
        }
        Format::Vertical | Format::Across if settings.width > 0 => {
            let lengths: Vec<usize> = entries.iter().map(length).collect();
            grid(&lengths, settings, out, |i, out| one(&entries[i], out));
        }
        Format::Vertical | Format::Across => {
            // No width: all in one line.
            for (i, entry) in entries.iter().enumerate() {
                if i > 0 {
                    out.write(b"  ");
                }
                one(entry, out);
            }
            if !entries.is_empty() {
                out.byte(settings.end());
            }
        }
        _ => {
            for entry in entries {
                one(entry, out);
                out.byte(settings.end());
            }
        }
    }
}

fn grid(lengths: &[usize], settings: &Settings, out: &mut Out, mut one: impl FnMut(usize, &mut Out)) {
    let n = lengths.len();
    if n == 0 {
        return;
    }
    let down = settings.format == Format::Vertical;
    let most = settings.width.div_ceil(NARROWEST).clamp(1, n);
    // The most columns whose widths fit into a line.
    let widths = (1..=most).rev().find_map(|columns| {
        let rows = n.div_ceil(columns);
        let mut widths = vec![NARROWEST; columns];
        for (i, length) in lengths.iter().enumerate() {
            let column = if down { i / rows } else { i % columns };
            let last = column == columns - 1;
            widths[column] = widths[column].max(length + if last { 0 } else { GAP });
        }
        // GNU counts a line only when a name needs more than the least width.
        let short = widths.iter().all(|w| *w == NARROWEST);
        (columns == 1 || short || widths.iter().sum::<usize>() < settings.width).then_some(widths)
    });
    let widths = widths.unwrap_or_else(|| vec![NARROWEST]);
    let columns = widths.len();
    let rows = n.div_ceil(columns);
    for row in 0..rows {
        let mut start = 0;
        let mut at = 0;
        for (column, width) in widths.iter().enumerate() {
            let i = if down { column * rows + row } else { row * columns + column };
            if i >= n {
                break;
            }
            indent(at, start, settings.tab, out);
            one(i, out);
            at = start + lengths[i];
            start += width;
        }
        out.byte(settings.end());
    }
}

/// Goes to a column with as few tabs and blanks as can be.
fn indent(mut from: usize, to: usize, tab: usize, out: &mut Out) {
    while from < to {
        if tab != 0 && to / tab > (from + 1) / tab {
            out.byte(b'\t');
            from += tab - from % tab;
        } else {
            out.byte(b' ');
            from += 1;
        }
    }
}

pub fn inode(entry: &Entry) -> String {
    entry.stat.map_or("?".to_owned(), |s| s.ino.to_string())
}

pub fn blocks(entry: &Entry, settings: &Settings) -> String {
    entry.stat.map_or("?".to_owned(), |s| settings.block_unit.show(s.blocks * 512))
}

/// The name with its color and the mark behind it.
pub fn name(entry: &Entry, settings: &Settings, colors: Option<&mut Colors>, out: &mut Out) {
    let text = entry.shown.linked();
    match colors {
        Some(colors) => colors.paint(entry, &text, out),
        None => out.write(&text),
    }
    if let Some(mark) = indicator(entry, settings) {
        out.byte(mark);
    }
}

pub fn indicator(entry: &Entry, settings: &Settings) -> Option<u8> {
    let runs = entry.stat.is_some_and(|s| executable(&s));
    mark(entry.kind?, runs, settings.indicator)
}

/// The mark `-F`, `--file-type` or `-p` puts behind a name.
pub fn mark(kind: FileType, runs: bool, style: Indicator) -> Option<u8> {
    let mark = match kind {
        FileType::Directory => b'/',
        FileType::Symlink => b'@',
        FileType::Fifo => b'|',
        FileType::Socket => b'=',
        FileType::Regular if runs => b'*',
        _ => return None,
    };
    let wanted = match style {
        Indicator::None => false,
        Indicator::Slash => mark == b'/',
        Indicator::FileType => mark != b'*',
        Indicator::Classify => true,
    };
    wanted.then_some(mark)
}
