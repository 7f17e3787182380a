//! The steps of a compiled program. They work on a stack of values, and on a buffer where strings are put together.

use super::ast::{Compare, To, Var};
use super::builtins::Id;

/// Where a value is stored. What a place needs (a field's number, a key, an array below it) is on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Var(Var),
    /// A variable whose changes matter (`NF`, `FS` …).
    Special(u32),
    Field,
    Element(Var),
    /// An element of an array that is on the stack.
    Inner,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    // Values.
    Number(f64),
    Text(u32),
    Regex(u32),
    Unset,
    Pop,
    Dup,
    /// The two on top, again.
    Dup2,
    Global(u32),
    Local(u32),
    Special(u32),
    /// The variable as an argument: an array goes as it is, what is untyped may become one.
    Argument(Var),
    /// An element as an argument: it may be an array.
    ElementArgument(Var),
    InnerArgument,
    Field,
    /// A field that may be written to.
    FieldTarget,
    FieldAt(u32),
    /// The same as a number.
    FieldNumber(u32),
    /// The element for the key on top.
    Element(Var),
    Inner,
    /// The element as an array, made when it is not there.
    SubArray(Var),
    InnerSubArray,
    ArrayOf(Var),

    // Stores: the value, then what the place needs. `keep` leaves the value.
    Store {
        place: Place,
        keep: bool,
    },
    /// A plain variable.
    SetGlobal {
        slot: u32,
        keep: bool,
    },
    SetLocal {
        slot: u32,
        keep: bool,
    },
    Update {
        place: Place,
        operator: u8,
        keep: bool,
    },
    UpdateGlobal {
        slot: u32,
        operator: u8,
        keep: bool,
    },
    /// `x = x …`: what is in the buffer goes behind the variable.
    AppendTo {
        var: Var,
        keep: bool,
    },
    Step {
        place: Place,
        add: i8,
        before: bool,
        keep: bool,
    },
    StepGlobal {
        slot: u32,
        add: i8,
        before: bool,
        keep: bool,
    },
    StepLocal {
        slot: u32,
        add: i8,
        before: bool,
        keep: bool,
    },
    /// Stores what `sub` or `getline` made, below the count on top.
    StorePending(Place),

    // Operators.
    Arithmetic(u8),
    /// With a constant or a variable on the right.
    ArithmeticNumber(u8, f64),
    ArithmeticGlobal(u8, u32),
    ArithmeticLocal(u8, u32),
    Negate,
    ToNumber,
    Not,
    Compare(Compare),
    /// Text on top against the regular expression.
    Match {
        regex: u32,
        negate: bool,
    },
    MatchRecord {
        regex: u32,
        negate: bool,
    },
    MatchDynamic {
        negate: bool,
    },
    In(Var),
    InInner,

    // Jumps.
    Jump(u32),
    JumpIf(u32),
    JumpUnless(u32),
    /// Compares the two on top.
    JumpUnlessCompare(Compare, u32),
    /// Compares the top with a number.
    JumpUnlessCompareNumber(Compare, u32, f64),
    JumpUnlessCompareGlobal(Compare, u32, u32),
    /// Goes on where the text of the case is, without the value of the switch, when they are equal.
    Case(u32),
    CaseMatch {
        regex: u32,
        to: u32,
    },

    // The buffer. `print` shows numbers under OFMT instead of CONVFMT.
    Begin,
    AddText(u32),
    AddGlobal {
        slot: u32,
        print: bool,
    },
    AddLocal {
        slot: u32,
        print: bool,
    },
    AddField(u32),
    AddTop {
        print: bool,
    },
    AddSubsep,
    AddOfs,
    AddOrs,
    /// The buffer as a value.
    End,
    /// The buffer goes out; the redirection's name is on top.
    Print {
        to: Option<To>,
        format: bool,
    },
    /// Format and arguments into the buffer.
    Format(u32),

    // Loops over arrays.
    Loop,
    /// The next key, or on at `to`.
    LoopNext {
        var: Var,
        to: u32,
    },
    LoopEnd,

    DeleteElement(Var),
    DeleteInner,
    DeleteAll,

    // Calls.
    Call {
        function: u32,
        args: u32,
    },
    /// A call of what nobody defined, which is told when it comes to it.
    Undefined(u32),
    /// The name is below the arguments.
    Indirect {
        args: u32,
    },
    Builtin {
        id: Id,
        args: u32,
    },
    /// `sub` and `gsub`: text, (regular expression), replacement.
    Substitute {
        regex: Option<u32>,
        all: bool,
    },
    Getline {
        from: Source,
        target: bool,
    },
    Return,

    // Ends.
    Next,
    NextFile,
    Exit {
        value: bool,
    },
    /// The end of a rule.
    Stop,
    /// A range pattern: whether rule `n` is inside.
    InRange(u32),
    SetRange(u32, bool),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    Main,
    File,
    Command,
    Coprocess,
}

/// A function, ready to call.
#[derive(Clone, Debug)]
pub struct Code {
    pub name: String,
    pub params: Vec<String>,
    pub start: u32,
    pub defined: bool,
}

/// A whole program.
#[derive(Debug, Default)]
pub struct Program {
    pub ops: Vec<Op>,
    /// From which step on which source and line hold.
    pub lines: Vec<(u32, u32, u32)>,
    pub files: Vec<Option<String>>,
    pub texts: Vec<Vec<u8>>,
    pub regexes: Vec<Vec<u8>>,
    pub functions: Vec<Code>,
    pub globals: Vec<String>,
    pub begin: Vec<u32>,
    pub main: Vec<u32>,
    pub end: Vec<u32>,
    pub begin_file: Vec<u32>,
    pub end_file: Vec<u32>,
    pub ranges: usize,
    /// `PROCINFO` may hold what the program put there.
    pub uses_procinfo: bool,
}
