### defaults
unset u; e=; s=x; echo "[${u-d}][${u:-d}][${e-d}][${e:-d}][${s-d}][${s:-d}]"
### alternatives
unset u; e=; s=x; echo "[${u+a}][${u:+a}][${e+a}][${e:+a}][${s+a}][${s:+a}]"
### assigning
unset u; e=; echo "${u=1} $u ${e:=2} $e ${e=3}"; unset v; : ${v:="a b"}; echo "$v"
### errors
(echo ${u?}); (echo ${u:?}); (echo ${u?gone}); (e=; echo ${e:?is empty}); echo ${u?msg $((1+1))}; echo never
### assigning to a positional parameter
echo ${1:=x}; echo after
### nested defaults
echo "${a:-${b:-${c:-deep}}}" ${x:-$(echo cmd)} ${y:-$((1+2))} "${z:-"quoted $HOME"}"
### quotes inside defaults
echo ${u-"a  b"} "${u-a  b}" "${u-'q'}" ${u-'q  r'} "${u-"in"}" ${u-a\ b}
### braces inside
echo "${u-{a\}}" ${u:-}} "${u-\}}"
### prefixes and suffixes
f=/usr/lib/x.tar.gz; echo ${f#*/} ${f##*/} ${f%.*} ${f%%.*} ${f#nomatch} ${f%/*} ${f##*.}
### patterns in variables are patterns, quoted they are text
p='*.'; f=a.b.*.c; echo ${f#$p} "${f##$p}" "${f#"$p"}" ${f%".c"}
### replacements
s='hello world'; echo ${s/o/0} ${s//o/0} ${s/#h/J} ${s/%d/D} ${s//l} ${s/x/y} "${s// /_}" ${s//[aeiou]/*}
### replacement with the matched text
s=abc; echo ${s/b/[&]} ${s//?/<&>} ${s/b/\&} "${s/b/"&"}"; shopt -u patsub_replacement; echo ${s/b/[&]}
### replacement by an empty pattern
s=abc; echo ${s//} ${s/#/X} ${s/%/Y} ${s//?/}
### replacement with slashes
p=/a/b/c; echo ${p//\//-} "${p//\//.}" ${p/\/a/}
### substrings
s=0123456789; echo ${s:3} ${s:3:2} ${s: -3} ${s: -3:2} ${s:2:-2} ${s:0:0} ${s:(-4)} ${s:$((1+1)):1}
### substring out of range
s=abc; echo "[${s:5}][${s:3}][${s:1:9}]"; echo ${s:1:-5}; echo next
### case changes
s='hello World'; echo "${s^}" "${s^^}" "${s,}" "${s,,}" "${s~}" "${s~~}" "${s^^[lo]}" "${s,,W}"
### lengths
s=abcdef; e=; echo ${#s} ${#e} ${#unset}; set -- a b c; echo ${#} ${#@} ${#*} ${#1}
### indirection
a=b; b=c; c=d; echo ${!a} ${!b}; n=1; set -- x y; echo ${!n} ${!#}; arr=(p q); r='arr[1]'; echo ${!r}; i=HOME; echo ${!i}
### names by prefix
xa1=1 xa2=2 xb=3; echo ${!xa*} "${!xa@}"; for n in "${!xa@}"; do echo $n; done
### transformations
s="it's"; t=$'a\tb'; echo ${s@Q} ${t@Q} "${s@U}" "${s@u}" "${s@L}"; e='x\ty'; echo "${e@E}"; declare -i n=1; echo ${n@a} ${n@A}
### prompt transformation
x=5; p='\u20AC $x \$'; echo "${p@P}" | tail -c 6; s='$x'; echo "${s@P}"
### positional parameters
set -- a 'b c' d e f g h i j k; echo $1 $2 ${10} $10 $# "$*" ; echo "${@:2:2}" "${@: -1}" "${*:9}"; echo ${@:0:1}
### star and at with IFS
set -- a 'b c' d; IFS=:; echo "$*" $* "$@"; IFS=; echo "$*" $*; IFS=' '; echo "$*"
### at inside words
set -- a b c; echo "x$@y" "x$*y" x$@y; set --; echo "[$@]" "[$*]" "x$@y"; for i in "$@"; do echo never; done; for i in "x$@"; do echo once; done
### special parameters
echo $0 $# $? $-; true; echo $?; false; echo $?; echo ${$:+pid} ${!:-nobg}; sleep 0 & wait; echo ${!:+bg}
### underscore
echo a b c; echo $_; : x; echo $_; true; echo "$_"
### unset and null in conditions
unset a; b=; [ -z "${a+x}" ] && echo unset; [ -z "${b-x}" ] && echo null; [[ -v b ]] && echo b is set; [[ -v a ]] || echo a is not
### patterns with brackets
s='a]b-c'; echo ${s//[]]/X} ${s//[b-]/Y} ${s//[!a]/.} ${s//[[:punct:]]/P}
### extglob in expansions
shopt -s extglob; s=aaabbbccc; echo ${s##+(a)} ${s%%+(c)} ${s//+(b)/B} ${s/#@(aa|a)/_} ${s//!(b)/x} ${s/?(a)bb/-}
### UTF-8
s='häß€𝄞'; echo ${#s} ${s:1:2} ${s^^} "${s//ß/ss}" ${s%?} ${s#??}; printf '%s\n' "${s: -1}"
### bytes that are not UTF-8
s=$'a\xffb'; echo ${#s}; printf '%s' "${s//b/c}" | od -An -tx1; echo "${s:1:1}" | od -An -tx1
### nested expansions in patterns
d=/a/b; f=/a/b/c/d; echo ${f#$d/} ${f#"$d"/} ${f%/${f##*/}} ${f/${d##*/}/X}
### word splitting of results
s='a b  c'; set -- $s; echo $#; set -- "$s"; echo $#; set -- ${s/b/x y}; echo $#; IFS=b; set -- $s; echo $# "$1"
### expansion order with globs
touch f1 f2; g='f*'; echo $g "$g" ${g/f/F} '$g'; set -f; echo $g
### tilde
HOME=/h; echo ~ ~/x "~" \~ a~ ~+ x=~; v=~/y:~/z; echo $v; echo ${u:-~} "${u:-~}"; OLDPWD=/old; echo ~-; echo ~nosuchuser
### brace and parameter
x=1; echo {$x,2} a{b,$x}c {1..$x}; eval echo {1..$((x+2))}
### bad substitutions
echo ${a b}; echo next
### another bad one
echo ${}; echo next
### bad names
echo ${1a}; echo next
### brackets that bash misjudges
s='a]b[c'; echo "${s//[^]]/z}" "${s//[]]/z}" "${s//[!]]/z}" "${s//[a]]/z}" "${s//[\]]/z}"; p='[^]]'; echo "${s//$p/z}" "${s//[^]a]/z}" "${s#[^]]}" "${s//[^]]*/z}"
### slices of associative arrays
declare -A m=([k]=v); echo "${m[@]:0}" "${m[@]:1}" "${m[@]:2}" "${m[@]:0:1}"
### the number of parameters has no case
echo ${#^}; echo no
echo ${#,,a}; echo no
