//! The commands as one native program, called by the name it is linked to: for comparing them with the machine's own
//! tools. Not part of the product.

fn main() {
    // Rust's start-up ignores it; a guest has no such start-up.
    let _ = capsule_sys::signal_action(capsule_sys::Signal::PIPE, capsule_sys::Disposition::Default);
    let mut args = capsule_sys::args();
    // Under its own name the command is the first argument.
    if args.first().is_some_and(|name| name.ends_with(b"applet")) {
        args.remove(0);
    }
    capsule_sys::exit(match capsule_applets::run(args) {
        Some(status) => status.into(),
        None => 127,
    });
}
