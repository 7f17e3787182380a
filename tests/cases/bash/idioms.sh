### configure: option parsing
set -- --prefix=/opt --enable-foo --disable-bar --with-baz=/x --without-qux -v CC=gcc CFLAGS='-O2 -g'
for ac_option
do
  case $ac_option in
  *=?*) ac_optarg=`expr "X$ac_option" : '[^=]*=\(.*\)'` ;;
  *=)   ac_optarg= ;;
  *)    ac_optarg=yes ;;
  esac
  case $ac_option in
  -prefix=* | --prefix=* | --prefi=*) prefix=$ac_optarg ;;
  -enable-* | --enable-*) ac_useropt=${ac_option#*enable-}; eval enable_${ac_useropt%%=*}=\$ac_optarg ;;
  -disable-* | --disable-*) ac_useropt=${ac_option#*disable-}; eval enable_$ac_useropt=no ;;
  -with-* | --with-*) ac_useropt=${ac_option#*with-}; eval with_${ac_useropt%%=*}=\$ac_optarg ;;
  -without-* | --without-*) ac_useropt=${ac_option#*without-}; eval with_$ac_useropt=no ;;
  -v | -verbose | --verbose) verbose=yes ;;
  -*) echo "unrecognized option: $ac_option" >&2 ;;
  *=*) ac_envvar=${ac_option%%=*}; eval $ac_envvar=\$ac_optarg; export $ac_envvar ;;
  esac
done
echo "$prefix|$enable_foo|$enable_bar|$with_baz|$with_qux|$verbose|$CC|$CFLAGS"
### configure: echo -n detection
ECHO_C= ECHO_N= ECHO_T=
case `echo -n x` in
-n*) case `echo 'xy\c'` in *c*) ECHO_T='	';; xy) ECHO_C='\c';; *) echo `echo ksh88 bug on AIX 6.1` > /dev/null; ECHO_T='	';; esac;;
*) ECHO_N='-n';;
esac
echo $ECHO_N "checking for a thing... $ECHO_C"; echo "${ECHO_T}yes"
### configure: LINENO and unset support
as_unset=unset; if (unset FOO) >/dev/null 2>&1; then echo can unset; fi
as_lineno_1=$LINENO as_lineno_2=$LINENO; test "x$as_lineno_1" = "x$as_lineno_2" && echo same line
{ (as_x=1; exit 3); as_status=$?; }; echo $as_status
### configure: function tests
as_func_return () { (exit $1); }
as_func_success () { as_func_return 0; }
as_func_failure () { as_func_return 1; }
exitcode=0
as_func_success || { exitcode=1; echo as_func_success failed.; }
as_func_failure && { exitcode=1; echo as_func_failure succeeded.; }
if ( set x; as_func_ret_success y && test x = "$1" ) 2>/dev/null; then :; else echo positional kept apart; fi
test x$exitcode = x0 && echo ok
### configure: dirname by hand
for f in /usr/lib/foo.c foo.c ./a/b /x; do
  as_dir=`case $f in /*/*) echo "${f%/*}";; /*) echo /;; */*) expr "X$f" : 'X\(.*\)/';; *) echo .;; esac`
  echo "$f: $as_dir"
