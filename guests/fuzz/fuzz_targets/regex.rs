//! A pattern in each way of writing it, and a text: an error or an answer, and what is found lies in the text.
#![no_main]

use capsule_regex::{Groups, Options, Perl, PerlOptions, Regex, Syntax, Whole};
use libfuzzer_sys::fuzz_target;

const SYNTAXES: [Syntax; 4] = [Syntax::Basic, Syntax::Extended, Syntax::Awk, Syntax::Emacs];

fuzz_target!(|input: &[u8]| {
    let [flags, rest @ ..] = input else { return };
    let (pattern, text) = rest.split_at(rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()));
    let flag = |bit: u8| flags & 1 << bit != 0;
    let options = Options {
        syntax: SYNTAXES[usize::from(flags >> 6)],
        ignore_case: flag(0),
        utf8: flag(1),
        multi_line: flag(2),
        newline_any: flag(3),
        lenient: flag(4),
        ..Options::default()
    };
    let mut groups = Groups::new();
    if let Ok(regex) = Regex::new(pattern, &options) {
        let found = regex.find_at(text, 0, false);
        let captured = regex.captures_at(text, 0, false, &mut groups);
        assert_eq!(found.is_some(), captured);
        assert!(groups.iter().flatten().all(|&(start, end)| start <= end && end <= text.len()));
        if let (Some(found), Some(whole)) = (found, groups.first()) {
            assert_eq!(Some(found), *whole);
        }
    }
    let options = PerlOptions { ignore_case: flag(0), utf8: flag(1), multi_line: flag(2), lines: flag(3) };
    if let Ok(regex) = Perl::new(pattern, &options, Whole::No)
        && let Ok(Some((start, end))) = regex.find_at(text, 0)
    {
        assert!(start <= end && end <= text.len());
    }
});
