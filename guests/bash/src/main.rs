//! One program for the shell and its commands: the name it is called by says which.

use capsule_abi::stub;
use capsule_applets::path::{Missing, canonical};
use capsule_applets::{Applet, Args};
use capsule_sys as sys;

fn main() {
    // Rust's start-up ignores it natively; a shell and its commands must not.
    #[cfg(not(target_arch = "wasm32"))]
    let _ = sys::signal_action(sys::Signal::PIPE, sys::Disposition::Default);
    let argv = sys::args();
    let status = match command(argv.first().map(Vec::as_slice).unwrap_or_default()) {
        Some(applet) => i32::from(applet.main(&Args::new(argv))),
        None => capsule_bash::startup::main(argv, sys::environ()),
    };
    sys::exit(status)
}

/// The names of the shell.
const SHELLS: [&[u8]; 3] = [b"bash", b"sh", b"rbash"];

/// The command that was called; none is the shell.
fn command(arg0: &[u8]) -> Option<&'static Applet> {
    let name = last_component(arg0);
    if SHELLS.contains(&name.strip_prefix(b"-").unwrap_or(name)) {
        return None;
    }
    capsule_applets::find(name).or_else(|| {
        // A link to a command, or a copy, has another name, and `exec -a` gives any: then the file that was started says
        // which.
        let file = sys::readlink(b"/proc/self/exe").and_then(|exe| canonical(&exe, Missing::None, false, true)).ok()?;
        capsule_applets::find(last_component(&file)).or_else(|| capsule_applets::find(&named_in(&file)?))
    })
}

/// The command that a file names.
fn named_in(file: &[u8]) -> Option<Vec<u8>> {
    let file = sys::open(file, sys::OpenFlags::RDONLY, 0).ok()?;
    let mut head = [0; stub::HEAD];
    let len = sys::read(file.raw(), &mut head).ok()?;
    stub::command(&head[..len]).map(<[u8]>::to_vec)
}

fn last_component(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or_default()
}
