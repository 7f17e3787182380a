//! Expressions of yq's as trees of jq's: where a value is, what `==` makes of `*`, formats that jq has not.

use capsule_jq::Value;
use capsule_jq::syntax::{Ast, Binary, Comparison, Def, Part, Pattern, PatternKey};

/// The path to the value at hand, and what the path starts at.
const FOUND: &str = "*path";
const WHOLE: &str = "*whole";

/// Functions whose arguments have the input of the call, so that paths in them start where its own do.
const SAME_INPUT: &[&str] =
    &["select", "del", "with", "first", "last", "sort_keys", "not", "any_c", "all_c", "sub", "test"];

pub fn rewrite(ast: Ast) -> Ast {
    places(words(ast), true)
}

/// Every child through a function.
fn each(ast: Ast, f: &mut dyn FnMut(Ast) -> Ast) -> Ast {
    let mut one = |ast: Box<Ast>| Box::new(f(*ast));
    match ast {
        Ast::Text(format, parts) => {
            let parts = parts.into_iter().map(|part| match part {
                Part::Value(ast) => Part::Value(f(ast)),
                text => text,
            });
            Ast::Text(format, parts.collect())
        }
        Ast::Array(Some(inner)) => Ast::Array(Some(one(inner))),
        Ast::Object(entries) => Ast::Object(entries.into_iter().map(|(k, v)| (f(k), f(v))).collect()),
        Ast::Index { base, key, optional } => Ast::Index { base: one(base), key: one(key), optional },
        Ast::Slice { base, from, to, optional } => {
            Ast::Slice { base: one(base), from: from.map(&mut one), to: to.map(&mut one), optional }
        }
        Ast::Each { base, optional } => Ast::Each { base: one(base), optional },
        Ast::Negate(inner) => Ast::Negate(one(inner)),
        Ast::Pipe(stages) => Ast::Pipe(stages.into_iter().map(f).collect()),
        Ast::Comma(items) => Ast::Comma(items.into_iter().map(f).collect()),
        Ast::Binary(meaning, left, right) => Ast::Binary(meaning, one(left), one(right)),
        Ast::Try(body, catch) => Ast::Try(one(body), catch.map(one)),
        Ast::If(branches, otherwise) => {
            let otherwise = otherwise.map(&mut one);
            Ast::If(branches.into_iter().map(|(condition, then)| (f(condition), f(then))).collect(), otherwise)
        }
        Ast::Reduce { source, patterns, init, update } => {
            Ast::Reduce { source: one(source), patterns, init: one(init), update: one(update) }
        }
        Ast::Foreach { source, patterns, init, update, extract } => {
            let (source, init, update) = (one(source), one(init), one(update));
            Ast::Foreach { source, patterns, init, update, extract: extract.map(one) }
        }
        Ast::As { source, patterns, body } => Ast::As { source: one(source), patterns, body: one(body) },
        Ast::Label(name, body) => Ast::Label(name, one(body)),
        Ast::Call(name, args, at) => Ast::Call(name, args.into_iter().map(f).collect(), at),
        Ast::Def(def, rest) => {
            let Def { name, params, body } = *def;
            Ast::Def(Box::new(Def { name, params, body: f(body) }), Box::new(f(*rest)))
        }
        other => other,
    }
}

/// Wildcards in comparisons, and names of formats.
fn words(ast: Ast) -> Ast {
    let ast = each(ast, &mut words);
    match ast {
        Ast::Binary(Binary::Compare(kind @ (Comparison::Equal | Comparison::NotEqual)), left, right) => {
            match wildcard(&right) {
                Some(regex) => {
                    let like = Ast::Call("_like".into(), vec![*left, *right, Ast::Literal(regex.into())], 0);
                    if kind == Comparison::Equal {
                        return like;
                    }
                    Ast::Pipe(vec![like, Ast::Call("not".into(), Vec::new(), 0)])
                }
                None => Ast::Binary(Binary::Compare(kind), left, right),
            }
        }
        Ast::Format(name) => match name.as_str() {
            "@yaml" | "@props" | "@xml" => Ast::Call(format!("to_{}", &name[1..]), Vec::new(), 0),
            "@yamld" | "@jsond" | "@propsd" | "@xmld" | "@csvd" | "@tsvd" => {
                Ast::Call(format!("from_{}", &name[1..name.len() - 1]), Vec::new(), 0)
            }
            "@csv" | "@tsv" => Ast::Call(format!("to_{}", &name[1..]), Vec::new(), 0),
            _ => Ast::Format(name),
        },
        other => other,
    }
}

/// The expression for a text with `*` and `?` in it.
fn wildcard(ast: &Ast) -> Option<String> {
    let Ast::Literal(Value::String(text)) = ast else { return None };
    if !text.contains(['*', '?']) {
        return None;
    }
    let mut regex = String::from("^");
    for c in text.chars() {
        match c {
            '*' => regex += ".*",
            '?' => regex.push('.'),
            c if c.is_alphanumeric() => regex.push(c),
            c => {
                regex.push('\\');
                regex.push(c);
            }
        }
    }
    Some(regex + "$")
}

