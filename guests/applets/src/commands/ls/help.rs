//! What `ls --help` prints.

pub const HELP: &str = "\
Usage: ls [OPTION]... [FILE]...
List files, and what directories hold (the working directory, if none is named),
by name, unless -cftuvSUX or --sort says otherwise.

  -a, --all                  also names that begin with a dot
  -A, --almost-all           like -a, without . and ..
      --author               with -l, also the author (who is the owner)
  -b, --escape               control characters as C would write them
      --block-size=SIZE      with -l, scale sizes by SIZE when printing them
  -B, --ignore-backups       no names that end in ~
  -c                         with -lt: sort by, and show, ctime; with -l: show
                               ctime; otherwise: sort by ctime, newest first
  -C                         in columns
      --color[=WHEN]         color the output; WHEN: always, auto, never
  -d, --directory            directories like files
  -D, --dired                with -l, tell at the end where the names are, for Emacs
  -f                         everything, as the directory has it
  -F, --classify[=WHEN]      append indicator (one of */=>@|) to entries
      --file-type            -F without *
      --format=WORD          across, commas, horizontal, long,
                               single-column, verbose or vertical
      --full-time            -l with dates in full
  -g                         -l without owners
      --group-directories-first
                             group directories before files
  -G, --no-group             no groups in -l
      --hyperlink[=WHEN]     names are links for terminals; WHEN as for --color
  -h, --human-readable       sizes such as 1K, 234M, 2G
      --si                   the same with powers of 1000
  -H, --dereference-command-line
                             follow links among the operands
      --dereference-command-line-symlink-to-dir
                             follow links among the operands
                               that point to directories
      --hide=PATTERN         leave out names like PATTERN,
                               unless -a or -A is there
      --indicator-style=WORD  none, slash (-p), file-type, classify (-F)
  -i, --inode                with inode numbers
  -I, --ignore=PATTERN       leave out names like PATTERN
  -k, --kibibytes            default to 1024-byte blocks for file system usage
  -l                         one a line, with all that is known
  -L, --dereference          show information for the file a link references
  -m                         in rows, with commas between
  -n, --numeric-uid-gid      -l with numbers for owners and groups
  -N, --literal              names as they are
  -o                         -l without groups
  -p, --indicator-style=slash
                             a / behind directories
  -q, --hide-control-chars   ? for control characters
      --show-control-chars   show nongraphic characters as-is
  -Q, --quote-name           names in double quotes
      --quoting-style=WORD   literal, locale, shell, shell-always,
                               shell-escape, shell-escape-always, c, escape
  -r, --reverse              the other way round
  -R, --recursive            go down into directories
  -s, --size                 with the blocks each takes
  -S                         by size, the largest first
      --sort=WORD            none (-U), size (-S), time (-t), version (-v),
                               extension (-X), width
      --time=WORD            atime, access, use (-u); ctime, status (-c);
                               mtime, modification; birth, creation
      --time-style=STYLE     full-iso, long-iso, iso, locale, or +FORMAT
  -t                         sort by time, newest first
  -T, --tabsize=COLS         a tab goes to the next multiple of COLS (8)
  -u                         with -lt: sort by, and show, access time; with -l:
                               show access time; otherwise: sort by it
  -U                         unsorted, as the directory has it
  -v                         by name, numbers in it as numbers
  -w, --width=COLS           lines of COLS columns; 0 for as long as they get
  -x                         in rows
  -X                         by what is behind the last dot
      --zero                 lines end with NUL
  -Z, --context              also security contexts (there are none: ?)
  -1                         one a line
      --help        print this help
      --version     print the version

Exit status:
 0  if OK,
 1  something below an operand could not be read
 2  an operand could not be read
";
