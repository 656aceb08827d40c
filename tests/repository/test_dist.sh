#!/bin/sh
# SPDX-License-Identifier: MIT
# test_dist.sh - the release's tarball: everything that is committed is in it and nothing else, it
# is the same twice, it works without git, and what must not be released is refused.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
cd "$root" || exit 1
if ! git rev-parse --verify --quiet HEAD >/dev/null; then
  echo 'This is no clone: a tarball is made from a commit.'
  exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAIL: $*"
  exit 1
}

# From HEAD by its name: uncommitted work is no reason to fail here.
commit=$(git rev-parse HEAD)
tarball=$(DIST_COMMIT=$commit common/scripts/dist.sh "$work/first") || fail 'make dist'
DIST_COMMIT=$commit common/scripts/dist.sh "$work/second" >/dev/null || fail 'make dist, again'
cmp -s "$tarball" "$work/second/${tarball##*/}" || fail 'the same commit gave other bytes'
(cd "$work/first" && sha256sum -c --quiet ./*.sha256) || fail 'the checksum'

folder=$(basename "$tarball" .tar.gz)
tar -xzf "$tarball" -C "$work" || fail 'the tarball cannot be unpacked'
git ls-tree -r --name-only "$commit" | sort >"$work/committed"
(cd "$work/$folder" && find . -type f -o -type l) | sed 's|^\./||' | sort >"$work/released"
cmp -s "$work/committed" "$work/released" ||
  fail "the tarball holds other files than the commit: $(diff "$work/committed" "$work/released")"
for file in README.md LICENSE CHANGELOG.md Makefile CMakeLists.txt common/simt/simtcc; do
  [ -e "$work/$folder/$file" ] || fail "no $file in the tarball"
done

# Without git the front door opens, and the checks of the files find the same ones.
export GIT_CEILING_DIRECTORIES="$work"
make -C "$work/$folder" list 2>&1 | grep -q 05_shuffle || fail 'make list in the tarball'
python3 -B "$work/$folder/tests/repository/check_style.py" >"$work/style" || {
  cat "$work/style"
  fail 'the style of the released files'
}
grep -q "^$(wc -l <"$work/committed") files," "$work/style" ||
  fail "other files: $(cat "$work/style")"

# A version without a section in the changelog, in a clone.
git clone -q --no-hardlinks "$root" "$work/clone" 2>/dev/null || fail 'cannot clone'
cd "$work/clone" || exit 1
git -c advice.detachedHead=false checkout -q "$commit" || fail 'cannot check out'
sed -i 's/SIMT_VERSION ".*"/SIMT_VERSION "98.7.6"/' common/simt/include/simt.h
common/scripts/dist.sh "$work/third" >/dev/null 2>"$work/said" && fail 'released uncommitted work'
grep -q 'not committed' "$work/said" || fail "uncommitted work: $(cat "$work/said")"
git -c user.name=a -c user.email=a@example.org commit -qam 'A version without words' ||
  fail 'cannot commit'
common/scripts/dist.sh "$work/third" >/dev/null 2>"$work/said" &&
  fail 'released without a changelog'
grep -q '## 98.7.6' "$work/said" || fail "no changelog: $(cat "$work/said")"
echo "$folder: $(wc -l <"$work/released") files"
