### output and append
echo a > f; echo b >> f; cat f; echo c > f; cat f
### input
printf 'x\ny\n' > f; read a < f; echo $a; while read l; do echo "<$l>"; done < f
### here-documents
x=5; cat <<EOF
a $x $(echo sub) \$x \\ "q" 'r'
EOF
### quoted delimiter
x=5; cat <<'EOF'
a $x `b` \n
EOF
### tabs stripped
cat <<-EOF
	one
		two
	EOF
### several documents
cat <<A; cat <<B
first
A
second
B
### here-document in a loop and a function
f() { cat <<X
arg $1
X
}
for i in 1 2; do f $i; done
### here-document into a pipeline
cat <<EOF | tr a-z A-Z
hello
EOF
### here-strings
x='a  b'; cat <<< "$x"; cat <<< $x; read a b <<< 'one two'; echo $b
### descriptors
exec 3> f; echo a >&3; echo b >&3; exec 3>&-; cat f; exec 4< f; read -u 4 x; read -u 4 y; echo $x $y; exec 4<&-
### duplicates and order
{ echo out; echo err >&2; } > f 2>&1; cat f; { echo out; echo err >&2; } 2>&1 > /dev/null
### both
{ echo a; echo b >&2; } &> f; cat f; { echo c; echo d >&2; } &>> f; cat f; { echo e >&2; } >& f; cat f
### closed descriptors
echo a >&9; echo $?; cat <&-; echo $?
### variable descriptors
exec {fd}> f; echo x >&$fd; exec {fd}>&-; cat f; [ $fd -ge 10 ] && echo high
### moving descriptors
exec 5> f; exec 6>&5-; echo moved >&6; exec 6>&-; cat f; echo x >&5
### read and write
echo abc > f; exec 3<> f; read x <&3; echo def >&3; exec 3>&-; cat f; echo $x
### noclobber
echo a > f; set -C; echo b > f; echo $?; echo c >| f; cat f; echo d >> f; cat f
### missing files
cat < nope; echo $?; echo a > /nope/x; echo $?; { echo never; } < nope; echo $?
### ambiguous
x='a b'; echo hi > $x; echo $?; echo hi > *nope*; ls
### redirections of compound commands
for i in 1 2; do echo $i; done > f; cat f; while read x; do echo "<$x>"; done < f; if true; then echo y; fi > g; cat g
### redirections without a command
> f; [ -e f ] && echo made; < f; echo $?
### builtins are redirected and come back
echo a > f; echo b; read x < f; echo $x
### process substitution
cat <(echo a; echo b); diff <(echo a) <(echo a) && echo same; echo x > >(cat); sleep 0.1
### process substitution reads in a loop
while read l; do n=$((n+1)); done < <(printf 'a\nb\nc\n'); echo $n
### dev fd and dev null
echo a > /dev/null; echo $?; cat /dev/fd/3 3<<< three; echo err > /dev/stderr
### substitution reads a file
printf 'a\nb\n' > f; echo "$(<f)"
### standard error of a missing command
nosuch 2> f; cat f
### a large here-document
x=$(head -c 200000 /dev/zero | tr '\0' x); cat <<EOF | wc -c
$x
EOF
### exec redirects the shell
exec > f; echo a; exec >&2; cat f
### unterminated here-document
cat <<EOF
no end
### exec in function keeps
f() { exec 3> out; echo hi >&3; }; f; echo more >&3; cat out
### multi redirect
echo x > a > b; cat a b; cat < a < b; { echo 1; echo 2 >&2; } 2>&1 >c | cat; cat c
### dup close
exec 5>&1; echo a >&5; exec 5>&-; echo b >&5; echo $?; echo c 1>&-; echo $?
### varfd
exec {fd}> out; echo hi >&$fd; exec {fd}>&-; cat out; [ $fd -ge 10 ] && echo high; { echo x; } {g}>o2; echo ${g:+set}
### clobber both
echo a &> f; cat f; ls nosuch &>> f; wc -l < f; ls nosuch >& g; wc -l < g
### readwrite
echo abc > f; exec 3<> f; read -n 1 x <&3; echo -n Z >&3; exec 3>&-; cat f; echo $x
### ambiguous, more
touch a b; echo x > *; echo $?; x='a b'; echo > $x; echo $?; echo > ''; echo $?
### redirect errors
cat < nosuch; echo $?; echo > /; echo $?; echo > nodir/f; echo $?; { echo never; } < nosuch; echo $?; while :; do echo never; done < nosuch; echo $?
### order
{ echo out; echo err >&2; } > f 2>&1; cat f; { echo out; echo err >&2; } 2>&1 > f | cat; 
### umask in redirect
umask 077; echo > f; ls -l f | cut -c1-10; umask 000; echo > g; ls -l g | cut -c1-10
### move fd
exec 3> f; echo a 4>&3- >&4; exec 3>&-; cat f
### stdin closed
read x <&-; echo $?
### dev files
echo x > /dev/null; echo err > /dev/stderr; echo out > /dev/stdout; echo in | cat /dev/stdin; echo fd | cat /dev/fd/0; cat < /dev/null
### pipe stderr
f() { echo o; echo e >&2; }; f |& sort; f 2>&1 >/dev/null | cat
### group redirect nested
{ { echo a; echo b >&2; } 2>&1; echo c; } | sort -r
### reading from the null device
read x < /dev/null; echo "$? [$x]"
read -r -d '' y < /dev/null; echo "$? [$y]"
while read -r l; do echo never; done < /dev/null; echo $?
mapfile -t a < /dev/null; echo ${#a[@]}
### a script file has no descriptor of its own below ten
echo 'echo hi >&3; echo $?; { echo x >&4; } 2>/dev/null; echo $?' > s.sh
bash s.sh 2>&1
### a link that leads to the input
ln -s /dev/stdin in; ln -s in in2; echo one | cat in; echo two | cat in2
[ -e in2 ] && [ -r in ] && echo there; cd /dev && echo three | cat stdin
### the ends of the shell's own pipes are nobody's
x=$(cat <&3); echo $? "$x"; echo a | cat <&3; echo $?; x=$(cat <&3 | cat); echo $?
### streams are exchanged by a third
x=$(ls nope 3>&1 1>&2 2>&3); echo "[$x]"
