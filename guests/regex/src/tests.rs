mod model;

use crate::{Groups, Options, Perl, PerlOptions, Regex, Syntax, Whole};

fn options(syntax: Syntax) -> Options {
    Options { syntax, utf8: true, ..Options::default() }
}

fn groups(syntax: Syntax, pattern: &str, text: &str) -> Option<Groups> {
    let regex = Regex::new(pattern.as_bytes(), &options(syntax)).unwrap_or_else(|e| panic!("{pattern}: {e}"));
    let mut groups = Groups::new();
    regex.captures_at(text.as_bytes(), 0, false, &mut groups).then_some(groups)
}

fn ere(pattern: &str, text: &str) -> Option<Groups> {
    groups(Syntax::Extended, pattern, text)
}

fn bre(pattern: &str, text: &str) -> Option<(usize, usize)> {
    groups(Syntax::Basic, pattern, text)?[0]
}

#[test]
fn groups_lie_as_with_gnu() {
    let is = |pattern, text, want: &[(usize, usize)]| {
        let want: Groups = want.iter().map(|&span| (span.0 != 99).then_some(span)).collect();
        assert_eq!(ere(pattern, text), Some(want), "{pattern} on {text}");
    };
    const NO: (usize, usize) = (99, 99);
    is("(a|ab)(c|bcd)(d*)", "abcd", &[(0, 4), (0, 1), (1, 4), (4, 4)]);
    is("((a)|b)*", "ab", &[(0, 2), (1, 2), (0, 1)]);
    is("(a*)*", "b", &[(0, 0), (0, 0)]);
    is("(a|b*)*", "ab", &[(0, 2), (1, 2)]);
    is("(a|aa)*", "aaa", &[(0, 3), (2, 3)]);
    is("(a?)*", "aXb", &[(0, 1), (0, 1)]);
    is("(a(b)?(c)?)+", "abcabd", &[(0, 5), (3, 5), (4, 5), (2, 3)]);
    is("(a*)(a|ab)(b*)", "aab", &[(0, 3), (0, 1), (1, 2), (2, 3)]);
    is("(a)|(b)", "b", &[(0, 1), NO, (0, 1)]);
    is("x(a)?y", "xy", &[(0, 2), NO]);
    is("(ab|a|b){0,2}", "ab", &[(0, 2), (1, 2)]);
    is("(a*)+", "aaa", &[(0, 3), (0, 3)]);
}

#[test]
fn leftmost_then_longest() {
    assert_eq!(ere("a|ab|abc", "xabcd"), Some(vec![Some((1, 4))]));
    assert_eq!(ere("abcd|c", "abcd"), Some(vec![Some((0, 4))]));
    assert_eq!(ere("x*", "aax"), Some(vec![Some((0, 0))]));
    assert_eq!(ere("é.", "aéx").map(|g| g[0]), Some(Some((1, 4))));
    assert_eq!(ere(r"\<b\w*", "ab bc").map(|g| g[0]), Some(Some((3, 5))));
}

#[test]
fn stars_and_anchors_in_context() {
    assert_eq!(bre("*a", "b*a"), Some((1, 3)));
    assert_eq!(bre(r"\(*a\)", "b*a"), Some((1, 3)));
    assert_eq!(bre("^*a", "*a"), Some((0, 2)));
    assert_eq!(bre("a^b", "a^b"), Some((0, 3)));
    assert_eq!(bre("a$b", "a$b"), Some((0, 3)));
    assert_eq!(bre(r"\(^a\)", "ba"), None);
    assert_eq!(bre(r"a\|^b", "b"), Some((0, 1)));
    assert_eq!(bre(r"\+a", "+a"), Some((0, 2)));
    assert_eq!(bre(r"a\{,2\}", "aaa"), Some((0, 2)));
    assert_eq!(bre(r"\(a*\)b\1", "aabaa"), Some((0, 5)));
    assert_eq!(bre(r"\(.\)\1", "abccd"), Some((2, 4)));
    assert_eq!(ere("a^b", "a^b"), None);
    assert_eq!(ere("a||b", "b").map(|g| g[0]), Some(Some((0, 1))));
    assert_eq!(groups(Syntax::Awk, "*a{", "b*a{").map(|g| g[0]), Some(Some((1, 4))));
    assert_eq!(groups(Syntax::Awk, r"[\t\]]\.\/\052", "\t./*").map(|g| g[0]), Some(Some((0, 4))));
}

