#!/bin/sh
# komadori.hpp offers every function of komadori.h but those that are made for bindings of other languages: wrapped.sh HEADER WRAPPER
set -eu
missing=
n=0
for f in $(sed -n 's/^KMD_API .*[ *]\(kmd_[a-z0-9_]*\)(.*/\1/p' "$1"); do
	n=$((n + 1))
	case $f in
	# values that C++ computes itself (compared in cpp.cpp), slower forms of what it calls, and what loads copies of the library and fills tables
	kmd_square_* | kmd_hand_is_superior_or_equal | kmd_move_is_normal | kmd_move_flip_side | kmd_move_mirror_file) ;;
	kmd_board_legal_moves | kmd_board_generate | kmd_quick_[!m]* | kmd_quick_mate_in_one) ;;
	kmd_collect | kmd_arena | kmd_adopt | kmd_set_turn_words | kmd_fill_move_tables) ;;
	*) grep -q "\b$f\b" "$2" || missing="$missing $f" ;;
	esac
done
if [ -n "$missing" ]; then
	echo "wrapped: komadori.hpp lacks$missing" >&2
	exit 1
fi
echo "wrapped  komadori.hpp offers what the $n functions of the header do"
