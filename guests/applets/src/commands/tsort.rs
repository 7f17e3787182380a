use crate::input::{self, Input};
use crate::quote::{self, locale};
use crate::{Args, Exit, Outcome, options, report};
use capsule_sys::Out;
use std::collections::BTreeMap;

pub const HELP: &str = "\
Usage: tsort [OPTION] [FILE]
Write a total order that agrees with the partial order in FILE: pairs of words,
the first of which comes before the second.

Standard input is read where FILE is - or missing.

      --help        print this help
      --version     print the version
";

#[derive(Default)]
struct Item {
    name: Vec<u8>,
    /// How many come before it that are not written yet.
    before: usize,
    /// What comes behind it, the latest pair first.
    behind: Vec<usize>,
    done: bool,
}

pub fn main(args: &Args) -> Outcome {
    let operands = options::only_operands(args, 1)?;
    if let Some(extra) = operands.get(1) {
        return Err(report::usage(1, format_args!("extra operand {}", locale(extra))));
    }
    let file: &[u8] = operands.first().copied().unwrap_or(b"-");
    let mut text = Vec::new();
    let fail = |e| report::die(1, format_args!("{}: {e}", quote::name(file)));
    let mut input = Input::open(file).map_err(fail)?;
    // What cannot be read has no words, as for GNU's.
    let _ = input.stream.read_to_end(&mut text);
    if !input::closes(&[file], "standard input") {
        return Err(Exit(1));
    }
    let mut order: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut items: Vec<Item> = Vec::new();
    let mut first = None;
    for word in text.split(|b| matches!(b, b' ' | b'\t' | b'\n')).filter(|w| !w.is_empty()) {
        let next = order.len();
        let item = *order.entry(word).or_insert(next);
        if item == items.len() {
            items.push(Item { name: word.to_vec(), ..Item::default() });
        }
        match first.take() {
            None => first = Some(item),
            // A word paired with itself only says that it is there.
            Some(before) if before == item => {}
            Some(before) => {
                items[before].behind.insert(0, item);
                items[item].before += 1;
            }
        }
    }
    if first.is_some() {
        return Err(report::die(1, format_args!("{}: input contains an odd number of tokens", quote::name(file))));
    }
    let sorted: Vec<usize> = order.into_values().collect();
    let (mut out, mut status, mut left) = (Out::stdout(), 0, items.len());
    while left > 0 {
        let mut queue: Vec<usize> =
            sorted.iter().copied().filter(|i| items[*i].before == 0 && !items[*i].done).collect();
        let mut at = 0;
        while let Some(&item) = queue.get(at) {
            at += 1;
            left -= 1;
            items[item].done = true;
            out.write(&items[item].name);
            out.byte(b'\n');
            for next in items[item].behind.clone() {
                items[next].before -= 1;
                if items[next].before == 0 {
                    queue.push(next);
                }
            }
        }
        if left > 0 {
            let _ = out.flush();
            report::error(format_args!("{}: input contains a loop:", quote::name(file)));
            status = 1;
            break_loop(&mut items, &sorted);
        }
    }
    report::finish(&mut out, status)
}

/// Names a loop and takes out the pair that closes it. A chain grows backwards, by an item that comes before its head,
/// until it meets itself; the items are asked in the order of their names, as GNU does, so that the same loop is named.
fn break_loop(items: &mut [Item], sorted: &[usize]) {
    let mut link: Vec<Option<usize>> = vec![None; items.len()];
    let mut head: Option<usize> = None;
    loop {
        for &k in sorted.iter().filter(|i| items[**i].before > 0).collect::<Vec<_>>() {
            let Some(start) = head else {
                head = Some(k);
                continue;
            };
            let Some(pair) = items[k].behind.iter().position(|next| *next == start) else { continue };
            if link[k].is_none() {
                link[k] = Some(start);
                head = Some(k);
                continue;
            }
            let mut at = Some(start);
            while let Some(item) = at {
                report::error(quote::raw(&items[item].name));
                if item == k {
                    break;
                }
                at = link[item].take();
            }
            items[k].behind.remove(pair);
            items[start].before -= 1;
            return;
        }
    }
}
