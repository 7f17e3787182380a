//! `set -o` and `shopt`.

macro_rules! flags {
    ($type:ident, $table:ident, $($variant:ident $name:literal $letter:literal $default:literal)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $type { $($variant,)* }

        /// Name, letter (0 for none), default.
        pub const $table: &[($type, &str, u8, bool)] = &[$(($type::$variant, $name, $letter, $default),)*];
    };
}

flags! { Opt, SET_OPTIONS,
    Allexport "allexport" b'a' false
    Braceexpand "braceexpand" b'B' true
    Emacs "emacs" 0 false
    Errexit "errexit" b'e' false
    Errtrace "errtrace" b'E' false
    Functrace "functrace" b'T' false
    Hashall "hashall" b'h' true
    Histexpand "histexpand" b'H' false
    History "history" 0 false
    Ignoreeof "ignoreeof" 0 false
    InteractiveComments "interactive-comments" 0 true
    Keyword "keyword" b'k' false
    Monitor "monitor" b'm' false
    Noclobber "noclobber" b'C' false
    Noexec "noexec" b'n' false
    Noglob "noglob" b'f' false
    Nolog "nolog" 0 false
    Notify "notify" b'b' false
    Nounset "nounset" b'u' false
    Onecmd "onecmd" b't' false
    Physical "physical" b'P' false
    Pipefail "pipefail" 0 false
    Posix "posix" 0 false
    Privileged "privileged" b'p' false
    Verbose "verbose" b'v' false
    Vi "vi" 0 false
    Xtrace "xtrace" b'x' false
}

flags! { Shopt, SHOPTS,
    Autocd "autocd" 0 false
    AssocExpandOnce "assoc_expand_once" 0 false
    CdableVars "cdable_vars" 0 false
    Cdspell "cdspell" 0 false
    Checkhash "checkhash" 0 false
    Checkjobs "checkjobs" 0 false
    Checkwinsize "checkwinsize" 0 true
    Cmdhist "cmdhist" 0 true
    Compat31 "compat31" 0 false
    Compat32 "compat32" 0 false
    Compat40 "compat40" 0 false
    Compat41 "compat41" 0 false
    Compat42 "compat42" 0 false
    Compat43 "compat43" 0 false
    Compat44 "compat44" 0 false
    CompleteFullquote "complete_fullquote" 0 true
    Direxpand "direxpand" 0 false
    Dirspell "dirspell" 0 false
    Dotglob "dotglob" 0 false
    Execfail "execfail" 0 false
    ExpandAliases "expand_aliases" 0 false
    Extdebug "extdebug" 0 false
    Extglob "extglob" 0 false
    Extquote "extquote" 0 true
    Failglob "failglob" 0 false
    ForceFignore "force_fignore" 0 true
    Globasciiranges "globasciiranges" 0 true
    Globskipdots "globskipdots" 0 true
    Globstar "globstar" 0 false
    GnuErrfmt "gnu_errfmt" 0 false
    Histappend "histappend" 0 false
    Histreedit "histreedit" 0 false
    Histverify "histverify" 0 false
    Hostcomplete "hostcomplete" 0 true
    Huponexit "huponexit" 0 false
    InheritErrexit "inherit_errexit" 0 false
    InteractiveComments "interactive_comments" 0 true
    Lastpipe "lastpipe" 0 false
    Lithist "lithist" 0 false
    LocalvarInherit "localvar_inherit" 0 false
    LocalvarUnset "localvar_unset" 0 false
    LoginShell "login_shell" 0 false
    Mailwarn "mailwarn" 0 false
    NoEmptyCmdCompletion "no_empty_cmd_completion" 0 false
    Nocaseglob "nocaseglob" 0 false
    Nocasematch "nocasematch" 0 false
    NoexpandTranslation "noexpand_translation" 0 false
    Nullglob "nullglob" 0 false
    PatsubReplacement "patsub_replacement" 0 true
    Progcomp "progcomp" 0 true
    ProgcompAlias "progcomp_alias" 0 false
    Promptvars "promptvars" 0 true
    RestrictedShell "restricted_shell" 0 false
    ShiftVerbose "shift_verbose" 0 false
    Sourcepath "sourcepath" 0 true
    VarredirClose "varredir_close" 0 false
    XpgEcho "xpg_echo" 0 false
}

