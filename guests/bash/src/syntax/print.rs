//! Trees back to text, laid out as `declare -f` of bash does.

use super::ast::*;

#[derive(Default)]
struct Printer {
    out: Vec<u8>,
    indent: usize,
    /// To be read again: what bash's own layout breaks (here-documents in the test of an `if`, nameless coprocesses) is not
    /// broken.
    whole: bool,
    /// Inside a function: one command a line.
    in_function: bool,
    /// Inside `$( )`: newlines between commands are kept.
    in_substitution: bool,
    /// Commands that other commands follow: a here-document waits for what connects them.
    connections: u32,
    /// Here-documents whose line has not ended yet.
    docs: Vec<std::rc::Rc<HereDoc>>,
    /// A document was written since the last `;`, and takes the place of the next one.
    after_doc: bool,
    skip_indent: bool,
}

/// `name () \n{ … }`, as `declare -f` shows it.
pub fn print_function(name: &[u8], body: &FunctionBody) -> Vec<u8> {
    function_text(name, body, false)
}

/// The same for one who reads it again.
pub fn save_function(name: &[u8], body: &FunctionBody) -> Vec<u8> {
    function_text(name, body, true)
}

fn function_text(name: &[u8], body: &FunctionBody, whole: bool) -> Vec<u8> {
    let mut p = Printer { in_function: true, whole, ..Printer::default() };
    p.out.extend_from_slice(name);
    p.out.extend_from_slice(b" () \n");
    p.function_body(&body.command);
    p.out
}

pub fn print_list(list: &List) -> Vec<u8> {
    let mut p = Printer::default();
    p.list(list);
    p.flush_docs();
    p.out
}

/// The list between `$(` and `)`, as bash keeps it; `whole`, to be read again.
pub fn print_substitution(list: &List, whole: bool) -> Vec<u8> {
    let mut p = Printer { in_substitution: true, whole, ..Printer::default() };
    p.list(list);
    p.flush_docs();
    // Two parentheses in a row would be an expression.
    if p.out.first() == Some(&b'(') {
        p.out.insert(0, b' ');
    }
    p.out
}

