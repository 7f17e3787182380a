### printf formats
printf '%5.2f|%-8s|%08d|%+d|% d|%x|%#X|%e|%g\n' 3.14159 ab 42 7 7 255 255 12345.678 0.00001; printf '%s %s\n' a b c; printf '%c|%5c|%-3c|\n' abc x y
### printf with quotes
printf '%q\n' 'a b' "it's" $'x\ny' '' '~' 'a=b' '*'; printf '%Q\n' 'a b'; printf '%.3q|\n' abcdef
### printf %b and %%
printf '%b\n' 'a\tb\x41\0101\u0042'; printf '100%%\n'; printf '%b' 'stop\chere'; echo; printf 'a\x41\101\n'
### printf dates
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
touch f; mkdir d; ln -s f l; chmod 000 f; chmod 700 d; for o in e f d L h s r w x; do [ -$o f ] && printf "f:$o "; [ -$o d ] && printf "d:$o "; [ -$o l ] && printf "l:$o "; done; echo; chmod 600 f; echo x > f; [ -s f ] && echo size
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
### enable
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
mkdir a b; pushd a >/dev/null; dirs -p | wc -l; pushd ../b > /dev/null; dirs -v | sed 's/\/.*\///'; popd > /dev/null; pwd | sed 's/.*\///'; popd >/dev/null; popd; echo $?; pushd nosuch; echo $?
### cd
mkdir -p d/e; cd d/e; cd ..; pwd | sed 's/.*\///'; cd - | sed 's/.*\///'; cd nosuch; echo $?; cd a b; echo $?; HOME=/; cd; pwd; CDPATH=/; cd tmp; CDPATH=; cd '' ; echo $?
### umask
umask 022; umask; umask -S; umask u=rwx,g=rx,o=; umask; umask -p; umask 9; echo $?; touch f; umask 077; touch g; ls -l g | cut -c1-10
### ulimit
ulimit -n 64; ulimit -n; ulimit -Sn; ulimit -c 0; ulimit -c; ulimit -n abc; echo $?
### times and time
times | wc -l; TIMEFORMAT='%R' ; time true 2>/dev/null; TIMEFORMAT=; time true; { time -p true; } 2>&1 | cut -d' ' -f1
### getopts errors
getopts a: o -a; echo $o $?; getopts :a: o -a; echo $o $OPTARG; OPTIND=1; getopts ab o -x; echo $o; getopts; echo $?
### shift
set -- a b c; shift; echo $*; shift 2; echo $#; shift; echo $?; set -- 1 2; shift 5; echo $? $#; shift -1; echo $?; shift x; echo $?
### eval
x='echo hi; y=5'; eval "$x"; echo $y; eval; echo $?; eval 'false'; echo $?; eval 'a=$(echo b)' 'echo $a'; eval 'if'; echo $?
### source
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
history -c; set -o history; echo one >/dev/null; history | tail -1 | sed 's/^ *//'; set +o history; history -s 'added line'; history 1 | sed 's/^ *//'
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
### jobs
sleep 0.3 & jobs | sed 's/  */ /g'; jobs -p | wc -l; jobs -r | wc -l; wait; jobs; jobs %3; echo $?
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
