//! From words to the tree.

use super::exec::Exec;
use super::expr::{Action, Context, Expr, Output};
use super::kinds::{Compare, Kinds};
use super::printf::Format;
use super::tests::{Field, Pattern, Perm, Test, Which};
use super::{Follow, Settings, list};
use crate::calendar::{self, Moment, Zone};
use crate::quote::{locale, plain};
use crate::users::Names;
use crate::{Exit, float, mode, report};
use capsule_regex::{Options, Regex, Syntax};
use capsule_sys::{Errno, OpenFlags, Out, STDERR, Stat, Time, isatty, lstat, now, open, stat};

/// How deep parentheses and negations nest: each is a frame of the evaluation.
const DEEPEST: usize = 500;
const EMPTY: &str = "invalid expression; empty parentheses are not allowed.";
const DAY: i64 = 86_400;

struct Parser<'a> {
    words: &'a [Vec<u8>],
    at: usize,
    settings: Settings,
    context: Context,
    /// Where `-mtime` counts from: a day ago, or the start of today.
    day: Time,
    regex: Dialect,
    warn: bool,
    /// An action was seen, so nothing is printed by itself.
    acts: bool,
    deletes: bool,
    prunes: bool,
    depth_asked: bool,
    nesting: usize,
    /// The first word that was no global option.
    first_test: Option<String>,
    last: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Emacs,
    Basic,
    Extended,
    Awk,
}

const DIALECTS: &[(&str, Dialect)] = &[
    ("findutils-default", Dialect::Emacs),
    ("ed", Dialect::Basic),
    ("emacs", Dialect::Emacs),
    ("gnu-awk", Dialect::Awk),
    ("grep", Dialect::Basic),
    ("posix-awk", Dialect::Awk),
    ("awk", Dialect::Awk),
    ("posix-basic", Dialect::Basic),
    ("posix-egrep", Dialect::Extended),
    ("egrep", Dialect::Extended),
    ("posix-extended", Dialect::Extended),
    ("posix-minimal-basic", Dialect::Basic),
    ("sed", Dialect::Basic),
];

/// Whether a word is the start of the expression rather than a path.
pub fn begins_expression(word: &[u8], leading: bool) -> bool {
    match word {
        [b'-', _, ..] | b"(" | b"!" => true,
        b")" | b"," => !leading,
        _ => false,
    }
}

pub fn parse(words: &[Vec<u8>], settings: Settings) -> Result<(Settings, Expr, Context), Exit> {
    let time = now();
    let mut parser = Parser {
        words,
        at: 0,
        settings,
        context: Context {
            outputs: vec![Output { name: b"standard output".to_vec(), out: Out::stdout(), _file: None }],
            commands: Vec::new(),
            users: Names::users(),
            groups: Names::groups(),
            zone: Zone::local(),
            now: time,
            widths: list::Widths::default(),
            ignore_race: false,
            depth_first: false,
            status: 0,
            quit: false,
            prune: false,
        },
        day: Time { sec: time.sec - DAY, nsec: time.nsec },
        regex: Dialect::Emacs,
        warn: isatty(0) && capsule_sys::getenv(b"POSIXLY_CORRECT").is_none(),
        acts: false,
        deletes: false,
        prunes: false,
        depth_asked: false,
        nesting: 0,
        first_test: None,
        last: String::new(),
    };
    let expr = if words.is_empty() { None } else { Some(parser.list()?) };
    if parser.at < words.len() {
        return Err(report::die(1, format_args!("you have too many {}", plain(b")"))));
    }
    if parser.deletes && parser.prunes && !parser.depth_asked {
        return Err(report::die(
            1,
            "The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you \
             want to carry on anyway, just explicitly use the -depth option.",
        ));
    }
    let print = Expr::Action(Action::Print(0, b'\n'));
    let expr = match expr {
        None => print,
        Some(expr) if parser.acts => expr,
        Some(expr) => Expr::And(vec![expr, print]),
    };
    Ok((parser.settings, expr, parser.context))
}

