//! The options' names and letters.

use crate::options::{Long, NO, OPT, REQ, only};

/// Operands come in the order of the command line: directories, names and how they are matched depend on it.
pub const SHORT: &str = "-Acdrtuxf:vzjJZaC:T:X:pkhSmOPUb:H:I:N:WBwK:ioGsg:ML:F:V:lnR";

#[rustfmt::skip]
pub const LONG: &[Long] = &[
    ("catenate", NO, 'A'),
    ("concatenate", NO, 'A'),
    ("create", NO, 'c'),
    ("delete", NO, DELETE),
    ("diff", NO, 'd'),
    ("compare", NO, 'd'),
    ("append", NO, 'r'),
    ("list", NO, 't'),
    ("update", NO, 'u'),
    ("extract", NO, 'x'),
    ("get", NO, 'x'),
    ("test-label", NO, TEST_LABEL),
    ("file", REQ, 'f'),
    ("verbose", NO, 'v'),
    ("gzip", NO, 'z'),
    ("gunzip", NO, 'z'),
    ("ungzip", NO, 'z'),
    ("compress", NO, 'Z'),
    ("uncompress", NO, 'Z'),
    ("bzip2", NO, 'j'),
    ("xz", NO, 'J'),
    ("lzma", NO, LZMA),
    ("zstd", NO, ZSTD),
    ("auto-compress", NO, 'a'),
    ("no-auto-compress", NO, NO_AUTO),
    ("use-compress-program", REQ, 'I'),
    ("directory", REQ, 'C'),
    ("add-file", REQ, ADD),
    ("files-from", REQ, 'T'),
    ("null", NO, NULL),
    ("no-null", NO, NO_NULL),
    ("verbatim-files-from", NO, VERBATIM),
    ("no-verbatim-files-from", NO, NO_VERBATIM),
    ("unquote", NO, UNQUOTE),
    ("no-unquote", NO, NO_UNQUOTE),
    ("exclude-from", REQ, 'X'),
    ("exclude", REQ, EXCLUDE),
    ("exclude-vcs", NO, VCS),
    ("exclude-backups", NO, BACKUPS),
    ("exclude-caches", NO, CACHES),
    ("exclude-caches-under", NO, CACHES_UNDER),
    ("exclude-caches-all", NO, CACHES_ALL),
    ("exclude-tag", REQ, TAG),
    ("exclude-tag-under", REQ, TAG_UNDER),
    ("exclude-tag-all", REQ, TAG_ALL),
    ("exclude-ignore", REQ, IGNORE),
    ("exclude-ignore-recursive", REQ, IGNORE_BELOW),
    ("preserve-permissions", NO, 'p'),
    ("same-permissions", NO, 'p'),
    ("no-same-permissions", NO, NO_PERMISSIONS),
    ("same-owner", NO, SAME_OWNER),
    ("no-same-owner", NO, 'o'),
    ("preserve-order", NO, 's'),
    ("same-order", NO, 's'),
    ("keep-old-files", NO, 'k'),
    ("skip-old-files", NO, SKIP_OLD),
    ("keep-newer-files", NO, KEEP_NEWER),
    ("keep-directory-symlink", NO, KEEP_LINK),
    ("overwrite", NO, OVERWRITE),
    ("overwrite-dir", NO, OVERWRITE_DIR),
    ("no-overwrite-dir", NO, NO_OVERWRITE_DIR),
    ("unlink-first", NO, 'U'),
    ("recursive-unlink", NO, RECURSIVE_UNLINK),
    ("backup", OPT, BACKUP),
    ("suffix", REQ, SUFFIX),
    ("dereference", NO, 'h'),
    ("hard-dereference", NO, HARD),
    ("sparse", NO, 'S'),
    ("sparse-version", REQ, SPARSE_VERSION),
    ("touch", NO, 'm'),
    ("to-stdout", NO, 'O'),
    ("to-command", REQ, TO_COMMAND),
    ("ignore-command-error", NO, COMMAND_ERROR),
    ("no-ignore-command-error", NO, NO_COMMAND_ERROR),
    ("absolute-names", NO, 'P'),
    ("blocking-factor", REQ, 'b'),
    ("record-size", REQ, RECORD),
    ("format", REQ, 'H'),
    ("posix", NO, POSIX),
    ("old-archive", NO, V7),
    ("portability", NO, V7),
    ("pax-option", REQ, PAX_OPTION),
    ("label", REQ, 'V'),
    ("newer", REQ, 'N'),
    ("after-date", REQ, 'N'),
    ("newer-mtime", REQ, NEWER_MTIME),
    ("ignore-zeros", NO, 'i'),
    ("strip-components", REQ, STRIP),
    ("transform", REQ, TRANSFORM),
    ("xform", REQ, TRANSFORM),
    ("show-transformed-names", NO, SHOW_TRANSFORMED),
    ("show-stored-names", NO, SHOW_TRANSFORMED),
    ("one-top-level", OPT, TOP_LEVEL),
    ("recursion", NO, RECURSION),
    ("no-recursion", NO, NO_RECURSION),
    ("one-file-system", NO, ONE_SYSTEM),
    ("sort", REQ, SORT),
    ("owner", REQ, OWNER),
    ("group", REQ, GROUP),
    ("owner-map", REQ, OWNER_MAP),
    ("group-map", REQ, GROUP_MAP),
    ("numeric-owner", NO, NUMERIC),
    ("mode", REQ, MODE),
    ("mtime", REQ, MTIME),
    ("clamp-mtime", NO, CLAMP),
    ("remove-files", NO, REMOVE),
    ("ignore-failed-read", NO, IGNORE_FAILED),
    ("full-time", NO, FULL_TIME),
    ("utc", NO, UTC),
    ("totals", OPT, TOTALS),
    ("block-number", NO, 'R'),
    ("index-file", REQ, INDEX),
    ("checkpoint", OPT, CHECKPOINT),
    ("checkpoint-action", REQ, ACTION),
    ("check-links", NO, 'l'),
    ("show-omitted-dirs", NO, OMITTED),
    ("starting-file", REQ, 'K'),
    ("occurrence", OPT, OCCURRENCE),
    ("interactive", NO, 'w'),
    ("confirmation", NO, 'w'),
    ("verify", NO, 'W'),
    ("wildcards", NO, WILDCARDS),
    ("no-wildcards", NO, NO_WILDCARDS),
    ("anchored", NO, ANCHORED),
    ("no-anchored", NO, NO_ANCHORED),
    ("ignore-case", NO, IGNORE_CASE),
    ("no-ignore-case", NO, NO_IGNORE_CASE),
    ("wildcards-match-slash", NO, SLASH),
    ("no-wildcards-match-slash", NO, NO_SLASH),
    ("read-full-records", NO, 'B'),
    ("warning", REQ, WARNING),
    ("quoting-style", REQ, QUOTING),
    ("quote-chars", REQ, QUOTED),
    ("no-quote-chars", REQ, NOT_QUOTED),
    ("xattrs", NO, XATTRS),
    ("acls", NO, ACLS),
    ("selinux", NO, SELINUX),
    ("no-xattrs", NO, NO_XATTRS),
    ("no-acls", NO, NO_XATTRS),
    ("no-selinux", NO, NO_XATTRS),
    ("xattrs-include", REQ, XATTRS_FILTER),
    ("xattrs-exclude", REQ, XATTRS_FILTER),
    ("force-local", NO, ACCEPTED),
    ("no-seek", NO, NO_SEEK),
    ("delay-directory-restore", NO, ACCEPTED),
    ("no-delay-directory-restore", NO, ACCEPTED),
    ("check-device", NO, ACCEPTED),
    ("no-check-device", NO, ACCEPTED),
    ("atime-preserve", OPT, ATIME),
    ("hole-detection", REQ, HOLES),
    ("usage", NO, USAGE),
    ("show-defaults", NO, DEFAULTS),
    ("restrict", NO, ACCEPTED),
    ("seek", NO, 'n'),
    ("multi-volume", NO, 'M'),
    ("tape-length", REQ, 'L'),
    ("info-script", REQ, 'F'),
    ("new-volume-script", REQ, 'F'),
    ("listed-incremental", REQ, 'g'),
    ("incremental", NO, 'G'),
    ("level", REQ, LEVEL),
];

