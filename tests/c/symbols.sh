#!/bin/sh
# The library exports exactly the functions of the header: symbols.sh LIBRARY HEADER
set -eu
lib=$1 header=$2
if ! command -v nm >/dev/null; then
	echo "symbols  left out: nm of binutils is not here"
	exit 0
fi
declared=$(sed -n 's/^KMD_API .*[ *]\(kmd_[a-z0-9_]*\)(.*/\1/p' "$header" | LC_ALL=C sort)
exported=$(nm -D --defined-only "$lib" | awk '{print $3}' | grep -v '^_\(init\|fini\)$' | sed 's/@.*//' | LC_ALL=C sort)
if [ "$declared" != "$exported" ]; then
	echo "symbols: header and library differ (< header, > library)" >&2
	t=$(mktemp -d)
	echo "$declared" >"$t/header"
	echo "$exported" >"$t/library"
	diff "$t/header" "$t/library" >&2 || true
	rm -r "$t"
	exit 1
fi
echo "symbols  $(echo "$declared" | wc -l) functions, header and library agree"
