//! What the printer writes, the parser reads as the same tree; so `declare -f` can be trusted to bring a function back.

mod random_script;

use capsule_bash::shell::parse_definition;
use capsule_bash::syntax::ast::List;
use capsule_bash::syntax::{ParseOptions, Parser, print_function, print_list, save_function};
use random_script::{Dice, list};

fn parse(text: &[u8]) -> Result<List, String> {
    let mut none = ();
    let mut parser = Parser::new(text.to_vec(), 1, &mut none, ParseOptions::default());
    let mut all = List::default();
    while let Some(list) = parser.next_command().map_err(|e| String::from_utf8_lossy(&e.message).into_owned())? {
        all.items.extend(list.items);
    }
    Ok(all)
}

/// The tree as text, without the places in the source: printing moves commands to other lines, and joins lines.
fn shape(tree: &impl std::fmt::Debug) -> String {
    let text = format!("{tree:?}").replace("newline: true", "newline: false");
    let mut parts = text.split("line: ");
    let mut shape = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shape.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    shape
}

/// Where two shapes part, with what is around it: they are too long to read as a whole.
fn difference(before: &str, after: &str) -> String {
    let at = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(60);
    let near = |text: &str| text.chars().skip(at).take(160).collect::<String>();
    format!("\n{}\n{}", near(before), near(after))
}

/// Substitutions inside words are printed anew too, so their words differ as text where nothing was printed before.
fn has_substitution(text: &str) -> bool {
    let text = text.replace("$((1+2))", "");
    text.contains("$(") || text.contains("<(")
}

/// What must hold for a text, given how it is parsed and printed.
fn check<T: std::fmt::Debug>(
    seed: u64,
    text: &str,
    parse: impl Fn(&[u8]) -> Result<T, String>,
    print: impl Fn(&T) -> Vec<u8>,
) {
    let fail = |e: String, shown: &[u8]| -> T {
        panic!("seed {seed}: {e}\n{text}\n-- printed --\n{}", String::from_utf8_lossy(shown))
    };
    let tree = parse(text.as_bytes()).unwrap_or_else(|e| fail(e, b""));
    let printed = print(&tree);
    let again = parse(&printed).unwrap_or_else(|e| fail(e, &printed));
    let reprinted = print(&again);
    if printed != reprinted {
        fail(format!("printed in two ways\n{}", String::from_utf8_lossy(&reprinted)), &printed);
    }
    let third = parse(&reprinted).unwrap_or_else(|e| fail(e, &reprinted));
    let first = if has_substitution(text) { &again } else { &tree };
    for other in [&again, &third] {
        let (before, after) = (shape(first), shape(other));
        if before != after {
            fail(difference(&before, &after), &printed);
        }
    }
}

#[test]
fn a_printed_list_is_the_same_tree() {
    for seed in 0..600 {
        let text = list(&mut Dice::new(seed), 1 + (seed % 3) as u32);
        check(seed, &text, parse, print_list);
    }
}

#[test]
fn a_printed_function_is_the_same_function() {
    let parse = |text: &[u8]| parse_definition(text.to_vec(), 1).ok_or_else(|| "no definition".to_owned());
    for seed in 0..600 {
        let text = format!("f () {{ {}\n}}", list(&mut Dice::new(seed), 1 + (seed % 3) as u32));
        check(seed, &text, parse, |body| print_function(b"f", body));
        check(seed, &text, parse, |body| save_function(b"f", body));
    }
}

/// bash prints these as something else that means the same; printed once, they stay.
#[test]
fn other_ways_to_write_it_settle() {
    for text in [
        "if a; then b; elif c; then d; fi",
        "for x; do y; done",
        "f() { a; } |& b",
        "cat <<E | b\n$x\nE\n",
        "a <> b <&-",
    ] {
        let printed = print_list(&parse(text.as_bytes()).unwrap());
        let again = print_list(&parse(&printed).unwrap());
        assert_eq!(String::from_utf8_lossy(&printed), String::from_utf8_lossy(&again));
    }
}
