//! The parser accepts what bash accepts and refuses the rest with bash's words.

use super::ast::CommandKind;
use super::{ParseOptions, Parser, print_list, save_function};

fn parse(text: &str) -> Result<String, String> {
    let mut none = ();
    let mut parser = Parser::new(text.as_bytes().to_vec(), 1, &mut none, ParseOptions::default());
    let mut out = String::new();
    loop {
        match parser.next_command() {
            Ok(Some(list)) => {
                out.push_str(&String::from_utf8_lossy(&print_list(&list)));
                out.push('\n');
            }
            Ok(None) => return Ok(out),
            Err(error) => return Err(String::from_utf8_lossy(&error.message).into_owned()),
        }
    }
}

#[test]
fn every_construct_parses() {
    for text in [
        "a b c; d & e",
        "a | b |& c && d || ! e",
        "if a; then b; elif c; then d; else e; fi",
        "for i in 1 2; do echo $i; done; for x; do :; done; for ((i=0; i<3; i++)); do :; done",
        "while read -r x; do :; done < f; until false; do break; done",
        "case $x in (a|b) c ;; d) e ;& *) f ;;& esac",
        "f() { echo; }; function g { :; }; function h() (echo)",
        "[[ -f x && ( $a == b* || ! c =~ ^(x|y)$ ) ]]",
        "((i++)); ((a = (1+2) * 3)); ( (echo) )",
        "a=(1 2 [5]=x) b+=(y) c[1]=2 d[a b]=3 cmd",
        "declare -A m=([a]=b [c d]=\"e f\")",
        "cat <<EOF\nhi $x\nEOF\necho",
        "cat <<-'A' <<B\n\t$x\n\tA\ny\nB\n",
        "echo ${x:-a b} ${#x} ${!x} ${x/a/b} ${x//a} ${x:1:2} ${x^^} ${x@Q} ${a[@]} ${!a[*]} ${!p@} ${#} ${##} ${#a[@]}",
        "echo $(a $(b `c`)) $((1+(2))) \"$(x \"y\")\" $'a\\'b' $\"z\"",
        "diff <(a) >(b) {fd}>x 2>&1 <&3- &>f &>>g >|h <>i <<<j",
        "coproc X { a; }; time -p a | b; ! a; time; select x in a; do :; done",
    ] {
        let printed = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let again = parse(&printed).unwrap_or_else(|e| panic!("{text}\n-- printed --\n{printed}: {e}"));
        assert_eq!(printed, again);
    }
}

#[test]
fn errors_read_as_in_bash() {
    for (text, message) in [
        ("echo )", "syntax error near unexpected token `)'"),
        ("done", "syntax error near unexpected token `done'"),
        ("if a; then", "syntax error: unexpected end of file"),
        ("echo \"a", "unexpected EOF while looking for matching `\"'"),
        ("a | | b", "syntax error near unexpected token `|'"),
        ("a &&\n&& b", "syntax error near unexpected token `&&'"),
        ("for 1", "syntax error: unexpected end of file"),
        ("{ }", "syntax error near unexpected token `}'"),
    ] {
        assert_eq!(parse(text), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for open in ["(", "$(", "${x:-", "{ ", "if ", "\"$(", "[[ ( ", "case x in a) ", "<(", "f() { ", "$((", "`"] {
        assert!(parse(&open.repeat(99_999)).is_err(), "{open}");
    }
}

/// What a session keeps of a function is the function.
#[test]
fn saved_functions_are_read_again() {
    for text in [
        "f() { coproc a b; c; }",
        "f() { g; if cat <<E; then a; fi; h; }\n1\nE\n",
        "f() { cat <<E && b; cat <<F | c & d; }\n1\nE\n2\nF\n",
        "f() { g; while cat <<E; do a; done; }\n1\nE\n",
        "f() { x=$(a\nif cat <<E; then b; fi\n1\nE\nc); }\n",
        "f() { { cat <<E; } >x; (cat <<F); case x in a) cat <<G ;; esac; }\n1\nE\n2\nF\n3\nG\n",
    ] {
        let save = |text: &[u8]| {
            let mut none = ();
            let mut parser = Parser::new(text.to_vec(), 1, &mut none, ParseOptions::default());
            let list = parser.next_command().unwrap().unwrap();
            let CommandKind::Function(f) = &list.items[0].and_or.first.stages[0].kind else { panic!("{text:?}") };
            save_function(&f.name, &f.body)
        };
        let saved = save(text.as_bytes());
        assert_eq!(String::from_utf8(save(&saved)).unwrap(), String::from_utf8(saved).unwrap(), "{text}");
    }
}
