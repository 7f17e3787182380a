### the line of a command is that of its second word
echo $LINENO 'a
b' $LINENO
echo \
 $LINENO
nosuchcommand \
  a \
  b
x='
' eval 'echo $LINENO
echo $LINENO'
f() {
echo 'a
' $LINENO
}
f
### lines inside a substitution count from its command
y=$(echo $LINENO
); echo $y $LINENO
echo $(

echo $LINENO

echo $LINENO)
z=$(echo $LINENO
echo $LINENO); echo $z $LINENO
echo "$(
echo $LINENO
)"
echo `echo $LINENO

echo $LINENO
`
cat <(

echo $LINENO
)
echo ${x:-$(echo $LINENO
echo $LINENO)}
### errors inside a substitution
x=$(
echo a
nosuchcommand
)
echo "$(
  nosuchcommand 2>&1
)"
### lines of functions in a substitution
echo $(
(echo $LINENO)
if true; then
echo $LINENO
fi
g() {
echo $LINENO
}
g
)
### lines of eval
eval 'echo $LINENO
echo $LINENO'
eval '

echo $LINENO'
eval 'nosuchcommand; echo a
nosuchcommand'
### set -x with lines
PS4='+$LINENO: '
set -x
x=$(
  echo a
  echo b
)
f() {
  local y=$(
   echo q
  )
}
f
### caller at the top
caller; echo $?; caller 0; echo $?; caller -x; caller x; f() { caller; caller 0; caller 1; echo $?; }; f; eval caller
### the debug trap of a function's start
set -T
trap 'echo "$FUNCNAME:$LINENO:$BASH_COMMAND"' DEBUG
f() {
  echo a; }
f
