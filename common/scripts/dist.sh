#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh [FOLDER] - `make dist`: the release's tarball of the current commit, and its checksum, in
# build/dist or FOLDER. The version is SIMT_VERSION of simt.h. The same commit, the same bytes.
# Environment: DIST_COMMIT, another commit than HEAD. RELEASING.md has the whole procedure.
set -u
unset CDPATH GIT_DIR GIT_WORK_TREE
cd "$(dirname -- "$0")/../.." || exit 1
out=${1:-build/dist}
commit=${DIST_COMMIT:-HEAD}
fail() {
  echo "dist.sh: $*" >&2
  exit 1
}

git rev-parse --verify --quiet "$commit^{commit}" >/dev/null || fail "no commit $commit here"
[ "$commit" != HEAD ] || git diff --quiet HEAD || fail 'there are changes that are not committed'
version=$(git show "$commit:common/simt/include/simt.h" |
  sed -n 's/^#define SIMT_VERSION "\([0-9.]*\)"$/\1/p')
[ -n "$version" ] || fail 'simt.h has no SIMT_VERSION'
git show "$commit:CHANGELOG.md" | grep -qF "## $version" ||
  fail "CHANGELOG.md has no section \"## $version\""

name=cuda-reduction-workbook-$version
mkdir -p "$out" || exit 1
git archive --format=tar --prefix="$name/" "$commit" >"$out/$name.tar" || exit 1
gzip -9 -n -f "$out/$name.tar" || exit 1
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256") || exit 1
echo "$out/$name.tar.gz"
