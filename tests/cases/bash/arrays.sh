### literal and elements
a=(one two 'three four'); echo ${a[0]} ${a[2]} ${#a[@]} ${#a[2]} $a
### sparse
a=([5]=x [2]=y z); declare -p a; echo ${!a[@]} ${#a[@]}
### append
a=(1); a+=(2 3); a+=([10]=x y); a[1]+=b; declare -p a
### negative subscripts
a=(a b c d); echo ${a[-1]} ${a[-4]}; a[-1]=z; unset 'a[-2]'; declare -p a
### a negative subscript too far
a=(1); echo "${a[-5]}"; a[-5]=x; echo after
### slices
a=(a b c d e); echo ${a[@]:1:2} ${a[@]: -2} ${a[@]:3} "${a[*]:0:2}" ${a[@]:9}
### slices of sparse arrays
a=([2]=x [5]=y [9]=z); echo "${a[@]:3:1}" "${a[@]:0:2}"
### star and at
a=('x y' z); for e in "${a[@]}"; do echo "<$e>"; done; for e in "${a[*]}"; do echo "<$e>"; done; for e in ${a[@]}; do echo "<$e>"; done
### joined by the first of IFS
a=(1 2 3); IFS=,; echo "${a[*]}"; IFS=; echo "${a[*]}"; unset IFS; echo "${a[*]}"
### patterns over all elements
a=(apple banana cherry); echo ${a[@]#*a} "${a[@]%a*}" ${a[@]/an/AN} ${a[@]//a/_} ${a[@]^} ${a[*]^^[aeiou]}
### keys
a=(x y); declare -A m=([k1]=1 [k2]=2); echo ${!a[@]}; for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done
### unset elements
a=(1 2 3); unset a[1]; echo ${#a[@]} ${!a[@]}; unset 'a[@]'; echo ${#a[@]}; declare -p a
### unset an array
a=(1 2); unset a; echo ${#a[@]} "${a-gone}"
### copy
a=('a b' c); b=("${a[@]}"); c=(${a[@]}); echo ${#b[@]} ${#c[@]}
### from a command
a=($(echo 1 2; echo 3)); echo ${#a[@]} ${a[2]}
### from a glob
touch f1 f2 f3; a=(f*); echo ${#a[@]} "${a[@]}"
### empty
a=(); echo ${#a[@]} "[${a[@]}]" "${a[@]:-default}" ${a[0]-unset}; for x in "${a[@]}"; do echo never; done
### element zero
a=(x y); a=z; declare -p a; s=str; s[2]=two; declare -p s
### length of elements
a=(a bbb ''); echo ${#a} ${#a[1]} ${#a[2]} ${#a[7]}
### arithmetic subscripts
i=1; a=(a b c); echo ${a[i]} ${a[i+1]} ${a[$i-1]} ${a[i==1?2:0]}
### subscripts with side effects
i=0; a=(); a[i++]=x; a[i++]=y; echo ${a[@]} $i
### keyed values in a literal
k=3; a=([k]=x [k+1]=y [1]=z); declare -p a
### associative arrays
declare -A m; m[a]=1; m['b c']=2; m["$HOME"]=3; echo ${m[a]} ${m[b c]} ${m[$HOME]} ${#m[@]}; unset 'm[b c]'; echo ${#m[@]}
### an associative literal in pairs
declare -A m=(k1 v1 k2 'v 2'); echo "${m[k1]}|${m[k2]}"
### appending to associative elements
declare -A m=([a]=x); m[a]+=y; m+=([b]=z [a]=w); echo ${m[a]} ${m[b]}
### an associative array needs a subscript
declare -A m; m=(a); declare -p m; m=([x]=1 y); declare -p m
### keys that look like expressions
declare -A m; m[1+1]=x; echo "${m[1+1]}" "${m[2]-none}"
### keys with brackets and quotes
declare -A m; k='a]b'; m[$k]=1; m["x\"y"]=2; m['$z']=3; for k in "${!m[@]}"; do echo "$k"; done | sort
### special keys
declare -A m; m[@]=at 2>/dev/null; m[' ']=blank; echo "${m[' ']}"; [[ -v m[' '] ]] && echo set
### is it set
a=(x '' [5]=z); for i in 0 1 2 5; do [[ -v a[$i] ]] && echo $i; done; [[ -v a ]] && echo a; b=([3]=1); [[ -v b ]] || echo not b; [[ -v b[@] ]] && echo all
### default values
a=(x ''); echo "${a[1]:-empty}" "${a[1]-unset}" "${a[2]:-none}" "${a[3]:=new}" "${a[3]}"
### mapfile
printf '1\n2\n3\n' > f; mapfile -t a < f; echo ${#a[@]} ${a[1]}; mapfile a < f; printf '%q ' "${a[@]}"; echo; mapfile -t -s 1 -n 1 b < f; echo ${b[@]}
### mapfile with origin and delimiter
a=(x y z); mapfile -t -O 1 a < <(printf 'p\nq\n'); declare -p a; mapfile -d : -t c <<< 'a:b:c'; declare -p c
### mapfile with a callback
cb() { echo "cb $1 ${2%$'\n'}"; }; mapfile -t -C cb -c 2 a < <(printf '1\n2\n3\n4\n5\n'); echo ${#a[@]}
### read into an array
read -ra a <<< 'x  y z'; echo ${#a[@]} ${a[2]}; IFS=: read -a b <<< 'a::c:'; declare -p b
### arrays are not exported
export a=(1 2); bash -c 'echo "[${a-none}]"'
### local arrays
f() { local -a a=(1 2); a+=(3); echo ${#a[@]}; }; a=(x); f; echo ${#a[@]}
### readonly arrays
readonly -a r=(1 2); r[0]=5; echo after; r+=(3); echo ${r[@]}
### passing by name
show() { local -n arr=$1; echo "${#arr[@]}: ${arr[*]}"; arr+=(new); }; x=(1 2); show x; echo ${x[@]}
### stack and queue
s=(); s+=(1); s+=(2); s+=(3); echo ${s[-1]}; unset 's[-1]'; echo ${#s[@]}; q=(a b c); q=("${q[@]:1}"); echo ${q[@]}
### reverse and join
a=(1 2 3); for ((i=${#a[@]}-1; i>=0; i--)); do r+=(${a[i]}); done; IFS=-; echo "${r[*]}"
### quoting of values
a=('it'"'"'s' 'a b' $'t\tb' '$x' ''); declare -p a; echo "${a[@]@Q}"
### printing with printf
a=(1 2 3); printf '<%s>' "${a[@]}"; echo; printf '%s=%s\n' "${a[@]}"
### key and value transformations
declare -A m=([a]='1 2'); a=(x 'y z'); echo "${m[@]@K}"; echo "${a[@]@K}"; for w in "${a[@]@k}"; do echo "<$w>"; done
### assignment form of an array
a=(1 'b c'); declare -A m=([k]=v); echo "${a[@]@A}"; echo "${m[@]@A}"; declare -i n=3; echo "${n@A}" "${n@a}" "${a@a}" "${m@a}"
### holes in loops
a=([1]=x [3]=y); for i in "${!a[@]}"; do echo $i:${a[i]}; done; echo "${a[@]}"
### large indices
a[1000000]=x; a[999999999999]=y; echo ${!a[@]} ${#a[@]}
### assignment from positional parameters
set -- a 'b c' d; a=("$@"); echo ${#a[@]}; a=("${@:2}"); echo "${a[0]}"; set -- "${a[@]}"; echo $#
### nested quotes in subscripts
declare -A m=(["a b"]=1); k="a b"; echo "${m["a b"]}" "${m[$k]}" "${m["$k"]}" ${m['a b']}
### array in here-document
a=(x y); cat <<END
${a[1]} ${a[@]} ${#a[@]}
END
### assigning to all
a=(1 2); a[*]=3; echo $?; a[@]=3; echo ${a[@]}
### list to a member
a=(1); a[0]=(2 3); echo $? ${a[@]}
### braces come before subscripts in a list
a=([k]={a,b} [2]={c,d} [5]=x); declare -p a; declare -A m=([k]={a,b}); declare -p m; b=([1]={z} [3]="{p,q}"); declare -p b
### appending changes what is there
a=(1 2); a+=(3 [7]=x y); declare -p a; declare -i n=(1 2); n+=(1+1 [0]+=5); declare -p n; declare -u u=(a); u+=(b); declare -p u; a+=([a[0]+1]=z); declare -p a; declare -A m=([k]=v); m+=([k]+=w [q]=r); echo "${m[k]} ${m[q]} ${#m[@]}"; f() { local b=(1); b+=(2); echo "${b[@]}"; }; f; a+=("${a[@]}"); echo ${#a[@]}
### a key that is empty
declare -A m; k=; echo "${m[$k]:-none}"; ((m[$k]++)); echo $?; echo $((m[$k]=1)); read "m[$k]" <<< 1; echo $?; printf -v "m[$k]" x; echo $?; declare "m[$k]=2"; echo $?; unset 'm[$k]'; echo $?; declare -p m
m[$k]=1
echo $?
