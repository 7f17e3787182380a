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
