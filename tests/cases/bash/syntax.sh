### unexpected token
echo a
echo )
echo never
### stray done
done
### missing fi
if true; then echo a
### unterminated double quote
echo "abc
### unterminated single quote
echo 'abc
### unterminated substitution
echo $(echo a
### empty braces
{ }
### double semicolon
echo a ;; echo b
### pipe at the start
| cat
### and-or without right side
true &&
### function without a body
f()
### newlines where commands go on
true &&
echo a |
cat; if
true
then
echo b
fi
### reserved words as arguments
echo if then else fi do done case esac { } ! [[ ]]
### a function named like a keyword argument
for for in a b; do echo $for; done
### semicolons and ampersands
echo a; echo b & wait; { echo c; }
### comments everywhere
if true # c1
then # c2
echo a # c3
fi # c4
### printing of functions
f() { if a; then b; elif c; then d; else e; fi; while x; do y; done; for i in 1 2; do z; done; case $q in a|b) r;; *) s;& esac; [[ -f x && ! y == z ]]; ((i++)); { g; } > f 2>&1; (sub); h & a | b && c || d; x=1 y=(1 2) cmd "a b" $'c'; until u; do v; done; for ((i=0;i<3;i++)); do w; done; }; declare -f f
### printing of here-documents
f() { cat <<EOF
hi $x
EOF
echo b; }; declare -f f
### printing of nested functions
f() { g() { echo inner; }; g; }; declare -f f
### deep parentheses
eval "echo $(printf '%0.s(' {1..30})$(printf '%0.s)' {1..30})" 2>/dev/null; echo $?
### eval of broken text
eval 'echo (' ; echo $?
### conditional errors
[[ a b ]]
### case without in
case a b in esac
### bad for
for 1x in a; do :; done; echo $?
### history of exit codes
(exit 1); echo $?; echo $?
### printing of arrays in declarations
f() { local a=(
  one "two three"
  [5]=x
); local -A m=( [k]=v ); }; declare -f f
### printing of substitutions
f() { echo $(a   b;c) "$(d |
 e)"; }; declare -f f
### set -k
set -k
f() { echo "$# $v"; }; f a v=1 b; echo ${v-unset}; bash -c 'echo $x' x=5
### comments and odd spacing
 if   true ;then echo a;fi;for i in 1;do echo $i;done;{ echo b;};(echo c)
### reserved words as arguments, more
echo if then fi do done case esac in function { } ! [[ ]] time; x=if; echo $x
### semicolons
echo a;echo b ; echo c
### errors syntax
eval 'if true; then'; echo $?; eval 'echo )'; echo $?; eval ';;'; echo $?
### nested quotes in arith/array
a=(1 2); echo "${a[$((0+1))]}" "${a["1"]}" "$(echo "${a[0]}")"
### an unexpected token that cannot be shown
eval $'( a )\002\005' 2>&1; echo $?
### the last line of a text ends in a newline, also where it has none
for s in 'echo >' 'cat <' 'for' 'case x in a' 'function' 'if a; then' 'a &&'; do bash -c "$s"; echo $?; printf %s "$s" > f; bash f; eval "$s"; done
### a number at the end of a line reads nothing of the next one
printf 'read -r x; echo 4\nline\necho "<$x>"\n' | bash
printf 'exit 5\nhead -n 1\n' | { bash; echo "$?"; cat; }
