//! The functions of the language by name.

/// Which function; what it does is in [`super::vm`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Id {
    And,
    Asort,
    Asorti,
    Atan2,
    Bindtextdomain,
    Close,
    Compl,
    Cos,
    Dcgettext,
    Dcngettext,
    Exp,
    Fflush,
    Gensub,
    Gsub,
    Index,
    Int,
    Isarray,
    Length,
    Log,
    Lshift,
    Match,
    Mkbool,
    Mktime,
    Or,
    Patsplit,
    Rand,
    Rshift,
    Sin,
    Split,
    Sprintf,
    Sqrt,
    Srand,
    Strftime,
    Strtonum,
    Sub,
    Substr,
    System,
    Systime,
    Tolower,
    Toupper,
    Typeof,
    Xor,
    // What gawk has in extensions.
    Chdir,
    Chr,
    Fnmatch,
    Fork,
    Gettimeofday,
    Ord,
    Reada,
    Readfile,
    Sleep,
    Stat,
    Wait,
    Waitpid,
    Writea,
}

#[derive(PartialEq, Debug)]
pub struct Builtin {
    pub name: &'static str,
    pub id: Id,
    pub least: usize,
    pub most: usize,
    pub posix: bool,
}

const fn f(name: &'static str, id: Id, least: usize, most: usize, posix: bool) -> Builtin {
    Builtin { name, id, least, most, posix }
}

/// In the order of their names.
const BUILTINS: &[Builtin] = &[
    f("and", Id::And, 2, usize::MAX, false),
    f("asort", Id::Asort, 1, 3, false),
    f("asorti", Id::Asorti, 1, 3, false),
    f("atan2", Id::Atan2, 2, 2, true),
    f("bindtextdomain", Id::Bindtextdomain, 1, 2, false),
    f("close", Id::Close, 1, 2, true),
    f("compl", Id::Compl, 1, 1, false),
    f("cos", Id::Cos, 1, 1, true),
    f("dcgettext", Id::Dcgettext, 1, 3, false),
    f("dcngettext", Id::Dcngettext, 1, 5, false),
    f("exp", Id::Exp, 1, 1, true),
    f("fflush", Id::Fflush, 0, 1, true),
    f("gensub", Id::Gensub, 3, 4, false),
    f("gsub", Id::Gsub, 2, 3, true),
    f("index", Id::Index, 2, 2, true),
    f("int", Id::Int, 1, 1, true),
    f("isarray", Id::Isarray, 1, 1, false),
    f("length", Id::Length, 0, 1, true),
    f("log", Id::Log, 1, 1, true),
    f("lshift", Id::Lshift, 2, 2, false),
    f("match", Id::Match, 2, 3, true),
    f("mkbool", Id::Mkbool, 1, 1, false),
    f("mktime", Id::Mktime, 1, 2, false),
    f("or", Id::Or, 2, usize::MAX, false),
    f("patsplit", Id::Patsplit, 2, 4, false),
    f("rand", Id::Rand, 0, 0, true),
    f("rshift", Id::Rshift, 2, 2, false),
    f("sin", Id::Sin, 1, 1, true),
    f("split", Id::Split, 2, 4, true),
    f("sprintf", Id::Sprintf, 1, usize::MAX, true),
    f("sqrt", Id::Sqrt, 1, 1, true),
    f("srand", Id::Srand, 0, 1, true),
    f("strftime", Id::Strftime, 0, 3, false),
    f("strtonum", Id::Strtonum, 1, 1, false),
    f("sub", Id::Sub, 2, 3, true),
    f("substr", Id::Substr, 2, 3, true),
    f("system", Id::System, 1, 1, true),
    f("systime", Id::Systime, 0, 0, false),
    f("tolower", Id::Tolower, 1, 1, true),
    f("toupper", Id::Toupper, 1, 1, true),
    f("typeof", Id::Typeof, 1, 2, false),
    f("xor", Id::Xor, 2, usize::MAX, false),
];

/// The functions an `@load` brings, by extension.
const EXTENSIONS: &[(&str, &[Builtin])] = &[
    ("filefuncs", &[f("chdir", Id::Chdir, 1, 1, false), f("stat", Id::Stat, 2, 3, false)]),
    ("fnmatch", &[f("fnmatch", Id::Fnmatch, 3, 3, false)]),
    (
        "fork",
        &[f("fork", Id::Fork, 0, 0, false), f("wait", Id::Wait, 0, 0, false), f("waitpid", Id::Waitpid, 1, 1, false)],
    ),
    ("ordchr", &[f("chr", Id::Chr, 1, 1, false), f("ord", Id::Ord, 1, 1, false)]),
    ("readfile", &[f("readfile", Id::Readfile, 1, 1, false)]),
    ("rwarray", &[f("reada", Id::Reada, 2, 2, false), f("writea", Id::Writea, 2, 2, false)]),
    ("time", &[f("gettimeofday", Id::Gettimeofday, 0, 0, false), f("sleep", Id::Sleep, 1, 1, false)]),
];

pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.binary_search_by(|b| b.name.cmp(name)).ok().map(|i| &BUILTINS[i])
}

pub fn all() -> &'static [Builtin] {
    BUILTINS
}

/// What an extension brings; none when there is no such extension here.
pub fn extension(name: &str) -> Option<&'static [Builtin]> {
    EXTENSIONS.iter().find(|e| e.0 == name).map(|e| e.1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn sorted() {
        assert!(super::BUILTINS.is_sorted_by(|a, b| a.name < b.name));
    }
}
