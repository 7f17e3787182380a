//! A program as data.

use super::regex::Pattern;
use std::rc::Rc;

/// A pattern; none is the last one that was used.
pub type Regex = Option<Rc<Pattern>>;

pub enum Address {
    Line(u64),
    /// `first~step`
    Step(u64, u64),
    Last,
    Regex(Regex),
    /// Line 0: a range that begins before the first line.
    Zero,
}

/// The end of a range.
pub enum RangeEnd {
    Line(u64),
    Last,
    Regex(Regex),
    /// `first~step`
    Step(u64, u64),
    /// `+N`: so many lines more.
    More(u64),
    /// `~N`: up to a multiple.
    Multiple(u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RangeState {
    Before,
    Active,
    Closed,
}

pub struct Command {
    pub from: Option<Address>,
    pub to: Option<RangeEnd>,
    pub negated: bool,
    pub state: RangeState,
    /// The last line of a range that is active, where that is a number.
    pub until: u64,
    pub action: Action,
}

pub enum Action {
    /// `{`: the `}` where it goes on when the address does not match.
    Block(usize),
    EndBlock,
    Append(Vec<u8>),
    Insert(Vec<u8>),
    Change(Vec<u8>),
    Label(Vec<u8>),
    Branch(usize),
    BranchIf(usize),
    BranchUnless(usize),
    Delete,
    DeleteFirst,
    /// A command, or what the pattern space holds.
    Execute(Option<Vec<u8>>),
    FileName,
    Get,
    GetAppend,
    Hold,
    HoldAppend,
    LineNumber,
    List(Option<usize>),
    Next,
    NextAppend,
    Print,
    PrintFirst,
    /// With a status, where one is given.
    Quit(Option<usize>),
    QuitSilently(Option<usize>),
    ReadFile(Vec<u8>),
    /// `0r`: before the first line.
    ReadBefore(Vec<u8>),
    ReadLine(usize),
    Substitute(Box<Substitution>),
    Write(usize),
    WriteFirst(usize),
    Exchange,
    Translate(Box<Translation>),
    Zap,
}

pub struct Substitution {
    pub regex: Regex,
    pub replacement: Vec<Part>,
    /// The largest group that is referred to.
    pub groups: usize,
    pub global: bool,
    /// The first match that is replaced, where that is not simply the first.
    pub number: Option<u64>,
    pub print: bool,
    pub execute: bool,
    pub write: Option<usize>,
}

/// A part of a replacement.
#[derive(PartialEq, Eq, Debug)]
pub enum Part {
    Text(Vec<u8>),
    Group(usize),
    Case(Case),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    AsIs,
    Upper,
    Lower,
    /// Only the next character.
    UpperOne,
    LowerOne,
}

/// What `y` puts in the place of each character.
pub struct Translation {
    pub bytes: [u8; 256],
    /// As they stand in the script.
    pub pairs: Vec<(Vec<u8>, Vec<u8>)>,
    /// Where characters are longer than a byte, or become so.
    pub chars: Option<std::collections::HashMap<Vec<u8>, Vec<u8>>>,
}

pub struct Script {
    pub commands: Vec<Command>,
    /// The files of `w`; the first two are standard output and standard error.
    pub outputs: Vec<super::output::Output>,
    /// The files of `R`.
    pub inputs: Vec<Vec<u8>>,
    /// Where it ends, for messages.
    pub end: String,
}
