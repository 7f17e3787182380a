### three stages
seq 100 | head -n 3 | wc -l
### the reader ends first
yes | head -n 2
### status of the last stage
false | true; echo $?
true | false; echo $?
### pipefail
set -o pipefail; false | true; echo $?; exit 3 | exit 4 | true; echo $?
### PIPESTATUS
exit 3 | exit 4 | exit 5; echo "${PIPESTATUS[@]}"
### negation
! true; echo $?; ! false | false; echo $?
### a stage cannot change the shell
x=1; x=2 | cat; echo $x
### a loop as a stage
for i in 1 2 3; do echo $i; done | while read n; do echo "<$n>"; done
### standard error in the pipe
{ echo out; echo err >&2; } |& cat | wc -l
### a function as a stage
f() { while read x; do echo "f $x"; done; }; printf '%s\n' a b | f
### large data through a pipe
head -c 300000 /dev/zero | cat | wc -c
### SIGPIPE status
yes | true; echo "${PIPESTATUS[0]}"
### time pipelines
TIMEFORMAT=%0R; time { true | true; }; time ! true; echo $?
### pipeline status
set -o pipefail; f() { return 3; }; f | true; echo $?; true | f | true; echo "$? ${PIPESTATUS[*]}"
### pipe builtin state
echo a | read x; echo "[$x]"; echo b | { read x; echo $x; }; x=1 | true; echo "[$x]"
### big pipe
seq 100000 | tail -1; yes | head -3; seq 10 | while read n; do [ $n = 3 ] && break; done; echo $?
### background and output
{ sleep 0.1; echo late; } & echo early; wait; echo end
### background status
false & wait $!; echo $?; true & p=$!; wait $p; echo $?
### subshell isolation
x=1; (x=2; cd /; set -f; exit 3); echo $? $x; [ "$PWD" != / ] && echo same; echo $-
### nested subshell
( ( (echo deep; exit 4) ; echo $? ) ); (exit 5) || echo or
### group vs subshell vars
{ x=1; }; echo $x; ( y=1 ); echo ${y-unset}
### exit in pipeline
exit 3 | true; echo $?; true | exit 4; echo $?
