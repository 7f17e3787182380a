//! Every command, by name. A new one is a file in `commands` and a line here.

use crate::Applet;
use crate::commands::*;

macro_rules! applets {
    ($($name:literal $module:ident)*) => {
        /// In the order of their names: [`find`] searches by halving.
        const APPLETS: &[Applet] = &[$(Applet { name: $name, help: $module::HELP, run: $module::main },)*];
        #[cfg(target_family = "wasm")]
        const NAMES: &str = concat!($($name, "\n",)*);
    };
}

applets! {
    "[" test
    "apropos" apropos
    "arch" arch
    "awk" awk
    "b2sum" b2sum
    "base32" base32
    "base64" base64
    "basename" basename
    "basenc" basenc
    "bc" bc
    "bunzip2" bunzip2
    "bzcat" bzcat
    "bzcmp" zdiff
    "bzdiff" zdiff
    "bzegrep" zgrep
    "bzfgrep" zgrep
    "bzgrep" zgrep
    "bzip2" bzip2
    "bzless" zmore
    "bzmore" zmore
    "cal" cal
    "cat" cat
    "chgrp" chgrp
    "chmod" chmod
    "chown" chown
    "chronic" chronic
    "chroot" chroot
    "cksum" cksum
    "clear" clear
    "cmp" cmp
    "col" col
    "colrm" colrm
    "column" column
    "combine" combine
    "comm" comm
    "cp" cp
    "cpio" cpio
    "crc32" crc32
    "csplit" csplit
    "curl" curl
    "cut" cut
    "date" date
    "dc" dc
    "dd" dd
    "df" df
    "diff" diff
    "diff3" diff3
    "dir" dir
    "dircolors" dircolors
    "dirname" dirname
    "dos2unix" dos2unix
    "du" du
    "echo" echo
    "ed" ed
    "egrep" grep
    "env" env
    "envsubst" envsubst
    "expand" expand
    "expr" expr
    "factor" factor
    "fallocate" fallocate
    "false" r#false
    "fgrep" grep
    "file" file
    "find" find
    "flock" flock
    "fmt" fmt
    "fold" fold
    "free" free
    "funzip" funzip
    "gawk" awk
    "getconf" getconf
    "getent" getent
    "getopt" getopt
    "grep" grep
    "groups" groups
    "gunzip" gunzip
    "gzip" gzip
    "hd" hd
    "head" head
    "hexdump" hexdump
    "hostid" hostid
    "hostname" hostname
    "iconv" iconv
    "id" id
    "ifne" ifne
    "install" install
    "isutf8" isutf8
    "join" join
    "jq" jq
    "kill" kill
    "killall" killall
    "less" less
    "link" link
    "ln" ln
    "locale" locale
    "logname" logname
    "look" look
    "ls" ls
    "lsb_release" lsb_release
    "lzcat" lzcat
    "lzcmp" zdiff
    "lzdiff" zdiff
    "lzegrep" zgrep
    "lzfgrep" zgrep
    "lzgrep" zgrep
    "lzless" zmore
    "lzma" lzma
    "lzmore" zmore
    "mac2unix" dos2unix
    "make" make
    "man" man
    "mcookie" mcookie
    "md5sum" md5sum
    "mispipe" mispipe
    "mkdir" mkdir
    "mkfifo" mkfifo
    "mknod" mknod
    "mktemp" mktemp
    "more" less
    "mount" mount
    "mountpoint" mountpoint
    "mv" mv
    "namei" namei
    "nice" nice
    "nl" nl
    "nohup" nohup
    "nproc" nproc
    "numfmt" numfmt
    "od" od
    "pager" less
    "paste" paste
    "patch" patch
    "pathchk" pathchk
    "pee" pee
    "pgrep" pgrep
    "pidof" pidof
    "pinky" pinky
    "pkill" pkill
    "pr" pr
    "printenv" printenv
    "printf" printf
    "ps" ps
    "pstree" pstree
    "ptx" ptx
    "pwd" pwd
    "readlink" readlink
    "realpath" realpath
    "rename" rename
    "reset" reset
    "rev" rev
    "rg" rg
    "rm" rm
    "rmdir" rmdir
    "sdiff" sdiff
    "sed" sed
    "seq" seq
    "setsid" setsid
    "sha1sum" sha1sum
    "sha224sum" sha224sum
    "sha256sum" sha256sum
    "sha384sum" sha384sum
    "sha512sum" sha512sum
    "shred" shred
    "shuf" shuf
    "sleep" sleep
    "sort" sort
    "split" split
    "sponge" sponge
    "stat" stat
    "stdbuf" stdbuf
    "strings" strings
    "stty" stty
    "sudo" sudo
    "sum" sum
    "sync" sync
    "tac" tac
    "tail" tail
    "tar" tar
    "tee" tee
    "test" test
    "time" time
    "timeout" timeout
    "top" top
    "touch" touch
    "tput" tput
    "tr" tr
    "tree" tree
    "true" r#true
    "truncate" truncate
    "ts" ts
    "tsort" tsort
    "tty" tty
    "uname" uname
    "uncompress" uncompress
    "unexpand" unexpand
    "uniq" uniq
    "unix2dos" dos2unix
    "unix2mac" dos2unix
    "unlink" unlink
    "unlzma" unlzma
    "unxz" unxz
    "unzip" unzip
    "unzstd" unzstd
    "uptime" uptime
    "users" users
    "uudecode" uudecode
    "uuencode" uuencode
    "uuidgen" uuidgen
    "vdir" vdir
    "watch" watch
    "wc" wc
    "wget" wget
    "whatis" whatis
    "whereis" whereis
    "which" which
    "who" who
    "whoami" whoami
    "xargs" xargs
    "xxd" xxd
    "xz" xz
    "xzcat" xzcat
    "xzcmp" zdiff
    "xzdiff" zdiff
    "xzegrep" zgrep
    "xzfgrep" zgrep
    "xzgrep" zgrep
    "xzless" zmore
    "xzmore" zmore
    "yes" yes
    "yq" yq
    "zcat" zcat
    "zcmp" zdiff
    "zdiff" zdiff
    "zegrep" zgrep
    "zfgrep" zgrep
    "zgrep" zgrep
    "zip" zip
    "zipgrep" zipgrep
    "zipinfo" zipinfo
    "zless" zmore
    "zmore" zmore
    "zstd" zstd
    "zstdcat" zstdcat
    "zstdgrep" zgrep
    "zstdless" zmore
    "zstdmt" zstd
}

/// The names as a custom section of the module: the host makes a file in `/usr/bin` of each, and needs no list of its own.
#[cfg(target_family = "wasm")]
#[used]
#[allow(unsafe_code, reason = "a custom section holds plain bytes that nothing executes")]
#[unsafe(link_section = "capsule.commands")]
static SECTION: [u8; NAMES.len()] = match NAMES.as_bytes().first_chunk() {
    Some(names) => *names,
    None => unreachable!(),
};

/// The command of this name.
pub fn find(name: &[u8]) -> Option<&'static Applet> {
    APPLETS.binary_search_by(|applet| applet.name.as_bytes().cmp(name)).ok().map(|i| &APPLETS[i])
}

/// All of them, in the order of their names.
pub fn all() -> &'static [Applet] {
    APPLETS
}

#[cfg(test)]
mod tests {
    #[test]
    fn sorted() {
        assert!(super::APPLETS.is_sorted_by(|a, b| a.name < b.name));
        for applet in super::APPLETS {
            assert!(applet.help.starts_with("Usage: "), "{}", applet.name);
        }
    }
}
