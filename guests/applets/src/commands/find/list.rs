//! `-ls`: a line as `ls -dils` shows it.

use super::expr::{Context, File};
use crate::calendar::Moment;
use crate::commands::ls::{major, minor};
use crate::mode;
use capsule_sys::{FileType, readlink};
use std::fmt::Write;

/// Columns grow with what they have shown.
pub struct Widths {
    inode: usize,
    blocks: usize,
    links: usize,
    owner: usize,
    group: usize,
    size: usize,
}

impl Default for Widths {
    fn default() -> Widths {
        Widths { inode: 9, blocks: 6, links: 3, owner: 8, group: 8, size: 8 }
    }
}

/// Half a year: older files show their year.
const RECENT: i64 = 31_556_952 / 2;

pub fn list(output: usize, file: &mut File, context: &mut Context) {
    let Some(s) = file.stat(context) else { return };
    let mut line = String::new();
    let widths = &mut context.widths;
    let right = |line: &mut String, text: String, width: &mut usize| {
        let _ = write!(line, "{text:>0$} ", *width);
        *width = (*width).max(text.len());
    };
    right(&mut line, s.ino.to_string(), &mut widths.inode);
    right(&mut line, s.blocks.div_ceil(2).to_string(), &mut widths.blocks);
    line.push_str(&mode::show(s.st_mode()));
    line.push(' ');
    right(&mut line, s.nlink.to_string(), &mut widths.links);
    let owner = context.users.name(s.uid).unwrap_or_else(|| s.uid.to_string());
    let group = context.groups.name(s.gid).unwrap_or_else(|| s.gid.to_string());
    let _ = write!(line, "{owner:<0$} {group:<1$} ", widths.owner, widths.group);
    widths.owner = widths.owner.max(owner.len());
    widths.group = widths.group.max(group.len());
    let size = match s.kind {
        FileType::CharDevice | FileType::BlockDevice => format!("{:>3}, {:>3}", major(s.rdev), minor(s.rdev)),
        _ => s.size.to_string(),
    };
    right(&mut line, size, &mut widths.size);
    let age = context.now.sec - s.mtime.sec;
    let format: &[u8] = if (0..=RECENT).contains(&age) { b"%b %e %H:%M " } else { b"%b %e  %Y " };
    let date = Moment::new(s.mtime.sec, s.mtime.nsec, &context.zone).format(format);
    let mut line = line.into_bytes();
    line.extend_from_slice(&date);
    escape(file.path, &mut line);
    if s.kind == FileType::Symlink {
        line.extend_from_slice(b" -> ");
        escape(&readlink(file.path).unwrap_or_default(), &mut line);
    }
    line.push(b'\n');
    context.outputs[output].out.write(&line);
}

/// A name as C would write it, blanks too.
fn escape(name: &[u8], to: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' | b'"' | b' ' => to.extend([b'\\', byte]),
            b'\n' => to.extend(b"\\n"),
            b'\t' => to.extend(b"\\t"),
            b'\r' => to.extend(b"\\r"),
            8 => to.extend(b"\\b"),
            12 => to.extend(b"\\f"),
            33..=126 => to.push(byte),
            _ => to.extend(format!("\\{byte:03o}").bytes()),
        }
    }
}
