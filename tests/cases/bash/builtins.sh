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
### printf formats
printf '%5.2f|%-8s|%08d|%+d|% d|%x|%#X|%e|%g\n' 3.14159 ab 42 7 7 255 255 12345.678 0.00001; printf '%s %s\n' a b c; printf '%c|%5c|%-3c|\n' abc x y
### printf with quotes
printf '%q\n' 'a b' "it's" $'x\ny' '' '~' 'a=b' '*'; printf '%Q\n' 'a b'; printf '%.3q|\n' abcdef
### printf %b and %%
printf '%b\n' 'a\tb\x41\0101\u0042'; printf '100%%\n'; printf '%b' 'stop\chere'; echo; printf 'a\x41\101\n'
### printf dates, more
TZ=UTC printf '%(%F %T %a %j)T\n' 0 1000000000; TZ=UTC printf '%(%H:%M)T|%(%y)T\n' 3600 0; printf '%(%s)T\n' 5
### printf -v with arrays
printf -v a[3] '%s' x; printf -v m '%s-' 1 2 3; declare -p a m; printf -v 1bad x; echo $?
### printf numbers of all kinds
printf '%d %d %d %i\n' 0x1f 017 "'A" -5; printf '%u\n' -1; printf '%d\n' 9223372036854775808; echo $?; printf '%d\n' 12abc; echo $?
### printf stars
printf '%*d|%-*d|%.*f\n' 5 42 5 42 2 3.14159; printf '%*s|\n' -6 ab
### echo options
echo -e 'a\nb\t\x41\0102\\'; echo -n x; echo; echo -E 'a\nb'; echo -en 'y\n'; echo -- -n; echo -neX; shopt -s xpg_echo; echo 'p\tq'
### test operators on files
touch f; mkdir d; ln -s f l; chmod 600 f; chmod 700 d; for o in e f d L h s r w x; do [ -$o f ] && printf "f:$o "; [ -$o d ] && printf "d:$o "; [ -$o l ] && printf "l:$o "; done; echo; chmod 600 f; echo x > f; [ -s f ] && echo size
### test on strings and numbers
[ a = a ]; echo $?; [ a != a ]; echo $?; [ a \< b ]; echo $?; [ 1 -lt 2 -a 2 -gt 1 ]; echo $?; [ 1 -eq 2 -o x ]; echo $?; [ ! x ]; echo $?; [ \( a \) ]; echo $?; [ ]; echo $?
### test errors
[ a b ]; echo $?; [ 1 -foo 2 ]; echo $?; [ a = ]; echo $?; [ x; echo $?; test; echo $?; [ -e ]; echo $?
### conditional expressions
x='a b'; [[ $x == a* ]] && echo glob; [[ $x == 'a*' ]] || echo literal; [[ a < b && ! b < a ]] && echo order; [[ -n $x && -z $u ]] && echo both; [[ ( a == b || c == c ) ]] && echo group
### regular expressions
re='^([0-9]+)-(.*)$'; [[ 12-ab =~ $re ]] && echo ${BASH_REMATCH[1]}; [[ 'a.b' =~ a\.b ]] && echo dot; [[ axb =~ "a.b" ]] || echo quoted; [[ abc =~ b ]] && echo part; [[ x =~ [ ]] ; echo $?
### newer and same
touch -d 2001-01-01 old; touch new; [ new -nt old ] && echo nt; [ old -ot new ] && echo ot; ln new hard; [ new -ef hard ] && echo ef; [[ new -nt missing ]] && echo exists
### type
type -t if echo ls nosuch; f() { :; }; alias al=ls; shopt -s expand_aliases; type -t f al; type -a echo | head -2; type -p ls; type -P echo; type nosuch; echo $?
### command and builtin
command -v echo; command -V cd; command -v nosuch; echo $?; echo() { builtin echo mine "$@"; }; command echo real; builtin echo b; builtin nosuch; echo $?
### hash
hash -r; ls > /dev/null; hash | tail -1 | tr -s '\t ' ' '; hash -p /x/y prog; hash -t prog; hash nosuchcmd; echo $?; hash -d prog; hash -t prog; echo $?
### enable, more
enable -n test; type -t test; enable test; type -t test; enable -n nosuch; echo $?; enable -p | head -2
### help
help : | head -1; help -s cd; help nosuch; echo $?; help -d true
### alias
shopt -s expand_aliases
alias a='echo A' b='a x'; a
b y; alias a; unalias a; alias a; echo $?
alias; unalias -a; alias
### alias with a trailing blank
shopt -s expand_aliases
alias e='echo ' w=word; alias two='echo one; echo'
e w; two x; \e w; 'e' w
### pushd popd dirs
mkdir top; cd top; mkdir a b; pushd a >/dev/null; dirs -p | wc -l; pushd ../b > /dev/null; dirs -v | while read -r n p; do echo "$n ${p##*/}"; done; popd > /dev/null; echo ${PWD##*/}; popd >/dev/null; popd; echo $?; pushd nosuch; echo $?
### cd
mkdir -p d/e; cd d/e; cd ..; echo ${PWD##*/}; x=$(cd -); echo ${x##*/}; cd nosuch; echo $?; cd a b; echo $?; HOME=/; cd; pwd; CDPATH=/; cd tmp; CDPATH=; cd '' ; echo $?
### umask, more
umask 022; umask; umask -S; umask u=rwx,g=rx,o=; umask; umask -p; umask 9; echo $?; touch f; umask 077; touch g; ls -l g | cut -c1-10
### ulimit
ulimit -n 64; ulimit -n; ulimit -Sn; ulimit -c 0; ulimit -c; ulimit -n abc; echo $?
### times and time
times | wc -l; TIMEFORMAT='%R' ; time true 2>/dev/null; TIMEFORMAT=; time true; { time -p true; } 2>&1 | cut -d' ' -f1
### getopts errors, more
getopts a: o -a; echo $o $?; getopts :a: o -a; echo $o $OPTARG; OPTIND=1; getopts ab o -x; echo $o; getopts; echo $?
### shift, more
set -- a b c; shift; echo $*; shift 2; echo $#; shift; echo $?; set -- 1 2; shift 5; echo $? $#; shift -1; echo $?; shift x; echo $?
### eval
x='echo hi; y=5'; eval "$x"; echo $y; eval; echo $?; eval 'false'; echo $?; eval 'a=$(echo b)' 'echo $a'; eval 'if'; echo $?
### source, more
echo 'echo $# $1; return 5; echo no' > s; . ./s; echo $?; source ./s a b; set -- x; . ./s; . nosuchfile; echo $?; .; echo $?
### exec with redirections
exec 3> out; echo to3 >&3; exec 3>&-; cat out; exec 4< out; read l <&4; echo $l; exec nosuchcommand; echo never
### exec with a command
(exec echo replaced; echo never); (exec -a name bash -c 'echo $0'); (exec -c printenv | head -1); echo done
### exit statuses
(exit 3); echo $?; (exit 256); echo $?; (exit -1); echo $?; (exit abc); echo $?; nosuchcmd; echo $?; touch ne; ./ne; echo $?; ./; echo $?; bash -c 'exit 300'; echo $?
### let and (( in conditions
if let 'x=5' 'x>3'; then echo big; fi; while ((x-- > 3)); do echo $x; done
### caller and functions in sourced files
echo 'g() { caller 0; }; g' > s; . ./s
### history and fc in scripts
history -c; set -o history; echo one >/dev/null; history | tail -1 | tr -s " "; set +o history; history -s 'added line'; history 1 | tr -s " "
### complete and compgen
complete -W 'start stop' svc; complete -p svc; complete -r svc; complete -p svc; echo $?; compgen -W 'apple banana apricot' ap; compgen -A function; compgen -b | head -2; compgen -k | head -2; touch file1 file2; compgen -f fi | sort
### compopt and more compgen
compopt -o nospace; echo $?; compgen -v BASH_VERS; compgen -a; compgen -W 'a b' -P pre- -S -suf a; compgen -X 'b*' -W 'bat cat'; compgen -o nosuch; echo $?
### bind is not for scripts
bind -x nothing 2>/dev/null; echo done
### wait
(exit 3) & wait $!; echo $?; wait 99999; echo $?; (exit 4) & (exit 5) & wait; echo $?
### wait -n and -p
(exit 6) & p=$!; wait -n -p who; echo $? $((who==p)); (exit 2) & wait -f $!; echo $?; wait %9; echo $?
### jobs, more
sleep 0.3 & jobs | tr -s ' '; jobs -p | wc -l; jobs -r | wc -l; wait; jobs; jobs %3; echo $?
### disown and kill %
sleep 5 & disown; jobs; sleep 5 & kill %1; wait %1 2>/dev/null; echo $?; disown nosuch; echo $?
### fg and bg without job control
fg; echo $?; bg; echo $?; suspend; echo $?
### coproc
coproc { read x; echo "got $x"; }; echo hello >&${COPROC[1]}; read y <&${COPROC[0]}; echo $y; wait $COPROC_PID; echo $?
### a named coproc
coproc UP { tr a-z A-Z; }; echo abc >&${UP[1]}; exec {UP[1]}>&-; cat <&${UP[0]}; wait
### logout and others
logout; echo $?; readonly -z; echo $?; unset -x; echo $?; read -z; echo $?
### bind set
bind 'set completion-ignore-case on'; echo $?
### bind key
bind '"\C-t": clear-screen'; echo $?
### bind -x
bind -x '"\C-t": echo hi'; echo $?
### bind -f
bind -f /nosuch; echo $?
### bind -m bad
bind -m nosuch -p; echo $?
### bind bad opt
bind -Z; echo $?
### printf -v nested
declare -A m; printf -v 'm[a b]' %s x; declare -p m
### select no input
select x in a b; do echo $x; done < /dev/null; echo $?
### bind keeps what it is told
bind '"\C-o\C-t": yank'; bind -q yank | grep -oF '\C-o\C-t'; bind -r '\C-o\C-t'; bind -q yank | grep -oF '\C-o\C-t'; echo $?
bind -x '"\C-o\C-y": echo hi'; bind -X; bind '"\C-o\C-z": "typed \e[A"'; bind -s; bind -S
bind -u yank; bind -q yank; echo $?; bind 'Control-_: yank'; bind -q yank
bind 'set completion-query-items 7'; bind -v | grep query; bind 'set mark-directories off'; bind -V | grep mark-dir
### bind refuses
bind -q nosuch; echo $?; bind -u nosuch; echo $?; bind -m nosuch; echo $?; bind -x 'no quotes'; echo $?
bind -f nosuch; echo $?; bind noterminator; echo $?; bind '"\C-x'; echo $?; bind 'set nosuch 1'; echo $?
### printf with floats as C writes them
printf "%f|%F|%a|%.3a|%#.0f|%010.2f|%010f|%+g|%#g|% e|%G|%g|%-12f|%a|%A|\n" -nan nan 1 3.14159 2 -1.5 inf 1e10 1 5 1e-10 0 3 0 255
printf "%.0f|%.0e|%#.0e|%.10g|%g|%g|%#.3g|%e\n" 2.5 12345 12345 0.1 100000 1000000 1 0; printf "%.70000d" 7 | cksum
### braces with more zeros than a line has
echo {01..03} {-05..2..3} {0000000001..2}; eval "echo {$(printf '%.70000d' 1)..2}" | cksum
### printf counts with long doubles
printf '%.2f %.2f %.2f %.20f %.17g %g %e\n' 2.005 1.005 -0.125 0.1 0.1 1e400 9.9999999; printf '%a %.3e %05.1f %f %F\n' 0.1 -0.00012345 -0 -inf nan
### printf of numbers that are none
printf '%d %d %f %d\n' 08 0xg 09x 7x; echo $?; printf '%c|%3c|\n' '' '' | od -An -c
### printf has written its lines when it tells of an error
{ printf '%d\n' 0x10 1e3 5; printf '%d ' 1 x 2; echo; printf '%s%n\n' ab n cde n; echo $n; } 2>&1
### help of keywords
help -s if for 'for ((' while until case select function time coproc '[[' '((' '{' % variables; help -d if '[a-c]*'; help | sed 1d; help nosuch; echo $?
### builtins that are asked for help
for b in alias cd command declare echo eval exit export getopts history kill let printf pwd read set shift source test times trap true type umask unset wait :; do "$b" --help > out; echo "$b $? $(head -1 out)"; done
### complete and compopt
complete -W 'a b' foo; compopt -o nospace foo; complete -p foo; compopt foo; compopt +o nospace foo; complete -p foo; complete -o bad x; echo $?; complete -A bad x; echo $?; complete -D -W x; complete -p -D; complete -E -W y; complete -p -E; complete -r -D; complete -p -D; echo $?; complete -r nosuch; echo $?; complete -o nospace -o filenames -W 'x y' -P pre -S suf -X '*z' bar; complete -p bar; complete -abc baz; complete -p baz; complete -G '*.txt' -C cmd q; complete -p q; complete -A directory -F f1 -A signal r; complete -p r; compopt -z; compopt x; echo $?; compopt; echo $?; compgen x; echo $?; compgen -W 'a b' c; echo $?; compgen -A signal SIGT; fn() { COMPREPLY=(one two); }; compgen -F fn; compgen -F nofn; compgen -C 'echo z' w
### wrong arguments
times -x; suspend -x; getopts -x; popd -Z; popd x; pushd -Z; history 1 2; echo no
umask 1777; umask; umask 022; umask +w; umask; umask u=,g=r; umask -S; umask u=r,; umask ,; umask u=g; mapfile -c 0 x; echo $?
printf '%f\n' 1e99999 inf; printf '%(%c|%D|%F|%T|%R|%p|%j|%U|%u|%w|%A|%B|%b|%a|%e|%I|%y|%C|%G|%V|%Z|%z|%c|%c|%c)T|\n' 0
### printf: a conversion behind a backslash that is no escape
printf '\%o|\%s|\z\n' 97 b
### cd out of a directory that was removed
mkdir a; cd a; rmdir ../a; cd ..; [ -d a ]; echo $?; cd nope/..; echo $?

### the list of signals
kill -l | cat -A; trap -l | cat -A
