//! `declare`, `typeset`, `local`, `export`, `readonly`.

use super::Argument;
use crate::expand::{array_text, assignment_quote, list_quote};
use crate::names::{Name, is_name};
use crate::shell::{Flow, Shell, Shopt, Target, Unwind};
use crate::syntax::Parser;
use crate::vars::{AssocArray, Attrs, IndexedArray, Special, Value, Variable};

#[derive(Default, Clone)]
struct Wanted {
    on: Attrs,
    off: Attrs,
    indexed: Option<bool>,
    assoc: Option<bool>,
    functions: bool,
    function_names: bool,
    print: bool,
    global: bool,
    inherit: bool,
    local: bool,
}

fn parse_options(shell: &mut Shell, name: &str, args: &[Argument]) -> Result<(Wanted, usize), i32> {
    let mut wanted = Wanted::default();
    let mut next = 1;
    while let Some(arg) = args.get(next) {
        let text = &arg.text;
        if text == b"--" {
            next += 1;
            break;
        }
        let on = match text.first() {
            Some(b'-') if text.len() > 1 => true,
            Some(b'+') if text.len() > 1 && name != "export" && name != "readonly" => false,
            _ => break,
        };
        for &b in &text[1..] {
            let allowed: &[u8] = match name {
                "export" => b"fnp",
                "readonly" => b"aAfp",
                "local" => b"aAgiIlnrtuxcp",
                _ => b"aAfFgiIlnrtuxcp",
            };
            if !allowed.contains(&b) {
                let option = [text[0], b];
                return Err(shell.bad_option(name, &option));
            }
            let attr = match b {
                b'a' => {
                    wanted.indexed = Some(on);
                    continue;
                }
                b'A' => {
                    wanted.assoc = Some(on);
                    continue;
                }
                b'f' => {
                    wanted.functions = true;
                    continue;
                }
                b'F' => {
                    wanted.functions = true;
                    wanted.function_names = true;
                    continue;
                }
                b'g' => {
                    wanted.global = on;
                    continue;
                }
                b'I' => {
                    wanted.inherit = on;
                    continue;
                }
                b'p' => {
                    wanted.print = true;
                    continue;
                }
                b'n' if name == "export" => {
                    wanted.off = wanted.off.with(Attrs::EXPORT);
                    continue;
                }
                b'i' => Attrs::INTEGER,
                b'l' => Attrs::LOWER,
                b'u' => Attrs::UPPER,
                b'c' => Attrs::CAPITAL,
                b'n' => Attrs::NAMEREF,
                b'r' => Attrs::READONLY,
                b't' => Attrs::TRACE,
                _ => Attrs::EXPORT,
            };
            if on {
                wanted.on = wanted.on.with(attr);
                if attr == Attrs::LOWER {
                    wanted.off = wanted.off.with(Attrs::UPPER);
                }
                if attr == Attrs::UPPER {
                    wanted.off = wanted.off.with(Attrs::LOWER);
                }
            } else {
                wanted.off = wanted.off.with(attr);
            }
        }
        next += 1;
    }
    Ok((wanted, next))
}

