### a bad substitution ends its line
echo ${x!y}; echo no
echo next $?
f() { echo ${x!y}; echo no; }; f; echo no
eval 'echo ${x!y}; echo no
echo in eval'; echo rest
echo 'echo ${x!y}
echo in file' > s; . ./s; echo rest
(echo ${x!y}; echo no); echo "$?"
echo a${x!}b "c${y!}d"; local_=1
f() { local z=${x!}; }; f
[[ ${x!} ]]; echo no
cat <<E
a ${x!y}
E
echo end
### an unknown transformation
echo "[${x@Z}]"; x=1
echo "${x@Z}"; echo no
echo end
### posix
set -o posix; echo ${x!y}; echo no
### array literals
echo a; a=( (1) ); echo no
echo b; a=(1 ; 2); echo no
eval 'a=(;); echo no
echo in eval'; echo rest
declare -a a=(b=(1 2) c); echo no
echo end
### an array that does not end
a=(1 2
echo no
### an expression that does not end
echo a
((1 + 2
echo no
### an expansion that does not end
echo a
x=$((1 + 2
echo no
### one parenthesis is missing
echo $((1 + (2 * 3)); echo no
### conditions
for s in '[[ ]]' '[[ a && ]]' '[[ && a ]]' '[[ ( a ]]' '[[ a ) ]]' '[[ a = b c ]]' '[[ -f a b ]]' '[[ a ==' '[[ ! ]]' '[[ a || || b ]]' '[[ ( ) ]]' '[[ ;' '[[ a ; ]]' '[[ a | b ]]' '[[ > a ]]' '[[ -f a' '[[ a == b' '[[ (' '[[' '[[ -f' '[[ -f && a ]]' '[[ -f == x ]]' '[[ a
b ]]' '[[ a ==
b ]]' '[[ -f
a ]]' '[[ a == b
c ]]'; do bash -c "$s" bash; echo "$?"; (eval "$s"); echo "$?"; done 2>&1
### a substitution
for s in 'x=$(if); echo no' 'echo $(a;;b)' 'eval "x=\$(fi)"; echo no' 'x=`if`; echo yes' 'cat <(})' 'x=$([[ a b ]])'; do bash -c "$s" bash; echo "$?"; done 2>&1
### arithmetic for
for ((;)); do :; done
### arithmetic for with too much
for ((a;b;c;d)); do :; done
### one argument too many
f() { return 1 2; echo no; }; f; echo no
shift 1 2; echo no
for i in 1; do break 1 2; done; echo no
exit 1 2; echo no
eval 'exit 1 2'; echo no
echo end
### return outside
return x; return; echo $?; return -- 1; echo $?
### expressions
for s in '2**-1' '2**-1 + 3' '1?2' '1?2:' 'x++ ++y' '1 +* 2' '(1' 'a[@]'; do (echo $(($s))); done 2>&1
r=recur; recur=r; echo $((r))
a=(1 2); echo $((a[-5])); for ((i=0; i<; i++)); do :; done; echo $?
### names that cannot be shown
$'a\nb'; 'é b'; PATH= ls; (unset PATH; ls); (exec /tmp); (exec ./nofile)
### descriptors
x=9; echo >&$x; echo >&"$x"; cat <&${x}; echo >&9
### set -u and the number of elements
set -u; declare -A m
echo "${#m[@]}"; echo no
s=x; echo ${#s[@]}; echo no
a=(); echo ${#a[@]}
### set -u in the exit trap
bash -uc 'trap "echo \$v" EXIT'; echo $?
### a program of another system
printf '\177ELF\n' > x; chmod +x x; ./x; echo $?; bash x 2>/dev/null; echo $?
