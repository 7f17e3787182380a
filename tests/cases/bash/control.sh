### if elif else
for x in 1 2 3; do if [ $x = 1 ]; then echo one; elif [ $x = 2 ]; then echo two; else echo other; fi; done
### while and until
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done; until [ $i -eq 0 ]; do i=$((i - 1)); done; echo $i
### break and continue with levels
for a in 1 2 3; do for b in 1 2 3; do [ $b = 2 ] && continue 2; [ $a = 3 ] && break 2; echo $a$b; done; done
### case patterns
for x in apple banana 7 ''; do case $x in a*) echo a;; *an*) echo an;; [0-9]) echo digit;; '') echo empty;; esac; done
### case fall through
case a in a) echo 1;& b) echo 2;;& *) echo 3;; esac
### arithmetic for
for ((i = 0; i < 3; i++)); do echo $i; done
### and-or lists
true && echo yes || echo no; false && echo yes || echo no
### lists and groups
{ echo a; echo b; } | wc -l; (echo c; exit 4); echo $?
### errexit
set -e; true; false || true; if false; then :; fi; echo here; false; echo not here
### errexit in a substitution
set -e; x=$(false; echo in); echo "x=$x"; y=$(exit 3); echo not here
### functions and return
f() { echo "$# $1"; return 5; }; f a b; echo $?
### local variables
x=global; f() { local x=local; g; }; g() { echo $x; }; f; echo $x
### recursion
fact() { if [ $1 -le 1 ]; then echo 1; else echo $(($1 * $(fact $(($1 - 1))))); fi; }; fact 6
### syntax error
eval 'if'; echo $?
### unterminated quote
bash -c 'echo "abc'; echo $?
### nested cond
[[ -n a && ( b ) ]] && echo y; [[ a ]]; [[ ! a ]]; echo $?
### case patterns, more
for w in abc 'a b' '' '*' x.c; do case $w in '') echo empty;; '*') echo star;; a*c) echo ac;; *\ *) echo blank;; *.[ch]) echo src;; esac; done
### case fallthrough
case a in a) echo 1 ;& b) echo 2 ;;& c) echo 3;; *) echo 4;; esac
### case no match
case x in a) ;; esac; echo $?; case x in esac; echo $?
### while read with break continue
for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done; for i in a b; do for j in 1 2; do [ $j = 2 ] && continue 2; echo $i$j; done; done; while :; do while :; do break 2; done; done; echo $?
### until and arithmetic
i=0; until ((i>=3)); do echo $((i++)); done; for ((i=3;i--;)); do echo $i; done
### for over nothing
for i in; do echo never; done; echo $?; for i in $unset; do echo never; done; for i in ''; do echo once; done
### break outside
break; echo $?; continue; echo $?
### if elif
f() { if [ $1 -lt 0 ]; then echo neg; elif [ $1 -eq 0 ]; then echo zero; else echo pos; fi; }; f -1; f 0; f 1
### and or chains
true && false || echo a; false || true && echo b; ! true && echo no || echo c; true || echo no && echo d
### not
! true; echo $?; ! false; echo $?; ! ! true; echo $?
### compound in condition
if { true; false; }; then echo no; else echo yes; fi; while (exit 1); do :; done; if ((0)) || [[ a ]]; then echo z; fi
