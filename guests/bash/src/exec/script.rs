//! Reading and running text: scripts, `-c`, eval, traps.

use crate::expand::{ansi_quote, needs_ansi};
use crate::shell::{Flow, Opt, Shell, Unwind};
use crate::syntax::{Ends, Input, Parser, SyntaxError};

impl Shell {
    /// Runs text inside the running script: eval, source, traps. `kind` goes before syntax errors: `eval: `.
    pub fn run_text(&mut self, text: Vec<u8>, line: u32, kind: &[u8], last: bool) -> Flow {
        let mut none = ();
        let text = strip_nuls(text);
        let mut parser = Parser::new(text, line, &mut none, self.parse_options());
        self.run_parser(&mut parser, kind, last, false)
    }

    /// Runs the whole input, command by command.
    pub fn run_input(&mut self, text: Vec<u8>, input: &mut dyn Input, kind: &[u8], last: bool) -> Flow {
        let text = strip_nuls(text);
        let mut parser = Parser::new(text, 1, input, self.parse_options());
        self.run_parser(&mut parser, kind, last, true)
    }

    fn run_parser(&mut self, parser: &mut Parser<'_>, kind: &[u8], last: bool, top: bool) -> Flow {
        parser.is_script = true;
        let mut ran = false;
        loop {
            if top && self.interactive {
                self.before_prompt()?;
            }
            parser.options = self.parse_options();
            let parsed = parser.next_command();
            let lines = parser.take_lines();
            if self.options.get(Opt::Verbose) && !lines.is_empty() {
                let end: &[u8] = if lines.ends_with(b"\n") { b"" } else { b"\n" };
                self.stderr(&[lines, end].concat());
            }
            if !parser.warnings.is_empty() {
                let warnings = std::mem::take(&mut parser.warnings);
                self.report_warnings(warnings);
            }
            let list = match parsed {
                Ok(Some(list)) => list,
                Ok(None) => {
                    if !ran && !top {
                        self.status = 0;
                    }
                    return Ok(());
                }
                Err(error) => {
                    self.syntax_error(&error, kind);
                    if !error.harmless || !top || parser.at_end() {
                        self.status = 2;
                    }
                    match error.ends {
                        Ends::Text => {}
                        Ends::Line => self.status = 1,
                        Ends::Shell if top && !self.command_string && !error.harmless => {}
                        Ends::Shell => {
                            self.status = 1;
                            self.fatal_expansion = true;
                        }
                    }
                    if top && self.interactive || error.ends == Ends::Line {
                        parser.skip_line();
                        ran = true;
                        continue;
                    }
                    if top || self.posix() || error.ends == Ends::Shell {
                        return Err(Unwind::Exit);
                    }
                    return Ok(());
                }
            };
            ran = true;
            if top {
                self.command_number = self.command_number.saturating_add(1);
                if self.options.get(Opt::History) {
                    let text = parser.command_source().to_vec();
                    self.add_history(text);
                }
            }
            let result = if last && parser.at_end() { self.run_list_last(&list) } else { self.run_list(&list) };
            match result {
                Ok(()) => {}
                // An error abandons its line, not the script; `set -e` does not see it.
                Err(Unwind::Discard) => {
                    self.status = self.status.max(1);
                    if self.abandon_all && (!top || self.command_string) {
                        return Err(if top { Unwind::Exit } else { Unwind::Discard });
                    }
                    self.abandon_all = false;
                    let arithmetic = std::mem::take(&mut self.arith_error);
                    if self.options.get(Opt::Errexit) && self.errexit_off == 0 && !arithmetic {
                        return Err(Unwind::Exit);
                    }
                    if top {
                        self.recover();
                    }
                }
                // Stray `break` and `continue` outside loops have been told already.
                Err(Unwind::Break(_) | Unwind::Continue(_)) if top => {}
                Err(unwind) => return Err(unwind),
            }
            if self.options.get(Opt::Onecmd) && top {
                return Err(Unwind::Exit);
            }
        }
    }

    /// PROMPT_COMMAND; the status stays.
    pub fn run_prompt_commands(&mut self) -> Flow {
        let name = crate::names::Name::new(b"PROMPT_COMMAND");
        let status = self.status;
        for command in self.array_values(name) {
            let line = self.line;
            self.run_text(command, line, b"", false)?;
            self.line = line;
        }
        self.status = status;
        Ok(())
    }

    /// PS1 and PS2 as they are shown; None without a PS1.
    pub fn prompts(&mut self) -> Option<[Vec<u8>; 2]> {
        let first = self.vars.text(b"PS1").map(|v| v.into_owned())?;
        let more = self.vars.text(b"PS2").map_or_else(|| b"> ".to_vec(), |v| v.into_owned());
        let status = self.status;
        let prompts = [first, more].map(|prompt| self.expand_prompt(&prompt).unwrap_or_default());
        self.status = status;
        Some(prompts)
    }

    /// PROMPT_COMMAND, and the prompt where somebody sits.
    fn before_prompt(&mut self) -> Flow {
        self.run_prompt_commands()?;
        if capsule_sys::isatty(0)
            && let Some([prompt, _]) = self.prompts()
        {
            self.stderr(&prompt);
        }
        Ok(())
    }

    /// After an abandoned command: back at the top.
    fn recover(&mut self) {
        self.errexit_off = 0;
        self.loops = 0;
        self.end_process_subs(0);
    }

    pub fn report_warnings(&mut self, warnings: Vec<(u32, Vec<u8>)>) {
        for (line, message) in warnings {
            let before = std::mem::replace(&mut self.line, line);
            self.error(message);
            self.line = before;
        }
    }

    /// `bash: -c: line 1: syntax error near unexpected token …` and the line itself.
    pub fn syntax_error(&mut self, error: &SyntaxError, kind: &[u8]) {
        let name = self.source_name();
        let head = |line: u32| [&name[..], b": ", kind, format!("line {line}: ").as_bytes()].concat();
        const NEAR: &[u8] = b"syntax error near unexpected token `";
        let token = error.message.strip_prefix(NEAR).and_then(|rest| rest.strip_suffix(b"'"));
        let message = match token.filter(|token| needs_ansi(token)) {
            Some(token) => [NEAR, &ansi_quote(token), b"'"].concat(),
            None => error.message.clone(),
        };
        let mut text = match &message[..] {
            [] => Vec::new(),
            message => [&head(error.line)[..], message, b"\n"].concat(),
        };
        if let Some((line, message)) = &error.then {
            text.extend_from_slice(&head(*line));
            text.extend_from_slice(message);
            text.push(b'\n');
        }
        if let Some(source) = &error.source {
            text.extend_from_slice(&head(error.line));
            text.push(b'`');
            text.extend_from_slice(source);
            text.extend_from_slice(b"'\n");
        }
        self.stderr(&text);
    }
}

fn strip_nuls(mut text: Vec<u8>) -> Vec<u8> {
    if memchr::memchr(0, &text).is_some() {
        text.retain(|&b| b != 0);
    }
    text
}
