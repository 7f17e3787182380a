### bases and digits
echo $((2#1011)) $((8#17)) $((16#fF)) $((36#z)) $((37#A)) $((62#Z)) $((64#@)) $((64#_)) $((0x1F)) $((017)) $((10#017))
### a digit too large for its base
echo $((2#2)); echo $?
### an octal number with a nine
echo $((09)); echo after $?
### a base out of range
echo $((65#1)); echo $((1#0))
### wrap around
echo $((9223372036854775807 + 1)) $((-9223372036854775808 - 1)) $((9223372036854775807 * 2)) $((1<<63)) $((1<<64)) $((1<<65))
### the smallest number divided
echo $((-9223372036854775807 - 1)) $(( (-9223372036854775807 - 1) % -1 ))
### division rounds to zero
echo $((7/2)) $((-7/2)) $((7%3)) $((-7%3)) $((7%-3))
### division by zero
echo $((1/0)); echo $?
### remainder by zero
((x = 5 % 0)); echo $? ${x-unset}
### powers
echo $((2**10)) $((2**0)) $((-2**2)) $((2**3**2)) $((3**2*2))
### precedence
echo $((1+2*3)) $(((1+2)*3)) $((1<<2+1)) $((5&3|4^1)) $((!0+1)) $((~5)) $((-5**2)) $((1<2==1)) $((3>2>1))
### logical operators do not evaluate too much
x=0; echo $((0 && (x=5))) $x $((1 || (x=6))) $x $((1 && (x=7))) $x
### the ternary
a=5; echo $((a>3?10:20)) $((a<3?10:a<6?30:40)) $((0?x=1:2)) ${x-none}
### comma
echo $((a=1, b=a+1, b*10)) $a $b
### increments
i=5; echo $((i++)) $i $((++i)) $i $((i--)) $i $((--i)) $i
### assignment operators
x=10; ((x+=5)); echo $x; ((x-=3)); echo $x; ((x*=2)); echo $x; ((x/=5)); echo $x; ((x%=3)); echo $x; ((x<<=4)); echo $x; ((x>>=2)); echo $x; ((x|=1)); echo $x; ((x&=3)); echo $x; ((x^=2)); echo $x
### names are followed
a=b; b=c; c=7; echo $((a)) $((a+1)); d='1+2'; echo $((d*2))
### a name that refers to itself
x=x; echo $((x)); echo $?
### unset names are zero
unset nope; echo $((nope+1)) $((nope)); y=; echo $((y+2))
### array elements
a=(10 20 30); i=1; echo $((a[0]+a[i]+a[i+1])) $((a[-1])); ((a[1]++)); echo ${a[1]}; ((a[5]=9)); echo ${#a[@]}
### associative elements
declare -A m=([x]=3 [y]=4); k=y; echo $((m[x]*m[$k])); ((m[z]=5)); echo ${m[z]}; ((m[$k]+=10)); echo ${m[y]}
### spaces and newlines inside
echo $((  1 +
  2  )) $(( 3*
4 ))
### quotes inside are removed
echo $(("1"+'2')) 
### parameters inside
x=3; set -- 4 5; echo $((x+$x+${x}0+$1*$2)) $(($#+1)) $(( ${#x} ))
### command substitution inside
echo $(($(echo 2)+`echo 3`))
### old form
echo $[1+2] $[ 3*4 ]
### the command form and its status
((0)); echo $?; ((5)); echo $?; ((1>2)) || echo no; if ((3)); then echo yes; fi
### let
let a=1+2 b=a*2; echo $? $a $b; let 'c = 3' "d=c+1"; echo $c $d; let x=0; echo $?; let; echo $?
### let with an error
let 1+; echo $?; let 'x=1/0'; echo $?
### errors name the token
echo $((1 + )); echo next
### another error
echo $((a b)); echo next
### an unknown character
echo $((1 @ 2)); echo next
### assigning to a number
echo $((1=2)); echo next
### for with arithmetic
for ((i=0, j=10; i<3; i++, j-=2)); do echo $i $j; done; for ((;;)); do break; done; echo $i
### for with empty parts
i=0; for ((; i<3; )); do ((i++)); done; echo $i
### integer variables
declare -i n; n=2+3; echo $n; n+=4; echo $n; n=abc; echo $n; n='1 +'; echo "$? $n"
### integer arrays
declare -ai a=(1+1 2*3); a+=(4+4); a[0]+=5; echo ${a[@]}
### comparisons in tests
[ 10 -gt 9 ] && [ -1 -lt 0 ] && [ 010 -eq 10 ] && echo yes; [[ 010 -eq 8 ]] && echo octal; [[ 1+1 -eq 2 ]] && echo expr
### test with what is no number
[ a -eq 1 ]; echo $?; [ '' -eq 0 ]; echo $?; [[ a -eq 0 ]]; echo $?
### numbers with signs
echo $((+5)) $((- -5)) $((-+5)) $((~-1)) $((!!7))
### shifts of negative numbers
echo $((-8>>1)) $((1<<-1)) $((-1>>63))
### nested arithmetic
echo $(( $(( 1 + 2 )) * $(( 3 + 4 )) )) $((1+(2+(3+(4)))))
### hexadecimal output
printf '%x %o %X\n' $((255)) $((8#777)) $((1<<20))
### random is seedable
RANDOM=42; a=$RANDOM; RANDOM=42; b=$RANDOM; [ $a = $b ] && echo same; echo $((RANDOM>=0 && RANDOM<32768))
### errors of numbers in [[ ]]
[[ 08 -eq 8 ]]; echo $?; [[ 1 -lt 2+ ]]; echo $?; [[ 1/0 -gt 0 ]]; echo $?; x=09; [[ $x -ge 3 ]] || echo no; ((x > 3)); echo $?
