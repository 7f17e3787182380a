//! `set`.

use crate::shell::{Flow, Opt, Options, SET_OPTIONS, Shell, Shopt};
use std::rc::Rc;

pub fn run(shell: &mut Shell, args: &[Vec<u8>]) -> Flow<i32> {
    if args.len() == 1 {
        shell.list_variables();
        if !shell.posix() {
            let mut names: Vec<_> = shell.functions.keys().cloned().collect();
            names.sort();
            for name in names {
                if let Some(function) = shell.functions.get(&name) {
                    let text = function.print(&name);
                    shell.out.extend_from_slice(text);
                    shell.out.push(b'\n');
                }
            }
        }
        return Ok(0);
    }
    let mut next = 1;
    let mut positional = false;
    while let Some(arg) = args.get(next) {
        match &arg[..] {
            b"--" => {
                next += 1;
                positional = true;
                break;
            }
            b"-" => {
                next += 1;
                shell.put_option(Opt::Xtrace, false);
                shell.put_option(Opt::Verbose, false);
                positional = args.len() > next;
                break;
            }
            b"+" => next += 1,
            [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => {
                let on = *sign == b'-';
                for &letter in letters {
                    if letter == b'o' {
                        match args.get(next + 1) {
                            Some(name) => {
                                let Some(opt) = Options::by_name(name) else {
                                    if name.starts_with(b"-") || name.starts_with(b"+") {
                                        list_options(shell, on);
                                        continue;
                                    }
                                    shell.complain("set", [&name[..], b": invalid option name"].concat());
                                    return Ok(2);
                                };
                                shell.put_option(opt, on);
                                next += 1;
                            }
                            None => list_options(shell, on),
                        }
                        continue;
                    }
                    if letter == b'r' {
                        if shell.options.restricted && !on {
                            shell.bad_option("set", b"+r");
                            return Ok(1);
                        }
                        shell.options.restricted = on;
                        continue;
                    }
                    match Options::by_letter(letter) {
                        Some(opt) => shell.put_option(opt, on),
                        None => {
                            let option = [*sign, letter];
                            return Ok(shell.bad_option("set", &option));
                        }
                    }
                }
                next += 1;
            }
            _ => {
                positional = true;
                break;
            }
        }
    }
    if positional {
        shell.positional = Rc::new(args[next..].to_vec());
    }
    Ok(0)
}

fn list_options(shell: &mut Shell, on: bool) {
    for (opt, name, _, _) in SET_OPTIONS {
        let state = shell.options.get(*opt);
        let line = if on {
            format!("{name:<15}\t{}\n", if state { "on" } else { "off" })
        } else {
            format!("set {}o {name}\n", if state { '-' } else { '+' })
        };
        shell.out.extend_from_slice(line.as_bytes());
    }
}

impl Shell {
    pub(crate) fn put_option(&mut self, opt: Opt, on: bool) {
        self.options.put(opt, on);
        match opt {
            Opt::Posix => {
                // POSIX mode turns a few options on.
                if on {
                    self.options.put_shopt(Shopt::ExpandAliases, true);
                } else if !self.interactive {
                    self.options.put_shopt(Shopt::ExpandAliases, false);
                }
            }
            Opt::Vi if on => self.options.put(Opt::Emacs, false),
            Opt::Emacs if on => self.options.put(Opt::Vi, false),
            _ => {}
        }
    }
}
