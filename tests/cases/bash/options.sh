### errexit basics
set -e; true; echo one; false; echo never
### errexit exceptions
set -e; if false; then :; fi; false || echo or; false && echo never; ! true; while false; do :; done; until true; do :; done; echo end
### errexit in the last of a list
set -e; true && false; echo never
### errexit not in the middle of a list
set -e; false && true; echo survives
### errexit in functions
set -e; f() { false; echo in; }; f || echo or; if f; then echo then; fi; f; echo never
### errexit in subshells
set -e; (false; echo never) || echo sub; (true; false); echo never
### errexit and substitution
set -e; x=$(false; echo still); echo "$x"; y=$(false); echo never
### errexit with local
set -e; f() { local x=$(false); echo "local hides"; }; f; echo end
### inherit_errexit
shopt -s inherit_errexit; set -e; x=$(false; echo still) || echo failed; echo "[$x]"
### errexit and pipelines
set -e; false | true; echo ok; set -o pipefail; false | true; echo never
### errexit and arithmetic
set -e; ((1)); let x=1; ((0)) || echo zero; ((0)); echo never
### errexit in compound commands
set -e; { false; } || true; for i in 1 2; do echo $i; false; done; echo never
### errexit and negation
set -e; ! false; ! true; echo here
### errexit off and on
set -e; set +e; false; echo ok; set -e; false; echo never
### nounset
set -u; echo ${x-default} ${x:-d2} ${x+set} "$#" "$@" "$*"; echo $x; echo never
### nounset with arrays
set -u; a=(); echo "${a[@]}" ${#a[@]}; echo ${a[0]-none}; echo ${a[0]}; echo never
### nounset with positional parameters
set -u; set -- a; echo $1; echo ${2-none}; echo $2; echo never
### nounset in arithmetic
set -u; echo $((x+1)); echo never
### nounset in a subshell
set -u; (echo $nope; echo never); echo $?
### nounset lengths and indirection
set -u; v=abc; echo ${#v}; (echo ${#nope}); (echo ${!nope}); echo end
### noglob
touch a b; set -f; echo *; set +f; echo *
### noclobber
set -C; echo 1 > f; echo 2 > f; echo $?; echo 3 >| f; cat f; set +C; echo 4 > f; cat f
### noexec
bash -n -c 'echo never; if'; echo $?; bash -n -c 'echo fine'; echo $?
### xtrace
set -x; x=1; echo $x 'a b'; for i in 1; do :; done; [ 1 = 1 ]; [[ a == b ]]; ((1+1)); set +x
### xtrace of assignments
set -x; a=(1 2); x=$(echo y); y="a b" z= ; export q=1; set +x
### xtrace with PS4
PS4='+$LINENO: '; set -x
echo a
f() { echo b; }
f
### xtrace of case and functions
set -x; case a in a) echo A;; esac; f() { local v=1; echo $v; }; f arg; set +x
### xtrace into a file
exec 5> trace; BASH_XTRACEFD=5; set -x; echo hi; set +x; cat trace
### allexport
set -a; x=1; f() { :; }; set +a; y=2; printenv x; printenv y; echo $?
### listing with set -o
set -o | head -3; set -o noglob; set -o | while read n v; do [ $n = noglob ] && echo $v; done; set +o | head -2
### the flags
set -eu; echo $-; set +e; case $- in *e*) echo on;; *) echo off;; esac
### an unknown option
set -Q; echo $?; set -o nosuch; echo $?; set +o nosuch; echo $?
### SHELLOPTS
set -u -f; echo $SHELLOPTS; SHELLOPTS=x; echo $?
### shopt
shopt nullglob; echo $?; shopt -s nullglob; shopt nullglob; echo $?; shopt -q nullglob && echo on; shopt -u nullglob; shopt -p nullglob
### shopt with several
shopt -s dotglob extglob; shopt -q dotglob extglob && echo both; shopt -u extglob; shopt -q dotglob extglob || echo not both; shopt -p dotglob extglob
### an unknown shopt
shopt nosuch; echo $?; shopt -s nosuch; echo $?
### shopt -o
shopt -o noglob; shopt -so noglob; echo *; shopt -po noglob
### positional parameters with set
set -- a b c; echo $#; set -; echo $#; set -- ; echo $#; set a 'b c'; echo $2; set -- -x -y; echo $1
### pipefail
set -o pipefail; false | true; echo $?; true | (exit 3) | true; echo $?; (exit 4) | (exit 5) | true; echo $?
### posix mode
set -o posix; echo $SHELLOPTS | tr : '\n' | sort | head -20; set +o posix
### lastpipe
shopt -s lastpipe; echo x | read v; echo "[$v]"; printf '1\n2\n' | while read n; do s=$((s+n)); done; echo $s
### compatibility of set -e with command substitution in arguments
set -e; echo $(false) ok; echo "$(exit 3)" still
### verbose
set -v
echo one
echo two # comment
### onecmd
bash -t -c 'echo once'; printf 'echo a\necho b\n' | bash -t
### privileged and physical options are listed
set -P; mkdir d; ln -s d l; cd l; echo ${PWD##*/}; set +P
### set -k counts where the command runs
set -k; echo a=1 b; env foo=bar | grep foo=; f() { echo "$x,$#"; }; f x=3 y; set +k; echo a=1 b

### a restricted shell stays where it is
bash -r -c 'cd /
echo $? $-; /bin/ls; echo $?; echo x >f; echo $?; echo x >>f; echo x &>f; echo <>f; echo x >&2; echo y 2>&1; exec ls; echo $?
. ./x/y; echo $?; command -p ls; echo $?; hash -p /bin/ls x; echo $?; enable -f x y; echo $?; pushd /; history -r /x; set +r; echo $?
shopt restricted_shell; shopt -u restricted_shell; shopt restricted_shell; declare PATH=3; echo $?; unset PATH; echo $?; (cd /); echo $(cd /); /bin/ls | cat
x() { /bin/ls; }; x; builtin cd; eval "cd /"; cat </dev/null; y=$(/bin/ls); { cd /; } 2>&1; trap "/bin/ls" EXIT'; ls
### restricted variables cannot be assigned
bash -r -c 'readonly -p | sed "s/=.*//" | grep -e PATH -e SHELL$ -e ENV -e HISTFILE; PATH=x; echo no'
bash -r -c 'SHELL=x; echo no'; bash -r -c 'BASH_ENV=x; echo no'; bash -r -c 'PATH=/bin ls'; echo $?
### set -r restricts from there on, and its children are free
bash -c 'cd /; set -r; echo $-; cd /tmp; pwd; shopt restricted_shell; set -o | grep restr; PATH=x'
bash -r -c 'bash -c "cd /; pwd"'; f() { echo f; }; export -f f; bash -r -c 'f'; rbash -c 'cd /; echo $- $0'
### login_shell cannot be set
shopt -s login_shell; echo $?; shopt login_shell
