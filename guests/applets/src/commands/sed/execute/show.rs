//! What `--debug` adds to standard output.

use super::super::debug::Names;
use super::*;

impl Machine<'_> {
    /// It goes to standard output also where lines go to a file.
    pub fn aside(&mut self, text: &[u8]) {
        self.sinks.outputs[0].aside(text);
    }

    pub fn show_program(&mut self, commands: &[Command]) {
        let names = Names { outputs: &self.sinks.outputs, inputs: &self.reader_names, utf8: self.settings.utf8 };
        if let Some(shown) = self.debug.as_mut().map(|debug| debug.program(commands, &names)) {
            self.aside(&shown);
        }
    }

    pub fn show_command(&mut self, commands: &[Command], at: usize) {
        let names = Names { outputs: &self.sinks.outputs, inputs: &self.reader_names, utf8: self.settings.utf8 };
        if let Some(shown) = self.debug.as_mut().map(|debug| debug.step(commands, at, &names)) {
            self.aside(&shown);
        }
    }

    pub fn show_input(&mut self) {
        if self.debug.is_some() {
            let name = if *self.input.name == *b"-" { b"STDIN" } else { &self.input.name[..] };
            let shown =
                [b"INPUT:   '", name, b"' line ", self.input.line_number.to_string().as_bytes(), b"\n"].concat();
            self.aside(&shown);
        }
    }

    pub fn show_pattern(&mut self) {
        if self.debug.is_some() {
            let shown = debug::space("PATTERN:", &self.line.text);
            self.aside(&shown);
        }
    }

    pub fn show_hold(&mut self) {
        if self.debug.is_some() {
            let shown = debug::space("HOLD:", &self.hold.text);
            self.aside(&shown);
        }
    }
}
