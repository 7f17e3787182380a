### single quotes keep everything
echo 'a $b `c` \d "e"'
### double quotes expand and keep blanks
x='1  2'; echo "$x" "a  b"
### backslashes in double quotes
echo "\$ \` \" \\ \a \n"
### backslash outside quotes
echo \a\ b\'c
### ansi-c quoting
printf '%s\n' $'a\tb' $'\x41\101\u00e9' $'it\'s' $'\cA' | od -c | head -5
### ansi-c quoting ends at a nul
printf '%s|\n' $'ab\0cd'
### adjacent quotes join
echo 'a'"b"c$'d'
### line continuation
echo one \
two; echo "three \
four"
### comments
echo a#b # c
# whole line
echo d
### empty arguments survive
set -- '' "" $unset; echo $#
### quoted newline
echo 'a
b'
### dollar at the end
echo a$ "b$" $
### tilde is quoted by quotes
HOME=/h; echo ~ "~" '~' \~ ~/x "~"/x
### backquotes nest with backslashes
echo `echo \`echo deep\``
### quotes inside command substitution inside quotes
echo "$(echo "a  b" 'c  d')"
### locale quoting
echo $"hello"
### nested quotes in default values
unset u; echo "${u:-"a b"}" ${u:-'c  d'} "${u:-'e'}"
### hash inside a word is no comment
echo a#b c\#d ''#e
### quotes in the brackets of a regular expression
[[ "a]" =~ [\]] ]] && echo 1; [[ 'a\' =~ [\\] ]] && echo 2; [[ 'a.b' =~ a["."]b ]] && echo 3; [[ 'axb' =~ a["."]b ]] || echo 4; [[ 'a$' =~ a[\$] ]] && echo 5; [[ 'a[b' =~ a\[b ]] && echo 6; [[ "a b" =~ ^[a-z\ ]+$ ]] && echo 7; [[ a5 =~ ^[[:alpha:]"5"]+$ ]] && echo 8; [[ 'a\b' =~ a\\b ]] && echo 9
