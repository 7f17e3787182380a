### substitutions
f() { a=$(x; y
z); b=$(if a; then b
c; fi); c=$( (a;b) ); d=$((a);b); e=$(a;(b)); f=$( { a; } ); g=$(  ); h=`a; b`; i=$(<x); j="$(a
b) $( c)"; k=${x:-$(a
b)}; l=$(( $(a
b) + 1 )); m=(a $(a
b)); n[$(a
b)]=c; cat <( a;b ) >(c|d); }
declare -f f
### commands inside a substitution
f() {
a=$(g() {
x
y; z
}
g; for i in 1
do a
b; c
done
{ a
b
}
(a
b; c)
while a
b
do c
done
case x in a) b
c;; d) e
esac
a &
b & c
a &&
b ||
c
[[ a &&
b ]]
until a; do b; done
if a; then b; elif c; then d; else e; fi
x=(1
2)
)
}
declare -f f
### here-documents
f() { cat <<E && b; cat <<E || c; a | cat <<E | d; cat <<E | e & cat <<E & f
1
E
2
E
3
E
4
E
5
E
g; if cat <<E; then a; fi
6
E
{ cat <<E; }
7
E
(cat <<E)
8
E
while read x; do a; done <<E
9
E
cat <<E >x; b
10
E
! cat <<E
11
E
}
declare -f f
g() { cat <<E; a; b; }
x
E
declare -f g
h() { while cat <<E; do a; b; done; c; }
x
E
declare -f h
i() { a; } <<E
x
E
declare -f i
### here-documents in a substitution
f() { x=$(cat <<E
6
E
b
); y=$(cat <<E; b
7
E
c
); z=$({ cat <<E
6
E
}
b); w=$(cat <<E &
q
E
d); }
declare -f f
### redirections
f() { a <<<x; c &>x; d &>>x; e >&x; f 2>&1; g <&-; h 3>&-; i {v}>x; j {v}>&-; l >|x; m <>x; n 0<x; o 1>x; p 2>x; q >>x; r 3<&0; s <&3; t 1>&2; }
declare -f f
### coproc
f() { coproc a b; coproc { a; }; coproc X { a; }; }
declare -f f
### jobs show a list on one line
for i in 1; do sleep 1; sleep 2; done & if true; then sleep 1; sleep 3; fi & case x in x) sleep 1; sleep 2;; esac & jobs; kill $(jobs -p); wait 2>/dev/null
### a line that is continued behind quotes
f() { echo "it's"\
 "two" "$(echo 'a\
b' "it's"\
 x)"\
 y; }
declare -f f; f
