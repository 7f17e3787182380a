### quotes
echo 'a $x' "b $HOME" c\ d $'e\tf'
### word splitting
x='a  b c'; set -- $x; echo $#; set -- "$x"; echo $#
### IFS
IFS=:; x=a:b::c; set -- $x; echo $# "$4"
### positional parameters
set -- a 'b c' d; for i in "$@"; do echo "<$i>"; done; for i in $*; do echo "<$i>"; done; echo "$*"
### defaults
unset x; echo ${x:-d} ${x-e} ${x:+f}; x=; echo "${x:-d}" "${x-e}"; echo ${y:=set} $y
### error if unset
bash -c 'echo ${x:?no x}'; echo $?
### trimming
p=/a/b.tar.gz; echo ${p##*/} ${p%/*} ${p%%.*} ${p#/}
### replacing
s=banana; echo ${s/a/o} ${s//a/o} ${s/#b/B} ${s/%a/A}
### substrings and length
s=abcdef; echo ${s:2} ${s:1:2} ${s: -2} ${#s}
### case
s=Hello; echo ${s^^} ${s,,} ${s^} ${s,}
### arithmetic
echo $((2 + 3 * 4)) $((2 ** 10)) $((7 / 2)) $((-7 % 3)) $((1 << 4 | 1)) $((5 > 3 ? 10 : 20)) $((0x1f)) $((010)) $((2#101))
### division by zero
echo $((1 / 0)); echo $?
### braces
echo {a,b,c} {1..5} {5..1..2} x{a,b}y {01..03}
### tilde
HOME=/h; echo ~ ~/x "~"
### globs
touch a1 a2 b1 .h; echo *; echo a?; echo [ab]1; echo x*; echo .*
### arrays
a=(x y z); echo ${a[1]} ${#a[@]} "${a[@]}"; a+=(w); a[10]=k; echo ${!a[@]}; unset 'a[0]'; echo ${a[@]}
### associative arrays
declare -A m; m[one]=1; m[two]=2; echo ${m[one]} ${#m[@]}; for k in "${!m[@]}"; do echo $k; done | sort
### indirection
x=y; y=z; echo ${!x}
### unset under -u
set -u; echo ${undefined-ok}; echo $undefined; echo not here
### printf
printf '%s-%d-%x|' a 10 255 b 11 16; printf '%5s|%-5s|%05d\n' x y 42; printf '%q\n' 'a b'
### read
printf 'a b c\nd\n' | { read x y; echo "$x/$y"; read z; echo $z; }
### test
[ -f nofile ]; echo $?; [ 1 -lt 2 ] && echo lt; [[ abc == a* ]] && echo glob; [[ abc =~ ^a(.)c$ ]] && echo ${BASH_REMATCH[1]}
### special parameters
bash -c 'echo $0 $# $1' name arg; echo $?
### line numbers
echo $LINENO
echo $LINENO
