### not found
nosuchcommand; echo $?
### not found with a path
./nosuch; /no/such/file; echo $?
### a directory is no command
/tmp; echo $?
### not executable
echo 'echo hi' > f; chmod 644 f; ./f; echo $?
### a script without a first line
printf 'echo script $1\n' > s; chmod +x s; ./s arg
### lists
true && echo a || echo b; false && echo a || echo b; false || false || echo c; ! true; echo $?
### negation
! false; echo $?; ! (exit 5); echo $?
### pipelines
printf 'b\na\n' | sort | head -1; echo a | { read x; echo $x; }; echo a | read y; echo "[$y]"
### pipe both
{ echo out; echo err >&2; } |& sort
### pipefail
set -o pipefail; false | true; echo $?; (exit 3) | (exit 4) | true; echo $?
### lastpipe
shopt -s lastpipe; echo a | read x; echo $x
### subshells
x=1; (x=2; echo $x); echo $x; (exit 7); echo $?
### groups
{ echo a; echo b; } | cat; { x=5; }; echo $x
### background and wait
sleep 0.05 & wait; echo $?; (exit 4) & wait $!; echo $?; wait 99999; echo $?
### wait -n
(exit 3) & wait -n; echo $?
### kill
sleep 10 & kill $!; wait $!; echo $?
### exit status of signals
{ bash -c 'kill -9 $$'; } 2>/dev/null; echo $?
### for
for i in 1 2 3; do echo $i; done; for i; do echo never; done; set -- a b; for i; do echo $i; done
### for with braces and semicolons
for i in a b; { echo $i; }
for i in x
do echo $i
done
### arithmetic for
for ((i=0; i<3; i++)); do echo $i; done; for ((;;)); do break; done; echo done
### while and until
i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i = 2 ] && continue; echo $i; done; until [ $i = 0 ]; do i=$((i-1)); done; echo $i
### break and continue levels
for i in 1 2; do for j in a b; do [ $j = b ] && continue 2; echo $i$j; done; done; for i in 1 2; do while :; do break 2; done; done; echo $i
### if
if false; then echo a; elif true; then echo b; else echo c; fi; if false; then :; fi; echo $?
### case
for x in apple banana cherry x.y; do case $x in a*) echo A;; b*|c*) echo BC;; *.*) echo dot;; esac; done
### case fall through
case a in a) echo 1;& b) echo 2;;& a*) echo 3;; *) echo 4;; esac
### case quoting
x='*'; case '*' in "$x") echo literal;; esac; case abc in $x) echo pattern;; esac; case a in (a) echo paren;; esac
### select
select x in a b; do echo "$REPLY $x"; break; done <<< 2
### select lays out its menu
for COLUMNS in 40 abc 0 -5 10 100; do select x in {1..9} ten eleven {12..26}; do break; done < /dev/null; done
unset COLUMNS; for n in 1 8 9 99 100; do select x in $(seq $n); do break; done < /dev/null; done 2>&1
COLUMNS=30; select x in é日本 a 'b c' $'d\te' f; do break; done < /dev/null
### functions
f() { echo "$# $1 $0"; return 3; }; f a b; echo $?; function g { echo g; }; g; h() (x=1; echo sub); h
### recursion
fact() { if (($1 <= 1)); then echo 1; else echo $(($1 * $(fact $(($1-1))))); fi; }; fact 10
### function with redirection
f() { echo out; echo err >&2; } 2>&1; f | cat
### return outside
return 3; echo $?
### conditional commands
[[ a == a && 1 -lt 2 ]] && echo yes; [[ abc == a* ]] && echo glob; [[ abc == "a*" ]] || echo quoted; [[ -z "" && -n x ]] && echo zn; [[ ! -e /nope ]] && echo no
### regular expressions
[[ foo123bar =~ ([a-z]+)([0-9]+) ]] && echo "${BASH_REMATCH[@]}"; re='^a.c$'; [[ abc =~ $re ]] && echo m; [[ 'a.c' =~ a\.c ]] && echo lit; [[ axc =~ "a.c" ]] || echo quoted
### string order
[[ a < b ]] && echo lt; [[ b > a ]] && echo gt; [ a \< b ] && echo test
### arithmetic commands
((1)); echo $?; ((0)); echo $?; ((x=5, x>3)) && echo $x; let y=x+1 'z = y * 2'; echo $y $z
### errors in arithmetic commands
((1/0)); echo $?; let 'x=1+'; echo $?
### coproc
coproc cat; echo hi >&${COPROC[1]}; read x <&${COPROC[0]}; echo $x; exec {COPROC[1]}>&-; wait
### time
TIMEFORMAT='%R'; { time true; } 2>&1 | grep -c '^[0-9]'
### exec in a subshell
(exec echo replaced; echo never); echo after
### exec of a missing command
(exec nosuch; echo never); echo $?
### eval
x='echo a; echo b'; eval "$x"; eval 'y=3'; echo $y; eval; echo $?
### aliases
shopt -s expand_aliases
alias hi='echo hello' e='echo '
hi there; e hi; alias hi; unalias hi; hi
### errexit
set -e; false || true; if false; then :; fi; ! true; echo still; false; echo never
### errexit in functions
set -e; f() { false; echo in f; }; f || echo handled; f; echo never
### errexit and subshells
set -e; (false; echo a) || echo b; x=$(false) || echo c; (false); echo never
### errexit and pipelines
set -e; false | true; echo ok; true | false; echo never
### xtrace
set -x; x='a b'; echo "$x" c; [ 1 = 1 ]; for i in 1; do :; done; set +x
### xtrace of functions and substitutions
f() { echo $1; }; set -x; f $(echo a); y=$((1+1)); [[ $y == 2 ]]
### PS4
PS4='+${LINENO}: '; set -x; echo a
### verbose
set -v
echo a
### noexec
set -n
echo never
### nested substitutions
echo $(echo $(echo $(echo deep))) "$(echo "$(echo 'a b')")"
### status of assignments
x=$(false); echo $?; x=$(exit 4) y=1; echo $?; local_fn() { local z=$(false); echo $?; }; local_fn
### empty command after expansion
$unset_thing; echo $?; $(true); echo $?; $(false); echo $?
### command and builtin
echo() { builtin echo fn "$@"; }; echo a; command echo b; builtin echo c
### command -v
command -v echo; f() { :; }; command -v f; command -v nosuch; echo $?; command -v if
### type
type echo; f() { :; }; type f; type if; type nosuch; echo $?; type -t echo f if nosuch
### hash
hash -r; hash; hash nosuch; echo $?
### command_not_found_handle
command_not_found_handle() { echo "no $1 ($2)"; return 9; }; blah x; echo $?
### a pipeline of functions
a() { echo 1; echo 2; }; b() { while read x; do echo "<$x>"; done; }; a | b
### stdin is shared
printf 'a\nb\nc\n' | { read x; cat; }
