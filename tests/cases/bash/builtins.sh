### echo
echo -n a; echo -e 'b\tc\x41\0101\c hidden'; echo; echo -E 'a\n'; echo -ne 'x\n'; echo -x y; echo - --
### printf basics
printf '%s %d %5d|%-5d|%05d\n' a 1 2 3 4; printf '%x %X %o %#x %#o %u\n' 255 255 8 255 8 3; printf '%c%c\n' abc def
### printf strings
printf '%5s|%-5s|%.2s|%5.1s|\n' ab cd efg hij; printf '%*s|%-*s|%.*s|\n' 4 a 4 b 1 cd
### printf floats
printf '%f %.2f %e %g %G %10.3f|\n' 1.5 2.345 12345.678 0.0001 1e20 3.14159
### printf reuses the format
printf '%s-%s\n' a b c; printf '[%s]' 1 2 3; echo; printf 'x\n' a b
### printf escapes
printf 'a\tb\n\101\x42\u43\n'; printf '%b|' 'a\tb' 'c\n'; printf '%%\n'
### printf %q
printf '%q ' 'a b' "it's" '' '$x' 'a;b' $'n\nl'; echo
### printf -v
printf -v x '%03d' 7; echo $x; printf -v 'a[2]' hi; echo ${a[2]}
### printf dates
TZ=UTC printf '%(%Y-%m-%d %H:%M:%S)T\n' 0 86400; printf '%(%Y)T\n' -1 | grep -c '^20'
### printf errors
printf '%d\n' abc; echo $?; printf '%d\n' 3x; printf '%z\n'; echo $?; printf; echo $?
### printf characters as numbers
printf '%d %d %x\n' "'a" '"b' 0x1f
### test of strings and numbers
[ a = a ]; echo $?; [ a != a ]; echo $?; [ -z '' ]; echo $?; [ 1 -lt 2 ]; echo $?; [ 1 -eq x ]; echo $?; test; echo $?; [ x ]; echo $?
### test of files
touch f; mkdir d; ln -s f l; [ -f f ] && echo f; [ -d d ] && echo d; [ -L l ] && echo l; [ -e nope ] || echo none; [ -s f ] || echo empty; [ -x d ] && echo x; [ f -nt nope ] && echo nt; [ f -ef l ] && echo ef
### test combinations
[ a = a -a b = b ] && echo and; [ a = b -o b = b ] && echo or; [ ! a = b ] && echo not; [ \( a = a \) ] && echo paren; [ a = b = c ]; echo $?; [ a b ]; echo $?; [ = ]; echo $?
### bracket without end
[ a; echo $?
### read
printf 'a b c\n' | { read x y; echo "$x|$y"; }; printf 'a\\nb\n' | { read x; echo "$x"; }; printf 'a\\nb\n' | { read -r x; echo "$x"; }
### read options
printf 'a:b\nrest' | { read -d : x; echo $x; }; printf abcdef | { read -n 3 x; echo $x; }; printf 'a b c\n' | { read -a arr; echo ${arr[2]} ${#arr[@]}; }; echo line | { read; echo "$REPLY"; }
### read at the end of file
printf 'no newline' | { read x; echo "$? $x"; read y; echo "$? [$y]"; }
### read with IFS
echo 'a:b:c' | { IFS=: read x y; echo "$x|$y"; }; echo '  lead trail  ' | { read x; echo "[$x]"; }; echo '  keep  ' | { IFS= read x; echo "[$x]"; }
### read -t and -p
read -t 0.05 x < <(sleep 1); echo $?; echo a | { read -p 'prompt ' x; echo $x; }
### mapfile
printf 'a\nb\nc\n' > f; mapfile x < f; echo ${#x[@]}; mapfile -t y < f; echo "${y[@]}"; mapfile -t -s 1 -n 1 z < f; echo "${z[@]}"; readarray -t -O 5 w < f; echo ${!w[@]}
### cd and pwd
cd /tmp; pwd; cd -; cd /nope; echo $?; cd ''; echo $?; cd a b; echo $?; unset HOME; cd; echo $?
### CDPATH
mkdir -p p/q; CDPATH=p; cd q; basename "$PWD"
### logical and physical
mkdir real; ln -s real link; cd link; basename $(pwd); basename $(pwd -P); cd ..; [ -d link ] && echo back
### pushd and popd
cd /; pushd /tmp; pushd /usr; dirs; popd; popd; popd; echo $?
### getopts
set -- -a -b val -c rest; while getopts ab:c o; do echo "$o ${OPTARG-}"; done; shift $((OPTIND-1)); echo $*
### getopts errors
set -- -x -b; while getopts ab: o; do echo "$o [${OPTARG-}]"; done; OPTIND=1; while getopts :ab: o; do echo "$o [${OPTARG-}]"; done
### shift
set -- a b c; shift; echo $*; shift 2; echo $#; shift; echo $?; shift x; echo $?
### set and positional parameters
set -- -a b; echo $1 $#; set x y; echo $*; set --; echo $#; set -o | grep errexit; set -o nosuch; echo $?; set -Z; echo $?
### shopt
shopt extglob; shopt -s extglob; shopt extglob; shopt -q nullglob; echo $?; shopt nosuch; echo $?; shopt -p dotglob
### trap on exit
trap 'echo bye $?' EXIT; (exit 3); echo main
### trap on signals
trap 'echo usr1' USR1; kill -USR1 $$; echo after; trap - USR1; trap; trap 'x' NOSUCH; echo $?
### trap listing
trap 'echo a' INT; trap 'echo "b c"' TERM EXIT; trap -p; trap - EXIT
### ERR and DEBUG traps
trap 'echo err $?' ERR; false; (exit 4); true; trap - ERR; trap 'echo "> $BASH_COMMAND"' DEBUG; echo a; x=1
### RETURN trap
f() { trap 'echo returning' RETURN; echo in; }; f
### traps in subshells
trap 'echo parent' EXIT; (echo sub); (trap 'echo child' EXIT); echo end
### exit in a trap
trap 'exit 5' EXIT; exit 2
### umask
umask 022; umask; umask -S; umask u=rwx,g=,o=; umask; umask 9; echo $?
### source
echo 'echo sourced $1; x=5; return 3; echo never' > s; . ./s arg; echo $? $x; . ./nope; echo $?; source; echo $?
### source finds in PATH
mkdir b; echo 'echo found' > b/lib.sh; PATH=$PWD/b:$PATH; . lib.sh
### caller
f() { caller; caller 0; }; f
### let, true, false, colon
true; echo $?; false; echo $?; : a b > /dev/null; echo $?; let; echo $?
### enable
enable -n echo; type -t echo; enable echo; type -t echo
### kill -l
kill -l 9 TERM 143; kill -l NOSUCH; echo $?; kill; echo $?; kill abc; echo $?
### jobs
sleep 0.2 & jobs; wait; jobs
### bad options
cd -Z; export -Z; read -Z; echo $?; unset -Z; alias -Z; echo $?
### invalid names
export 1x=2; readonly a-b; declare 'x y'=1; unset 1a; read 1b; local q; echo $?
### alias printing
alias a='b c' d="it's"; alias
### times and ulimit
times | wc -l; ulimit -n > /dev/null; echo $?
### exit statuses wrap
(exit 256); echo $?; (exit -1); echo $?; (exit x); echo $?; (exit 1 2); echo $?
### break outside a loop
break; echo $?; continue; echo $?
### printf into a closed output
(printf x >&-); echo $?
### compgen
compgen -W 'apple banana avocado' a; compgen -A function nope; echo $?
### dirs options
cd /; pushd /tmp > /dev/null; dirs -v; dirs -p; dirs +1; dirs -c; dirs
### history is off
history | wc -l
