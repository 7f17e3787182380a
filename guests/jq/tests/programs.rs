//! Programs with what they must give: blocks in `programs.txt` of a program, an input, and the outputs, one a line. An
//! error that nobody caught is a line `error: MESSAGE`; a program that does not compile, `compile error`.

use capsule_jq::json::{parse_all, to_string};
use capsule_jq::natives::Fields;
use capsule_jq::{Host, Library, Machine, Object, Stop, Value, compile};
use std::collections::VecDeque;

struct Fake(VecDeque<Value>);

impl Library for Fake {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        match path {
            "lib/a.jq" => {
                Some(b"module {name: \"a\"}; import \"b\" as b; def f: b::g + 1; def f($x): $x * 2;".to_vec())
            }
            "lib/b/b.jq" => Some(b"def g: 41;".to_vec()),
            "lib/data.json" => Some(b"1 [2]".to_vec()),
            "lib/one.jq" => Some(b"import \"two\" as two; def f: 1;".to_vec()),
            "lib/two.jq" => Some(b"import \"one\" as one; def f: 1;".to_vec()),
            _ => None,
        }
    }

    fn search_list(&self) -> Vec<String> {
        vec!["lib".into()]
    }
}

impl Host for Fake {
    fn input(&mut self) -> Option<Result<Value, Value>> {
        self.0.pop_front().map(Ok)
    }
    fn message(&mut self, _: &[u8]) {}
    fn filename(&mut self) -> Value {
        Value::Null
    }
    fn line(&mut self) -> usize {
        1
    }
    fn position(&mut self) -> String {
        "here".into()
    }
    fn environment(&mut self) -> Value {
        Value::object(Object::from([("HOME", "/root".into())]))
    }
    fn now(&mut self) -> f64 {
        1.7e9
    }
    fn local_offset(&mut self, _: i64) -> (i32, String) {
        (0, "UTC".into())
    }
    fn strftime(&mut self, time: &Fields, _: (i32, String), _: &[u8]) -> Vec<u8> {
        format!("{:04}-{:02}-{:02}", time.year, time.month + 1, time.day).into_bytes()
    }
}

fn run(program: &str, input: &str) -> Vec<String> {
    let mut inputs: VecDeque<Value> = parse_all(input.as_bytes()).expect("an input in JSON").into();
    let first = inputs.pop_front().unwrap_or_default();
    let mut host = Fake(inputs);
    let program = match compile(program, vec![("arg".into(), "given".into())], &mut host) {
        Ok(program) => program,
        Err(_) => return vec!["compile error".into()],
    };
    let mut machine = Machine::new(&program, &mut host);
    machine.start(first);
    let mut outputs = Vec::new();
    while let Some(output) = machine.next() {
        match output {
            Ok(value) => outputs.push(to_string(&value)),
            Err(Stop::Error(error)) => {
                outputs.push(format!("error: {}", error.as_str().map_or_else(|| to_string(&error), str::to_owned)));
                break;
            }
            Err(Stop::Halt(status, _)) => {
                outputs.push(format!("halt {status}"));
                break;
            }
        }
    }
    outputs
}

#[test]
fn programs() {
    agree(include_str!("programs.txt"));
}

/// What jq 1.8.2 was seen to give.
#[test]
fn recorded() {
    agree(include_str!("recorded-1.8.txt"));
}

fn agree(text: &str) {
    let mut failed = Vec::new();
    for block in text.split("\n\n") {
        let mut lines = block.lines().filter(|line| !line.starts_with('#'));
        let (Some(program), Some(input)) = (lines.next(), lines.next()) else { continue };
        let want: Vec<&str> = lines.collect();
        let got = run(program, input);
        if got != want {
            failed.push(format!("{program}\n  want {want:?}\n  got  {got:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Nothing a program does may use up the stack: what recurses without end is an error or runs on in bounded memory.
#[test]
fn depth_is_bounded() {
    // The stack of a main thread; those of tests are smaller than what an unoptimised build needs.
    let checks = std::thread::Builder::new().stack_size(8 << 20).spawn(deep_programs);
    checks.expect("a thread").join().expect("no overflow");
}

fn deep_programs() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    assert_eq!(run(&format!("{deep} | flatten"), "null"), ["[1]"]);
    assert_eq!(run(&"[".repeat(100_000), "null"), ["compile error"]);
    assert_eq!(run(&"(".repeat(100_000), "null"), ["compile error"]);
    assert_eq!(run(&"-".repeat(100_000), "null"), ["compile error"]);
    assert_eq!(run(&format!("1{}", "+1".repeat(100_000)), "null"), ["compile error"]);
    assert_eq!(run(&format!(".{}", "[0]".repeat(100_000)), "null"), ["compile error"]);
    let wide = format!("[1{}] | length", ",1+1".repeat(20_000));
    assert_eq!(run(&wide, "null"), ["20001"]);
    let long = format!("1{} | . + 1", "|.".repeat(20_000));
    assert_eq!(run(&long, "null"), ["2"]);
    assert!(run("def f: 1 + f; f", "null")[0].starts_with("error: the program recurses too deeply"));
    assert!(run("def f: f, 1; first(f)", "null")[0].starts_with("error: too many alternatives"));
    assert_eq!(run("def f: if . > 1000000 then . else . + 1 | f end; 0 | f", "null"), ["1000001"]);
    assert_eq!(run("def f(g): if . > 100000 then g else . + 1 | f(g | . + 1) end; 0 | [f(0)] | length", "null"), ["1"]);
    assert_eq!(run("[limit(3; recurse([.]))] | length", "null"), ["3"]);
    assert_eq!(run("last(limit(100000; recurse([.]))) | 1", "null"), ["1"]);
    assert_eq!(run("first(path(last(limit(50000; recurse(.a))))) | length", "null"), ["49999"]);
    assert_eq!(run("reduce range(100000) as $i (null; [.]) | tojson | length > 0", "null"), ["true"]);
}