fn seconds_before(origin: Time, number: f64, unit: i64) -> Time {
    let nanos = (number * unit as f64 * 1e9).round();
    let total = i128::from(origin.sec) * 1_000_000_000 + i128::from(origin.nsec) - nanos as i128;
    let sec = i64::try_from(total.div_euclid(1_000_000_000)).unwrap_or(i64::MIN);
    Time { sec, nsec: total.rem_euclid(1_000_000_000) as u32 }
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        self.words.get(self.at).map(Vec::as_slice)
    }

    fn list(&mut self) -> Result<Expr, Exit> {
        self.chain(Self::or, &[b","], Expr::List)
    }

    fn or(&mut self) -> Result<Expr, Exit> {
        self.chain(Self::and, &[b"-o", b"-or"], Expr::Or)
    }

    /// Operands of one operator, flat: a long chain is no deep tree.
    fn chain(
        &mut self,
        part: fn(&mut Self) -> Result<Expr, Exit>,
        names: &[&[u8]],
        make: fn(Vec<Expr>) -> Expr,
    ) -> Result<Expr, Exit> {
        let mut parts = vec![part(self)?];
        while let Some(word) = self.peek()
            && names.contains(&word)
        {
            self.at += 1;
            self.expect_after(word)?;
            parts.push(part(self)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { make(parts) })
    }

    fn expect_after(&self, word: &[u8]) -> Result<(), Exit> {
        match self.peek() {
            None if self.acts => Err(report::die(1, "invalid expression")),
            None => Err(report::die(1, format_args!("expected an expression after {}", plain(word)))),
            Some(b")") => {
                let text = format!("expected an expression between {} and {}", plain(word), plain(b")"));
                Err(report::die(1, text))
            }
            _ => Ok(()),
        }
    }

    fn and(&mut self) -> Result<Expr, Exit> {
        let mut parts = vec![self.not()?];
        loop {
            match self.peek() {
                None | Some(b")" | b"," | b"-o" | b"-or") => break,
                Some(word @ (b"-a" | b"-and")) => {
                    self.at += 1;
                    self.expect_after(word)?;
                }
                Some(_) => {}
            }
            parts.push(self.not()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::And(parts) })
    }

    fn not(&mut self) -> Result<Expr, Exit> {
        let mut negated = false;
        while let Some(word @ (b"!" | b"-not")) = self.peek() {
            self.at += 1;
            negated = !negated;
            self.expect_after(word)?;
        }
        let inner = self.primary()?;
        Ok(if negated { Expr::Not(Box::new(inner)) } else { inner })
    }

    fn primary(&mut self) -> Result<Expr, Exit> {
        let word = self.peek().unwrap_or_default();
        match word {
            b"(" => {
                self.at += 1;
                self.nesting += 1;
                if self.nesting > DEEPEST {
                    return Err(report::die(1, "the expression is nested too deeply"));
                }
                match self.peek() {
                    Some(b")") => {
                        return Err(report::die(1, EMPTY));
                    }
                    None => {
                        let text = format!(
                            "invalid expression; expected to find a {} but didn't see one. Perhaps you need an extra \
                             predicate after {}",
                            plain(b")"),
                            plain(b"(")
                        );
                        return Err(report::die(1, text));
                    }
                    _ => {}
                }
                if self.peek() == Some(b"-daystart") && self.words.get(self.at + 1).is_some_and(|w| w == b")") {
                    return Err(report::die(1, EMPTY));
                }
                let inner = self.list()?;
                if self.peek() != Some(b")") {
                    return Err(self.unclosed());
                }
                self.at += 1;
                self.nesting -= 1;
                Ok(inner)
            }
            b")" if self.nesting == 0 => Err(report::die(1, "invalid expression; you have too many ')'")),
            b")" => Err(report::die(1, "invalid expression; expected to find a ')' but didn't see one.")),
            // A word that is none is told first.
            b"-a" | b"-and" | b"-o" | b"-or" | b","
                if self.words.get(self.at + 1).is_some_and(|next| !begins_expression(next, false)) =>
            {
                self.last = String::from_utf8_lossy(word).into_owned();
                self.predicate(&self.words[self.at + 1])
            }
            b"-a" | b"-and" | b"-o" | b"-or" | b"," => Err(report::die(
                1,
                format_args!(
                    "invalid expression; you have used a binary operator {} with nothing before it.",
                    plain(word)
                ),
            )),
            _ => {
                self.at += 1;
                self.predicate(word)
            }
        }
    }

    fn unclosed(&self) -> Exit {
        let text =
            format!("invalid expression; I was expecting to find a {} somewhere but did not see one.", plain(b")"));
        report::die(1, text)
    }

    fn argument(&mut self) -> Result<&'a [u8], Exit> {
        let Some(word) = self.words.get(self.at) else {
            return Err(report::die(1, format_args!("missing argument to `{}'", self.last)));
        };
        self.at += 1;
        Ok(word)
    }

    fn invalid(&self, argument: &[u8]) -> Exit {
        let text = format!("invalid argument `{}' to `{}'", String::from_utf8_lossy(argument), self.last);
        report::die(1, text)
    }

    fn predicate(&mut self, word: &'a [u8]) -> Result<Expr, Exit> {
        let before = std::mem::replace(&mut self.last, String::from_utf8_lossy(word).into_owned());
        if !begins_expression(word, false) {
            report::error(format_args!("paths must precede expression: `{}'", self.last));
            if !before.is_empty() && lstat(word).is_ok() {
                report::error(format_args!("possible unquoted pattern after predicate `{before}'?"));
            }
            return Err(Exit(1));
        }
        // GNU takes two dashes for one.
        let name = word.strip_prefix(b"-").unwrap_or(word);
        let name = name.strip_prefix(b"-").filter(|rest| matches!(*rest, b"help" | b"version")).unwrap_or(name);
        let Ok(name) = std::str::from_utf8(name) else { return Err(self.unknown()) };
        if let Some(expr) = self.option(name)? {
            return Ok(expr);
        }
        if self.first_test.is_none() {
            self.first_test = Some(self.last.clone());
        }
        if let Some(action) = self.action(name)? {
            return Ok(Expr::Action(action));
        }
        match self.test(name)? {
            Some(test) => Ok(Expr::Test(test)),
            None => Err(self.unknown()),
        }
    }

    fn unknown(&self) -> Exit {
        report::die(1, format_args!("unknown predicate `{}'", self.last))
    }

    /// Options are always true.
    fn option(&mut self, name: &str) -> Result<Option<Expr>, Exit> {
        let global = matches!(
            name,
            "depth"
                | "d"
                | "maxdepth"
                | "mindepth"
                | "mount"
                | "xdev"
                | "noleaf"
                | "ignore_readdir_race"
                | "noignore_readdir_race"
                | "files0-from"
        );
        if global
            && self.warn
            && let Some(first) = &self.first_test
        {
            report::error(format_args!(
                "warning: you have specified the global option {0} after the argument {first}, but global options are not \
                 positional, i.e., {0} affects tests specified before it as well as those specified after it.  Please \
                 specify global options before other arguments.",
                self.last
            ));
        }
        match name {
            "daystart" => self.start_of_day(),
            "depth" | "d" => {
                self.settings.depth_first = true;
                self.depth_asked = true;
            }
            "files0-from" => self.settings.starts_from = Some(self.argument()?.to_vec()),
            "follow" => self.settings.follow = Follow::Always,
            "ignore_readdir_race" => self.settings.ignore_race = true,
            "noignore_readdir_race" => self.settings.ignore_race = false,
            "maxdepth" => self.settings.most = self.levels()?,
            "mindepth" => self.settings.least = self.levels()?,
            "mount" | "xdev" => self.settings.one_system = true,
            "noleaf" => {}
            "nowarn" => self.warn = false,
            "warn" => self.warn = true,
            "regextype" => {
                let wanted = self.argument()?;
                let Some(found) = DIALECTS.iter().find(|d| d.0.as_bytes() == wanted) else {
                    let all: Vec<String> = DIALECTS.iter().map(|d| locale(d.0.as_bytes())).collect();
                    let text = format!(
                        "Unknown regular expression type {}; valid types are {}.",
                        locale(wanted),
                        all.join(", ")
                    );
                    return Err(report::die(1, text));
                };
                self.regex = found.1;
            }
            "help" => return Err(self.print(report::help().to_owned())),
            "version" => {
                return Err(self.print(format!("find (Capsule) {}\n", env!("CARGO_PKG_VERSION"))));
            }
            _ => return Ok(None),
        }
        Ok(Some(Expr::Test(Test::True)))
    }

    fn print(&mut self, text: String) -> Exit {
        let mut out = Out::stdout();
        out.write(text.as_bytes());
        match report::finish(&mut out, 0) {
            Ok(status) => Exit(status),
            Err(exit) => exit,
        }
    }

    fn start_of_day(&mut self) {
        let time = self.context.now;
        let today = Moment::new(time.sec, 0, &self.context.zone);
        let into_day = i64::from(today.hour * 3600 + today.minute * 60 + today.second);
        self.day = Time { sec: time.sec - into_day, nsec: 0 };
    }

    fn levels(&mut self) -> Result<usize, Exit> {
        let text = self.argument()?;
        let number = std::str::from_utf8(text).ok().filter(|t| t.bytes().all(|b| b.is_ascii_digit()));
        if let Some(large) = number.filter(|t| !t.is_empty() && t.parse::<u64>().is_err()) {
            return Err(report::die(1, format_args!("{large}: {}", Errno::ERANGE)));
        }
        number.and_then(|t| t.parse().ok()).ok_or_else(|| {
            let option = &self.last;
            let text = format!("Expected a positive decimal integer argument to {option}, but got {}", locale(text));
            report::die(1, text)
        })
    }

    fn output(&mut self) -> Result<usize, Exit> {
        let name = self.argument()?;
        let known = self.context.outputs.iter().position(|o| o.name == name);
        if name == b"/dev/stdout" {
            return Ok(0);
        }
        if let Some(number) = known.filter(|&n| n > 0) {
            return Ok(number);
        }
        let output = if name == b"/dev/stderr" {
            Output { name: name.to_vec(), out: Out::new(STDERR), _file: None }
        } else {
            let flags = OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC | OpenFlags::CLOEXEC;
            let file = open(name, flags, 0o666).map_err(|e| report::die(1, format_args!("{}: {e}", locale(name))))?;
            Output { name: name.to_vec(), out: Out::new(file.raw()), _file: Some(file) }
        };
        self.context.outputs.push(output);
        Ok(self.context.outputs.len() - 1)
    }

    fn action(&mut self, name: &str) -> Result<Option<Action>, Exit> {
        let action = match name {
            "print" => Action::Print(0, b'\n'),
            "print0" => Action::Print(0, 0),
            "fprint" => Action::Print(self.output()?, b'\n'),
            "fprint0" => Action::Print(self.output()?, 0),
            "printf" => Action::Printf(0, Format::parse(self.argument()?)?),
            "fprintf" => {
                let output = self.output()?;
                Action::Printf(output, Format::parse(self.argument()?)?)
            }
            "ls" => Action::List(0),
            "fls" => Action::List(self.output()?),
            "exec" | "execdir" | "ok" | "okdir" => {
                let (command, used) = Exec::parse(&self.words[self.at..], name, &self.last)?;
                self.at += used;
                self.context.commands.push(command);
                Action::Exec(self.context.commands.len() - 1)
            }
            "delete" => {
                self.deletes = true;
                self.settings.depth_first = true;
                Action::Delete
            }
            "prune" => {
                self.prunes = true;
                return Ok(Some(Action::Prune));
            }
            "quit" => return Ok(Some(Action::Quit)),
            _ => return Ok(None),
        };
        self.acts = true;
        Ok(Some(action))
    }

    fn test(&mut self, name: &str) -> Result<Option<Test>, Exit> {
        Ok(Some(match name {
            "true" => Test::True,
            "false" => Test::False,
            "name" | "iname" => {
                let pattern = self.argument()?;
                if self.warn && pattern.contains(&b'/') && pattern != b"/" {
                    report::error(format_args!(
                        "warning: {0} matches against basenames only, but the given pattern contains a directory \
                         separator ({1}), thus the expression will evaluate to false all the time.  Did you mean {2}?",
                        locale(self.last.as_bytes()),
                        locale(b"/"),
                        locale(if name == "name" { b"-wholename" } else { b"-iwholename" })
                    ));
                }
                Test::Name(Pattern::new(pattern, name == "iname"))
            }
            "path" | "wholename" => Test::Path(Pattern::new(self.argument()?, false)),
            "ipath" | "iwholename" => Test::Path(Pattern::new(self.argument()?, true)),
            "lname" => Test::Link(Pattern::new(self.argument()?, false)),
            "ilname" => Test::Link(Pattern::new(self.argument()?, true)),
            "regex" => self.regex(false)?,
            "iregex" => self.regex(true)?,
            "type" => Test::Kind(Kinds::parse(self.argument()?, &self.last)?),
            "xtype" => Test::OtherKind(Kinds::parse(self.argument()?, &self.last)?),
            "size" => self.size()?,
            "empty" => Test::Empty,
            "newer" => Test::Newer(Which::Modification, self.reference()?.mtime),
            "anewer" => Test::Newer(Which::Access, self.reference()?.mtime),
            "cnewer" => Test::Newer(Which::Change, self.reference()?.mtime),
            "mtime" => self.age(Which::Modification)?,
            "atime" => self.age(Which::Access)?,
            "ctime" => self.age(Which::Change)?,
            "mmin" => self.minutes(Which::Modification)?,
            "amin" => self.minutes(Which::Access)?,
            "cmin" => self.minutes(Which::Change)?,
            "used" => {
                let text = self.argument()?;
                let (compare, digits) = Compare::split(text);
                let days = parse_number(digits).ok_or_else(|| {
                    report::die(1, format_args!("Invalid argument {} to -used", String::from_utf8_lossy(text)))
                })?;
                Test::Used(compare, days)
            }
            "perm" => self.perm()?,
            "user" => Test::User(self.owner(true)?),
            "group" => Test::Group(self.owner(false)?),
            "uid" => self.field(Field::Uid)?,
            "gid" => self.field(Field::Gid)?,
            "links" => self.field(Field::Links)?,
            "inum" => self.field(Field::Inode)?,
            "nouser" => Test::NoUser,
            "nogroup" => Test::NoGroup,
            "samefile" => {
                let file = self.reference()?;
                Test::Same(file.dev, file.ino)
            }
            "readable" => Test::Readable,
            "writable" => Test::Writable,
            "executable" => Test::Executable,
            "fstype" => Test::System(self.argument()?.to_vec()),
            "context" => {
                self.argument()?;
                let text = format!("invalid predicate {}: SELinux is not enabled.", self.last);
                return Err(report::die(1, text));
            }
            _ => match name.as_bytes() {
                [b'n', b'e', b'w', b'e', b'r', x, y] => self.newer_xy(*x, *y)?,
                _ => return Ok(None),
            },
        }))
    }

    fn regex(&mut self, ignore_case: bool) -> Result<Test, Exit> {
        let pattern = self.argument()?;
        let (text, syntax) = match self.regex {
            Dialect::Emacs => (pattern, Syntax::Emacs),
            Dialect::Basic => (pattern, Syntax::Basic),
            Dialect::Extended => (pattern, Syntax::Extended),
            Dialect::Awk => (pattern, Syntax::Awk),
        };
        let options = Options { syntax, ignore_case, utf8: crate::quote::is_utf8(), ..Options::default() };
        match Regex::new(text, &options) {
            Ok(regex) => Ok(Test::Regex(Box::new(regex))),
            Err(e) => {
                let shown = String::from_utf8_lossy(pattern);
                let text = format!("failed to compile regular expression '{shown}': {e}");
                Err(report::die(1, text))
            }
        }
    }

    fn reference(&mut self) -> Result<Stat, Exit> {
        let path = self.argument()?;
        let answer = if self.settings.follow == Follow::Never { lstat(path) } else { stat(path) };
        answer.map_err(|e| report::die(1, format_args!("{}: {e}", locale(path))))
    }

    fn size(&mut self) -> Result<Test, Exit> {
        let text = self.argument()?;
        if text.is_empty() {
            return Err(report::die(1, "invalid null argument to -size"));
        }
        let (digits, unit) = match text.split_last() {
            Some((b'b', rest)) => (rest, 512),
            Some((b'c', rest)) => (rest, 1),
            Some((b'w', rest)) => (rest, 2),
            Some((b'k', rest)) => (rest, 1 << 10),
            Some((b'M', rest)) => (rest, 1 << 20),
            Some((b'G', rest)) => (rest, 1 << 30),
            Some((b'0'..=b'9', _)) => (text, 512),
            Some((other, _)) => {
                return Err(report::die(1, format_args!("invalid -size type `{}'", *other as char)));
            }
            None => (text, 512),
        };
        let (compare, number) = Compare::split(digits);
        match parse_number(number) {
            Some(number) => Ok(Test::Size(compare, number, unit)),
            None => Err(report::die(1, format_args!("Invalid argument `{}' to -size", String::from_utf8_lossy(text)))),
        }
    }

    /// A number of days; more and less are about age, so they are the other way round for times.
    fn age(&mut self, which: Which) -> Result<Test, Exit> {
        let text = self.argument()?;
        let (compare, number) = Compare::split(text);
        let mut origin = self.day;
        if compare == Compare::Less {
            origin.sec += DAY - 1;
        }
        let number = parse_float(number).ok_or_else(|| self.invalid(text))?;
        Ok(Test::Age(which, turned(compare), seconds_before(origin, number, DAY), DAY))
    }

    fn minutes(&mut self, which: Which) -> Result<Test, Exit> {
        let text = self.argument()?;
        let (compare, number) = Compare::split(text);
        let origin = Time { sec: self.day.sec + DAY, nsec: self.day.nsec };
        let number = parse_float(number).ok_or_else(|| self.invalid(text))?;
        Ok(Test::Age(which, turned(compare), seconds_before(origin, number, 60), 60))
    }

    fn number(&mut self) -> Result<(Compare, u64), Exit> {
        if self.at == self.words.len() {
            return Err(self.invalid(self.last.as_bytes()));
        }
        let text = self.argument()?;
        let (compare, digits) = Compare::split(text);
        parse_number(digits).map(|n| (compare, n)).ok_or_else(|| self.invalid(text))
    }

    fn field(&mut self, field: Field) -> Result<Test, Exit> {
        let (compare, number) = self.number()?;
        Ok(Test::Number(field, compare, number))
    }

    fn owner(&mut self, user: bool) -> Result<u32, Exit> {
        let name = self.argument()?;
        let names = if user { &mut self.context.users } else { &mut self.context.groups };
        let digits = name.iter().take_while(|b| b.is_ascii_digit()).count();
        // A sign belongs to no id.
        if let Some(id) = names.id(name).filter(|_| !name.starts_with(b"+")) {
            return Ok(id);
        }
        Err(report::die(
            1,
            match (user, name) {
                (true, b"") => "The argument to -user should not be empty".to_owned(),
                (false, b"") => "argument to -group is empty, but should be a group name".to_owned(),
                _ if digits == name.len() => format!("{}: {}", String::from_utf8_lossy(name), Errno::ERANGE),
                (true, _) => format!("{} is not the name of a known user", locale(name)),
                (false, _) if digits == 0 => format!("{} is not the name of an existing group", locale(name)),
                (false, _) => format!(
                    "{} is not the name of an existing group and it does not look like a numeric group ID because it has \
                     the unexpected suffix {}",
                    locale(name),
                    locale(&name[digits..])
                ),
            },
        ))
    }

    fn perm(&mut self) -> Result<Test, Exit> {
        let text = self.argument()?;
        let (how, rest) = match text {
            [b'-', rest @ ..] => (Perm::All, rest),
            [b'/', rest @ ..] => (Perm::Any, rest),
            _ => (Perm::Exact, text),
        };
        // "+1" would be octal behind an operator, which was once a form of its own.
        let old_form = text.first() == Some(&b'+') && rest.get(1).is_some_and(u8::is_ascii_digit);
        let change = mode::Change::parse(rest).filter(|_| !old_form);
        let Some(change) = change else {
            return Err(report::die(1, format_args!("invalid mode {}", locale(text))));
        };
        if how == Perm::Any && change.apply(0, true, 0) == 0 {
            report::error(format_args!(
                "warning: you have specified a mode pattern {} (which is equivalent to /000). The meaning of -perm /000 has \
                 now been changed to be consistent with -perm -000; that is, while it used to match no files, it now \
                 matches all files.",
                String::from_utf8_lossy(text)
            ));
        }
        Ok(Test::Perm(how, change.apply(0, false, 0), change.apply(0, true, 0)))
    }

    fn newer_xy(&mut self, x: u8, y: u8) -> Result<Test, Exit> {
        let which = |letter: u8| match letter {
            b'a' => Some(Which::Access),
            b'c' => Some(Which::Change),
            b'm' => Some(Which::Modification),
            _ => None,
        };
        if x == b'B' || y == b'B' {
            report::error("This system does not provide a way to find the birth time of a file.");
        }
        let Some(of) = which(x) else {
            return Err(report::die(1, format_args!("invalid predicate `{}'", self.last)));
        };
        if y == b't' {
            if self.at == self.words.len() {
                let shown = locale(self.last.as_bytes());
                return Err(report::die(1, format_args!("The {shown} test needs an argument")));
            }
            let text = self.argument()?;
            let time = calendar::parse::parse(text, self.context.now, &self.context.zone).ok_or_else(|| {
                let text = format!("I cannot figure out how to interpret {} as a date or time", locale(text));
                report::die(1, text)
            })?;
            return Ok(Test::Newer(of, time));
        }
        let Some(than) = which(y) else {
            return Err(report::die(1, format_args!("invalid predicate `{}'", self.last)));
        };
        let file = self.reference()?;
        Ok(Test::Newer(of, than.of(&file)))
    }
}

fn turned(compare: Compare) -> Compare {
    match compare {
        Compare::More => Compare::Less,
        Compare::Less => Compare::More,
        Compare::Same => Compare::Same,
    }
}

fn parse_number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits.trim_ascii_start()).ok().filter(|t| !t.starts_with('+'))?.parse().ok()
}

fn parse_float(digits: &[u8]) -> Option<f64> {
    let signed = matches!(digits.trim_ascii_start().first(), Some(b'+' | b'-'));
    let (value, read) = float::parse(digits);
    (read == digits.len() && read > 0 && !signed && !value.is_nan()).then_some(value)
}
