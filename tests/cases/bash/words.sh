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
### brace lists
echo {a,b,c} x{1,2}y {,a} {a,} a{,}b {a} {} {a,b}{1,2} {a,{b,c}d} "{a,b}" \{a,b} {a\,b,c} {'a b',c}
### brace sequences
echo {1..5} {5..1} {1..10..3} {10..1..-3} {a..e} {e..a..2} {01..10} {-2..2} {1..3}x {001..3} {a..c}{1..2} {0..-3}
### brace that is none
echo {1..} {..3} {1...3} {1.5..2} {a..1} {1,2 } { a,b} a{b c}d ${x}{a,b}
### brace and quotes
echo {"a b",c}d {a,'b c'}{1,2} "$(echo {x,y})" {$(echo 1),2} {`echo 3`,4}
### brace turned off
set +B; echo {a,b}; set -B; echo {a,b}
### globs, more
touch a.c b.c c.h .hidden 'sp ace'; mkdir d; touch d/e.c; echo *.c; echo ?.?; echo [ab].c [!ab].* [a-b]*; echo */*.c; echo *; echo .h*; echo "*.c" \*.c nomatch*
### globs with dots
touch .a b; mkdir .d; echo *; echo .*; shopt -s dotglob; echo *; shopt -u globskipdots; echo .*
### globstar
mkdir -p a/b/c; touch x a/y a/b/z a/b/c/w; shopt -s globstar; echo **; echo **/; echo a/**; echo **/z; shopt -u globstar; echo **
### nullglob and failglob
shopt -s nullglob; echo no*such; set -- no*; echo $#; shopt -u nullglob; shopt -s failglob; echo no*such; echo after
### nocaseglob
touch Abc aBd; echo a*; shopt -s nocaseglob; echo a* [A]*
### extglob
shopt -s extglob; touch a ab abb b ba c; echo +(a|b) ?(a)b @(a|c) *(b)a !(a|b*) a+(b); [[ abab == +(ab) ]] && echo yes; [[ x == !(y) ]] && echo not
### classes
touch 1 A a _ ./-; echo [[:digit:]] [[:upper:]] [[:lower:]] [[:alpha:]] [[:alnum:]_]; echo [^[:alnum:]]
### GLOBIGNORE
touch a.o a.c .h; GLOBIGNORE='*.o'; echo *; GLOBIGNORE='*.o:.h'; echo * .*; unset GLOBIGNORE; echo *
### brackets with ranges and specials
touch a b c ] ./- '!' '^'; echo []] [-] [a-] [!a-c] [\]] [\!]; echo [a-c]; echo [c-a] [z]
### quoted and escaped in patterns
touch 'a*b' axb 'a?c'; echo a\*b "a*"b a[*]b a?b; p='a*b'; echo $p "$p"
### slashes must match
mkdir -p x/y; touch x/y/z; echo x*z x/*/z */y/z /x* | cut -c1-30; echo x/./y/* x//y/*
### directories only
mkdir d1 d2; touch f; echo */ d*/
### symbolic links in globs
mkdir real; touch real/f; ln -s real link; ln -s nowhere broken; echo */f; echo b*; [ -e broken ] || echo dangling
### sorted by the locale's order
touch B a C b; LC_ALL=C; echo *
### splitting
v='  a  b c '; set -- $v; echo $# "$1|$3"; IFS=:; v=':a::b:'; set -- $v; echo $#; printf '<%s>' "$@"; echo
### splitting with white space and others
IFS=' :'; v=' a : b:: c '; set -- $v; echo $#; printf '<%s>' "$@"; echo; IFS=$'\n'; v=$'a b\nc\n\nd'; set -- $v; echo $#
### empty words
e=; set -- $e "$e" '' "" $e$e "$e"$e; echo $#; set -- ${u} "${u}"; echo $#
### IFS null and unset
v='a b'; IFS=; set -- $v; echo $#; unset IFS; set -- $v; echo $#
### command substitution splits
set -- $(printf 'a b\nc'); echo $#; set -- "$(printf 'a b\nc\n\n')"; echo "$#[$1]"
### trailing newlines
x=$(printf 'a\n\n\n'); echo "[$x]"; x=$(printf '\n\na'); echo "[$x]"; y=$(echo; echo); echo "[$y]"
### nested substitution and quotes
echo "$(echo "a $(echo "b c") d")" `echo \`echo x\`` "`echo "q r"`" $(echo ')' ; echo "(") $(case x in x) echo y;; esac)
### backquotes and backslashes
echo `echo \\a \$HOME \\\\b` "`echo \"x\"`" `echo '\n'`
### substitution of a file
printf 'l1\nl2\n' > f; echo "$(<f)" $(< f) "$(cat f)"; echo $(<nofile); echo $?
### process substitution
cat <(echo a) <(echo b); while read x; do echo "<$x>"; done < <(printf '1\n2\n'); echo x > >(cat); wait; paste -d, <(seq 2) <(seq 3 4)
### dollar alone
echo $ "$" a$ $% "$ x" '$' $'' $"hi"
### ansi quoting
printf '%s|' $'a\tb' $'\x41\102\u43' $'\'' $'\\' $'a\cAb' $'\e[0m' $'x\0y'; echo | od -c | head -1
### single and double
echo 'a"b' "a'b" 'a'\''b' "a\"b" "a\$b\`c\\d\e" a\ b a\
b "c\
d"
### comments
echo a # b
echo a#b '#'c \#d # end
# whole line
echo ${#} $#
### line continuation
echo a \
  b; ec\
ho c; x=1\
2; echo $x
### long lines
x=$(printf '%*s' 5000 ''); x=${x// /a}; echo ${#x}; echo ${x:4990}
