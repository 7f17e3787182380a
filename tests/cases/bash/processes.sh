### background and wait
sleep 0.01 & wait $!; echo $?
### killed child
sleep 100 & kill $!; wait $! 2>/dev/null; echo $?
### killed by each signal
for s in HUP KILL TERM USR1; do sleep 100 & kill -$s $!; wait $! 2>/dev/null; echo $s $?; done
### wait for several
(exit 3) & a=$!; (exit 4) & b=$!; wait $a; echo $?; wait $b; echo $?
### wait for a stranger
wait 99999; echo $?
### subshell state is separate
x=1; (x=2; cd /; echo $x); echo $x; [ "$PWD" != / ] && echo still
### exit status of a subshell
(exit 7); echo $?
### command substitution status
x=$(exit 9); echo $?
### nested substitution
echo $(echo $(echo deep))
### backquotes
echo `echo a \`echo b\``
### trap EXIT
trap 'echo bye $?' EXIT; exit 3
### trap TERM
trap 'echo got term' TERM; kill -TERM $$; echo after
### not found
nosuchcommand_x; echo $?
### not executable
echo 'echo hi' > script; ./script; echo $?
### a folder
./. ; echo $?
### script without an interpreter line
printf 'echo "plain $1"\n' > s; chmod +x s; ./s arg; echo $?
### script with an interpreter line
printf '#!/bin/bash\necho "ran $0 $1"\nexit 6\n' > s; chmod +x s; ./s x; echo $?
### env interpreter
printf '#!/usr/bin/env bash\necho env\n' > s; chmod +x s; ./s
### missing interpreter
printf '#!/no/such\n' > s; chmod +x s; ./s; echo $?
### exec replaces the shell
exec echo replaced; echo not here
### exec of nothing there
bash -c 'exec /no/such; echo not here'; echo $?
### environment of one command
A=1 bash -c 'echo $A'; echo "${A-unset}"
### exported variables
export B=2; C=3; bash -c 'echo $B ${C-unset}'
### process substitution
cat <(echo a) <(echo b)
### asynchronous output arrives
(sleep 0.02; echo late) & echo early; wait
### a killed pipeline is told line by line
{ sleep 5 | (sleep 0.1; kill -9 $BASHPID); echo $?; cat /dev/null | bash -c 'kill -9 $$'; echo $?; bash -c 'kill -9 $$' | cat; echo $?; cat /dev/null | bash -c 'exit 3' | bash -c 'kill -HUP $$'; bash -c 'kill -9 $$' & wait; } 2>&1 | sed 's/ *[0-9]* \(Done\|Exit\|Killed\|Hangup\)/ PID \1/'
### a negated command in the background
! true & wait $!; echo $?; ! (exit 3) & wait $!; echo $?; ! true | true & wait $!; echo $?; ! false && true & wait $!; echo $?
### waiting for what is not there
wait -n 99999; echo $?; wait -n %5; echo $?; wait -n abc; echo $?; sleep 0.1 & p=$!; disown $p; wait $p; echo $?; (exit 3) & p=$!; wait $p; echo $?; wait $p; echo $?

### a link to a command, and exec -a, run that command
ln -s "$(type -P cat)" mine; echo x | ./mine; ./mine nosuch; echo $?
ln -s mine again; echo y | ./again
(exec -a other cat nosuch); (exec -a other cat <<<z); (exec -a -other bash -c 'echo $0')
PATH=.:$PATH; echo w | again -n; rm mine again

### a copy of a command under another name is that command
cp "$(type -P cat)" ./mine; echo x | ./mine -n; ./mine nosuch; echo $?; mv mine yours; echo y | ./yours
mkdir bin; cp "$(type -P seq)" bin/count; PATH=$PWD/bin:$PATH; count 2; cp bin/count bin/again; again 1; rm -r bin yours
