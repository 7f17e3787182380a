//! What of an answer's lists fits into it. Output has a limit of its own; here are the paths of the diff, the contents of
//! files, the environment and the requests, each in as many bytes as the limit of answers allows. Whatever is left out is
//! told: how much, and where all of it is.

use crate::answer::{Answer, Diff, Omitted};
use crate::contents::Told;
use crate::network::NetworkRecord;
use crate::world::World;
use capsule_abi::limits::{Limit, LimitHit};

/// Where the whole diff is kept when an answer cannot hold it.
const WHOLE_DIFF: &str = "/run/output/diff.json";

/// What stands around a text in a list: quotes and a comma.
const AROUND: usize = 3;

/// What a request takes beside its address: method, status, sizes, times and their names.
const NUMBERS: usize = 120;

fn notice(most: u64, effect: String) -> String {
    LimitHit { limit: Limit::Answer, value: most, effect }.to_string()
}

fn size(list: &[String]) -> usize {
    list.iter().map(|path| path.len() + AROUND).sum()
}

/// How much room each of some lists gets: a short one what it needs, the others equal parts of the rest.
fn shares(needs: [usize; 3], most: usize) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by_key(|&list| needs[list]);
    let (mut shares, mut left) = ([0; 3], most);
    for (served, list) in order.into_iter().enumerate() {
        shares[list] = needs[list].min(left / (3 - served));
        left -= shares[list];
    }
    shares
}

/// Says yes as long as what it is asked about fits into what is left.
fn room(most: usize) -> impl FnMut(usize) -> bool {
    let mut left = most;
    move |bytes| left.checked_sub(bytes).map(|rest| left = rest).is_some()
}

/// Cuts a list to the paths that fit; how many went.
fn cut(list: &mut Vec<String>, most: usize) -> usize {
    let mut fits = room(most);
    let kept = list.iter().take_while(|path| fits(path.len() + AROUND)).count();
    list.split_off(kept).len()
}

/// The paths of a diff. All of them are in a file of the session, if it has room.
pub fn paths(diff: &mut Diff, world: &World, most: u64) -> Option<String> {
    let bytes = usize::try_from(most).unwrap_or(usize::MAX);
    let needs = [size(&diff.created), size(&diff.modified), size(&diff.deleted)];
    if needs.iter().sum::<usize>() <= bytes {
        return None;
    }
    let total = diff.created.len() + diff.modified.len() + diff.deleted.len();
    let whole = serde_json::to_vec_pretty(diff).unwrap_or_default();
    let kept = world.write_file(WHOLE_DIFF.as_bytes(), &whole, 0o644).is_ok();
    let [created, modified, deleted] = shares(needs, bytes);
    let omitted = Omitted {
        created: cut(&mut diff.created, created),
        modified: cut(&mut diff.modified, modified),
        deleted: cut(&mut diff.deleted, deleted),
        contents: 0,
    };
    diff.omitted = Some(omitted);
    let listed = total - omitted.created - omitted.modified - omitted.deleted;
    let place = if kept { format!("all of them are in {WHOLE_DIFF}") } else { "the others are not shown".to_owned() };
    Some(notice(most, format!("{listed} of {total} changed paths are listed and {place}")))
}

/// What is said of contents that are told in short or not at all.
pub fn contents(diff: &mut Diff, told: Told, most: u64) -> Vec<String> {
    let Told { files, in_short, not_compared, omitted } = told;
    diff.contents = Some(files);
    if omitted > 0 {
        diff.omitted.get_or_insert_default().contents = omitted;
    }
    let mut notices = Vec::new();
    if not_compared > 0 {
        notices.push(format!(
            "capsule: {not_compared} files of the diff are told by size and hash only: comparing all of them takes too long"
        ));
    }
    let effect = match (in_short, omitted) {
        (0, 0) => return notices,
        (_, 0) => format!("{in_short} files of the diff are told by size and hash only"),
        (0, _) => format!("the contents of {omitted} more changes are not told"),
        _ => format!(
            "{in_short} files of the diff are told by size and hash only, and the contents of {omitted} more changes not"
        ),
    };
    notices.push(notice(most, effect));
    notices
}

/// The environment: variables in the order of their names, as far as they fit.
pub fn environment(answer: &mut Answer, most: u64) {
    let mut fits = room(usize::try_from(most).unwrap_or(usize::MAX));
    let total = answer.state.env.len();
    answer.state.env.retain(|name, value| fits(name.len() + value.len() + 2 * AROUND));
    let omitted = total - answer.state.env.len();
    if omitted > 0 {
        answer.truncated = true;
        answer.limit.push(notice(most, format!("of the environment {omitted} of {total} variables are not shown")));
    }
}

/// The requests to other hosts: the first ones, as far as they fit.
pub fn requests(answer: &mut Answer, most: u64) {
    let mut fits = room(usize::try_from(most).unwrap_or(usize::MAX));
    let total = answer.network.len();
    let size = |record: &NetworkRecord| NUMBERS + record.url.len() + record.error.as_ref().map_or(0, String::len);
    let kept = answer.network.iter().take_while(|record| fits(size(record))).count();
    answer.network.truncate(kept);
    if kept < total {
        answer.truncated = true;
        answer.limit.push(notice(most, format!("{kept} of {total} requests to other hosts are listed")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lists_get_what_they_need() {
        assert_eq!(shares([10, 20, 30], 100), [10, 20, 30]);
        assert_eq!(shares([1000, 20, 30], 100), [50, 20, 30]);
        assert_eq!(shares([1000, 900, 10], 100), [45, 45, 10]);
        assert_eq!(shares([1000, 900, 800], 90), [30, 30, 30]);
    }

    #[test]
    fn a_list_is_cut_where_it_no_longer_fits() {
        let mut list: Vec<String> = ["a", "bb", "ccc"].map(str::to_owned).to_vec();
        assert_eq!(cut(&mut list, 9), 1);
        assert_eq!(list, ["a", "bb"]);
        assert_eq!(cut(&mut list, 3), 2);
        assert!(list.is_empty());
    }
}
