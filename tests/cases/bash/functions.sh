### three ways to define
a() { echo a; }; function b { echo b; }; function c() { echo c; }; a; b; c
### bodies of other kinds
f() ( x=2; echo sub ); g() if true; then echo if; fi; h() for i in 1 2; do echo $i; done; x=1; f; echo $x; g; h
### redirections belong to the function
f() { echo out; echo err >&2; } > log 2>&1; f; cat log
### arguments
f() { echo $# "$1" "${2-none}" "$@"; set -- x; echo $1; }; f a; f 'a b' c; set -- keep; f; echo $1
### more than nine arguments
f() { echo $10 ${10} ${11}; }; f a b c d e f g h i j k
### return
f() { return 3; echo never; }; f; echo $?; g() { false; return; }; g; echo $?; h() { return 256; }; h; echo $?
### return with a bad number
f() { return abc; }; f; echo $?
### return outside
return 1; echo $?
### locals
x=global; f() { local x=local; g; echo $x; }; g() { echo "g sees $x"; x=changed; }; f; echo $x
### local without a value
x=1; f() { local x; echo "[${x-unset}]"; x=2; }; f; echo $x
### local outside
local x=1; echo $?
### dynamic scope through three levels
a() { local v=a; b; echo $v; }; b() { local v=b; c; echo $v; }; c() { v=c; }; v=top; a; echo $v
### local with attributes
f() { local -i n=2+2; local -r c=5; local -u s=abc; local -a l=(1 2); echo $n $c $s ${#l[@]}; c=6; echo after; }; f; echo $?
### local -
f() { local -; set -f -u; echo $-; }; b=$-; f > /dev/null; [ "$b" = "$-" ] && echo restored
### unset of a local
x=g; f() { local x=l; unset x; echo "${x-unset}"; x=again; }; f; echo $x
### unset of a caller's local
x=g; f() { local x=f; g; echo "${x-unset}"; }; g() { unset x; echo "g: ${x-unset}"; }; f; echo $x
### recursion
fact() { if (($1 <= 1)); then echo 1; else echo $(( $1 * $(fact $(($1-1))) )); fi; }; fact 10
### mutual recursion
even() { (($1==0)) && return 0; odd $(($1-1)); }; odd() { (($1==0)) && return 1; even $(($1-1)); }; even 20 && echo even; odd 7 && echo odd
### too deep
FUNCNEST=5; f() { f; }; f; echo $?
### redefinition while running
f() { f() { echo new; }; echo old; }; f; f
### unset -f
f() { echo f; }; unset -f f; f; echo $?; f() { :; }; unset f; type f
### a function over a builtin and over a program
echo() { builtin echo "[$*]"; }; echo hi; unset -f echo; ls() { builtin echo mine; }; ls; command ls -d .
### exported functions
f() { echo "exported $1"; }; export -f f; bash -c 'f x'; export -nf f; bash -c 'f x' 2>/dev/null; echo $?
### declare -f
f() { local a=1; if [ $a = 1 ]; then echo "x  y"; else :; fi; while false; do :; done; case $a in 1|2) echo b;; *) ;; esac; }; declare -f f
### declare -F
f() { :; }; g() { :; }; declare -F; declare -F f; declare -F nope; echo $?
### type of a function
f() { echo; }; type -t f; type f; type -t nope; echo $?
### FUNCNAME and BASH_LINENO
f() { echo ${FUNCNAME[0]} ${FUNCNAME[1]} ${BASH_LINENO[0]}; }
g() {
  f
}
g; f
### caller
f() { caller; caller 0; caller 1; caller 5; echo $?; }
g() { f; }
g
### LINENO
echo $LINENO
f() {
  echo $LINENO
}
f
echo $LINENO
### names with odd characters
a-b() { echo dash; }; a.b() { echo dot; }; _x1() { echo under; }; a-b; a.b; _x1
### a name that is not allowed
'a b'() { :; }; echo $?
### readonly functions
f() { echo one; }; readonly -f f; f() { echo two; }; f; unset -f f; echo $?
### temporary assignments of a call
f() { echo "$V"; V=in; }; V=out; V=temp f; echo $V; V=temp f; printenv V; echo $?
### output of a function in a substitution and a pipe
f() { echo "line $1"; }; x=$(f 1); echo "$x"; f 2 | cat; f 3 > file; cat file
### shift in functions
f() { while (($#)); do echo $1; shift; done; }; f a b c; set -- x y; shift; echo $1; shift 5; echo $? $#
### default and named arguments
f() { local name=${1:?name missing} n=${2:-5}; echo $name $n; }; f x; f y 7; (f); echo $?
### returning arrays by name
split() { local -n out=$2; IFS=, read -ra out <<< "$1"; }; split a,b,c parts; echo ${#parts[@]} ${parts[1]}
### a function in a condition
ok() { return 0; }; if ok; then echo yes; fi; ok && echo and; ! ok || echo never; until ok; do :; done; echo done
### nested definitions
outer() { inner() { echo inner; }; }; outer; inner; declare -F inner
### command_not_found_handle
command_not_found_handle() { echo "no $1 ($#)"; return 44; }; nosuchcmd a b; echo $?
### positional parameters of eval and source
f() { eval 'echo $1'; echo 'echo "sourced $1 $#"' > s; . ./s; . ./s other two; }; f arg
### exit in a function
f() { exit 7; }; (f); echo $?; f; echo never
