//! What a run answers.

use crate::contents::FileDiff;
use crate::network::NetworkRecord;
use base64::Engine as _;
use capsule_abi::limits::{Limit, LimitHit};
use capsule_vfs::Changes;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// The answer of a run, as it is printed in JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    /// The exact bytes, in base64, where the text had to replace some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr_base64: Option<String>,
    pub exit_code: i32,
    pub diff: Diff,
    pub state: State,
    /// Milliseconds.
    pub duration: f64,
    /// What a command did, in words.
    pub feedback: Vec<String>,
    /// Whether output or a list was cut because the answer would have been too long.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The limits that were reached, as messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit: Vec<String>,
    /// What was asked of other hosts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkRecord>,
    /// The command called `exit`, or `exec` with a program that has ended: whoever sits at this shell leaves it. The session
    /// stays.
    #[serde(skip)]
    pub left: bool,
    /// Why the shell's state is that of the last completed run, where it is; also the last line of `feedback`.
    #[serde(skip)]
    pub state_lost: Option<String>,
    /// Why output did not reach whom it was streamed to, where it did not.
    #[serde(skip)]
    pub output_lost: Option<String>,
}

/// What changed in the filesystem: relative to the workspace, absolute outside it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Diff {
    pub created: Vec<String>,
    pub modified: Vec<String>,
    pub deleted: Vec<String>,
    /// What is in the files, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<Vec<FileDiff>>,
    /// What is not listed because the answer would have been too long; none when everything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Omitted>,
}

/// How many entries each list of a diff would have beyond those it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Omitted {
    pub created: usize,
    pub modified: usize,
    pub deleted: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub contents: usize,
}

/// Asked by serde, which passes everything by reference.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct State {
    pub cwd: String,
    pub env: BTreeMap<String, String>,
}

/// Text for an answer: lossless with the base64 beside it, cut at a character boundary when too long.
pub(crate) struct Text {
    pub text: String,
    pub base64: Option<String>,
    pub cut: bool,
}

pub(crate) fn text(bytes: &[u8], most: u64) -> Text {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let cut = bytes.len() > most;
    let kept = if cut { &bytes[..boundary(bytes, most)] } else { bytes };
    match std::str::from_utf8(kept) {
        Ok(text) => Text { text: text.to_owned(), base64: None, cut },
        Err(_) => {
            let base64 = base64::engine::general_purpose::STANDARD.encode(kept);
            Text { text: String::from_utf8_lossy(kept).into_owned(), base64: Some(base64), cut }
        }
    }
}

/// The last place at or before `at` where no character is split.
fn boundary(bytes: &[u8], at: usize) -> usize {
    // A character has at most three bytes after its first.
    (at.saturating_sub(3)..=at).rev().find(|&i| i == bytes.len() || bytes[i] & 0xc0 != 0x80).unwrap_or(at)
}

/// The message that tells where output was cut, and where the whole of it is.
pub(crate) fn cut_notice(total: u64, most: u64, kept: Option<&str>) -> String {
    let lost = || "the rest is not kept, for lack of disk".to_owned();
    let place = kept.map_or_else(lost, |path| format!("all of it is in {path}"));
    let hit = LimitHit { limit: Limit::Answer, value: most, effect: format!("{total} bytes were printed and {place}") };
    hit.to_string()
}

/// Paths that no call could name are in no list.
pub(crate) fn untold_notice(changes: u64) -> String {
    let s = if changes == 1 { "" } else { "s" };
    format!(
        "capsule: {changes} change{s} of files are not in the diff: their paths are too long, or all paths together are"
    )
}

impl Diff {
    /// How many paths were created, modified and deleted, whether they are listed or not.
    pub fn counts(&self) -> [usize; 3] {
        let more = self.omitted.unwrap_or_default();
        [self.created.len() + more.created, self.modified.len() + more.modified, self.deleted.len() + more.deleted]
    }

    /// A renamed path is a deleted and a created one.
    pub(crate) fn new(changes: &Changes, workspace: &[u8]) -> Diff {
        let show = |path: &Vec<u8>| relative(path, workspace);
        let (from, to): (Vec<_>, HashSet<_>) = changes.renamed.iter().map(|(from, to)| (show(from), show(to))).unzip();
        let mut diff = Diff {
            // What is new at its path has not been modified there.
            modified: changes.modified.iter().map(show).filter(|path| !to.contains(path)).collect(),
            created: changes.created.iter().map(show).chain(to).collect(),
            deleted: changes.deleted.iter().map(show).chain(from).collect(),
            ..Diff::default()
        };
        for list in [&mut diff.created, &mut diff.modified, &mut diff.deleted] {
            list.sort();
        }
        diff
    }
}

pub(crate) fn relative(path: &[u8], workspace: &[u8]) -> String {
    let inside = path.strip_prefix(workspace).and_then(|rest| rest.strip_prefix(b"/"));
    String::from_utf8_lossy(inside.unwrap_or(path)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_characters() {
        let cut = text("aäö".as_bytes(), 4);
        assert_eq!((cut.text.as_str(), cut.cut, cut.base64), ("aä", true, None));
        let whole = text(b"ok", 10);
        assert_eq!((whole.text.as_str(), whole.cut), ("ok", false));
        let bytes = text(b"a\xff", 10);
        assert_eq!(bytes.base64.as_deref(), Some("Yf8="));
    }

    #[test]
    fn paths_are_relative_to_the_workspace_only_inside_it() {
        let changes = Changes {
            created: vec![b"/workspace/a".to_vec(), b"/workspacex".to_vec(), b"/tmp/b".to_vec()],
            renamed: vec![(b"/workspace/old".to_vec(), b"/workspace/new".to_vec())],
            ..Changes::default()
        };
        let diff = Diff::new(&changes, b"/workspace");
        assert_eq!(diff.created, ["/tmp/b", "/workspacex", "a", "new"]);
        assert_eq!(diff.deleted, ["old"]);
    }
}
