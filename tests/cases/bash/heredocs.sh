### plain and quoted
x=1; cat <<A; cat <<'B'; cat <<"C"; cat <<\D
$x `echo c` $((1+1)) \$x \\ \a
A
$x `echo c` \$x
B
$x
C
$x
D
### tabs stripped
cat <<-END
	one
		two
	  three
	END
### two on one line
cat <<A - <<B
a
A
b
B
### in a pipeline
cat <<A | tr a-z A-Z | cat <<B -
text
A
more
B
### in a loop and a function
f() { cat <<E
arg $1
E
}; for i in 1 2; do f $i; done
### in a substitution
x=$(cat <<E
in $(echo sub)
E
); echo "$x"
### after a compound command
while read l; do echo "<$l>"; done <<E
a b
c
E
if true; then cat; fi <<E
if
E
### to a descriptor
cat 3<<E <&3
fd three
E
### here-strings
cat <<< word; cat <<< "two words"; x='a  b'; cat <<< $x; cat <<< "$x"; cat <<< 'a
b'; read a b <<< '1 2 3'; echo "$b"; cat <<< ''
### empty
cat <<E
E
echo after
### delimiter with blanks and odd characters
cat <<'end of it'
x
end of it
cat <<E-O.F
y
E-O.F
### the delimiter is not found
cat <<E
text
### quotes inside
cat <<E
"double" 'single' $(echo "nested \"q\"") ${x:-"d"}
E
### backslash newline
cat <<E
a\
b
E
cat <<'E'
a\
b
E
### expansions of all kinds
a=(x y); cat <<E
${a[1]} ${#a[@]} ${a[*]/x/z} ${u:-def} $(( 2 * 3 )) `echo bq` \`no\` ~ * {a,b}
E
### nested here-documents
cat <<OUT
$(cat <<IN
inner
IN
)
outer
OUT
### with assignments and redirections
X=1 cat <<E > out
to file
E
cat out
### large
{ for i in 1 2 3 4 5 6 7 8 9 10; do x+=$(printf '%8000s' x); done; cat <<< "$x" | wc -c; }
### in eval
eval 'cat <<E
from eval
E
echo next'
### tabs and quoted delimiter
cat <<-'E'
	$x
	E
### read from one line by line
{ read a; read b; cat; } <<E
1
2
3
4
E
echo $a $b
### as the last line without a newline
bash -c 'cat <<E
abc
E'
### declare -f keeps them
f() { cat <<E
hi $1
E
echo done; }; declare -f f; f x
### the last line has no newline
printf 'cat <<X\ntext' > f; bash f 2> err; echo; bash -c 'cat <<X
more' 2>> err; cat err
### an alias with a here-document
shopt -s expand_aliases
alias b='cat <<E'
b
body $HOME
E
alias a='cat <<E
one
E'
a
from the script
E
echo after
