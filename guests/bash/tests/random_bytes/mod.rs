//! Bytes as scripts and as words, and what must hold for any of them. The fuzz targets `shell_parser` and
//! `shell_expander` call these too.

use capsule_bash::shell::{Opt, Shell};
use capsule_bash::syntax::ast::{CommandKind, List};
use capsule_bash::syntax::{ParseOptions, Parser, print_list};

fn parse(text: &[u8]) -> Option<List> {
    let options = ParseOptions { extglob: true, ..ParseOptions::default() };
    let mut none = ();
    let mut parser = Parser::new(text.to_vec(), 1, &mut none, options);
    let mut all = List::default();
    while let Some(list) = parser.next_command().ok()? {
        all.items.extend(list.items);
    }
    Some(all)
}

/// Any bytes are a tree or an error, and a tree can be printed.
pub fn parse_anything(input: &[u8]) {
    if let Some(tree) = parse(input) {
        let _ = parse(&print_list(&tree));
    }
}

/// The words of a command expand to fields or to an error. Nothing is run: no substitutions, no path of a program.
pub fn expand_anything(input: &[u8]) {
    let runs = |part: &[u8]| {
        matches!(part, [b'$', b'(', c] if *c != b'(') || matches!(part, [b'<' | b'>', b'(', _] | [b'.', b'.', _])
    };
    if input.iter().any(|b| matches!(b, b'`' | b'/' | b'\n')) || [input, b"  "].concat().windows(3).any(runs) {
        return;
    }
    let text = [b"echo ", input].concat();
    let Some(tree) = parse(&text) else { return };
    // `$((a) b)` is a command after all.
    if format!("{tree:?}").contains("CommandSub") {
        return;
    }
    let environment = [&b"PATH=/nowhere"[..], b"x=a", b"y=1+1", b"z=*", b"LANG=C.UTF-8"];
    let mut shell = Shell::new(b"bash".to_vec(), environment.iter().map(|entry| entry.to_vec()).collect());
    shell.options.put(Opt::Noexec, true);
    shell.positional = std::rc::Rc::new(vec![b"one".to_vec(), b"t w o".to_vec(), Vec::new()]);
    for item in &tree.items {
        for stage in &item.and_or.first.stages {
            if let CommandKind::Simple(simple) = &stage.kind {
                let _ = shell.expand_words(&simple.words);
            }
        }
    }
}
