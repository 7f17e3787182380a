### indexed arrays
a=(x y z); a[5]=w; echo "${a[@]}" ${#a[@]} ${!a[@]} ${a[-1]}; unset 'a[1]'; echo "${!a[@]}"
### appending
a=(1); a+=(2 3); s=a; s+=b; a[0]+=x; echo "${a[@]}" $s; declare -i n=1; n+=2; echo $n
### associative arrays
declare -A m=([one]=1 [two]=2); m[three]=3; for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort; echo ${#m[@]}
### keys with blanks and quotes
declare -A m; m["a b"]=1; k='c d'; m[$k]=2; m['e']=3; declare -p m
### array from substitution
a=($(printf 'x\ny z\n')); echo ${#a[@]}
### declare -p of everything
x=1; declare -i i=2; declare -r r=3; export e=4; declare -l l=ABC; declare -u u=abc; a=(1 2); declare -A m=([k]=v); declare n; declare -p x i r e l u a m n
### declare -p quoting
x=$'a\nb' y='a"b$c`d\e' z="it's"; declare -p x y z
### integer attribute
declare -i x; x='2+3'; echo $x; x=abc; echo $x; x+=5; echo $x
### readonly
readonly r=1; r=2; echo not reached
echo $r; unset r; echo $?
### readonly in a function call
readonly r=1; f() { local r=2; echo $r; }; f; echo $?
### local and dynamic scope
x=g; f() { local x=l; g; echo $x; }; g() { echo $x; x=changed; }; f; echo $x
### local without value hides
x=g; f() { local x; echo "[${x-unset}]"; x=1; }; f; echo $x
### unset of a local shows the outer one only to callers
x=g; f() { local x=l; unset x; echo "[${x-unset}]"; }; f; echo $x
### declare -g
f() { declare -g x=1; local y=2; }; f; echo $x $y
### namerefs
a=1; declare -n r=a; r=2; echo $a $r ${!r}; arr=(x y); declare -n q=arr; echo ${q[1]} ${#q[@]}; q[0]=z; echo ${arr[0]}
### nameref as function argument
f() { local -n out=$1; out=done; }; f res; echo $res
### nameref to an element
a=(1 2 3); declare -n r='a[1]'; r=x; echo "${a[@]}"
### unset -n
a=1; declare -n r=a; unset -n r; echo ${r-none} $a; declare -n r=a; unset r; echo ${a-gone}
### temporary assignments
x=1; x=2 eval 'echo $x'; echo $x; f() { echo $x; }; x=3 f; echo $x
### temporary assignments reach children
x=1 bash -c 'echo $x'; echo ${x-unset}
### export
x=1; bash -c 'echo [$x]'; export x; bash -c 'echo [$x]'; export -n x; bash -c 'echo [$x]'
### export -p
export ZED='a b'; export -p | grep ZED
### export a function
f() { echo from f; }; export -f f; bash -c f
### set -a
set -a; y=5; bash -c 'echo $y'
### unset
x=1; unset x; echo ${x-unset}; f() { :; }; unset -f f; f; echo $?
### unset of functions and variables with one name
f=1; f() { echo fn; }; unset f; f; echo ${f-unset}; unset f; f
### PIPESTATUS
true | false | (exit 3); echo "${PIPESTATUS[@]}"; echo "${PIPESTATUS[@]}"
### LINENO
echo $LINENO
echo $LINENO; f() {
echo $LINENO
}
f
### RANDOM with a seed
RANDOM=42; a=$RANDOM b=$RANDOM; RANDOM=42; [[ $a == $RANDOM && $b == $RANDOM ]] && echo same; echo $a $b
### SECONDS
SECONDS=100; echo $((SECONDS >= 100 && SECONDS < 102))
### underscore
echo a b; echo $_
### dollar dash and options
set -eu; echo $-; set +eu; echo $-
### BASH_VERSINFO
echo ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]} ${#BASH_VERSINFO[@]}
### FUNCNAME and BASH_LINENO
f() { g; }
g() { echo ${FUNCNAME[@]} ${BASH_LINENO[0]} ${BASH_LINENO[1]}; }
f
### array in arithmetic and negative index
a=(1 2 3); echo ${a[${#a[@]}-1]} ${a[-2]}; a[-1]=9; echo ${a[2]}
### bad subscripts
a=(1); echo ${a[-5]}; a[-5]=1; echo not reached
echo next
### arrays keep empty elements
a=('' x ''); echo ${#a[@]}; printf '<%s>' "${a[@]}"; echo
### compound assignment with indexes
a=([2]=c [0]=a b); declare -p a
### local arrays
f() { local -a a=(1 2); local -A m=([k]=v); declare -p a m; }; f; echo ${a-none}
### declare -f and -F
f() { echo hi; }; declare -F f; declare -f f; declare -F nope; echo $?
### case attributes
declare -u up=abc; declare -l low=ABC; echo $up $low; up=xyz; echo $up
### IFS assignment before read only
IFS=: read a b <<< 'x:y'; echo "$a $b" "[$IFS]" | head -1
### BASH_COMMAND without a trap
echo $BASH_COMMAND | cat; f() { echo "[$BASH_COMMAND]"; }; f 1 2; (echo "$BASH_COMMAND"); x=$BASH_COMMAND; echo "$x"
if true; then echo "$BASH_COMMAND" >&1; fi
### BASH_ARGV outside of functions
set -- 1 2; f() { echo "${BASH_ARGC[@]}|${BASH_ARGV[@]}"; }; f a
echo "${BASH_ARGC[@]}|${BASH_ARGV[@]}"; set -- 9; f b; shopt -s extdebug; f c d
### computed variables tell their kind
true; declare -p SECONDS GROUPS PIPESTATUS BASH_ALIASES; for v in RANDOM BASHPID LINENO DIRSTACK SHELLOPTS; do echo "$v ${!v@a}"; done
### locales that are not there
LC_CTYPE=xx; LANG=yy; LC_COLLATE=zz; LC_TIME=zz; echo a; LC_ALL=qq; LC_ALL=C; LC_ALL=C.UTF-8; LC_ALL=en_US.UTF-8 true; LC_ALL=en_US.UTF-8 cat /dev/null; f() { local LC_ALL=ww; }; f; x=é; echo ${#x}; LC_ALL=C; echo ${#x}; LC_ALL=de_DE; echo ${#x}
### quoting in the C locale
LC_ALL=C; x='é'; printf '%q\n' "$x" "a b$x"; echo "${x@Q}" "${x@A}"; declare -p x; y=(é 'a b'); declare -p y; declare -A z=([é]=ü); declare -p z; set | grep ^x=; set -x; : é "a é"

### a subshell has random numbers of its own
a=$(echo $RANDOM $RANDOM $RANDOM) b=$(echo $RANDOM $RANDOM $RANDOM)
c=$( (echo $RANDOM $RANDOM $RANDOM) | cat) d=$RANDOM\ $RANDOM\ $RANDOM
[[ $a != "$b" && $b != "$c" && $c != "$d" && $a != "$d" ]] && echo four sequences
RANDOM=5; a=$RANDOM; (echo x$RANDOM >/dev/null; RANDOM=5; [[ $RANDOM = "$a" ]] && echo seeded there)
b=$RANDOM; RANDOM=5; : $RANDOM; [[ $RANDOM = "$b" ]] && echo goes on here
