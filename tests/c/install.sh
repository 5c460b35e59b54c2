#!/bin/sh
# The installed library as its users meet it: install.sh MAKE ROOT CC CXX, with GO in the environment.
# A plain compiler, pkg-config and CMake, each with the shared and the static library; a staged installation; another version.
set -eu
make=$1 root=$2 cc=$3 cxx=$4
case "$cc" in *ziglang*)
	echo "install  left out: the compiler from PyPI does not look for libraries where CPATH and LIBRARY_PATH say"
	exit 0
	;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
to=$work/to
install() { "$make" --no-print-directory -s -C "$root/capi" "$@" GO="${GO:-go}" CC="$cc" >/dev/null; }

fail() {
	echo "install: $*" >&2
	exit 1
}
# The program of the examples, whatever it was built with.
works() {
	out=$("$@" 3) || fail "$* does not run"
	case $out in "perft 3: 25470 move by move, 25470 in the library"*"best "*) n=$((n + 1)) ;; *) fail "$1 prints $out" ;; esac
}
n=0

install install PREFIX="$to"
version=$(sed -n 's/^#define KMD_VERSION_[A-Z]* //p' "$root/include/komadori.h" | paste -sd.)
for file in include/komadori.h include/komadori.hpp lib/libkomadori.a lib/libkomadori.so "lib/libkomadori.so.${version%%.*}" "lib/libkomadori.so.$version" \
	lib/pkgconfig/komadori.pc lib/cmake/komadori/komadoriConfig.cmake lib/cmake/komadori/komadoriConfigVersion.cmake; do
	test -e "$to/$file" || fail "$file is missing"
done
test "$(find "$to" -type f -o -type l | wc -l)" = 9 || fail "more is installed than is listed: $(find "$to" -type f)"
readelf -d "$to/lib/libkomadori.so" | grep -q "soname: \[libkomadori.so.${version%%.*}\]" || fail "the soname is another"

# As in a place that the compiler and the loader know: gcc x.c -lkomadori.
export CPATH="$to/include" LIBRARY_PATH="$to/lib"
$cc -std=c11 -Wall -Wextra -Werror -o "$work/plain" "$root/examples/perft.c" -lkomadori
$cxx -std=c++17 -Wall -Wextra -Werror -o "$work/plain++" "$root/examples/perft.cpp" -lkomadori
$cc -std=c11 -o "$work/static" "$root/examples/perft.c" -l:libkomadori.a -pthread
# The programs of README, as a reader would take them.
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$root/README.md" | sed '1d;$d'; }
mkdir "$work/readme"
block c >"$work/readme/x.c"
block cpp >"$work/readme/x.cpp"
$cc -Wall -Wextra -Werror -o "$work/readme/c" "$work/readme/x.c" -lkomadori
$cxx -std=c++17 -Wall -Wextra -Werror -o "$work/readme/cpp" "$work/readme/x.cpp" -lkomadori
{ printf 'cmake_minimum_required(VERSION 3.13)\nproject(x CXX)\nadd_executable(x x.cpp)\n' && block cmake; } >"$work/readme/CMakeLists.txt"
test "$(LD_LIBRARY_PATH=$to/lib "$work/readme/c")" = "30 legal moves" || fail "README's C program"
LD_LIBRARY_PATH=$to/lib "$work/readme/cpp" | grep -q "3c3d" || fail "README's C++ program"
unset CPATH LIBRARY_PATH
LD_LIBRARY_PATH=$to/lib works "$work/plain"
LD_LIBRARY_PATH=$to/lib works "$work/plain++"
works "$work/static" # needs nothing
readelf -d "$work/static" | grep -q komadori && fail "the static program needs the shared library"

if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH="$to/lib/pkgconfig"
	test "$(pkg-config --modversion komadori)" = "$version" || fail "pkg-config says $(pkg-config --modversion komadori)"
	# shellcheck disable=SC2046
	$cc -std=c11 -o "$work/pc" "$root/examples/perft.c" $(pkg-config --cflags --libs komadori) -Wl,-rpath,"$(pkg-config --variable=libdir komadori)"
	works "$work/pc"
	pkg-config --static --libs komadori | grep -q -- -pthread || fail "pkg-config --static lacks -pthread"
	pkg-config --exists "komadori > $version" && fail "pkg-config has a later version than there is"
	unset PKG_CONFIG_PATH
else
	echo "    skipped: no pkg-config"
fi

case "$cc" in *" "*) have_cmake= ;; *) have_cmake=$(command -v cmake || true) ;; esac # CMake wants a compiler that is one word
if [ -n "$have_cmake" ]; then
	cmake -S "$root/examples/cmake" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$to" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake"; }
	cmake --build "$work/cmake" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake --build"; }
	works "$work/cmake/perft_c"
	works "$work/cmake/perft_cpp"
	works "$work/cmake/perft_static"
	cmake -S "$work/readme" -B "$work/readme/b" -DCMAKE_PREFIX_PATH="$to" -DCMAKE_CXX_COMPILER="$cxx" >"$work/log" 2>&1 || { cat "$work/log"; fail "README's CMake project"; }
	cmake --build "$work/readme/b" >"$work/log" 2>&1 || { cat "$work/log"; fail "README's CMake project"; }
	"$work/readme/b/x" | grep -q "3c3d" || fail "README's CMake project"
	mkdir "$work/other"
	printf 'cmake_minimum_required(VERSION 3.13)\nproject(x C)\nfind_package(komadori 9.1 REQUIRED)\n' >"$work/other/CMakeLists.txt"
	cmake -S "$work/other" -B "$work/other/b" -DCMAKE_PREFIX_PATH="$to" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 && fail "cmake takes this version for 9.1"
	# The package may be moved.
	cp -r "$to" "$work/moved"
	cmake -S "$root/examples/cmake" -B "$work/cmake2" -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/log" 2>&1 || fail "cmake of a moved package"
	grep -q "$work/moved" "$work/cmake2/CMakeCache.txt" || fail "cmake finds another package"
else
	echo "    skipped: no cmake"
fi

# For packagers: everything below DESTDIR, files that name the prefix alone.
install install PREFIX=/opt/k DESTDIR="$work/stage"
test -e "$work/stage/opt/k/lib/libkomadori.so.$version" || fail "DESTDIR"
grep -rq "$work" "$work/stage/opt/k/lib/pkgconfig" "$work/stage/opt/k/lib/cmake" && fail "a staged file names the stage"
grep -q '^prefix=/opt/k$' "$work/stage/opt/k/lib/pkgconfig/komadori.pc" || fail "the prefix of a staged pkg-config file"
install uninstall PREFIX=/opt/k DESTDIR="$work/stage"
test -z "$(find "$work/stage" -type f -o -type l)" || fail "uninstall leaves $(find "$work/stage" -type f)"
echo "install  $n programs, and those of README, built against the installed library, shared and static, with a compiler, pkg-config and CMake"