#[derive(Clone, Copy)]
pub struct Options {
    set: u32,
    shopt: u64,
    /// `$-` shows these too: `c` for -c, `s` for a script on standard input, `i`.
    pub invoked: [u8; 2],
    /// `set -r`, which cannot be taken back and is no name of `set -o`.
    pub restricted: bool,
}

impl Default for Options {
    fn default() -> Options {
        let mut options = Options { set: 0, shopt: 0, invoked: [0; 2], restricted: false };
        for &(opt, _, _, on) in SET_OPTIONS {
            options.put(opt, on);
        }
        for &(shopt, _, _, on) in SHOPTS {
            options.put_shopt(shopt, on);
        }
        options
    }
}

impl Options {
    pub fn get(&self, opt: Opt) -> bool {
        self.set >> opt as u32 & 1 != 0
    }

    pub fn put(&mut self, opt: Opt, on: bool) {
        self.set = self.set & !(1 << opt as u32) | u32::from(on) << opt as u32;
    }

    pub fn shopt(&self, shopt: Shopt) -> bool {
        self.shopt >> shopt as u32 & 1 != 0
    }

    pub fn put_shopt(&mut self, shopt: Shopt, on: bool) {
        self.shopt = self.shopt & !(1 << shopt as u32) | u64::from(on) << shopt as u32;
    }

    pub fn by_name(name: &[u8]) -> Option<Opt> {
        SET_OPTIONS.iter().find(|entry| entry.1.as_bytes() == name).map(|entry| entry.0)
    }

    pub fn by_letter(letter: u8) -> Option<Opt> {
        SET_OPTIONS.iter().find(|entry| entry.2 == letter && letter != 0).map(|entry| entry.0)
    }

    pub fn shopt_by_name(name: &[u8]) -> Option<Shopt> {
        SHOPTS.iter().find(|entry| entry.1.as_bytes() == name).map(|entry| entry.0)
    }

    /// `$-`, in bash's order.
    pub fn flags(&self) -> Vec<u8> {
        let is_on = |letter| match letter {
            b'r' => self.restricted,
            _ => Options::by_letter(letter).is_some_and(|opt| self.get(opt)),
        };
        let mut letters: Vec<u8> = b"abefhkmnprtuvxBCEHPT".iter().copied().filter(|&letter| is_on(letter)).collect();
        if self.invoked[1] == b'i' {
            let at = letters.iter().position(|&b| b > b'h').unwrap_or(letters.len());
            letters.insert(at, b'i');
        }
        if matches!(self.invoked[0], b'c' | b's') {
            letters.push(self.invoked[0]);
        }
        letters
    }

    /// `SHELLOPTS`.
    pub fn set_names(&self) -> Vec<u8> {
        join(SET_OPTIONS.iter().filter(|entry| self.get(entry.0)).map(|entry| entry.1))
    }

    /// What a session keeps of `set`.
    pub fn kept_names(&self) -> Vec<u8> {
        let mut names = self.set_names();
        if self.restricted {
            names.extend_from_slice(RESTRICTED);
        }
        names
    }

    /// `BASHOPTS`.
    pub fn shopt_names(&self) -> Vec<u8> {
        let mut names: Vec<&str> = SHOPTS.iter().filter(|entry| self.shopt(entry.0)).map(|entry| entry.1).collect();
        names.sort_unstable();
        join(names.into_iter())
    }

    /// Makes them what these two lists say, as [`Options::kept_names`] and [`Options::shopt_names`] give them.
    pub fn load(&mut self, set: &[u8], shopts: &[u8]) {
        (self.set, self.shopt) = (0, 0);
        self.restricted = set.ends_with(RESTRICTED);
        for opt in set.split(|&b| b == b':').filter_map(Options::by_name) {
            self.put(opt, true);
        }
        for shopt in shopts.split(|&b| b == b':').filter_map(Options::shopt_by_name) {
            self.put_shopt(shopt, true);
        }
    }

    /// Everything `set` knows, for `local -`.
    pub fn bits(&self) -> u32 {
        self.set
    }

    pub fn restore(&mut self, bits: u32) {
        self.set = bits;
    }
}

/// Stands behind the names that are kept.
const RESTRICTED: &[u8] = b":restricted";

fn join<'a>(names: impl Iterator<Item = &'a str>) -> Vec<u8> {
    names.collect::<Vec<_>>().join(":").into_bytes()
}
