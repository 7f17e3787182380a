//! One program for the shell and its commands: the name it is called by says which.

use capsule_sys as sys;

fn main() {
    // Rust's start-up ignores it natively; a shell and its commands must not.
    #[cfg(not(target_arch = "wasm32"))]
    let _ = sys::signal_action(sys::Signal::PIPE, sys::Disposition::Default);
    let argv = sys::args();
    let name =
        argv.first().map(|arg0| arg0.rsplit(|&b| b == b'/').next().unwrap_or_default().to_vec()).unwrap_or_default();
    let status = match capsule_applets::find(&name) {
        Some(applet) => i32::from(applet.main(&capsule_applets::Args::new(argv))),
        None => capsule_bash::startup::main(argv, sys::environ()),
    };
    sys::exit(status)
}
