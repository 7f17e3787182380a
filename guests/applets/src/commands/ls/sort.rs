//! The order of a listing.

use super::Entry;
use super::options::{Settings, Sort, When};
use capsule_sys::Time;
use std::cmp::Ordering;

pub fn sort(entries: &mut [Entry], settings: &Settings) {
    if settings.sort == Sort::None && !settings.directories_first {
        return;
    }
    entries.sort_by(|a, b| {
        let first = settings.directories_first.then(|| b.leads_to_dir().cmp(&a.leads_to_dir()));
        first.unwrap_or(Ordering::Equal).then_with(|| {
            let order = compare(a, b, settings);
            if settings.reverse { order.reverse() } else { order }
        })
    });
}

fn compare(a: &Entry, b: &Entry, settings: &Settings) -> Ordering {
    let order = match settings.sort {
        Sort::None => return Ordering::Equal,
        Sort::Name => Ordering::Equal,
        Sort::Size => size(b).cmp(&size(a)),
        Sort::Time => time(b, settings.time).cmp(&time(a, settings.time)),
        Sort::Extension => extension(&a.name).cmp(extension(&b.name)),
        Sort::Width => a.shown.width.cmp(&b.shown.width),
        Sort::Version => crate::version::compare(&a.name, &b.name),
    };
    order.then_with(|| a.name.cmp(&b.name))
}

fn size(entry: &Entry) -> u64 {
    entry.stat.map_or(0, |s| s.size)
}

pub fn time(entry: &Entry, which: When) -> Time {
    entry.stat.map_or(Time::default(), |s| match which {
        // Nobody records a birth here; the change of the node is the nearest there is.
        When::Change | When::Birth => s.ctime,
        When::Access => s.atime,
        When::Modification => s.mtime,
    })
}

/// From the last dot on.
fn extension(name: &[u8]) -> &[u8] {
    name.iter().rposition(|&b| b == b'.').map_or(b"", |dot| &name[dot..])
}
