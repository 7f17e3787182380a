//! What was saved is what is loaded, and no bytes do harm.

use super::{State, StateError};
use crate::shell::Shell;

const SCRIPT: &str = r#"
    shopt -s expand_aliases extglob
    plain='a b' empty= ; declare declared; export SENT=yes; readonly FIXED=1; declare -i number=41
    declare -l low=ABC; declare -u up=abc; declare -a list=(a 'b c' [9]=z); declare -A map=([k]=v ['x y']='1 2')
    declare -n ref=plain; declare -x -i both=7
    f() { local x=$1; echo "f $x" | cat <<END
doc $x
END
    case $x in @(a|b)*) echo glob;; esac; }
    g() (exit 3); export -f g; declare -ft f
    alias ll='ls -l' ; set -u -o pipefail; shopt -u sourcepath
    trap 'echo usr' USR1; trap '' HUP; trap 'echo err' ERR; set -- one 'two three'
    hash -p /bin/x x; enable -n times; unset RANDOM; complete -W 'a b' cmd; OPTIND=3; IFS=:
    (exit 7)
"#;

fn shell() -> Shell {
    let environment = vec![b"PATH=/bin".to_vec(), b"HOME=/root".to_vec()];
    let mut shell = Shell::new(b"bash".to_vec(), environment);
    shell.command_string = true;
    let _ = shell.run_text(SCRIPT.as_bytes().to_vec(), 1, b"", false);
    shell.traps.set(crate::exec::ERR, None);
    shell
}

fn resumed(bytes: &[u8]) -> Shell {
    Shell::resumed(b"bash".to_vec(), State::read(bytes).unwrap_or_else(|e| panic!("{e}")), Vec::new())
}

#[test]
fn a_resumed_shell_saves_the_same_bytes() {
    let first = shell().state_bytes();
    let second = resumed(&first).state_bytes();
    // Hash tables have no order; what is in them is the same.
    let sorted = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes.sort_unstable();
        bytes
    };
    assert_eq!(sorted(&first), sorted(&second));
}

#[test]
fn what_a_script_sees_is_kept() {
    let old = shell();
    let new = resumed(&old.state_bytes());
    for shell in [&old, &new] {
        assert_eq!(shell.status, 7);
        assert_eq!(shell.positional.len(), 2);
    }
    for name in ["plain", "list", "map", "ref", "both", "IFS", "OPTIND", "declared"] {
        let show = |shell: &Shell| {
            format!("{:?}", shell.vars.find(name.as_bytes()).map(|v| (v.attrs, v.set, v.get().map(<[u8]>::to_vec))))
        };
        assert_eq!(show(&old), show(&new), "{name}");
    }
    for name in [&b"f"[..], b"g"] {
        assert_eq!(old.functions[name].print(name), new.functions[name].print(name));
        assert!(new.functions[name].body().is_some());
    }
    assert!(new.functions[&b"g"[..]].exported && new.functions[&b"f"[..]].traced);
}

#[test]
fn every_cut_and_every_flipped_byte_is_met() {
    let bytes = shell().state_bytes();
    for end in 0..bytes.len() {
        assert!(State::read(&bytes[..end]).is_err(), "{end} bytes");
    }
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            let _ = State::read(&bytes);
        }
    }
    let read = |bytes: &[u8]| State::read(bytes).err();
    assert_eq!(read(b"#!/bin/sh"), Some(StateError::NotAState));
    assert_eq!(read(b"CSST\x09\0\0\0"), Some(StateError::Version(9)));
    assert_eq!(read(&[&bytes[..], b"x"].concat()), Some(StateError::Trailing));
}

#[test]
fn a_damaged_function_is_an_error_of_its_call() {
    let mut shell = Shell::new(b"bash".to_vec(), Vec::new());
    let damaged = crate::shell::Function::from_text(b"f () { ((".to_vec(), 1, b""[..].into());
    shell.functions.insert(b"f"[..].into(), damaged);
    let _ = shell.run_text(b"f".to_vec(), 1, b"", false);
    assert_eq!(shell.status, 1);
}
