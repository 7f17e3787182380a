//! Comments: found in the text outside of scalars, given to the entries they stand before or behind.

use super::{Document, Kind, Node, Notes};

struct Comment {
    at: usize,
    /// Nothing but blanks stands before it.
    alone: bool,
    text: String,
}

/// Every comment and empty line of a text.
fn find(text: &[char], scalars: &[(usize, usize)]) -> Vec<Comment> {
    let mut found = Vec::new();
    let (mut start, mut next) = (0, 0);
    let mut at = 0;
    // Whether something stands on the line already.
    let mut used = false;
    while at <= text.len() {
        while next < scalars.len() && scalars[next].1 <= at {
            next += 1;
        }
        let inside = next < scalars.len() && scalars[next].0 <= at;
        match text.get(at) {
            None => break,
            Some('\n') => {
                if !used && !inside {
                    found.push(Comment { at: start, alone: true, text: String::new() });
                }
                start = at + 1;
                used = inside;
            }
            Some('#') if !inside && (at == start || text[at - 1].is_whitespace()) => {
                let end = text[at..].iter().position(|&c| c == '\n').map_or(text.len(), |n| at + n);
                let comment: String = text[at..end].iter().collect();
                found.push(Comment { at, alone: !used, text: comment.trim_end().to_owned() });
                used = true;
                at = end;
                continue;
            }
            Some(c) if !c.is_whitespace() => used = true,
            _ => {}
        }
        at += 1;
    }
    found
}

/// Gives the comments to the documents. `bounds` has for each its first entry, its first scalar and where it starts.
pub fn attach(
    documents: &mut [Document],
    bounds: &[(usize, usize, usize)],
    text: &[char],
    scalars: &[(usize, usize)],
    entries: &[usize],
) {
    let mut notes = vec![Notes::default(); entries.len()];
    let mut after: Vec<Vec<String>> = vec![Vec::new(); documents.len()];
    let mut sorted = scalars.to_vec();
    sorted.sort_unstable();
    for comment in find(text, &sorted) {
        // The document the comment is in: the last that starts before it, or the first.
        let document = bounds.iter().rposition(|b| b.2 <= comment.at).unwrap_or(0);
        let first = bounds.get(document).map_or(0, |b| b.0);
        let last = bounds.get(document + 1).map_or(entries.len(), |b| b.0);
        if comment.alone {
            // The outermost of those that start at the same place comes first.
            let next = first + entries[first..last].partition_point(|&start| start <= comment.at);
            match notes[..last].get_mut(next) {
                Some(notes) => notes.before.push(comment.text),
                None => after.get_mut(document).into_iter().for_each(|after| after.push(comment.text.clone())),
            }
            continue;
        }
        let holder = entries[first..last].partition_point(|&start| start < comment.at).checked_sub(1);
        match holder.map(|n| first + n) {
            Some(n) if notes[n].behind.is_none() => notes[n].behind = Some(comment.text),
            Some(n) => notes[n].before.push(comment.text),
            None => {
                // Behind `---`: it stays in front of what follows.
                if let Some(notes) = notes.get_mut(first) {
                    notes.before.push(comment.text);
                }
            }
        }
    }
    for (document, mut after) in documents.iter_mut().zip(after) {
        while after.last().is_some_and(String::is_empty) {
            after.pop();
        }
        document.after = after;
        give(&mut document.root, &notes);
    }
}

/// Puts notes where the parser left their numbers.
fn give(node: &mut Node, notes: &[Notes]) {
    if let Some(found) = node.entry.and_then(|number| notes.get(number)) {
        node.notes = found.clone();
    }
    match &mut node.kind {
        Kind::Sequence { items, .. } => items.iter_mut().for_each(|item| give(item, notes)),
        Kind::Mapping { entries, .. } => {
            for (key, value) in entries {
                give(key, notes);
                give(value, notes);
            }
        }
        _ => {}
    }
}
