//! `bind`. There is no line editor here: the command checks what it is given, warns as bash does in scripts, and keeps
//! nothing.

use super::{Letter, Letters};
use crate::shell::{Flow, Shell};
use capsule_sys as sys;

const KEYMAPS: &[&[u8]] =
    &[b"emacs", b"emacs-standard", b"emacs-meta", b"emacs-ctlx", b"vi", b"vi-move", b"vi-command", b"vi-insert"];

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    shell.complain("bind", "warning: line editing not enabled");
    for letter in Letters::new(args, b"lpsvPSVXm:f:q:u:r:x:") {
        match letter {
            Letter::With(b'm', name) if !KEYMAPS.contains(&name) => {
                shell.complain("bind", [b"`", name, b"': invalid keymap name"].concat());
                return Ok(1);
            }
            Letter::With(b'f', path) => {
                if let Err(errno) = sys::access(path, sys::R_OK) {
                    shell.complain("bind", [path, b": cannot read: ", errno.text().as_bytes()].concat());
                    return Ok(1);
                }
            }
            Letter::Bad(option) => return Ok(shell.bad_option("bind", &option)),
            Letter::Missing(letter) => {
                shell.complain("bind", format!("-{}: option requires an argument", letter as char));
                return Ok(shell.usage("bind"));
            }
            _ => {}
        }
    }
    Ok(0)
}
