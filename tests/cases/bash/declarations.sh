### declare -p of kinds
a=1; declare -i b=2; declare -r c=3; declare -x d=4; declare -a e=(1); declare -A f=([k]=v); declare -l g=ABC; declare -u h=abc; declare i; declare -a j; declare -p a b c d e f g h i j
### removing attributes
declare -ix v=5; declare +i v; v=1+1; echo $v; declare +x v; declare -p v; declare -r r=1; declare +r r; echo $?
### several at once
declare x=1 y=2 z; echo $x $y ${z-unset}; declare -i a=1+1 b=2*2; echo $a $b
### case attributes
declare -u s; s=hello; echo $s; s+=world; echo $s; declare -l s; s=MIXED; echo $s; declare -c t=hELLO; echo $t
### integer attribute
declare -i n=5; n+=5; echo $n; n=n*2; echo $n; n="2 * 3"; echo $n; n=x; echo $n
### readonly
readonly a=1; a=2; echo after; readonly b; b=1; echo $?; readonly -p | grep -c 'a="1"'
### export
export A=1 B; B=2; printenv A B; export -n A; printenv A; echo $?; export -p | grep 'B='
### unset of readonly
readonly r=1; unset r; echo $? $r
### -g in functions
f() { declare -g G=1; declare L=2; declare -ga ARR=(x y); }; f; echo $G ${L-none} ${ARR[1]}
### invalid names
declare 1x=1; echo $?; declare a-b=1; echo $?; export 'x y=1'; echo $?; readonly =; echo $?
### -f and -F
f() { echo; }; declare -f nope; echo $?; declare -F f; declare -f f | head -1
### typeset is declare
typeset -i n=3+4; typeset -p n; typeset +i n; typeset -p n
### local -p
f() { local a=1 b='x y'; local -p; local; }; f | sort
### assignments in declare are not split
x='a b'; declare v=$x; echo "$v"; export w=$x; echo "$w"; f() { local l=$x; echo "$l"; }; f; readonly q=$x; echo "$q"; env y=$x true 2>/dev/null; echo $?
### tilde in declarations
HOME=/h; declare a=~/x b=~; export c=~:~/y; echo $a $b $c
### array conversion
s=one; declare -a s; declare -p s; declare -A s; echo $?; a=(1 2); declare a=3; declare -p a
### a scalar from outside is quoted well
x=$'tab\there'; y="quote's"; z='do$lar'; declare -p x y z; set | grep -E '^(x|y|z)='
### integer arrays with +=
declare -ia a=(1 2); a[0]+=10; a+=(3+3); echo ${a[@]}; declare -p a
### allexport and functions
set -a; f() { echo fun; }; v=1; set +a; bash -c 'f; echo $v'
### declare -I
x=outer; f() { local -I x; echo $x; x=inner; }; f; echo $x; declare -i n=3; g() { local -I n; n=2+2; echo $n; }; g
### attributes letters
declare -arx v=(1); echo ${v@a}; declare -ru w=x; echo ${w@a}; echo ${nothing@a}
### listing by attribute
declare -i int1=1; declare -i | grep int1; declare -r | grep -c BASHOPTS; declare -x | grep -c PATH=
### temporary environment
x=1 printenv x; x=1 y=2 bash -c 'echo $x$y'; v=old; v=new eval 'echo $v'; echo $v; IFS=: read a b <<< 1:2; echo $a $b; x=5 : ; echo ${x-unset}
### assignment without a command
a=1 b=$a c=$((a+1)); echo $a $b $c; x=$(echo sub) y=$x; echo $y; d=1 e=2 f=; echo "$d$e[$f]"
### the status of assignments
x=$(false); echo $?; x=$(exit 3) y=1; echo $?; x=1; echo $?; x=$(exit 4)$(true); echo $?
### append
s=a; s+=b; s+='c d'; echo "$s"; n=1; n+=1; echo $n; declare -i n; n+=1; echo $n; u+=x; echo $u
### special variables
echo ${BASH_VERSINFO[0]} ${BASH_VERSINFO[1]} ${BASH_VERSION%%.*} $OSTYPE $MACHTYPE ${UID:+uid} ${EUID:+euid} ${GROUPS[0]:+group} ${PPID:+pp} ${HOSTNAME:+h} $SHLVL
### SECONDS and EPOCH
SECONDS=100; echo $SECONDS; [ $((EPOCHSECONDS)) -gt 1600000000 ] && echo epoch; [[ $EPOCHREALTIME == *.* ]] && echo real; [ $SRANDOM != $SRANDOM ] && echo random
### PIPESTATUS
true | false | (exit 3); echo ${PIPESTATUS[@]}; echo ${PIPESTATUS[@]}; ! false; echo ${PIPESTATUS[@]}; x=1; echo ${PIPESTATUS[@]}
### DIRSTACK
mkdir top; cd top; mkdir a b; pushd a > /dev/null; pushd ../b >/dev/null; echo ${#DIRSTACK[@]} ${DIRSTACK[1]##*/}; popd > /dev/null; for p in $(dirs); do echo ${p##*/}; done
### BASH_SUBSHELL and BASHPID
echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL)); [ $BASHPID = $$ ] && echo same; ([ $BASHPID != $$ ] && echo other)
### BASH_REMATCH
[[ 'key=val ue' =~ ^([a-z]+)=(.*)$ ]] && echo "${BASH_REMATCH[0]}|${BASH_REMATCH[1]}|${BASH_REMATCH[2]}|${#BASH_REMATCH[@]}"; [[ x =~ y ]]; echo ${#BASH_REMATCH[@]}
### BASH_COMMAND and BASH_EXECUTION_STRING
trap 'echo "$BASH_COMMAND"' EXIT; bash -c 'echo $BASH_EXECUTION_STRING'
### BASH_SOURCE
echo 'echo ${BASH_SOURCE[0]} $0; f() { echo ${BASH_SOURCE[0]} ${FUNCNAME[0]}; }' > lib.sh; . ./lib.sh; f; echo "[${BASH_SOURCE[0]}]"
### BASH_ARGV under extdebug
shopt -s extdebug; f() { echo "${BASH_ARGC[0]} ${BASH_ARGV[@]:0:2}"; }; f a b
### BASH_ENV
echo 'V=fromenv' > env.sh; BASH_ENV=./env.sh bash -c 'echo $V'; BASH_ENV=./env.sh bash --posix -c 'echo ${V-none}'
### OPTIND OPTARG OPTERR
set -- -a -b val; while getopts ab: o; do echo "$o ${OPTARG-} $OPTIND"; done; OPTIND=1; OPTERR=0; getopts z o -q; echo "$o $?"
### arrays are expanded before anything is assigned
x=a:b:c; IFS=: declare a=($x); declare -p a; f() { local IFS=: b=($x) c=$x; declare -p b; IFS=, local d=(1,2 3); declare -p d; }; f; x=1 declare e=($x); declare -p e; declare -A m=([$x]=1 [k]="v w") n=(p q r s); declare -p m n; declare g=([3]=x [1+1]="y z" w); declare -p g
### braces
declare v={1,2}; echo $v; f() { local w={a,b}{c,d} x="{1,2}"; echo $w $x; }; f; export q={p,q}; echo $q
### set -x shows arrays as assignments of their own
set -x; declare -A m=([k]=v [a b]="c d"); declare -a a=(1 "2 3" $HOME); f() { local b=(x y) c=1; local h="a b" i=($HOME "$u"); }; f; export k=(1 2); declare o+=(6); declare -a r="(1 2)"; IFS=, declare z=(a b); declare u=()
### a nameref that is a number
declare -ni r=v; r=1+2; declare -p r v; declare -i n=5; declare -n rn=n; rn+=4; echo $n
