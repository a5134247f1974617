# Reading of `key=value` files and of the two tables. Sourced by everything in bin/ and tests/.

# value FILE KEY: the value of a key, empty when it is not there.
value() {
  local file=$1 key=$2 line
  while IFS= read -r line; do
    [[ $line == "$key="* ]] && printf '%s\n' "${line#*=}" && return 0
  done <"$file"
  return 0
}

# names_in TABLE: the first column of a table.
names_in() {
  local first rest
  while read -r first rest; do
    [[ -z $first || $first == \#* ]] || printf '%s\n' "$first"
  done <"$1"
}

# column TABLE NAME N: column N (from 1) of a name's row, empty when there is none.
column() {
  local -a cells
  while read -r -a cells; do
    [[ ${cells[0]-} == "$2" ]] && printf '%s\n' "${cells[$3 - 1]}" && return 0
  done <"$1"
  return 0
}

# is_among WORD WORDS...: whether a word is in a list.
is_among() {
  local word=$1 other
  shift
  for other in "$@"; do [[ $other == "$word" ]] && return 0; done
  return 1
}
