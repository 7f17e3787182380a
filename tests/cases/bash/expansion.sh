### defaults
unset x; e=; echo ${x-1} ${e-2} ${x:-3} ${e:-4} ${x+5} ${e+6} ${e:+7}
### assign default
unset x; echo ${x:=a} $x
### error message of a missing parameter
(echo ${nope:?is missing}); echo $?
### default error messages
(: ${nope?}); (: ${nope:?}); echo $?
### prefix and suffix removal
f=/a/b/c.tar.gz; echo ${f#*/} ${f##*/} ${f%.*} ${f%%.*}
### replacement
s=banana; echo ${s/a/o} ${s//a/o} ${s/#b/B} ${s/%a/A} ${s//a} ${s/x/y}
### replacement with ampersand
s=abc; echo ${s/b/[&]} ${s/b/\&} "${s//?/<&>}"
### substring
s=0123456789; echo ${s:3} ${s:3:2} ${s: -3} ${s: -3:2} ${s:2:-2} ${s:20} .
### substring error
s=abc; echo ${s:1:-5}; echo after
### length
s=héllo; echo ${#s} ${#unset}; set -- a b c; echo ${#} ${#@} ${#*}
### case modification
s='hello World'; echo ${s^} ${s^^} ${s,,} ${s~~} ${s^^[lo]} ${s,W}
### transformations
s=$'a\n'"b'c"; echo "${s@Q}" "${s@U}" "${s@L}" "${s@u}"; a=(1 'x y'); echo "${a[@]@Q}" "${a[@]@A}" "${a@a}"
### transformation K and k
declare -A m=([k]='v w'); echo "${m[@]@K}"; printf '<%s>' "${m[@]@k}"; echo
### escapes and prompts
p='a\tb'; echo "${p@E}"; q='\w'; cd /; echo "${q@P}"
### indirection
a=b b=c; echo ${!a}; arr=(x y); r='arr[1]'; echo ${!r}; set -- p q; i=2; echo ${!i}
### names by prefix
ZZ_a=1 ZZ_b=2; echo ${!ZZ_*} "${!ZZ_@}"
### keys
a=([3]=x [7]=y); echo ${!a[@]} ${#a[@]} "${a[@]}"
### positional parameters above nine
set -- 1 2 3 4 5 6 7 8 9 ten eleven; echo $10 ${10} ${11}
### slices of positional parameters
set -- a b c d; echo ${@:2} - ${@:2:2} - ${@: -1} - ${*:0:2}
### slices of arrays
a=(a b c d e); echo ${a[@]:1:3} - ${a[@]: -2} - "${a[@]:3}"
### quoted at and star
set -- 'a b' c; printf '<%s>' "$@"; printf '<%s>' "$*"; printf '<%s>' $@; printf '<%s>' "x$@y"; echo
### star with IFS
set -- a b c; IFS=-; echo "$*" $*; IFS=; echo "$*"; unset IFS; echo "$*"
### empty at disappears
set --; printf '<%s>' "$@" a; printf '<%s>' "$*"; echo
### splitting by white space
x='  a   b  c '; printf '<%s>' $x; echo
### splitting by other characters
IFS=:; x='a::b:'; printf '<%s>' $x; echo; IFS=' :'; x=' a : b :: c'; printf '<%s>' $x; echo
### no splitting in assignments
x='a  b'; y=$x; echo "$y"; z=$(echo 'c  d'); echo "$z"
### splitting of substitutions
printf '<%s>' $(printf 'a b\nc\n\n'); echo
### pathname expansion
mkdir d; cd d; touch a1 a2 b1 .h; echo * a? [ab]1 [!a]* nope*; echo "*" '*'
### dotglob and nullglob
mkdir d; cd d; touch .h x; shopt -s dotglob; echo *; shopt -u dotglob; shopt -s nullglob; echo q* end
### failglob
mkdir d; cd d; shopt -s failglob; echo x*; echo not reached
echo next
### globstar
mkdir -p d/e/f; touch d/x d/e/y d/e/f/z; cd d; shopt -s globstar; echo **; echo **/; echo **/z
### extglob
shopt -s extglob
mkdir d; cd d; touch a.c a.h b.c ab; echo !(*.c) @(a|b).c +(a|b) ?(a)b *(a)
### noglob
set -f; echo /*
### brace lists
echo a{b,c}d {1,2}{x,y} {a,{b,c}} {,x}y {a} {a, b}
### brace sequences
echo {1..5} {5..1} {a..e} {1..10..3} {01..03} {-1..1} {a..e..2} {1..a}
### braces and quotes
x=1; echo {"a,b",c} {$x,2} \{a,b} "{a,b}"
### arithmetic expansion
x=5; echo $((x*2)) $((x+=3)) $x $(( (1+2)*3 )) $[1+1] $((2**10)) $((7/2)) $((-7/2)) $((-7%3))
### arithmetic bases
echo $((0x1f)) $((017)) $((2#1010)) $((36#z)) $((64#_))
### arithmetic operators
echo $((5>3)) $((5==3)) $((!5)) $((~5)) $((5&3)) $((5|3)) $((5^3)) $((1<<4)) $((256>>2)) $((1?2:3)) $((0||1)) $((1&&0)) $((1,2))
### arithmetic wraps around
echo $((9223372036854775807+1)) $((-9223372036854775808-1))
### increments
x=1; echo $((x++)) $x $((++x)) $x $((x--)) $((--x))
### arithmetic with names of names
a=b b=3; echo $((a+1)) $((unset_name+1)); e='1+2'; echo $((e*2))
### division by zero abandons the line
echo $((1/0)); echo same line
echo next line $?
### bad expressions
echo $((1+)); echo x
echo $((08)); echo y
### arithmetic on array elements
a=(1 2 3); echo $((a[1]+a[2])); ((a[0]+=10)); echo ${a[0]}; declare -A m; ((m[x]=4)); echo ${m[x]}
### tilde
HOME=/h; x=~/a:~/b; echo $x ~/c; y=a:~; echo $y
### tilde plus and minus
cd /; cd /tmp; echo ~+ ~-
### order of expansion
x='$y'; y=z; echo $x; eval echo $x
### unset under nounset
set -u; echo ${a-ok}; echo $a; echo not reached
### bad substitution
echo ${a b}; echo not reached
### arithmetic in substring
s=abcdef i=2; echo ${s:i:i+1} ${s:(-2)} ${s:$((i-1)):1}
### a lone bracket is no pattern
shopt -s nullglob; if [ -d / ]; then echo dir; fi; echo [ ] a[b
### escaped pattern characters under nullglob
shopt -s nullglob; echo \* "?" [x\]
