//! The help text.

pub const HELP: &str = "\
Usage: find [-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]
Search for files in a directory tree. -D help lists what others can trace, which
is an error here; -O changes nothing.

The default path is the current directory; the default expression is -print.
An expression may consist of operators, options, tests and actions.

Operators, from the strongest to the weakest; -and is implied between tests:
      ( EXPR )   ! EXPR   -not EXPR   EXPR -a EXPR   EXPR -and EXPR
      EXPR -o EXPR   EXPR -or EXPR   EXPR , EXPR

Options that hold for what follows them:
      -daystart -follow -nowarn -regextype TYPE -warn

Options that hold for all of the command line:
      -depth -files0-from FILE -ignore_readdir_race -maxdepth LEVELS
      -mindepth LEVELS -mount -noignore_readdir_race -noleaf -xdev
      --help --version

Tests, where N means exactly, +N more and -N less:
      -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N -empty
      -executable -false -fstype TYPE -gid N -group NAME -ilname PATTERN
      -iname PATTERN -inum N -ipath PATTERN -iregex PATTERN
      -iwholename PATTERN -links N -lname PATTERN -mmin N -mtime N
      -name PATTERN -newer FILE -newerXY REFERENCE -nogroup -nouser
      -path PATTERN -perm [-/]MODE -readable -regex PATTERN -samefile FILE
      -size N[bcwkMG] -true -type [bcdpflsD] -uid N -used N -user NAME
      -wholename PATTERN -writable -xtype [bcdpfls]

Actions:
      -delete -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ;
      -execdir COMMAND {} + -fls FILE -fprint FILE -fprint0 FILE
      -fprintf FILE FORMAT -ls -ok COMMAND ; -okdir COMMAND ; -print -print0
      -printf FORMAT -prune -quit
";