done
### configure: cached answers
ac_cv_func_a=yes
check() { eval "cached=\${ac_cv_func_$1+set}"; if test "$cached" = set; then eval "v=\$ac_cv_func_$1"; echo "checking for $1... (cached) $v"; else eval "ac_cv_func_$1=no"; echo "checking for $1... no"; fi; }
check a; check b; check b
### configure: config.status by here-document
cat > conf.in <<'_ACEOF'
prefix=@prefix@
libs=@LIBS@
_ACEOF
prefix=/usr LIBS='-lm -lz'
while IFS= read -r line; do
  for v in prefix LIBS; do eval "val=\$$v"; line=${line//@$v@/$val}; done
  printf '%s\n' "$line"
done < conf.in
### configure: the sorted set dump
zeta=1 alpha='it'"'"'s'
(set) | grep -E '^(alpha|zeta)='
### configure: as_fn_error and exit status
as_fn_error() { as_status=$1; test $as_status -eq 0 && as_status=1; echo "conf: error: $2" >&2; (exit $as_status); return $as_status; }
as_fn_error 0 "no compiler"; echo $?; as_fn_error 77 "skip"; echo $?
### configure: mkdir -p by hand
as_fn_mkdir_p () {
  case $as_dir in -*) as_dir=./$as_dir;; esac
  test -d "$as_dir" || eval $as_mkdir_p || {
    as_dirs=
    while :; do
      as_dirs="'$as_dir' $as_dirs"; as_dir=${as_dir%/*}
      test -d "$as_dir" && break
    done
    test -z "$as_dirs" || eval "mkdir $as_dirs"
  }
}
as_mkdir_p=false; mkdir top; as_dir=top/a/b; as_fn_mkdir_p; test -d top/a/b && echo made
### test framework: assertions and counters
tests_run=0 tests_failed=0
assert_equals() { tests_run=$((tests_run+1)); if [[ $1 != "$2" ]]; then tests_failed=$((tests_failed+1)); printf 'not ok %d - expected %q got %q\n' $tests_run "$1" "$2"; else printf 'ok %d\n' $tests_run; fi; }
test_add() { assert_equals 3 $((1+2)); }; test_str() { assert_equals 'a b' "a $(echo c)"; }
for t in $(declare -F | while read -r _ _ n; do case $n in test_*) echo $n;; esac; done); do $t; done; echo "$tests_run run, $tests_failed failed"
### test framework: run and its variables
run() { local e; output=$("$@" 2>&1); status=$?; IFS=$'\n' read -rd '' -a lines <<< "$output"; return 0; }
f() { echo one; echo two >&2; return 4; }
run f; echo "$status|${#lines[@]}|${lines[0]}|${lines[1]}"
### test framework: a test in a subshell with set -e
run_test() { ( set -e; "$@" ); local s=$?; ((s)) && echo "FAIL $1 ($s)" || echo "PASS $1"; }
good() { true; [ 1 = 1 ]; }; bad() { echo before; false; echo after; }
run_test good; run_test bad
### test framework: TAP with skip and todo
n=0; tap() { n=$((n+1)); local ok='ok'; [ "$1" = 0 ] || ok='not ok'; echo "$ok $n - $2${3:+ # $3}"; }
echo 1..3; true; tap $? first; false; tap $? second 'TODO later'; tap 0 third SKIP
### test framework: setup and teardown with traps
setup() { dir=$(mktemp -d ./t.XXXXXX); trap 'rm -rf "$dir"; echo torn down' EXIT; }
( setup; touch "$dir/x"; ls "$dir"; exit 2 ); echo $?; ls -d t.* 2>/dev/null
### test framework: a backtrace
die() { local i; echo "error: $1"; for ((i=1; i<${#FUNCNAME[@]}; i++)); do echo "  at ${FUNCNAME[i]}:${BASH_LINENO[i-1]}"; done; }
inner() { die boom; }
outer() {
  inner
}
outer
### test framework: mocking commands
date() { echo 2020-01-01; }; export -f date; stamp() { echo "on $(date)"; }; stamp; bash -c 'echo "child $(date)"'; unset -f date
### test framework: diffing by lines
expect=$'a\nb\nc' got=$'a\nX\nc'; i=0; while IFS= read -r e <&3 && IFS= read -r g <&4; do ((i++)); [[ $e == "$g" ]] || echo "line $i: $e != $g"; done 3<<<"$expect" 4<<<"$got"
### version manager: path edits
PATH=/a:/b:/c; strip() { local p=:$PATH:; p=${p//:$1:/:}; p=${p#:}; PATH=${p%:}; }; prepend() { case ":$PATH:" in *":$1:"*) ;; *) PATH=$1:$PATH;; esac; }
strip /b; echo $PATH; prepend /n; prepend /n; echo $PATH; strip /n; strip /c; echo $PATH
### version manager: comparing versions
vercmp() { local IFS=. i a b; read -ra a <<< "$1"; read -ra b <<< "$2"; for ((i=0; i<3; i++)); do ((10#${a[i]:-0} > 10#${b[i]:-0})) && { echo gt; return; }; ((10#${a[i]:-0} < 10#${b[i]:-0})) && { echo lt; return; }; done; echo eq; }
vercmp 1.2.3 1.2.10; vercmp 2.0 1.9.9; vercmp 1.08.0 1.8; vercmp 3 3.0.0
### version manager: resolving a version file upwards
mkdir -p a/b/c; echo '18.2' > a/.version; cd a/b/c; find_up() { local p=$PWD; while [ -n "$p" ] && [ ! -f "$p/$1" ]; do p=${p%/*}; done; [ -f "$p/$1" ] && { read -r v < "$p/$1"; echo "$v"; }; }; find_up .version; find_up .nothing || echo none
### version manager: aliases in files
mkdir alias; echo 1.4 > alias/default; resolve() { local v=$1 n=0; while [ -f "alias/$v" ] && ((n++ < 5)); do v=$(<"alias/$v"); done; echo "$v"; }; echo default > alias/stable; resolve stable; resolve 9
### version manager: sourcing that may be repeated
cat > nvm.sh <<'END'
{ # all of it is read first
if [ -n "${MYVM_LOADED-}" ]; then return 0; fi
MYVM_LOADED=1
myvm() { case "${1-}" in use) shift; echo "using ${1:?version}";; ''|help) echo usage; return 1;; *) echo "unknown: $1" >&2; return 127;; esac; }
}
END
. ./nvm.sh; . ./nvm.sh; myvm use 5; myvm; echo $?; myvm x; echo $?; (myvm use); echo $?
### version manager: a list sorted by parts
printf '%s\n' v1.10.0 v1.9.2 v1.2.3 v10.0.0 | tr -d v | sort -t. -k1,1n -k2,2n -k3,3n | while read -r v; do echo "v$v"; done
### version manager: lazy functions that replace themselves
tool() { unset -f tool; tool() { echo "real $*"; }; tool "$@"; }; tool a; tool b
### argument parser: long and short
parse() { verbose=0 files=() out=; while (($#)); do case $1 in -v|--verbose) ((verbose++));; -o) out=$2; shift;; -o*) out=${1#-o};; --output=*) out=${1#*=};; --) shift; files+=("$@"); break;; -[!-]?*) set -- "${1:0:2}" "-${1:2}" "${@:2}"; continue;; -*) echo "bad option $1" >&2; return 2;; *) files+=("$1");; esac; shift; done; echo "v=$verbose o=$out f=${files[*]}"; }
parse -vv -o x a b; parse --output=y -vo z -- -q; parse -ofile; parse --bad; echo $?
### argument parser: getopts
p() { local OPTIND=1 o a= b= c=; while getopts ':ab:c' o; do case $o in a) a=1;; b) b=$OPTARG;; c) c=1;; :) echo "needs $OPTARG"; return 1;; \?) echo "unknown $OPTARG"; return 1;; esac; done; shift $((OPTIND-1)); echo "a=$a b=$b c=$c rest=$*"; }
p -a -b x y; p -acb val; p -bx -- -c; p -b; p -z; p
### argument parser: usage from comments
cat > tool.sh <<'END'
#!/bin/bash
#/ Usage: tool [-h]
#/   -h  help
usage() { while IFS= read -r l; do case $l in '#/ '*) echo "${l#\#/ }";; '#/'*) echo "${l#??}";; esac; done < "$0"; }
usage
END
bash tool.sh
### argument parser: subcommands by name
cmd_add() { echo "add $*"; }; cmd_rm() { echo "rm $*"; }; main() { local c=${1-}; shift || true; if declare -F "cmd_$c" >/dev/null; then "cmd_$c" "$@"; else echo "no command '$c'" >&2; return 64; fi; }; main add 1 2; main rm x; main nope; echo $?; main; echo $?
### argument parser: key=value pairs
declare -A opt; for kv in name=x 'title=a b' empty= flag; do case $kv in *=*) opt[${kv%%=*}]=${kv#*=};; *) opt[$kv]=true;; esac; done; for k in empty flag name title; do echo "$k=[${opt[$k]}]"; done
### JSON parser: a tokenizer
json='{"a": [1, -2.5e3, true, null], "b": {"c": "x\"y\\z", "d": ""}}'
re='^[[:space:]]*([][{}:,]|"([^"\\]|\\.)*"|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null)'
while [[ -n $json && $json =~ $re ]]; do echo "${BASH_REMATCH[1]}"; json=${json:${#BASH_REMATCH[0]}}; done; echo "rest [$json]"
### JSON parser: recursive descent into paths
s='{"k":[10,{"x":"y z"}],"e":{},"l":[]}'; pos=0
ws() { while [[ ${s:pos:1} == [[:space:]] ]]; do ((pos++)); done; }
value() { ws; case ${s:pos:1} in '{') object "$1";; '[') array "$1";; '"') string; echo "$1=\"$str\"";; *) local t=; while [[ ${s:pos:1} == [-+.0-9a-zA-Z] ]]; do t+=${s:pos:1}; ((pos++)); done; echo "$1=$t";; esac; }
string() { ((pos++)); str=; while [[ ${s:pos:1} != '"' ]]; do [[ ${s:pos:1} == '\' ]] && ((pos++)); str+=${s:pos:1}; ((pos++)); done; ((pos++)); }
array() { local i=0; ((pos++)); ws; [[ ${s:pos:1} == ']' ]] && { ((pos++)); echo "$1=[]"; return; }; while :; do value "$1[$i]"; ((i++)); ws; [[ ${s:pos:1} == , ]] || break; ((pos++)); done; ((pos++)); }
object() { ((pos++)); ws; [[ ${s:pos:1} == '}' ]] && { ((pos++)); echo "$1={}"; return; }; while :; do ws; string; ws; ((pos++)); value "$1.$str"; ws; [[ ${s:pos:1} == , ]] || break; ((pos++)); done; ((pos++)); }
value ''
### JSON writer: escaping strings
esc() { local s=$1; s=${s//\\/\\\\}; s=${s//\"/\\\"}; s=${s//$'\n'/\\n}; s=${s//$'\t'/\\t}; printf '"%s"' "$s"; }
esc $'a"b\\c\nd\te'; echo; declare -A m=([k]='v "q"'); for k in "${!m[@]}"; do printf '{%s:%s}\n' "$(esc "$k")" "$(esc "${m[$k]}")"; done
### ini files
cat > c.ini <<'END'
; comment
[main]
name = some thing
 key=1
[other]
name=x
END
sec=; while IFS= read -r l; do l=${l#"${l%%[![:space:]]*}"}; case $l in \;*|'') ;; \[*\]) sec=${l:1:-1};; *=*) k=${l%%=*} v=${l#*=}; k=${k%"${k##*[![:space:]]}"}; v=${v#"${v%%[![:space:]]*}"}; echo "$sec.$k=$v";; esac; done < c.ini
### trimming and padding
trim() { local v=$1; v=${v#"${v%%[![:space:]]*}"}; v=${v%"${v##*[![:space:]]}"}; printf '[%s]\n' "$v"; }; trim '  a b  '; trim ''; trim '   '; printf -v pad '%*s' 5 ''; echo "${pad// /-}"; printf '%-6s|%6s|\n' ab cd
### splitting and joining
IFS=, read -ra p <<< 'a,b c,,d'; printf '<%s>' "${p[@]}"; echo; join() { local IFS=$1; shift; echo "$*"; }; join , 1 2 3; join '' a b
### url decoding
dec() { local s=${1//+/ }; printf '%b\n' "${s//%/\\x}"; }; dec 'a%20b+c%21%2F'
### a lock by mkdir
lock() { if mkdir lock 2>/dev/null; then echo got; else echo busy; return 1; fi; }; lock; lock; rmdir lock; lock
### retry with back-off
n=0; try() { ((++n >= 3)); }; for d in 0 0 0 0; do try && { echo "ok after $n"; break; } || sleep $d; done
### a pool of jobs
for i in 1 2 3 4; do (exit $i) & pids+=($!); done; for p in "${pids[@]}"; do wait $p; r+=($?); done; echo "${r[@]}"
### reading a file twice with two descriptors
printf '1\n2\n' > x; printf 'a\nb\n' > y; while read -r n <&3 && read -r l <&4; do echo $n$l; done 3<x 4<y
### menu by select
select c in red green quit; do case $c in quit) break;; '') echo "bad $REPLY";; *) echo "picked $c";; esac; done <<< $'1\n9\n3'
### memo with an associative array
declare -A memo; fibm() { local n=$1; ((n<2)) && { r=$n; return; }; [[ -n ${memo[$n]-} ]] && { r=${memo[$n]}; return; }; fibm $((n-1)); local a=$r; fibm $((n-2)); r=$((a+r)); memo[$n]=$r; }; fibm 50; echo $r
### bubble sort
a=(5 2 9 1 7); for ((i=0;i<${#a[@]};i++)); do for ((j=0;j<${#a[@]}-i-1;j++)); do ((a[j]>a[j+1])) && { t=${a[j]}; a[j]=${a[j+1]}; a[j+1]=$t; }; done; done; echo ${a[@]}
### word count with an associative array
declare -A c; for w in the cat the dog the end; do ((c[$w]++)); done; for w in "${!c[@]}"; do echo "${c[$w]} $w"; done | sort -rn | head -2
### script that reads its own tail
cat > self.sh <<'END'
while read -r l; do echo "got $l"; done <<'DATA'
one
two
DATA
exit
not shell ( code
END
bash self.sh
### logging to two places
exec 3>&1; log() { echo "[$1] ${*:2}" | tee -a log >&3; }; log info hello; log warn a b; exec 3>&-; cat log
### strict mode header
set -euo pipefail; IFS=$'\n\t'; trap 'echo "failed at $LINENO with $?"' ERR; x=$(printf 'a b\nc\n'); for w in $x; do echo "<$w>"; done; false; echo never
### functions printed and read again
theme=a
f() { echo "`echo "^${theme}$"`" "$(echo "<$theme$" "$")" $"loc" $'tab\there'; [ -z "`echo x | grep "^${theme}$"`" ] && echo none; }
g() { > file; x=$(< file); for ((;;)); do break; done; echo hi 3>&1 >&3; : <&0 >&${y:-1}; cat <<\X
$theme
X
}
f; g; one=$(declare -f f g); eval "$one"; f; g; two=$(declare -f f g); [[ $one == "$two" ]] && echo same; echo "$one"
### completion: words, flags and files
_tool() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cword words
  case $prev in --format) COMPREPLY=($(compgen -W 'json yaml text' -- "$cur")); return;; esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--format --force --help' -- "$cur")); else COMPREPLY=($(compgen -W 'start stop status' -- "$cur")); fi
}
complete -F _tool tool; complete -p tool
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _tool; echo "${COMPREPLY[*]}"; }
try tool st; try tool --fo; try tool --format j; try tool --format ''; try tool x
### flags kept in variables by name
declare_flag() { local name=$1 default=$2; eval "FLAGS_$name=\${FLAGS_$name:-\$default}"; known+=("$name"); }
flag() { local var=FLAGS_$1; [[ ${!var} == true ]]; }
known=(); declare_flag verbose false; declare_flag fetch true; FLAGS_push=true; declare_flag push false
for n in "${known[@]}"; do if flag "$n"; then echo "$n on"; else echo "$n off"; fi; done; echo "${!FLAGS_@}"
### what a sourced file changed
printf 'A=1\nB="two words"\nC=(x y)\n' > conf; before=$(compgen -v | sort)
( . ./conf; comm -13 <(echo "$before") <(compgen -v | sort) | grep -v '^\(before\|_\|PIPESTATUS\|BASH.*\|FUNCNAME\)$' | while read -r v; do declare -p "$v"; done )
### quoting an argument for later
quote() { case $1 in *[!A-Za-z0-9_./:=@%+,-]*|'') printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")";; *) printf %s "$1";; esac; }
for a in plain 'two words' "it's" '' 'a$b`c"d' '*'; do quote "$a"; echo; done
saved=; for a in 'x y' "q'r" '$z'; do saved="$saved $(quote "$a")"; done; eval "set -- $saved"; printf '<%s>' "$@"; echo
### colours only where they are wanted
if [[ -t 1 && ${TERM:-dumb} != dumb ]]; then red=$(printf '\033[31m') off=$(printf '\033[0m'); else red= off=; fi
say() { printf '%s%s%s\n' "$red" "$*" "$off"; }; say plain text
strip() { sed $'s/\033\\[[0-9;]*m//g'; }; printf '\033[1;31mred\033[0m and \033[4mline\033[0m\n' | strip
bar() { local n=$1 max=$2 width=10 s; printf -v s '%*s' $((n * width / max)) ''; printf '[%-*s] %3d%%\n' $width "${s// /#}" $((n * 100 / max)); }
for i in 0 3 7 10; do bar $i 10; done
### a table of commands in the script's own comments
cat > tool <<'T'
#!/bin/bash
## add NAME   put a name on the list
## list       show it
cmd_add() { echo "$1" >> names; }
cmd_list() { sort names | nl -w2 -s' '; }
usage() { sed -n 's/^## //p' "$0"; exit "${1:-0}"; }
fn=cmd_${1:-}; [[ $(type -t "$fn") == function ]] || usage 2; shift; "$fn" "$@"
T
bash tool add zoe; bash tool add al; bash tool list; bash tool nosuch; echo $?
### platform by name
platform() { case $1 in Linux-x86_64|Linux-amd64) echo linux64;; Linux-i?86) echo linux32;; Darwin-*) echo mac;; CYGWIN*-*|MINGW*-*) echo win;; *) echo "unknown: $1" >&2; return 1;; esac; }
for p in Linux-x86_64 Linux-i686 Darwin-arm64 MINGW64_NT-10-x86_64 Plan9-mips; do platform "$p" || echo "($?)"; done 2>&1
### download by whatever is there
fetch() { local t; for t in nosuch-curl nosuch-wget cat; do if command -v "$t" >/dev/null 2>&1; then "$t" "$1"; return; fi; done; return 1; }
echo body > page; fetch page; fetch missing 2>/dev/null || echo failed; hash -r
### an array passed by name, sorted and made unique
sorted() { local -n from=$1 to=$2; local IFS=$'\n'; to=($(printf '%s\n' "${from[@]}" | sort -u)); }
in=(pear 'red apple' fig pear); sorted in out; printf '<%s>' "${out[@]}"; echo; declare -p out
