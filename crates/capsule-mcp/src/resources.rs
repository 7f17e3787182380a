//! Files of sessions as resources: `capsule://session/ID/path`, the id percent-encoded, the path absolute in the sandbox.

use base64::Engine as _;
use capsule_abi::Errno;
use capsule_session::{Bash, Entry, Error, Sessions, WORKSPACE};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use rmcp::ErrorData;
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use std::cmp::Ordering;

const PREFIX: &str = "capsule://session/";

/// What may stand in a segment as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How many resources one page lists.
const PAGE: usize = 200;

/// No resource is handed out larger.
const MOST_BYTES: usize = 8 << 20;

pub fn template() -> ResourceTemplate {
    ResourceTemplate::new("capsule://session/{session_id}/{+path}", "session-file")
        .with_title("A file of a session")
        .with_description(
            "A file or folder inside a session's sandbox, by its absolute path without the first slash: \
             capsule://session/default/workspace/src/index.ts. A folder reads as the list of its names.",
        )
}

/// The address of a file, by its absolute path.
fn address(session: &str, path: &[u8]) -> String {
    let encode = |segment| percent_encode(segment, KEPT).to_string();
    let path: Vec<String> = path.split(|&b| b == b'/').skip(1).map(encode).collect();
    format!("{PREFIX}{}/{}", encode(session.as_bytes()), path.join("/"))
}

/// The session and the path of an address.
fn parse(address: &str) -> Option<(String, Vec<u8>)> {
    let (id, path) = address.strip_prefix(PREFIX)?.split_once('/')?;
    let id = percent_decode_str(id).decode_utf8().ok()?.into_owned();
    let path: Vec<u8> = [b'/'].into_iter().chain(percent_decode_str(path)).collect();
    Some((id, path))
}

fn not_found(address: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("{address}: {why}"), None)
}

