### exit
trap 'echo bye $?' EXIT; echo hi; exit 3
### exit at the end of the script
trap 'echo bye $?' EXIT; false
### exit replaced and removed
trap 'echo one' EXIT; trap 'echo two' EXIT; trap; trap - EXIT; echo end
### exit in a subshell
trap 'echo outer' EXIT; (trap 'echo inner' EXIT; echo in); (echo none); echo end
### the status of exit in the trap
trap 'exit 9' EXIT; exit 3
### exit after an error
set -e; trap 'echo "trap $?"' EXIT; false; echo never
### err
trap 'echo "err $? line $LINENO"' ERR; true; false; (exit 3); false || true; if false; then :; fi; ! true; echo end
### err in functions
trap 'echo err' ERR; f() { false; echo in; }; f; set -E; f
### err with errexit
set -e; trap 'echo "err $?"' ERR; f() { return 4; }; f; echo never
### err and pipelines
trap 'echo err' ERR; false | true; true | false; set -o pipefail; false | true; echo end
### debug
trap 'echo "> $BASH_COMMAND"' DEBUG; x=1; echo $x; trap - DEBUG; echo quiet
### debug in functions
trap 'echo dbg' DEBUG; f() { echo body; }; f; set -T; f
### return
f() { echo f; }; trap 'echo ret' RETURN; f; set -T; f; echo 'echo src' > s; . ./s
### signals
trap 'echo usr1' USR1; kill -USR1 $$; echo after; trap '' USR2; kill -USR2 $$; echo alive
### a signal during a wait
trap 'echo got' USR1; (sleep 0.2; kill -USR1 $$; sleep 1) & wait $!; echo $(($?>128)); wait; echo end
### by number and by name
trap 'echo 10' 10; trap 'echo x' SIGUSR2; trap -p USR1 SIGUSR2; trap 'echo int' INT; trap -p INT
### listing
trap 'echo a' EXIT; trap "echo it's" HUP; trap '' QUIT; trap; trap - EXIT
### reset by number
trap 'echo x' TERM; trap TERM; trap -p TERM; trap 'echo y' 15; trap 15; trap -p
### invalid
trap 'x' NOSUCH; echo $?; trap 'x' 99; echo $?; trap -z; echo $?
### subshells reset
trap 'echo sig' USR1; (trap -p USR1; kill -USR1 $BASHPID; echo no); echo $(($?>128))
### ignored signals are inherited
trap '' USR1; (kill -USR1 $BASHPID; echo survived); bash -c 'kill -USR1 $$; echo survived too'
### the trap keeps the status
trap 'true' USR1; false; kill -USR1 $$; echo $?
### quoting of the action
x=now; trap "echo $x" EXIT; x=later
### the action sees later values
trap 'echo $x' EXIT; x=later
### kill of a child
sleep 5 & kill $!; wait $!; echo $?; sleep 5 & kill -9 $!; wait $! 2>/dev/null; echo $?
### kill lists
kill -l 9; kill -l TERM; kill -l 137; kill -l SIGHUP; kill -l nosuch; echo $?
### kill errors
kill; echo $?; kill 999999; echo $?; kill -NOSUCH $$; echo $?; kill abc; echo $?
### term without a trap
(kill $BASHPID; echo no); echo $?; bash -c 'kill -TERM $$'; echo $?
### several signals at once
trap 'echo any' USR1 USR2; kill -USR1 $$; kill -USR2 $$; trap - USR1 USR2; trap -p
### traps in functions stay
f() { trap 'echo from f' EXIT; }; f; echo end
### cleanup idiom
tmp=$(mktemp -d ./t.XXXX); cleanup() { rm -rf "$tmp"; echo cleaned; }; trap cleanup EXIT; touch $tmp/x; ls $tmp
### nested exit traps in subshell functions
f() ( trap 'echo sub exit' EXIT; return 3 ); f; echo $?
### exit inside a substitution
x=$(trap 'echo trapped' EXIT; echo out; exit 2); echo "$x $?"
### err names the command that failed, compound ones too
trap 'echo "$BASH_COMMAND: $?"' ERR; (exit 4); [[ a == b ]]; ((1 > 2)); [[ a ]] || [[ c == d ]]; for i in 1; do false; done; (exit 5) > /dev/null
### err set inside a function is for what follows in it
f() { trap 'echo "err $BASH_COMMAND"' ERR; false; [[ -f none ]]; return 3; }; f; echo end; false
### a signal that ends the shell runs the exit trap
bash -c 'trap "echo bye \$?" EXIT; kill -TERM $$; echo no'; echo $?
x=$(bash -c 'trap "echo bye" EXIT; (sleep 0.2; kill -HUP $$) & sleep 5; echo no'); echo "$? $x"
x=$(bash -c 'trap "echo bye" EXIT; (sleep 0.2; kill -USR1 $$) & while :; do :; done'); echo "$? $x"
bash -c 'trap "echo bye" EXIT; (sleep 0.2; kill -TERM $$) & read x < <(sleep 3); echo no' 2>/dev/null; echo $?
bash -c 'trap "echo bye" EXIT; trap - EXIT; kill -TERM $$; echo no' 2>/dev/null; echo $?
bash -c 'trap "" TERM; trap "echo bye" EXIT; kill -TERM $$; echo alive'; echo $?
bash -c 'trap "echo term" TERM; trap "echo bye" EXIT; kill -TERM $$; echo alive'; echo $?
( trap 'echo sub' EXIT; kill -TERM $BASHPID; echo no ) 2>/dev/null; echo $?
trap 'echo main' EXIT; ( kill -TERM $BASHPID ) 2>/dev/null; echo $?; x=$(bash -c 'kill -USR1 $$'); echo $?
### the exit trap and a reader that is gone
bash -c 'trap "echo bye >&2" EXIT; while :; do echo x; done' | head -1
### what a return trap sees
f() { trap 'echo R $?' RETURN; false; return 3; }; f; echo $?; f() { trap 'echo R $?' RETURN; false; }; f; echo $?
### err and eval
trap 'echo "$BASH_COMMAND"' ERR; eval false; f() { return 2; }; f
### wait goes on when a trap tells that a child has ended
trap 'echo child' CHLD; (sleep 0.3; exit 3) & p=$!; (sleep 0.1) & wait $p; echo $?; (exit 4) & wait; echo $?
