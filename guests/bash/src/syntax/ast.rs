//! The tree of a script. Words are parsed into parts once; nothing here is looked at as text again when it runs.

use crate::arith::ast::Expr;
use crate::names::Name;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

pub type Bytes = Box<[u8]>;

/// Commands in order.
#[derive(Debug, Default, Clone)]
pub struct List {
    pub items: Vec<ListItem>,
}

#[derive(Debug, Clone)]
pub struct ListItem {
    pub and_or: AndOr,
    /// Ended by `&`.
    pub background: bool,
    /// Ended by a newline alone.
    pub newline: bool,
}

#[derive(Debug, Clone)]
pub struct AndOr {
    pub first: Pipeline,
    pub rest: Vec<(AndOrOp, Pipeline)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AndOrOp {
    And,
    Or,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeFormat {
    Bash,
    /// `time -p`.
    Posix,
}

#[derive(Debug, Clone)]
pub struct Pipeline {
    pub negated: bool,
    pub time: Option<TimeFormat>,
    /// Empty for a bare `!` or `time`.
    pub stages: Vec<Command>,
}

#[derive(Debug, Clone)]
pub struct Command {
    pub kind: CommandKind,
    pub redirects: Vec<Redirect>,
    pub line: u32,
}

#[derive(Debug, Clone)]
pub enum CommandKind {
    Simple(SimpleCommand),
    Group(List),
    Subshell(List),
    For(Box<ForLoop>),
    ArithFor(Box<ArithForLoop>),
    Select(Box<ForLoop>),
    Case(Box<Case>),
    If(Box<If>),
    While(Box<WhileLoop>),
    Arith(Box<ArithText>),
    Cond(Box<CondExpr>),
    Function(Box<FunctionDefinition>),
    Coproc(Box<Coproc>),
}

#[derive(Debug, Default, Clone)]
pub struct SimpleCommand {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
}

#[derive(Debug, Clone)]
pub struct ForLoop {
    pub variable: Word,
    /// None: over the positional parameters.
    pub words: Option<Vec<Word>>,
    pub body: List,
}

#[derive(Debug, Clone)]
pub struct ArithForLoop {
    pub init: ArithText,
    pub test: ArithText,
    pub step: ArithText,
    pub body: List,
}

#[derive(Debug, Clone)]
pub struct WhileLoop {
    pub until: bool,
    pub test: List,
    pub body: List,
}

#[derive(Debug, Clone)]
pub struct If {
    pub test: List,
    pub then: List,
    pub otherwise: Else,
}

#[derive(Debug, Clone)]
pub enum Else {
    None,
    Elif(Box<If>),
    Else(List),
}

#[derive(Debug, Clone)]
pub struct Case {
    pub subject: Word,
    pub clauses: Vec<CaseClause>,
}

#[derive(Debug, Clone)]
pub struct CaseClause {
    pub patterns: Vec<Word>,
    pub body: List,
    pub end: CaseEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Break,
    /// `;&`
    FallThrough,
    /// `;;&`
    TestNext,
}

#[derive(Debug, Clone)]
pub struct FunctionDefinition {
    pub name: Bytes,
    pub body: Rc<FunctionBody>,
}

#[derive(Debug)]
pub struct FunctionBody {
    pub command: Command,
    /// Where the body starts.
    pub line: u32,
}

#[derive(Debug, Clone)]
pub struct Coproc {
    pub name: Option<Word>,
    pub body: Command,
}

/// The expression of `[[ ]]`.
#[derive(Debug, Clone)]
pub enum CondExpr {
    Unary(Bytes, Word),
    Binary(Bytes, Word, Word),
    /// A word alone: true when not empty.
    Word(Word),
    Not(Box<CondExpr>),
    And(Box<CondExpr>, Box<CondExpr>),
    Or(Box<CondExpr>, Box<CondExpr>),
    Group(Box<CondExpr>),
}

#[derive(Debug, Clone)]
pub struct Redirect {
    pub target: RedirectFd,
    pub op: RedirectOp,
    pub word: Word,
    /// For `<<` and `<<-`.
    pub here_doc: Option<Rc<HereDoc>>,
}

#[derive(Debug, Clone)]
pub enum RedirectFd {
    /// What the operator says: 0 or 1.
    Default,
    Number(i32),
    /// `{name}>file`: a new descriptor, its number in the variable.
    Variable(Bytes),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOp {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<<`, `<<-`
    HereDoc { strip_tabs: bool },
    /// `<<<`
    HereString,
    /// `<&`
    DupIn,
    /// `>&`
    DupOut,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
}

impl RedirectOp {
    /// The descriptor when none is written.
    pub fn default_fd(self) -> i32 {
        use RedirectOp::{DupIn, HereDoc, HereString, Read, ReadWrite};
        if matches!(self, Read | ReadWrite | HereDoc { .. } | HereString | DupIn) { 0 } else { 1 }
    }
}

/// Read after the line that announced it.
#[derive(Debug, Default)]
pub struct HereDoc {
    pub body: OnceCell<Word>,
    pub delimiter: Bytes,
    pub quoted: bool,
}

#[derive(Debug, Clone)]
pub struct Assignment {
    pub name: Name,
    pub subscript: Option<Subscript>,
    pub append: bool,
    pub value: AssignedValue,
}

#[derive(Debug, Clone)]
pub enum AssignedValue {
    Scalar(Word),
    Array(Vec<ArrayElement>),
}

#[derive(Debug, Clone)]
pub struct ArrayElement {
    /// `[key]=`
    pub key: Option<Subscript>,
    pub append: bool,
    pub value: Word,
    /// The whole element as a word, for the `(key value …)` form of associative arrays and brace expansion.
    pub raw: Bytes,
}

#[derive(Debug, Clone)]
pub enum Subscript {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    Index(Rc<ArithText>),
}

#[derive(Debug, Clone, Default)]
pub struct Word {
    pub parts: Vec<Part>,
    /// As written, for `declare -f`, error messages and `BASH_COMMAND`.
    pub raw: Bytes,
    /// The value when nothing is left to expand.
    pub plain: Option<Bytes>,
    /// Set on words that look like assignments in a command whose name is a declaration builtin.
    pub assignment: Option<Rc<Assignment>>,
    /// An unquoted `{` and `}` are in it.
    pub braces: bool,
}

#[derive(Debug, Clone)]
pub enum Part {
    /// Unquoted text; tildes, globs and braces in it are alive.
    Literal(Bytes),
    /// `'…'`, `$'…'`, `\x`.
    Quoted(Bytes),
    /// `"…"`; a `Literal` inside is plain text.
    Double(Vec<Part>),
    Param(Rc<Param>),
    Command(Rc<CommandSub>),
    Arith(Rc<ArithText>),
    Process(Rc<ProcessSub>),
    /// `${…}` that makes no sense; bash says so only when it is expanded.
    Bad(Bytes),
}

/// Text that is expanded like a double-quoted string and then evaluated; parsed once when nothing is to be expanded.
#[derive(Debug, Default)]
pub struct ArithText {
    pub word: Word,
    pub parsed: OnceCell<Rc<Expr>>,
}

impl Clone for ArithText {
    fn clone(&self) -> ArithText {
        ArithText { word: self.word.clone(), parsed: OnceCell::new() }
    }
}

#[derive(Debug)]
pub struct CommandSub {
    /// The text between the parentheses or backquotes (backslashes of backquotes removed).
    pub text: Bytes,
    /// Parsed with the script for `$( )`, at the first use for backquotes.
    pub body: OnceCell<Rc<List>>,
    /// Where it stands, when all of it is on one line.
    pub line: Option<u32>,
    pub form: SubForm,
    /// The body with the lines that its commands have for bash, which counts from the line of the command around it; and
    /// that line.
    pub placed: RefCell<Option<(u32, Rc<List>)>>,
}

/// What bash keeps of a substitution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubForm {
    /// Its commands laid out anew.
    Laid,
    /// The text: inside `${ }`, `$(( ))`, subscripts and here-documents, and where `$((` was no expression.
    Raw,
    Backquoted,
}

#[derive(Debug)]
pub struct ProcessSub {
    pub sub: CommandSub,
    /// `<( )`: the command's output is read.
    pub reads: bool,
}

#[derive(Debug)]
pub struct Param {
    pub name: ParamName,
    pub subscript: Option<Subscript>,
    /// `${!…}`
    pub indirect: bool,
    /// `${#…}`
    pub length: bool,
    pub op: ParamOp,
    /// As written, with the dollar sign.
    pub raw: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamName {
    Variable(Name),
    Positional(usize),
    /// One of `@ * # ? - $ !`.
    Special(u8),
}

#[derive(Debug)]
pub enum ParamOp {
    None,
    /// `-` `=` `?` `+`; with `colon`, empty counts as unset.
    Unset {
        kind: u8,
        colon: bool,
        word: Word,
    },
    RemovePrefix {
        longest: bool,
        pattern: Word,
    },
    RemoveSuffix {
        longest: bool,
        pattern: Word,
    },
    Replace {
        kind: ReplaceKind,
        pattern: Word,
        with: Option<Word>,
    },
    Substring {
        offset: ArithText,
        length: Option<ArithText>,
    },
    /// `^` `,` `~`; doubled for every character.
    Case {
        kind: u8,
        every: bool,
        pattern: Option<Word>,
    },
    /// `@Q` …
    Transform(u8),
    /// `${!prefix*}`, `${!prefix@}`
    Names {
        star: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceKind {
    First,
    All,
    Prefix,
    Suffix,
}