fn ids(sessions: &Sessions) -> Result<Vec<String>, ErrorData> {
    sessions.ids().map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// The session of this id. To look for one does not begin it.
fn existing(sessions: &Sessions, id: &str) -> Result<Option<Bash>, ErrorData> {
    if !ids(sessions)?.iter().any(|known| known == id) {
        return Ok(None);
    }
    sessions.get(id).map(Some).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

pub async fn read(sessions: &Sessions, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let (id, path) =
        parse(uri).ok_or_else(|| not_found(uri, "not an address here: expected capsule://session/ID/path"))?;
    let bash = match existing(sessions, &id)? {
        Some(bash) => bash,
        None => return Err(not_found(uri, "there is no such session")),
    };
    let contents = match bash.read_file(&path).await {
        Ok(bytes) if bytes.len() > MOST_BYTES => {
            let why = format!("{} bytes, more than the {MOST_BYTES} that are handed out", bytes.len());
            return Err(ErrorData::invalid_params(format!("{uri}: {why}"), None));
        }
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => ResourceContents::text(text, uri),
            Err(error) => {
                let blob = base64::engine::general_purpose::STANDARD.encode(error.as_bytes());
                ResourceContents::blob(blob, uri).with_mime_type("application/octet-stream")
            }
        },
        Err(Error::File { why: Errno::EISDIR, .. }) => folder(&bash, &path, uri).await?,
        Err(error) => return Err(not_found(uri, &error.to_string())),
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The names in a folder, one a line, folders with a slash.
async fn folder(bash: &Bash, path: &[u8], uri: &str) -> Result<ResourceContents, ErrorData> {
    let entries = bash.list_files(path).await.map_err(|error| not_found(uri, &error.to_string()))?;
    let lines: String = entries
        .iter()
        .map(|entry| format!("{}{}\n", entry.name, if entry.kind == "folder" { "/" } else { "" }))
        .collect();
    Ok(ResourceContents::text(lines, uri).with_mime_type("inode/directory"))
}

/// The files in the workspaces of all sessions, a page at a time. The cursor is the address of the last file of a page: the
/// next one begins behind it, whatever has changed meanwhile, and without walking through what came before.
pub async fn list(sessions: &Sessions, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let (last_id, last_path) = match cursor.as_deref().map(parse) {
        None => (String::new(), None),
        Some(Some((id, path))) => (id, Some(path)),
        Some(None) => return Err(ErrorData::invalid_params("cursor: not one that was given out", None)),
    };
    let mut found = Vec::new();
    for id in ids(sessions)?.into_iter().filter(|id| *id >= last_id) {
        // One that another process holds cannot be listed.
        let Ok(bash) = sessions.get(&id) else { continue };
        let behind = last_path.as_deref().filter(|_| id == last_id);
        let files = files(&bash, behind, PAGE + 1 - found.len()).await;
        found.extend(files.into_iter().map(|(path, size)| (id.clone(), path, size)));
        // One more than the page tells that there is a next one.
        if found.len() > PAGE {
            break;
        }
    }
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let next_cursor = found.last().filter(|_| more).map(|(id, path, _)| address(id, path));
    let resource = |(id, path, size): (String, Vec<u8>, u64)| {
        let name = path.strip_prefix(WORKSPACE.as_bytes()).unwrap_or(&path);
        let name = String::from_utf8_lossy(name.strip_prefix(b"/").unwrap_or(name)).into_owned();
        Resource::new(address(&id, &path), name).with_size(size)
    };
    let page = found.into_iter().map(resource).collect();
    Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(page) })
}

/// What is still to be looked at.
enum Next {
    File(Vec<u8>, u64),
    /// With the path below it behind which to begin.
    Folder(Vec<u8>, Option<Vec<u8>>),
}

/// The first `most` files of a session's workspace behind a path, with their sizes. What is in a folder comes where the
/// folder's name stands among its neighbours.
async fn files(bash: &Bash, behind: Option<&[u8]>, most: usize) -> Vec<(Vec<u8>, u64)> {
    let root = WORKSPACE.as_bytes();
    let behind = behind.and_then(|path| path.strip_prefix(root)?.strip_prefix(b"/")).map(<[u8]>::to_vec);
    let (mut found, mut stack) = (Vec::new(), vec![Next::Folder(root.to_vec(), behind)]);
    while found.len() < most
        && let Some(next) = stack.pop()
    {
        match next {
            Next::File(path, size) => found.push((path, size)),
            Next::Folder(folder, behind) => {
                let entries = bash.list_files(&folder).await.unwrap_or_default();
                let next = entries.into_iter().filter_map(|entry| below(&folder, entry, behind.as_deref()));
                let first = stack.len();
                stack.extend(next);
                stack[first..].reverse();
            }
        }
    }
    found
}

/// What is to be done with an entry of a folder, if it is not in front of the place to begin at.
fn below(folder: &[u8], entry: Entry, behind: Option<&[u8]>) -> Option<Next> {
    let path = [folder, b"/", &entry.bytes].concat();
    let mut parts = behind.map(|behind| behind.splitn(2, |&b| b == b'/'));
    let (head, rest) = (parts.as_mut().and_then(Iterator::next), parts.as_mut().and_then(Iterator::next));
    let order = head.map_or(Ordering::Greater, |head| entry.bytes.as_slice().cmp(head));
    match (entry.kind, order) {
        (_, Ordering::Less) | ("file", Ordering::Equal) => None,
        ("file", Ordering::Greater) => Some(Next::File(path, entry.size)),
        ("folder", Ordering::Equal) => Some(Next::Folder(path, rest.map(<[u8]>::to_vec))),
        ("folder", Ordering::Greater) => Some(Next::Folder(path, None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back() {
        for (id, path) in [("default", "/workspace/a b/ü.txt"), ("../x", "/etc/passwd"), ("a/b%2f", "/w/%"), ("", "/x")]
        {
            let there = address(id, path.as_bytes());
            assert_eq!(parse(&there), Some((id.to_owned(), path.as_bytes().to_vec())), "{there}");
        }
        assert_eq!(parse(&address("x", b"/w/\xff")), Some(("x".to_owned(), b"/w/\xff".to_vec())));
        assert_eq!(address("default", b"/workspace/src/index.ts"), "capsule://session/default/workspace/src/index.ts");
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in ["", "file:///etc/passwd", "capsule://session/", "capsule://session/x", "capsule://other/x/y"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
