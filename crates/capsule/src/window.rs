//! The window of the terminal that this process was started on.

use capsule_session::{Window, WindowSize};
use rustix::termios::tcgetwinsize;
use std::io::{stderr, stdin, stdout};
use std::sync::Arc;

/// Tells how large it is now, by the first standard descriptor that is a terminal.
pub fn size() -> WindowSize {
    Arc::new(|| {
        let found = tcgetwinsize(stdout()).or_else(|_| tcgetwinsize(stderr())).or_else(|_| tcgetwinsize(stdin()));
        found.map_or(Window::default(), |size| Window { rows: size.ws_row, columns: size.ws_col })
    })
}
