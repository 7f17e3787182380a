//! Error numbers. One table gives the Linux number, the WASI preview1 number and glibc's text.

use core::fmt;

macro_rules! errnos {
    ($($name:ident = $linux:literal, $wasi:literal, $text:literal;)*) => {
        /// A Linux error number.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(clippy::upper_case_acronyms)]
        pub enum Errno { $(#[doc = $text] $name = $linux,)* }

        impl Errno {
            /// Every error number, in the table's order.
            pub const ALL: &[Errno] = &[$(Errno::$name,)*];

            /// The error with this Linux number.
            pub fn from_linux(number: i32) -> Option<Errno> {
                match number { $($linux => Some(Errno::$name),)* _ => None }
            }

            /// The number WASI preview1 gives this error (`EIO` where it knows none).
            pub fn wasi(self) -> u16 {
                match self { $(Errno::$name => $wasi,)* }
            }

            /// The symbolic name, as in `errno(3)`.
            pub fn name(self) -> &'static str {
                match self { $(Errno::$name => stringify!($name),)* }
            }

            /// The text `strerror` gives with glibc.
            pub fn text(self) -> &'static str {
                match self { $(Errno::$name => $text,)* }
            }
        }
    };
}

errnos! {
    EPERM = 1, 63, "Operation not permitted";
    ENOENT = 2, 44, "No such file or directory";
    ESRCH = 3, 71, "No such process";
    EINTR = 4, 27, "Interrupted system call";
    EIO = 5, 29, "Input/output error";
    ENXIO = 6, 60, "No such device or address";
    E2BIG = 7, 1, "Argument list too long";
    ENOEXEC = 8, 45, "Exec format error";
    EBADF = 9, 8, "Bad file descriptor";
    ECHILD = 10, 12, "No child processes";
    EAGAIN = 11, 6, "Resource temporarily unavailable";
    ENOMEM = 12, 48, "Cannot allocate memory";
    EACCES = 13, 2, "Permission denied";
    EFAULT = 14, 21, "Bad address";
    EBUSY = 16, 10, "Device or resource busy";
    EEXIST = 17, 20, "File exists";
    EXDEV = 18, 75, "Invalid cross-device link";
    ENODEV = 19, 43, "No such device";
    ENOTDIR = 20, 54, "Not a directory";
    EISDIR = 21, 31, "Is a directory";
    EINVAL = 22, 28, "Invalid argument";
    ENFILE = 23, 41, "Too many open files in system";
    EMFILE = 24, 33, "Too many open files";
    ENOTTY = 25, 59, "Inappropriate ioctl for device";
    ETXTBSY = 26, 74, "Text file busy";
    EFBIG = 27, 22, "File too large";
    ENOSPC = 28, 51, "No space left on device";
    ESPIPE = 29, 70, "Illegal seek";
    EROFS = 30, 69, "Read-only file system";
    EMLINK = 31, 34, "Too many links";
    EPIPE = 32, 64, "Broken pipe";
    EDOM = 33, 18, "Numerical argument out of domain";
    ERANGE = 34, 68, "Numerical result out of range";
    EDEADLK = 35, 16, "Resource deadlock avoided";
    ENAMETOOLONG = 36, 37, "File name too long";
    ENOSYS = 38, 52, "Function not implemented";
    ENOTEMPTY = 39, 55, "Directory not empty";
    ELOOP = 40, 32, "Too many levels of symbolic links";
    EOVERFLOW = 75, 61, "Value too large for defined data type";
    EILSEQ = 84, 25, "Invalid or incomplete multibyte or wide character";
    ENOTSOCK = 88, 57, "Socket operation on non-socket";
    EOPNOTSUPP = 95, 58, "Operation not supported";
    ENETUNREACH = 101, 40, "Network is unreachable";
    ECONNRESET = 104, 15, "Connection reset by peer";
    ENOTCONN = 107, 53, "Transport endpoint is not connected";
    ETIMEDOUT = 110, 73, "Connection timed out";
    ECONNREFUSED = 111, 14, "Connection refused";
    EHOSTUNREACH = 113, 23, "No route to host";
    ESTALE = 116, 72, "Stale file handle";
    EDQUOT = 122, 19, "Disk quota exceeded";
    ECANCELED = 125, 11, "Operation canceled";
}

impl Errno {
    /// The Linux number.
    pub fn linux(self) -> i32 {
        self as i32
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl core::error::Error for Errno {}

#[cfg(test)]
mod tests {
    use super::Errno;

    #[test]
    fn numbers_come_back() {
        for &errno in Errno::ALL {
            assert_eq!(Errno::from_linux(errno.linux()), Some(errno));
        }
        assert_eq!(Errno::from_linux(0), None);
        assert_eq!(Errno::ENOENT.wasi(), 44);
    }
}
