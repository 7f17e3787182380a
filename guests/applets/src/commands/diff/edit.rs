//! Scripts for `ed` and RCS.

use super::hunks::range;
use crate::compare::{Change, Text};
use capsule_sys::Out;

/// One command of an `ed` script; these are printed from the last to the first.
pub fn ed(out: &mut Out, text: &Text, change: &Change) {
    let letter = match (change.deleted, change.inserted) {
        (0, _) => 'a',
        (_, 0) => 'd',
        _ => 'c',
    };
    out.write(format!("{}{letter}\n", range(change.a, change.deleted)).as_bytes());
    let mut inserting = letter != 'd';
    for line in change.b..change.b + change.inserted {
        if !inserting {
            out.write(b"a\n");
            inserting = true;
        }
        if text.content(line) == b"." {
            // A lone dot would end the text: two are put in, one taken away again.
            out.write(b"..\n.\ns/.//\n");
            inserting = false;
        } else {
            out.write(text.content(line));
            out.byte(b'\n');
        }
    }
    if inserting && change.inserted > 0 {
        out.write(b".\n");
    }
}

pub fn forward(out: &mut Out, text: &Text, change: &Change) {
    let letter = match (change.deleted, change.inserted) {
        (0, _) => 'a',
        (_, 0) => 'd',
        _ => 'c',
    };
    out.write(format!("{letter}{}\n", range(change.a, change.deleted).replace(',', " ")).as_bytes());
    if change.inserted == 0 {
        return;
    }
    for line in change.b..change.b + change.inserted {
        out.write(text.content(line));
        out.byte(b'\n');
    }
    out.write(b".\n");
}

pub fn rcs(out: &mut Out, text: &Text, change: &Change) {
    if change.deleted > 0 {
        out.write(format!("d{} {}\n", change.a + 1, change.deleted).as_bytes());
    }
    if change.inserted > 0 {
        out.write(format!("a{} {}\n", change.a + change.deleted, change.inserted).as_bytes());
        for line in change.b..change.b + change.inserted {
            out.write(text.line(line));
        }
    }
}
