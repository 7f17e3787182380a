### reading and writing
x=1; declare -n r=x; echo $r; r=2; echo $x; r+=3; echo $x; unset r; echo ${x-gone}
### -p shows the reference
x=1; declare -n r=x; declare -p r x; echo ${!r}; [[ -R r ]] && echo is ref
### to elements
a=(1 2 3); declare -n e='a[1]'; echo $e; e=9; echo ${a[@]}; declare -A m=([k]=v); declare -n k='m[k]'; k=w; echo ${m[k]}
### to arrays
f() { local -n l=$1; l+=("$2"); echo ${#l[@]} ${l[-1]} ${!l[@]}; }; a=(); f a x; f a y; echo ${a[@]}
### unset -n
x=1; declare -n r=x; unset -n r; echo ${x} ${r-none}; declare -n q=x; unset q; echo ${x-unset}
### chains
a=1; declare -n b=a c=b; c=5; echo $a; declare -p c
### loops over names
for n in x y; do declare -n r=$n; r=val_$n; done; echo $x $y; declare -n i; for i in x y; do echo $i; done
### circular
declare -n a=b; declare -n b=a; echo $a; a=1; echo $?
### itself
declare -n a=a; echo $?
### invalid names
declare -n r=1x; echo $?; declare -n r='a b'; echo $?; declare -n r=; r=x; declare -p r
### unset target
declare -n r=nothere; echo "[${r-unset}]"; r=now; echo $nothere; unset r; echo ${nothere-gone}
### attributes through a reference
declare -n r=v; declare -i v; r=2+3; echo $v; readonly r; r=6; echo $?; v=7; echo $v
### a local of the same name
f() { local -n ref=$1; ref=changed; }; g() { local val=mine; f val; echo $val; }; val=global; g; echo $val
### printf -v and read
declare -n r=v; printf -v r '%03d' 7; echo $v; read r <<< input; echo $v; mapfile -t r <<< $'a\nb'; declare -p v
### in arithmetic
n=5; declare -n r=n; ((r++)); echo $n $((r*2)); let r+=10; echo $n
### exporting through a reference
declare -n r=EXP; export r=1; printenv EXP; declare -p EXP