#[test]
fn errors_are_worded_as_gnus() {
    let error = |syntax, pattern: &str| Regex::new(pattern.as_bytes(), &options(syntax)).err().map(|e| e.message);
    for (pattern, message) in [
        ("(a", "Unmatched ( or \\("),
        ("a)", "Unmatched ) or \\)"),
        ("*a", "Invalid preceding regular expression"),
        ("a|*b", "Invalid preceding regular expression"),
        ("^*", "Invalid preceding regular expression"),
        ("a{1", "Unmatched \\{"),
        ("a{1a", "Unmatched \\{"),
        ("a{", "Unmatched \\{"),
        ("a{x}", "Invalid content of \\{\\}"),
        ("a{2,1}", "Invalid content of \\{\\}"),
        ("a{99999}", "Regular expression too big"),
        ("[a", "Unmatched [, [^, [:, [., or [="),
        ("[", "Invalid regular expression"),
        ("[[:foo:]]", "Invalid character class name"),
        ("[z-a]", "Invalid range end"),
        ("[a-c-e]", "Invalid range end"),
        ("[[.space.]]", "Invalid collation character"),
        ("[[=ab=]]", "Invalid collation character"),
        ("a\\", "Trailing backslash"),
        ("(a)\\2", "Invalid back reference"),
        ("(\\1)", "Invalid back reference"),
    ] {
        assert_eq!(error(Syntax::Extended, pattern), Some(message), "{pattern}");
    }
    for pattern in ["a**", r"\{1\}a", r"a\{1,2\}\{2\}", r"^\{1\}"] {
        assert_eq!(error(Syntax::Basic, pattern), Some("Invalid preceding regular expression"), "{pattern}");
    }
    assert_eq!(error(Syntax::Extended, &"(".repeat(100_000)), Some("Regular expression too big"));
    let braces = "{".repeat(1_000_000);
    let lenient = Options { syntax: Syntax::Extended, lenient: true, ..Options::default() };
    let text =
        Regex::new(braces.as_bytes(), &lenient).ok().and_then(|regex| regex.find_at(braces.as_bytes(), 0, false));
    assert_eq!(text, Some((0, 1_000_000)), "a text of any length, and in no more than a moment");
    assert!(Regex::any_of(&[braces.as_bytes()], &lenient, Whole::Line).is_err());
    assert_eq!(error(Syntax::Extended, &("a".to_owned() + &"{2}".repeat(100))), Some("Regular expression too big"));
    assert_eq!(error(Syntax::Extended, "(((a{9999}){9999}){9999}){9999}"), Some("Regular expression too big"));
}

#[test]
fn bytes_and_characters() {
    let find = |pattern: &[u8], text: &[u8], utf8| {
        let options = Options { syntax: Syntax::Extended, utf8, ..Options::default() };
        Regex::new(pattern, &options).ok().and_then(|r| r.find_at(text, 0, false))
    };
    assert_eq!(find(b".", b"\xff", true), None);
    assert_eq!(find(b"[^a]", b"\xff", true), None);
    assert_eq!(find(b".", b"\xff", false), Some((0, 1)));
    assert_eq!(find(b"\xff", b"a\xff", true), Some((1, 2)));
    assert_eq!(find("[à-é]+".as_bytes(), "xéà".as_bytes(), true), Some((1, 5)));
    assert_eq!(find("^.$".as_bytes(), "é".as_bytes(), true), Some((0, 2)));
    assert_eq!(find("^.$".as_bytes(), "é".as_bytes(), false), None);
    assert_eq!(find("[[:upper:]]".as_bytes(), "éÉ".as_bytes(), true), Some((2, 4)));
}

#[test]
fn patterns_of_perl() {
    let find = |pattern: &str, text: &str| {
        let options = PerlOptions { utf8: true, ..PerlOptions::default() };
        let perl = Perl::new(pattern.as_bytes(), &options, Whole::No).unwrap_or_else(|e| panic!("{pattern}: {e}"));
        perl.find_at(text.as_bytes(), 0).expect("few steps")
    };
    assert_eq!(find("a|ab", "ab"), Some((0, 1)));
    assert_eq!(find("(?<=foo)bar", "xfoobar"), Some((4, 7)));
    assert_eq!(find("foo\\Kbar", "xfoobar"), Some((4, 7)));
    assert_eq!(find("(?<!é)b", "éb b"), Some((4, 5)));
    assert_eq!(find("<.+?>", "<a><b>"), Some((0, 3)));
    assert_eq!(find("(?>a+)a", "aaa"), None);
    assert_eq!(find(r"\((?:[^()]++|(?R))*\)", "x(a(b)c)"), Some((1, 8)));
    assert_eq!(find(r"(?i)STRASSE|é", "É"), Some((0, 2)));
    // As many ways as there are do no harm where nothing but the place decides.
    assert_eq!(find("(a*)*b", &"a".repeat(2000)), None);
    let deep = "(".repeat(10_000);
    assert!(Perl::new(deep.as_bytes(), &PerlOptions::default(), Whole::No).is_err());
}
