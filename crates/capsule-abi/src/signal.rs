//! Signals, with x86-64 Linux numbers.

/// What a signal does to a process that neither ignores nor catches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultAction {
    Terminate,
    Ignore,
    Stop,
    Continue,
}

macro_rules! signals {
    ($($name:ident = $number:literal, $action:ident, $text:literal;)*) => {
        /// A signal.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        #[allow(clippy::upper_case_acronyms)]
        pub enum Signal { $(#[doc = $text] $name = $number,)* }

        impl Signal {
            pub const ALL: &[Signal] = &[$(Signal::$name,)*];

            pub fn from_number(number: i32) -> Option<Signal> {
                match number { $($number => Some(Signal::$name),)* _ => None }
            }

            /// The name without `SIG`, as `kill -l` prints it.
            pub fn name(self) -> &'static str {
                match self { $(Signal::$name => stringify!($name),)* }
            }

            /// The text `strsignal` gives.
            pub fn text(self) -> &'static str {
                match self { $(Signal::$name => $text,)* }
            }

            pub fn default_action(self) -> DefaultAction {
                match self { $(Signal::$name => DefaultAction::$action,)* }
            }
        }
    };
}

signals! {
    HUP = 1, Terminate, "Hangup";
    INT = 2, Terminate, "Interrupt";
    QUIT = 3, Terminate, "Quit";
    ILL = 4, Terminate, "Illegal instruction";
    TRAP = 5, Terminate, "Trace/breakpoint trap";
    ABRT = 6, Terminate, "Aborted";
    BUS = 7, Terminate, "Bus error";
    FPE = 8, Terminate, "Floating point exception";
    KILL = 9, Terminate, "Killed";
    USR1 = 10, Terminate, "User defined signal 1";
    SEGV = 11, Terminate, "Segmentation fault";
    USR2 = 12, Terminate, "User defined signal 2";
    PIPE = 13, Terminate, "Broken pipe";
    ALRM = 14, Terminate, "Alarm clock";
    TERM = 15, Terminate, "Terminated";
    STKFLT = 16, Terminate, "Stack fault";
    CHLD = 17, Ignore, "Child exited";
    CONT = 18, Continue, "Continued";
    STOP = 19, Stop, "Stopped (signal)";
    TSTP = 20, Stop, "Stopped";
    TTIN = 21, Stop, "Stopped (tty input)";
    TTOU = 22, Stop, "Stopped (tty output)";
    URG = 23, Ignore, "Urgent I/O condition";
    XCPU = 24, Terminate, "CPU time limit exceeded";
    XFSZ = 25, Terminate, "File size limit exceeded";
    VTALRM = 26, Terminate, "Virtual timer expired";
    PROF = 27, Terminate, "Profiling timer expired";
    WINCH = 28, Ignore, "Window changed";
    IO = 29, Terminate, "I/O possible";
    PWR = 30, Terminate, "Power failure";
    SYS = 31, Terminate, "Bad system call";
}

impl Signal {
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The signal's bit in a set.
    pub fn bit(self) -> u64 {
        1 << (self as u8 - 1)
    }

    /// KILL and STOP cannot be caught, blocked or ignored.
    pub fn unstoppable(self) -> bool {
        matches!(self, Signal::KILL | Signal::STOP)
    }

    /// By name, with or without `SIG`, in any case.
    pub fn from_name(name: &str) -> Option<Signal> {
        let bare = match name.get(..3) {
            Some(prefix) if prefix.eq_ignore_ascii_case("SIG") => &name[3..],
            _ => name,
        };
        Signal::ALL.iter().copied().find(|s| s.name().eq_ignore_ascii_case(bare))
    }
}

/// What a process wants done with a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Disposition {
    #[default]
    Default = 0,
    Ignore = 1,
    /// Kept pending until the process takes it; blocking calls answer `EINTR` meanwhile.
    Catch = 2,
}

impl Disposition {
    pub fn from_number(number: i32) -> Option<Disposition> {
        match number {
            0 => Some(Disposition::Default),
            1 => Some(Disposition::Ignore),
            2 => Some(Disposition::Catch),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Signal;

    #[test]
    fn names_and_numbers() {
        assert_eq!(Signal::from_name("sigterm"), Some(Signal::TERM));
        assert_eq!(Signal::from_name("INT"), Some(Signal::INT));
        assert_eq!(Signal::from_name("SIG"), None);
        assert_eq!(Signal::from_name("é"), None);
        for &s in Signal::ALL {
            assert_eq!(Signal::from_number(s.number().into()), Some(s));
        }
    }
}
