//! Files of sessions as resources: `capsule://session/ID/path`, the id percent-encoded, the path absolute in the sandbox.

use base64::Engine as _;
use capsule_abi::Errno;
use capsule_session::{Bash, Error, Sessions, WORKSPACE};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use std::collections::VecDeque;

const PREFIX: &str = "capsule://session/";

/// What may stand in a segment as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How many resources one page lists.
const PAGE: usize = 200;

/// How many files of a session are listed at all: a list is for looking around, `run` with find is for the rest.
const MOST_LISTED: usize = 2000;

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

/// The address of a file.
fn address(session: &str, path: &str) -> String {
    let encode = |segment| utf8_percent_encode(segment, KEPT).to_string();
    let path: Vec<String> = path.trim_start_matches('/').split('/').map(encode).collect();
    format!("{PREFIX}{}/{}", encode(session), path.join("/"))
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

/// The files in the workspaces of all sessions, a page at a time.
pub async fn list(sessions: &Sessions, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let start: usize = match cursor {
        None => 0,
        Some(text) => {
            text.parse().map_err(|_| ErrorData::invalid_params("cursor: not one that was given out", None))?
        }
    };
    let mut found = Vec::new();
    for id in ids(sessions)? {
        // One more than the page tells that there is a next one.
        if found.len() > start.saturating_add(PAGE) {
            break;
        }
        // One that another process holds cannot be listed.
        if let Ok(bash) = sessions.get(&id) {
            found.extend(files(&bash, &id).await);
        }
    }
    let start = start.min(found.len());
    let end = found.len().min(start + PAGE);
    let more = (end < found.len()).then(|| end.to_string());
    let page = found.drain(start..end).collect();
    Ok(ListResourcesResult { next_cursor: more, ..ListResourcesResult::with_all_items(page) })
}

/// What is in a session's workspace, folder by folder.
async fn files(bash: &Bash, id: &str) -> Vec<Resource> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([WORKSPACE.to_owned()]);
    while let Some(folder) = folders.pop_front() {
        for entry in bash.list_files(&folder).await.unwrap_or_default() {
            let path = format!("{folder}/{}", entry.name);
            if found.len() == MOST_LISTED {
                return found;
            }
            match entry.kind {
                "folder" => folders.push_back(path),
                "file" => {
                    let name = path.strip_prefix(WORKSPACE).unwrap_or(&path).trim_start_matches('/').to_owned();
                    found.push(Resource::new(address(id, &path), name).with_size(entry.size));
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back() {
        for (id, path) in [("default", "/workspace/a b/ü.txt"), ("../x", "/etc/passwd"), ("a/b%2f", "/w/%"), ("", "/x")]
        {
            let there = address(id, path);
            assert_eq!(parse(&there), Some((id.to_owned(), path.as_bytes().to_vec())), "{there}");
        }
        assert_eq!(address("default", "/workspace/src/index.ts"), "capsule://session/default/workspace/src/index.ts");
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in ["", "file:///etc/passwd", "capsule://session/", "capsule://session/x", "capsule://other/x/y"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
