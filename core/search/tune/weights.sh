#!/bin/sh
# Makes weights of the evaluation from nothing: pieces' worths play games, weights learnt from these play the next ones, and so on.
# core/search/tune/weights.sh [DIRECTORY [GENERATIONS [GAMES [NODES]]]]; the last generation's file is to replace core/eval/weights.bin.
set -e
dir=${1:-out/weights} generations=${2:-3} games=${3:-12000} nodes=${4:-1000}
mkdir -p "$dir"
go build -o "$dir/tune" ./core/search/tune
"$dir/tune" fit -out "$dir/weights-0.bin"
for i in $(seq "$generations"); do
	"$dir/tune" play -weights "$dir/weights-$((i - 1)).bin" -games "$games" -nodes "$nodes" -seed "$i" -out "$dir/games-$i.psv"
	"$dir/tune" fit -out "$dir/weights-$i.bin" "$dir"/games-*.psv
done
