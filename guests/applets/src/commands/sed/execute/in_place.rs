//! A file edited in place: what is made of it is a file beside it, which takes its name in the end.

use crate::commands::sed::output::{Output, unwritten};
use crate::{input, temporary};
use capsule_sys::{FileType, chown, fchmod, fstat, rename, unlink};

pub struct Edit {
    pub output: Output,
    target: Vec<u8>,
    temporary: Vec<u8>,
    backup: Option<Vec<u8>>,
}

impl Edit {
    pub fn begin(target: &[u8], file: i32, suffix: &[u8]) -> Result<Edit, String> {
        let shown = String::from_utf8_lossy(target);
        let s = fstat(file).map_err(|e| format!("couldn't edit {shown}: {e}"))?;
        if s.kind != FileType::Regular {
            return Err(format!("couldn't edit {shown}: not a regular file"));
        }
        let dir = input::dir_name(target);
        let (new, temporary) = temporary::named(dir, "sed")
            .map_err(|why| format!("couldn't open temporary file {}/sedXXXXXX: {why}", String::from_utf8_lossy(dir)))?;
        // As far as it may be: another owner's file may be edited too.
        let _ = chown(&temporary, Some(s.uid), Some(s.gid));
        let _ = fchmod(new.raw(), s.mode);
        let output = Output::from_file(&temporary, new);
        let backup = backup(target, suffix);
        Ok(Edit { output, target: target.to_vec(), temporary, backup })
    }

    /// Leaves the file as it was. The name of the one that was begun.
    pub fn give_up(self) -> String {
        let _ = unlink(&self.temporary);
        String::from_utf8_lossy(&self.temporary).into_owned()
    }

    pub fn finish(self) -> Result<(), String> {
        let Edit { output, target, temporary, backup } = self;
        let items = output.last;
        if let Err(e) = output.close() {
            let _ = unlink(&temporary);
            return Err(unwritten(items, &String::from_utf8_lossy(&temporary), e));
        }
        let renamed = |from: &[u8], to: &[u8]| {
            rename(from, to).map_err(|e| {
                let _ = unlink(&temporary);
                format!("cannot rename {}: {e}", String::from_utf8_lossy(from))
            })
        };
        if let Some(backup) = backup {
            renamed(&target, &backup)?;
        }
        renamed(&temporary, &target)
    }
}

/// The name of what was there before: `*` in the suffix is the name of the file.
fn backup(target: &[u8], suffix: &[u8]) -> Option<Vec<u8>> {
    if suffix.is_empty() {
        return None;
    }
    let base = input::base_name(target);
    let name: Vec<u8> = if suffix.contains(&b'*') {
        suffix.iter().flat_map(|b| if *b == b'*' { base.to_vec() } else { vec![*b] }).collect()
    } else {
        [base, suffix].concat()
    };
    Some(if name.contains(&b'/') { name } else { input::join(input::dir_name(target), &name) })
}