pub const DELETE: char = only(0);
pub const TEST_LABEL: char = only(1);
pub const LZMA: char = only(2);
pub const ZSTD: char = only(3);
pub const NO_AUTO: char = only(4);
pub const ADD: char = only(5);
pub const NULL: char = only(6);
pub const NO_NULL: char = only(7);
pub const VERBATIM: char = only(8);
pub const NO_VERBATIM: char = only(9);
pub const UNQUOTE: char = only(10);
pub const NO_UNQUOTE: char = only(11);
pub const EXCLUDE: char = only(12);
pub const VCS: char = only(13);
pub const BACKUPS: char = only(14);
pub const CACHES: char = only(15);
pub const CACHES_UNDER: char = only(16);
pub const CACHES_ALL: char = only(17);
pub const TAG: char = only(18);
pub const TAG_UNDER: char = only(19);
pub const TAG_ALL: char = only(20);
pub const IGNORE: char = only(21);
pub const IGNORE_BELOW: char = only(22);
pub const NO_PERMISSIONS: char = only(23);
pub const SAME_OWNER: char = only(24);
pub const SKIP_OLD: char = only(25);
pub const KEEP_NEWER: char = only(26);
pub const KEEP_LINK: char = only(27);
pub const OVERWRITE: char = only(28);
pub const OVERWRITE_DIR: char = only(29);
pub const NO_OVERWRITE_DIR: char = only(30);
pub const RECURSIVE_UNLINK: char = only(31);
pub const BACKUP: char = only(32);
pub const SUFFIX: char = only(33);
pub const HARD: char = only(34);
pub const TO_COMMAND: char = only(35);
pub const COMMAND_ERROR: char = only(36);
pub const NO_COMMAND_ERROR: char = only(37);
pub const RECORD: char = only(38);
pub const POSIX: char = only(39);
pub const V7: char = only(40);
pub const PAX_OPTION: char = only(41);
pub const NEWER_MTIME: char = only(42);
pub const STRIP: char = only(43);
pub const TRANSFORM: char = only(44);
pub const SHOW_TRANSFORMED: char = only(45);
pub const TOP_LEVEL: char = only(46);
pub const RECURSION: char = only(47);
pub const NO_RECURSION: char = only(48);
pub const ONE_SYSTEM: char = only(49);
pub const SORT: char = only(50);
pub const OWNER: char = only(51);
pub const GROUP: char = only(52);
pub const NUMERIC: char = only(53);
pub const MODE: char = only(54);
pub const MTIME: char = only(55);
pub const CLAMP: char = only(56);
pub const REMOVE: char = only(57);
pub const IGNORE_FAILED: char = only(58);
pub const FULL_TIME: char = only(59);
pub const UTC: char = only(60);
pub const TOTALS: char = only(61);
pub const INDEX: char = only(62);
pub const CHECKPOINT: char = only(63);
pub const ACTION: char = only(64);
pub const OMITTED: char = only(65);
pub const OCCURRENCE: char = only(66);
pub const WILDCARDS: char = only(67);
pub const NO_WILDCARDS: char = only(68);
pub const ANCHORED: char = only(69);
pub const NO_ANCHORED: char = only(70);
pub const IGNORE_CASE: char = only(71);
pub const NO_IGNORE_CASE: char = only(72);
pub const SLASH: char = only(73);
pub const NO_SLASH: char = only(74);
pub const WARNING: char = only(75);
pub const QUOTING: char = only(76);
pub const QUOTED: char = only(77);
pub const NOT_QUOTED: char = only(78);
/// Files have none here, so that there is nothing to keep: only the format changes, as GNU's does.
pub const XATTRS: char = only(79);
pub const NO_XATTRS: char = only(80);
pub const XATTRS_FILTER: char = only(81);
/// What is so anyway: names are local, directories get their modes last, archives are read from front
/// to end, reading changes no times, and nothing is started that was not asked for.
pub const ACCEPTED: char = only(82);
pub const LEVEL: char = only(83);
pub const NO_SEEK: char = only(84);
pub const ACLS: char = only(85);
pub const SELINUX: char = only(86);
pub const ATIME: char = only(87);
pub const HOLES: char = only(88);
pub const USAGE: char = only(89);
pub const DEFAULTS: char = only(90);
pub const OWNER_MAP: char = only(91);
pub const GROUP_MAP: char = only(92);
pub const SPARSE_VERSION: char = only(93);
