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