pub fn print_command(command: &Command) -> Vec<u8> {
    let mut p = Printer::default();
    p.command(command);
    p.flush_docs();
    p.out
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn bytes(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    fn do_indent(&mut self) {
        if !std::mem::take(&mut self.skip_indent) {
            self.out.resize(self.out.len() + self.indent, b' ');
        }
    }

    fn newline(&mut self, text: &str) {
        self.text("\n");
        let indent = self.indent;
        self.out.resize(self.out.len() + indent, b' ');
        self.text(text);
    }

    /// Ends a command before a keyword.
    fn semicolon(&mut self) {
        if !matches!(self.out.last(), Some(b'&' | b'\n')) {
            self.text(";");
        }
    }

    fn flush_docs(&mut self) {
        for (i, doc) in std::mem::take(&mut self.docs).into_iter().enumerate() {
            if i == 0 {
                self.text("\n");
            }
            if let Some(body) = doc.body.get() {
                self.bytes(&body.raw);
            }
            self.bytes(&doc.delimiter);
            self.text("\n");
            self.after_doc = true;
        }
    }

    /// An operator; the documents announced before it follow it.
    fn operator(&mut self, op: &str) {
        self.text(op);
        if !self.docs.is_empty() {
            self.flush_docs();
            self.text(" ");
        }
        self.skip_indent = true;
    }

    fn function_body(&mut self, command: &Command) {
        let indent = self.indent;
        self.out.resize(self.out.len() + indent, b' ');
        self.text("{ \n");
        self.indent += 4;
        let outer = std::mem::replace(&mut self.in_function, true);
        self.after_doc = false;
        match &command.kind {
            CommandKind::Group(list) => self.list(list),
            _ => self.command(command),
        }
        self.flush_docs();
        self.indent -= 4;
        self.in_function = outer;
        self.newline("}");
        self.after_doc = false;
        if matches!(command.kind, CommandKind::Group(_)) {
            self.redirects(&command.redirects, false);
        }
    }

    fn list(&mut self, list: &List) {
        let last = list.items.len().saturating_sub(1);
        let connected = last > 0 || list.items.iter().any(|item| item.background);
        self.connections += u32::from(connected);
        for (i, item) in list.items.iter().enumerate() {
            self.and_or(&item.and_or);
            if i > 0 {
                self.flush_docs();
            }
            if item.background {
                self.operator(" &");
                if i < last {
                    self.text(" ");
                }
            } else if i < last {
                self.separator(item.newline && self.in_substitution);
            }
        }
        self.connections -= u32::from(connected);
        self.skip_indent = false;
    }

    /// Between two commands.
    fn separator(&mut self, newline: bool) {
        if !self.docs.is_empty() {
            self.flush_docs();
        } else if !std::mem::take(&mut self.after_doc) && (self.in_function || !newline) {
            self.text(if newline { "\n" } else { ";" });
        }
        if self.in_function {
            self.text("\n");
        } else {
            self.text(if newline { "\n" } else { " " });
            self.skip_indent = true;
        }
    }

    fn and_or(&mut self, and_or: &AndOr) {
        self.connections += u32::from(!and_or.rest.is_empty());
        self.pipeline(&and_or.first);
        for (op, pipeline) in &and_or.rest {
            self.operator(if *op == AndOrOp::And { " && " } else { " || " });
            self.pipeline(pipeline);
            self.flush_docs();
        }
        self.connections -= u32::from(!and_or.rest.is_empty());
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        self.do_indent();
        if let Some(format) = pipeline.time {
            self.text(if format == TimeFormat::Posix { "time -p " } else { "time " });
        }
        if pipeline.negated {
            self.text("! ");
        }
        let connected = u32::from(pipeline.stages.len() > 1);
        self.connections += connected;
        for (i, stage) in pipeline.stages.iter().enumerate() {
            if i > 0 {
                self.operator(" |");
                self.text(" ");
            }
            self.skip_indent = true;
            self.command(stage);
        }
        self.connections -= connected;
        if connected > 0 {
            self.flush_docs();
        }
        self.skip_indent = false;
    }

    fn command(&mut self, command: &Command) {
        self.do_indent();
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple),
            CommandKind::Group(list) => {
                self.text("{ ");
                if self.in_function {
                    self.text("\n");
                    self.indent += 4;
                    self.list(list);
                    self.flush_docs();
                    self.indent -= 4;
                    self.newline("}");
                } else {
                    self.skip_indent = true;
                    self.list(list);
                    self.flush_docs();
                    self.semicolon();
                    self.text(" }");
                }
            }
            CommandKind::Subshell(list) => {
                self.text("( ");
                self.skip_indent = true;
                self.list(list);
                self.flush_docs();
                self.text(" )");
            }
            CommandKind::For(for_loop) => self.for_loop("for ", for_loop),
            CommandKind::Select(for_loop) => self.for_loop("select ", for_loop),
            CommandKind::ArithFor(for_loop) => {
                self.text("for ((");
                for (part, end) in [(&for_loop.init, "; "), (&for_loop.test, "; "), (&for_loop.step, "))")] {
                    // What is left out counts as true.
                    let text = part.word.raw.trim_ascii_start();
                    self.bytes(if text.is_empty() { b"1" } else { text });
                    self.text(end);
                }
                self.do_group(&for_loop.body);
            }
            CommandKind::While(while_loop) => {
                self.text(if while_loop.until { "until " } else { "while " });
                self.skip_indent = true;
                self.list(&while_loop.test);
                self.flush_docs();
                self.semicolon();
                self.text(" do\n");
                self.indented(&while_loop.body);
                self.semicolon();
                self.newline("done");
            }
            CommandKind::If(clause) => self.if_clause(clause),
            CommandKind::Case(case) => self.case(case),
            CommandKind::Arith(arith) => {
                self.text("((");
                self.bytes(&arith.word.raw);
                self.text("))");
            }
            CommandKind::Cond(expr) => {
                self.text("[[ ");
                self.cond(expr);
                self.text(" ]]");
            }
            CommandKind::Function(definition) => {
                self.text("function ");
                self.bytes(&definition.name);
                self.text(" () \n");
                self.function_body(&definition.body.command);
            }
            CommandKind::Coproc(coproc) => {
                self.text("coproc ");
                match &coproc.name {
                    Some(name) => self.bytes(&[&name.raw[..], b" "].concat()),
                    // bash writes the name here too, and would read it as a command then.
                    None if self.whole && matches!(coproc.body.kind, CommandKind::Simple(_)) => {}
                    None => self.text("COPROC "),
                }
                self.skip_indent = true;
                self.command(&coproc.body);
            }
        }
        let alone = matches!(&command.kind, CommandKind::Simple(s) if s.words.is_empty() && s.assignments.is_empty());
        self.redirects(&command.redirects, alone);
    }

    /// A word as written, its substitutions laid out as bash does.
    fn word(&mut self, word: &Word) {
        let mut subs = Vec::new();
        collect_subs(&word.parts, &mut subs);
        if subs.is_empty() {
            return self.bytes(&word.raw);
        }
        let mut rest = &word.raw[..];
        for sub in subs {
            let Some(body) = sub.body.get() else { continue };
            // The word was kept without its continued lines.
            let mut written = [b"(", &sub.text[..], b")"].concat();
            if memchr::memmem::find(rest, &written).is_none() {
                while let Some(at) = memchr::memmem::find(&written, b"\\\n") {
                    written.drain(at..at + 2);
                }
            }
            let Some(at) = memchr::memmem::find(rest, &written) else { continue };
            self.bytes(&rest[..at]);
            self.text("(");
            self.bytes(&print_substitution(body, self.whole));
            self.text(")");
            rest = &rest[at + written.len()..];
        }
        self.bytes(rest);
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut first = true;
        for assignment in &simple.assignments {
            if !std::mem::take(&mut first) {
                self.text(" ");
            }
            self.assignment(assignment);
        }
        for word in &simple.words {
            if !std::mem::take(&mut first) {
                self.text(" ");
            }
            self.word(word);
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.bytes(assignment.name.bytes());
        match &assignment.subscript {
            None => {}
            Some(Subscript::At) => self.text("[@]"),
            Some(Subscript::Star) => self.text("[*]"),
            Some(Subscript::Index(index)) => {
                self.text("[");
                self.bytes(&index.word.raw);
                self.text("]");
            }
        }
        self.text(if assignment.append { "+=" } else { "=" });
        match &assignment.value {
            AssignedValue::Scalar(word) => self.word(word),
            AssignedValue::Array(elements) => {
                self.text("(");
                for (i, element) in elements.iter().enumerate() {
                    if i > 0 {
                        self.text(" ");
                    }
                    // `[key]=` as written, then the value.
                    let key = element.raw.len().saturating_sub(element.value.raw.len());
                    if element.key.is_some() {
                        self.bytes(&element.raw[..key]);
                    }
                    self.word(&element.value);
                }
                self.text(")");
            }
        }
    }

    fn indented(&mut self, list: &List) {
        self.indent += 4;
        self.list(list);
        self.flush_docs();
        self.indent -= 4;
    }

    fn do_group(&mut self, body: &List) {
        self.newline("do\n");
        self.indented(body);
        self.semicolon();
        self.newline("done");
    }

    fn for_loop(&mut self, keyword: &str, for_loop: &ForLoop) {
        self.text(keyword);
        self.word(&for_loop.variable);
        self.text(" in ");
        match &for_loop.words {
            None => self.text("\"$@\""),
            Some(words) => {
                for (i, word) in words.iter().enumerate() {
                    if i > 0 {
                        self.text(" ");
                    }
                    self.word(word);
                }
            }
        }
        self.text(";");
        self.do_group(&for_loop.body);
    }

    fn if_clause(&mut self, clause: &If) {
        self.text("if ");
        self.skip_indent = true;
        self.list(&clause.test);
        if self.whole {
            self.flush_docs();
        }
        self.semicolon();
        self.text(" then\n");
        self.indented(&clause.then);
        match &clause.otherwise {
            Else::None => {}
            Else::Elif(inner) => {
                self.semicolon();
                self.newline("else\n");
                self.indent += 4;
                self.do_indent();
                self.if_clause(inner);
                self.flush_docs();
                self.indent -= 4;
            }
            Else::Else(list) => {
                self.semicolon();
                self.newline("else\n");
                self.indented(list);
            }
        }
        self.semicolon();
        self.newline("fi");
    }

    fn case(&mut self, case: &Case) {
        self.text("case ");
        self.word(&case.subject);
        self.text(" in ");
        self.indent += 4;
        for clause in &case.clauses {
            self.newline("");
            for (i, pattern) in clause.patterns.iter().enumerate() {
                if i > 0 {
                    self.text(" | ");
                }
                self.word(pattern);
            }
            self.text(")\n");
            self.indented(&clause.body);
            self.newline(match clause.end {
                CaseEnd::Break => ";;",
                CaseEnd::FallThrough => ";&",
                CaseEnd::TestNext => ";;&",
            });
        }
        self.indent -= 4;
        self.newline("esac");
    }

    fn cond(&mut self, expr: &CondExpr) {
        match expr {
            CondExpr::Unary(op, word) => {
                self.bytes(op);
                self.text(" ");
                self.word(word);
            }
            CondExpr::Binary(op, left, right) => {
                self.word(left);
                self.text(" ");
                self.bytes(op);
                self.text(" ");
                self.word(right);
            }
            CondExpr::Word(word) => {
                self.text("-n ");
                self.word(word);
            }
            CondExpr::Not(inner) => {
                self.text("! ");
                self.cond(inner);
            }
            CondExpr::And(left, right) => {
                self.cond(left);
                self.text(" && ");
                self.cond(right);
            }
            CondExpr::Or(left, right) => {
                self.cond(left);
                self.text(" || ");
                self.cond(right);
            }
            CondExpr::Group(inner) => {
                self.text("( ");
                self.cond(inner);
                self.text(" )");
            }
        }
    }

    /// `alone`: there is nothing before them.
    fn redirects(&mut self, redirects: &[Redirect], alone: bool) {
        for (i, redirect) in redirects.iter().enumerate() {
            if i > 0 || !alone {
                self.text(" ");
            }
            self.redirect(redirect);
        }
        if !redirects.is_empty() {
            self.after_doc = false;
        }
        if self.connections == 0 {
            self.flush_docs();
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        let (default, op, space) = match redirect.op {
            RedirectOp::Read => (0, "<", true),
            RedirectOp::Write => (1, ">", true),
            RedirectOp::Append => (1, ">>", true),
            RedirectOp::Clobber => (1, ">|", true),
            RedirectOp::ReadWrite => (1, "<>", true),
            RedirectOp::HereDoc { strip_tabs: true } => (0, "<<-", false),
            RedirectOp::HereDoc { strip_tabs: false } => (0, "<<", false),
            RedirectOp::HereString => (0, "<<<", true),
            RedirectOp::DupIn if &*redirect.word.raw == b"-" => (-1, ">&", false),
            RedirectOp::DupIn => (-1, "<&", false),
            RedirectOp::DupOut => (-1, ">&", false),
            RedirectOp::WriteBoth => (1, "&>", true),
            RedirectOp::AppendBoth => (1, "&>>", true),
        };
        // The number before `>&3` is always told, that before `>&$x` only where it is another than usual.
        let usual = if redirect.op == RedirectOp::DupIn { 0 } else { 1 };
        let by_name = !redirect.word.raw.iter().all(|b| b.is_ascii_digit() || *b == b'-');
        let default = if default < 0 && by_name { usual } else { default };
        match &redirect.target {
            RedirectFd::Default if default < 0 || redirect.op == RedirectOp::ReadWrite => {
                self.text(&redirect.op.default_fd().to_string());
            }
            RedirectFd::Default => {}
            RedirectFd::Number(n) if *n == default => {}
            RedirectFd::Number(n) => self.text(&n.to_string()),
            RedirectFd::Variable(name) => {
                self.text("{");
                self.bytes(name);
                self.text("}");
            }
        }
        self.text(op);
        if space {
            self.text(" ");
        }
        match &redirect.here_doc {
            Some(doc) if doc.quoted => {
                self.text("'");
                self.bytes(&doc.delimiter.split(|&b| b == b'\'').collect::<Vec<_>>().join(&b"'\\''"[..]));
                self.text("'");
            }
            _ => self.word(&redirect.word),
        }
        if let Some(doc) = &redirect.here_doc {
            self.docs.push(std::rc::Rc::clone(doc));
        }
    }
}

/// The substitutions that were laid out when the word was read.
fn collect_subs<'a>(parts: &'a [Part], subs: &mut Vec<&'a CommandSub>) {
    for part in parts {
        match part {
            Part::Command(sub) if sub.form == SubForm::Laid => subs.push(sub),
            Part::Process(process) => subs.push(&process.sub),
            Part::Double(inner) => collect_subs(inner, subs),
            _ => {}
        }
    }
}