pub fn run_declare(shell: &mut Shell, args: &[Argument]) -> Flow<i32> {
    let name = if args[0].text == b"typeset" { "typeset" } else { "declare" };
    let (mut wanted, next) = match parse_options(shell, name, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    wanted.local = shell.vars.in_function() && !wanted.global;
    run(shell, name, wanted, &args[next..])
}

pub fn run_local(shell: &mut Shell, args: &[Argument]) -> Flow<i32> {
    if !shell.vars.in_function() {
        shell.complain("local", "can only be used in a function");
        return Ok(1);
    }
    let (mut wanted, next) = match parse_options(shell, "local", args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    wanted.local = true;
    let operands = &args[next..];
    if operands.is_empty() {
        for name in shell.vars.local_names() {
            print_variable(shell, name, true);
        }
        return Ok(0);
    }
    if let [Argument { text, .. }, ..] = operands
        && text == b"-"
    {
        let bits = shell.options.bits().to_le_bytes().to_vec();
        shell.vars.save_options(bits);
        return if operands.len() > 1 { run(shell, "local", wanted, &operands[1..]) } else { Ok(0) };
    }
    run(shell, "local", wanted, operands)
}

pub fn run_export(shell: &mut Shell, args: &[Argument]) -> Flow<i32> {
    let (mut wanted, next) = match parse_options(shell, "export", args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if !wanted.off.has(Attrs::EXPORT) {
        wanted.on = wanted.on.with(Attrs::EXPORT);
    }
    let operands = &args[next..];
    if operands.is_empty() && !wanted.functions {
        print_all(shell, |var| var.attrs.has(Attrs::EXPORT), true);
        return Ok(0);
    }
    wanted.print = false;
    run(shell, "export", wanted, operands)
}

pub fn run_readonly(shell: &mut Shell, args: &[Argument]) -> Flow<i32> {
    let (mut wanted, next) = match parse_options(shell, "readonly", args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    wanted.on = wanted.on.with(Attrs::READONLY);
    let operands = &args[next..];
    if operands.is_empty() && !wanted.functions {
        let (indexed, assoc) = (wanted.indexed.is_some(), wanted.assoc.is_some());
        print_all(
            shell,
            |var| {
                var.attrs.has(Attrs::READONLY)
                    && (!indexed || matches!(var.value, Value::Indexed(_)))
                    && (!assoc || matches!(var.value, Value::Assoc(_)))
            },
            true,
        );
        return Ok(0);
    }
    wanted.print = false;
    run(shell, "readonly", wanted, operands)
}

fn run(shell: &mut Shell, me: &str, wanted: Wanted, operands: &[Argument]) -> Flow<i32> {
    if wanted.functions {
        return functions(shell, me, &wanted, operands);
    }
    if operands.is_empty() {
        let filter = wanted.on.0 != 0 || wanted.indexed.is_some() || wanted.assoc.is_some();
        if !wanted.print && !filter {
            shell.list_variables();
            let mut names: Vec<_> = shell.functions.keys().cloned().collect();
            names.sort();
            for name in names {
                if let Some(function) = shell.functions.get(&name) {
                    let text = function.print(&name);
                    shell.out.extend_from_slice(text);
                    shell.out.push(b'\n');
                }
            }
            return Ok(0);
        }
        let (on, indexed, assoc) = (wanted.on, wanted.indexed.is_some(), wanted.assoc.is_some());
        print_all(
            shell,
            |var| {
                (!filter)
                    || var.attrs.has(on)
                    || indexed && matches!(var.value, Value::Indexed(_))
                    || assoc && matches!(var.value, Value::Assoc(_))
            },
            true,
        );
        return Ok(0);
    }
    if wanted.print {
        let mut status = 0;
        for operand in operands {
            let known = Name::find(&operand.text).filter(|name| {
                shell.refresh(*name);
                shell.vars.get(*name).is_some()
            });
            match known {
                Some(name) => print_variable(shell, name, true),
                None => {
                    shell.complain(me, [&operand.text[..], b": not found"].concat());
                    status = 1;
                }
            }
        }
        return Ok(status);
    }
    let mut status = 0;
    for operand in operands {
        match declare_one(shell, me, &wanted, operand) {
            Ok(true) => {}
            Ok(false) => status = 1,
            Err(Unwind::Discard) => {
                // A failing assignment is a failing builtin here.
                status = 1;
            }
            Err(unwind) => return Err(unwind),
        }
    }
    Ok(status)
}

/// `name`, `name=value`, `name+=value`, `name[i]=value`, `name=(…)`.
fn declare_one(shell: &mut Shell, me: &str, wanted: &Wanted, operand: &Argument) -> Flow<bool> {
    let text = &operand.text;
    let mut split = text.iter().position(|&b| b == b'=').unwrap_or(text.len());
    // A subscript may hold an equals sign.
    if let Some(open) = text.iter().position(|&b| b == b'[').filter(|&open| open < split)
        && let Some(close) = text[open..].windows(2).position(|w| w == b"]=" || w == b"]+")
    {
        split = open + close + 1 + usize::from(text.get(open + close + 1) == Some(&b'+'));
    }
    let has_value = split < text.len();
    let append = has_value && split > 0 && text[split - 1] == b'+';
    let left = &text[..split - usize::from(append)];
    let (base, subscript) = match left.iter().position(|&b| b == b'[') {
        Some(open) if left.ends_with(b"]") => (&left[..open], Some(&left[open + 1..left.len() - 1])),
        _ => (left, None),
    };
    if !is_name(base) {
        shell.complain(me, [b"`", &text[..], b"': not a valid identifier"].concat());
        return Ok(false);
    }
    let mut name = Name::new(base);
    if subscript.is_some() && matches!(me, "export" | "readonly") {
        let shown = if has_value { &text[..split] } else { &text[..] };
        shell.complain(me, [b"`", shown, b"': not a valid identifier"].concat());
        return Ok(false);
    }
    let mut wanted = wanted.clone();
    if me == "readonly" && !has_value && shell.vars.get(name).is_none() {
        // bash forgets the array-ness of what it never saw.
        (wanted.indexed, wanted.assoc) = (None, None);
    }
    let both = wanted.assoc == Some(true) && wanted.indexed == Some(true);
    if wanted.assoc == Some(true) {
        wanted.indexed = None;
    }
    if wanted.assoc == Some(true) || wanted.indexed == Some(true) {
        // An array cannot refer.
        wanted.on = wanted.on.without(Attrs::NAMEREF);
    }
    if wanted.on.has(Attrs::NAMEREF) && wanted.on.has(Attrs::INTEGER) {
        // Neither can a number, and bash then forgets both.
        wanted.on = wanted.on.without(Attrs::NAMEREF.with(Attrs::INTEGER));
    }
    let wanted = &wanted;
    if wanted.local {
        let inherits = wanted.inherit || shell.options.shopt(Shopt::LocalvarInherit);
        let outer = shell.vars.get(name).cloned();
        if outer.as_ref().is_some_and(|var| var.attrs.has(Attrs::READONLY))
            && !shell.vars.is_local(name)
            && !wanted.inherit
        {
            // bash refuses to hide a readonly variable.
            shell.complain(me, [name.bytes(), b": readonly variable"].concat());
            return Ok(false);
        }
        if shell.vars.make_local(name, false) {
            let var = shell.vars.entry(name);
            *var = Variable::declared();
            if inherits {
                if let Some(outer) = outer {
                    *var = outer;
                    var.attrs = var.attrs.without(Attrs::NAMEREF);
                }
            } else if let Some(outer) = outer {
                // A temporary assignment of the call is what the local starts with.
                if outer.attrs.has(Attrs::TEMPORARY) {
                    *var = outer;
                }
            }
        }
        // The call's own assignment is an ordinary local from now on.
        let var = shell.vars.entry(name);
        var.attrs = var.attrs.without(Attrs::TEMPORARY);
    } else if wanted.global && shell.vars.is_local(name) {
        return declare_global(shell, wanted, name, text, has_value.then(|| text[split + 1..].to_vec()), operand);
    } else if !wanted.on.has(Attrs::NAMEREF) && !wanted.off.has(Attrs::NAMEREF) {
        // Without -n a nameref stands for its target.
        if let Some((target, None)) = shell.resolve(name) {
            name = target;
        }
    }
    shell.refresh(name);
    let var = shell.vars.get(name);
    if wanted.indexed == Some(false) && var.is_some_and(|v| matches!(v.value, Value::Indexed(_)))
        || wanted.assoc == Some(false) && var.is_some_and(|v| matches!(v.value, Value::Assoc(_)))
    {
        shell.complain(me, [name.bytes(), b": cannot destroy array variables in this way"].concat());
        return Ok(false);
    }
    let is_assoc = var.is_some_and(|v| matches!(v.value, Value::Assoc(_)));
    if (wanted.indexed == Some(true) || subscript.is_some() && wanted.assoc != Some(true) && !is_assoc)
        && !shape_indexed(shell, me, name)
    {
        return Ok(false);
    }
    if wanted.assoc == Some(true) && !shape_assoc(shell, me, name) {
        return Ok(false);
    }
    let var = shell.vars.get(name);
    if let Some(var) = var {
        let readonly = var.attrs.has(Attrs::READONLY);
        if readonly && (has_value || wanted.off.has(Attrs::READONLY)) {
            if has_value && !wanted.off.has(Attrs::READONLY) {
                shell.complain_readonly(me, name);
            } else {
                shell.complain(me, [name.bytes(), b": readonly variable"].concat());
            }
            return Ok(false);
        }
    }
    if wanted.on.has(Attrs::NAMEREF) {
        let value = has_value.then(|| text[split + 1..].to_vec());
        if let Some(value) = &value {
            let target = value.iter().position(|&b| b == b'[').map_or(&value[..], |open| &value[..open]);
            if !is_name(target) {
                let why: &[u8] = if value.is_empty() {
                    b"not a valid identifier"
                } else {
                    b"invalid variable name for name reference"
                };
                shell.complain(me, [b"`", &value[..], b"': ", why].concat());
                return Ok(false);
            }
            if value == name.bytes() && !wanted.local {
                shell.complain(me, [name.bytes(), b": nameref variable self references not allowed"].concat());
                return Ok(false);
            }
            if value == name.bytes() {
                shell.error([me.as_bytes(), b": warning: ", name.bytes(), b": circular name reference"].concat());
            }
        }
        if shell.vars.get(name).is_some_and(|var| var.is_array()) {
            shell.complain(me, [name.bytes(), b": reference variable cannot be an array"].concat());
            return Ok(false);
        }
        let var = shell.vars.entry(name);
        var.attrs = var.attrs.with(wanted.on).without(wanted.off);
        if let Some(value) = value {
            var.value = Value::Scalar(value);
            var.set = true;
        }
        return Ok(true);
    }
    // Readonly comes last, export and the rest before the value.
    let early = wanted.on.without(Attrs::READONLY);
    let exists = shell.vars.get(name).is_some();
    if exists || !has_value || early.0 != 0 {
        let var = shell.vars.entry(name);
        var.attrs = var.attrs.without(wanted.off).with(early);
    }
    let mut ok = true;
    if let Some(assignment) = &operand.assignment {
        if let crate::syntax::ast::AssignedValue::Array(elements) = &assignment.value {
            shell.assign_array(name, elements, append)?;
        }
    } else if has_value {
        let value = text[split + 1..].to_vec();
        let is_array = shell.vars.get(name).is_some_and(Variable::is_array);
        if is_array && subscript.is_none() && value.starts_with(b"(") && value.ends_with(b")") {
            ok = assign_array_text(shell, name, value, append)?;
        } else {
            let target = match subscript {
                None => Target::Whole(name),
                Some(inner) => {
                    let inner = shell.expand_subscript_text(inner)?;
                    if let Some(Variable { value: Value::Assoc(_), .. }) = shell.vars.get(name) {
                        Target::Key(name, inner)
                    } else {
                        Target::Index(name, shell.evaluate(&inner)?)
                    }
                }
            };
            if me == "export" || me == "readonly" {
                shell.trace_operand(text, &value);
            }
            ok = match &target {
                Target::Key(name, key) if key.is_empty() => {
                    shell.error([name.bytes(), b"[]: bad array subscript"].concat());
                    false
                }
                target => shell.assign(target, value, append).is_ok(),
            };
        }
    }
    if wanted.on.has(Attrs::READONLY) {
        let var = shell.vars.entry(name);
        var.attrs = var.attrs.with(Attrs::READONLY);
    }
    if wanted.on.has(Attrs::EXPORT) || wanted.off.has(Attrs::EXPORT) {
        shell.vars.changed_exports();
    }
    Ok(ok && !both)
}

fn declare_global(
    shell: &mut Shell,
    wanted: &Wanted,
    name: Name,
    _text: &[u8],
    value: Option<Vec<u8>>,
    operand: &Argument,
) -> Flow<bool> {
    // The local steps aside while the global is declared.
    let mut local = None;
    shell.vars.with_global(name, |global| {
        let var = global.get_or_insert_with(Variable::declared);
        local = Some(std::mem::replace(var, Variable::declared()));
    });
    let mut var = local.unwrap_or_else(Variable::declared);
    var.attrs = var.attrs.with(wanted.on).without(wanted.off);
    if wanted.assoc == Some(true) && !matches!(var.value, Value::Assoc(_)) {
        var.value = Value::Assoc(Box::default());
    } else if wanted.indexed == Some(true) && !matches!(var.value, Value::Indexed(_)) {
        let mut array = IndexedArray::default();
        if let (Value::Scalar(text), true) = (&var.value, var.set) {
            array.set(0, text.clone());
        }
        var.value = Value::Indexed(Box::new(array));
    }
    if let Some(assignment) = &operand.assignment {
        if let crate::syntax::ast::AssignedValue::Array(elements) = &assignment.value {
            // Assigned under a name of its own, then moved.
            let scratch = Name::new(b"\x01global");
            shell.vars.put(scratch, var.clone());
            shell.assign_array(scratch, elements, assignment.append)?;
            if let Some(done) = shell.vars.get(scratch).cloned() {
                var = done;
            }
            shell.vars.unset(scratch, false);
        }
    } else if let Some(value) = value {
        let value =
            if var.attrs.has(Attrs::INTEGER) { shell.evaluate(&value)?.to_string().into_bytes() } else { value };
        match &mut var.value {
            Value::Scalar(text) => *text = value,
            Value::Indexed(array) => array.set(0, value),
            Value::Assoc(array) => array.set(b"0", value),
        }
        var.set = true;
    }
    shell.vars.with_global(name, |global| *global = Some(var));
    Ok(true)
}

fn shape_indexed(shell: &mut Shell, me: &str, name: Name) -> bool {
    let var = shell.vars.entry(name);
    match &mut var.value {
        Value::Indexed(_) => {}
        Value::Assoc(_) => {
            shell.complain(me, [name.bytes(), b": cannot convert associative to indexed array"].concat());
            return false;
        }
        Value::Scalar(text) => {
            let mut array = IndexedArray::default();
            if var.set {
                array.set(0, std::mem::take(text));
            }
            var.value = Value::Indexed(Box::new(array));
        }
    }
    true
}

fn shape_assoc(shell: &mut Shell, me: &str, name: Name) -> bool {
    let var = shell.vars.entry(name);
    match &mut var.value {
        Value::Assoc(_) => {}
        Value::Indexed(_) => {
            shell.complain(me, [name.bytes(), b": cannot convert indexed to associative array"].concat());
            return false;
        }
        Value::Scalar(text) => {
            let mut array = AssocArray::default();
            if var.set {
                array.set(b"0", std::mem::take(text));
            }
            var.value = Value::Assoc(Box::new(array));
        }
    }
    true
}

/// `declare -a "a=(1 2)"`: the text is read as the array it looks like.
fn assign_array_text(shell: &mut Shell, name: Name, text: Vec<u8>, append: bool) -> Flow<bool> {
    let mut none = ();
    let mut parser = Parser::new(text, shell.line, &mut none, shell.parse_options());
    match parser.array_text() {
        Ok(elements) => {
            shell.assign_array(name, &elements, append)?;
            Ok(true)
        }
        Err(_) => Ok(false),
    }
}

fn functions(shell: &mut Shell, me: &str, wanted: &Wanted, operands: &[Argument]) -> Flow<i32> {
    if operands.is_empty() {
        let mut names: Vec<_> = shell.functions.keys().cloned().collect();
        names.sort();
        for name in names {
            let Some(function) = shell.functions.get(&name).cloned() else { continue };
            if me == "export" && !function.exported || me == "readonly" && !function.readonly {
                continue;
            }
            if wanted.on.has(Attrs::EXPORT) && !function.exported {
                continue;
            }
            print_one_function(shell, &name, wanted.function_names, true);
        }
        return Ok(0);
    }
    let mut status = 0;
    for operand in operands {
        let name = &operand.text;
        if !shell.functions.contains_key(&name[..]) {
            if me == "export" || me == "readonly" {
                shell.complain(me, [&name[..], b": not a function"].concat());
            }
            status = 1;
            continue;
        }
        let changes = wanted.on.0 != 0 || wanted.off.0 != 0;
        if !changes || wanted.print {
            print_one_function(shell, name, wanted.function_names, wanted.print && wanted.function_names);
            continue;
        }
        if let Some(function) = shell.functions.get_mut(&name[..]) {
            if wanted.on.has(Attrs::EXPORT) {
                function.exported = true;
            }
            if wanted.off.has(Attrs::EXPORT) {
                function.exported = false;
            }
            if wanted.on.has(Attrs::READONLY) {
                function.readonly = true;
            }
            if wanted.on.has(Attrs::TRACE) {
                function.traced = true;
            }
            if wanted.off.has(Attrs::TRACE) {
                function.traced = false;
            }
        }
        shell.vars.changed_exports();
    }
    Ok(status)
}

fn print_one_function(shell: &mut Shell, name: &[u8], only_name: bool, attributes: bool) {
    let Some(function) = shell.functions.get(name).cloned() else { return };
    let mut letters = String::from("f");
    if function.readonly {
        letters.push('r');
    }
    if function.traced {
        letters.push('t');
    }
    if function.exported {
        letters.push('x');
    }
    if only_name {
        if attributes {
            shell.out.extend_from_slice(format!("declare -{letters} ").as_bytes());
        } else if shell.options.shopt(Shopt::Extdebug) {
            shell.out.extend_from_slice(name);
            let line = format!(" {} ", function.line());
            shell.out.extend_from_slice(line.as_bytes());
            shell.out.extend_from_slice(&function.source);
            shell.out.push(b'\n');
            return;
        }
        shell.out.extend_from_slice(name);
        shell.out.push(b'\n');
        return;
    }
    let text = function.print(name);
    shell.out.extend_from_slice(text);
    shell.out.push(b'\n');
    if attributes && letters.len() > 1 {
        let line = [format!("declare -{letters} ").as_bytes(), name, b"\n"].concat();
        shell.out.extend_from_slice(&line);
    }
}

fn print_all(shell: &mut Shell, wanted: impl Fn(&Variable) -> bool, form: bool) {
    for name in shell.vars.names() {
        if name.bytes().starts_with(b"\x01") {
            continue;
        }
        shell.refresh(name);
        if shell.vars.get(name).is_some_and(&wanted) {
            print_variable(shell, name, form);
        }
    }
}

/// `declare -x name="value"`.
fn print_variable(shell: &mut Shell, name: Name, form: bool) {
    let Some(var) = shell.vars.get(name) else { return };
    let mut text = Vec::new();
    if form {
        let letters = var.attribute_letters();
        let letters = if letters.is_empty() { "-".to_owned() } else { letters };
        text.extend_from_slice(format!("declare -{letters} ").as_bytes());
    }
    text.extend_from_slice(name.bytes());
    if var.set {
        text.push(b'=');
        match &var.value {
            Value::Scalar(value) if form => text.extend_from_slice(&assignment_quote(value)),
            Value::Scalar(value) => text.extend_from_slice(&list_quote(value)),
            _ => text.extend_from_slice(&array_text(var)),
        }
    }
    text.push(b'\n');
    shell.out.extend_from_slice(&text);
}

impl Shell {
    fn complain_readonly(&mut self, me: &str, name: Name) {
        match me {
            "declare" | "typeset" | "local" => self.complain(me, [name.bytes(), b": readonly variable"].concat()),
            _ => self.error_about(name.bytes(), "readonly variable"),
        }
    }

    /// What `set` shows: every variable that has a value.
    pub(crate) fn list_variables(&mut self) {
        for name in self.vars.names() {
            if name.bytes().starts_with(b"\x01") {
                continue;
            }
            if self.vars.special(name) != Special::None {
                self.refresh(name);
            }
            if self.vars.get(name).is_some_and(|var| var.set) {
                print_variable(self, name, false);
            }
        }
    }
}