/// Whether an expression asks for the place of its input. Only keys are the same wherever paths start.
fn asks(ast: &Ast, absolute: bool) -> bool {
    match ast {
        Ast::Call(name, args, _) => match name.as_str() {
            "key" if args.is_empty() => true,
            "path" if args.is_empty() => absolute,
            "parent" if args.len() < 2 => absolute,
            name => SAME_INPUT.contains(&name) && args.iter().any(|arg| asks(arg, absolute)),
        },
        Ast::Text(_, parts) => parts.iter().any(|part| matches!(part, Part::Value(ast) if asks(ast, absolute))),
        Ast::Array(Some(inner)) | Ast::Negate(inner) => asks(inner, absolute),
        Ast::Object(entries) => entries.iter().any(|(k, v)| asks(k, absolute) || asks(v, absolute)),
        Ast::Index { base, key, .. } => asks(base, absolute) || asks(key, absolute),
        Ast::Each { base, .. } | Ast::Slice { base, .. } => asks(base, absolute),
        Ast::Pipe(stages) => stages.first().is_some_and(|first| asks(first, absolute)),
        Ast::Comma(items) => items.iter().any(|item| asks(item, absolute)),
        Ast::Binary(_, left, right) => asks(left, absolute) || asks(right, absolute),
        Ast::Try(body, _) => asks(body, absolute),
        Ast::If(branches, otherwise) => {
            let branch = |(condition, then): &(Ast, Ast)| asks(condition, absolute) || asks(then, absolute);
            branches.iter().any(branch) || otherwise.as_deref().is_some_and(|ast| asks(ast, absolute))
        }
        Ast::As { source, body, .. } => asks(source, absolute) || asks(body, absolute),
        _ => false,
    }
}

fn keys(from: Option<f64>, to: Option<f64>) -> Ast {
    let number = |n: f64| Box::new(Ast::Literal(n.into()));
    Ast::Slice { base: Box::new(Ast::var(FOUND)), from: from.map(number), to: to.map(number), optional: false }
}

fn at(path: Ast) -> Ast {
    Ast::Call("getpath".into(), vec![path], 0)
}

/// The path `parent` or `parent(N)` stands for.
fn parent(args: &[Ast]) -> Ast {
    match args {
        [Ast::Literal(value)] => keys(None, Some(-value.as_number().unwrap_or(1.0).max(1.0))),
        _ => keys(None, Some(-1.0)),
    }
}

/// The place itself instead of the question for it.
fn answered(ast: Ast, absolute: bool) -> Ast {
    match ast {
        Ast::Call(name, args, _) if name == "key" && args.is_empty() => Ast::Index {
            base: Box::new(keys(Some(-1.0), None)),
            key: Box::new(Ast::Literal(0.0.into())),
            optional: false,
        },
        Ast::Call(name, args, _) if absolute && name == "path" && args.is_empty() => Ast::var(FOUND),
        Ast::Call(name, args, _) if absolute && name == "parent" && args.len() < 2 => {
            Ast::Pipe(vec![Ast::var(WHOLE), at(parent(&args))])
        }
        Ast::Call(name, args, line) if !SAME_INPUT.contains(&name.as_str()) => Ast::Call(name, args, line),
        Ast::Pipe(mut stages) if !stages.is_empty() => {
            let first = answered(stages.remove(0), absolute);
            stages.insert(0, first);
            Ast::Pipe(stages)
        }
        other => each(other, &mut |child| answered(child, absolute)),
    }
}

/// `A | … key …` becomes `path(A) as $p | getpath($p) | … $p[-1] …`: jq knows paths only where it is asked for them.
fn places(ast: Ast, absolute: bool) -> Ast {
    match ast {
        Ast::Pipe(stages) => {
            let each = stages.into_iter().enumerate();
            located(each.map(|(n, stage)| places(stage, absolute && n == 0)).collect(), absolute)
        }
        Ast::Call(name, args, line) => {
            let same = absolute && SAME_INPUT.contains(&name.as_str());
            Ast::Call(name, args.into_iter().map(|arg| places(arg, same)).collect(), line)
        }
        other => each(other, &mut |child| places(child, absolute)),
    }
}

fn located(mut stages: Vec<Ast>, absolute: bool) -> Ast {
    let Some(place) = (1..stages.len()).find(|&n| asks(&stages[n], absolute)) else { return Ast::Pipe(stages) };
    let rest = stages.split_off(place + 1);
    let Some(asking) = stages.pop() else { return Ast::Pipe(rest) };
    let path = Ast::Call("path".into(), vec![Ast::Pipe(stages)], 0);
    let mut stages = match asking {
        Ast::Call(name, args, _) if name == "parent" => vec![at(parent(&args))],
        other => vec![at(Ast::var(FOUND)), answered(other, absolute)],
    };
    stages.extend(rest);
    let bind = |source: Ast, name: &str, body: Ast| Ast::As {
        source: Box::new(source),
        patterns: vec![Pattern::Var(name.into())],
        body: Box::new(body),
    };
    bind(Ast::Identity, WHOLE, bind(path, FOUND, located(stages, absolute)))
}

/// `source as {value: $value, …} | body`, the entries named as given.
pub fn take_apart(source: Ast, entries: &[(&str, &str)], body: Ast) -> Ast {
    let entry = |(key, variable): &(&str, &str)| {
        (PatternKey::Value(Ast::text(key)), Some(Pattern::Var((*variable).to_owned())))
    };
    let pattern = Pattern::Object(entries.iter().map(entry).collect());
    Ast::As { source: Box::new(source), patterns: vec![pattern], body: Box::new(body) }
}
