#!/bin/bash
# A private Rust toolchain with a prebuilt wasm32-wasip1 std, for machines where `rustup target add wasm32-wasip1` cannot
# download. Takes Debian testing's rustc from the machine's own Debian mirror (apt checks the signatures) and unpacks it
# below DEST. Installs nothing, needs no root, writes only DEST and DEST.lock.
#
# usage: get-guest-toolchain.sh DEST        (run by `cargo xtask setup`)
#   STAMP                   text that DEST/stamp holds once everything is there and tested; written last
#   RUST_LLD                a linker that knows wasm; without one, Debian's lld is fetched and DEST/wasm-ld is made
#   CAPSULE_DEBIAN_SUITE    the Debian release to take rustc from
#   CAPSULE_DEBIAN_MIRROR   where from (default: the mirror in apt's configuration)
# result: DEST/rustc (for RUSTC=), perhaps DEST/wasm-ld, DEST/packages.txt, DEST/stamp
set -euo pipefail
die() { echo "guest toolchain: $*" >&2; exit 1; }
say() { echo "  $*" >&2; }

target=wasm32-wasip1
: "${STAMP:?}" "${CAPSULE_DEBIAN_SUITE:?}"
suite=$CAPSULE_DEBIAN_SUITE
[ $# = 1 ] || die "usage: get-guest-toolchain.sh DEST"
for tool in apt-get apt-cache dpkg dpkg-deb flock awk sed; do
  command -v $tool >/dev/null || die "$tool is missing: this route works on Debian only"
done
command -v cc >/dev/null || die "cc is missing (build scripts and proc macros need it): apt-get install gcc libc6-dev"

mkdir -p "$1"
dest=$(cd "$1" && pwd -P)
case $dest in *[[:space:]\"]*) die "apt cannot work in a folder with spaces or quotes in its name: $dest" ;; esac

# One run at a time. Every child inherits the lock, so it lasts as long as anything here still writes.
exec 9>"$dest.lock"
flock -n 9 || { say "waiting for another run that makes the same toolchain"; flock 9; }
if [ "$(cat "$dest/stamp" 2>/dev/null)" = "$STAMP" ]; then exit 0; fi

if [ ! -e "$dest/.guest-toolchain" ]; then
  [ -z "$(ls -A "$dest")" ] || die "$dest is not empty and was not made by this script"
  : >"$dest/.guest-toolchain"
fi
rm -rf "$dest/stamp" "$dest/wasm-ld" "$dest/.apt" "$dest/root.new"
apt_dir=$dest/.apt root=$dest/root arch=$(dpkg --print-architecture)
mkdir -p "$apt_dir/state/lists/partial" "$apt_dir/cache/archives/partial" "$apt_dir/etc/none" "$apt_dir/trust"
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

# --- 1. the machine's own mirror: apt reads its sources (every format) and prints the addresses
. /etc/os-release
uris=$(apt-get update --print-uris 2>/dev/null | sed -nE "s#^'(.*)/dists/([^']*)/(In)?Release'.*#\1 \2#p" || true)
pick() { awk -v re="$1" '$2 ~ re && $1 !~ /security/ { print $1; exit }' <<<"$uris"; }
mirror=${CAPSULE_DEBIAN_MIRROR:-}
[ -n "$mirror" ] || mirror=$(pick "^${VERSION_CODENAME:-none}$")
[ -n "$mirror" ] || mirror=$(pick '^(oldoldstable|oldstable|stable|testing|unstable|sid|trixie|forky|duke)$')
[ -n "$mirror" ] || die "no Debian mirror in apt's configuration; set CAPSULE_DEBIAN_MIRROR=http://.../debian"

# Keys: Debian's keyrings on this machine, and the Signed-By of the very source the mirror came from (not of other sources).
norm='function norm(x) { sub(/\/+$/, "", x); sub(/:\/\/\//, ":/", x); return x }'
signed_by() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -r "$file" ] || continue
    sed 's/#.*//' "$file" | awk -v u="${mirror%/}" "$norm"'
      $1 == "deb" {
        o = ""; i = 2
        if ($2 ~ /^\[/) while (i <= NF) { o = o " " $i; if ($i ~ /\]$/) { i++; break } i++ }
        if (norm($i) == u && match(o, /signed-by=[^] ,]+/)) print substr(o, RSTART + 10, RLENGTH - 10)
      }'
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -r "$file" ] || continue
    grep -v '^#' "$file" | awk -v RS= -v u="${mirror%/}" "$norm"'
      {
        key = ""; hit = 0; by = ""; n = split($0, line, "\n")
        for (j = 1; j <= n; j++) {
          v = line[j]
          if (match(v, /^[A-Za-z-]+:/)) { key = tolower(substr(v, 1, RLENGTH - 1)); v = substr(v, RLENGTH + 1) }
          m = split(v, w, /[ \t,]+/)
          for (q = 1; q <= m; q++) {
            if (key == "uris" && norm(w[q]) == u) hit = 1
            if (key == "signed-by" && w[q] ~ /^\//) by = by w[q] "\n"
          }
        }
        if (hit) printf "%s", by
      }'
  done
  true
}
keys=0
for key in /usr/share/keyrings/debian-archive-keyring.* /etc/apt/trusted.gpg.d/debian-archive-*.* $(signed_by | sort -u); do
  [ -r "$key" ] || continue
  keys=$((keys + 1))
  case $key in *.asc) kind=asc ;; *) kind=gpg ;; esac
  cp -L "$key" "$apt_dir/trust/$keys.$kind"
done
[ $keys -gt 0 ] || die "no readable Debian archive keyring: apt-get install debian-archive-keyring"
chmod 755 "$apt_dir/trust"
chmod 644 "$apt_dir"/trust/*
echo "deb $mirror $suite main" >"$apt_dir/etc/sources.list"

# The machine's apt.conf stays in force (proxies, certificates, Check-Valid-Until); this is read after it.
cat >"$apt_dir/apt.conf" <<E
Dir::State "$apt_dir/state"; Dir::State::status "$apt_dir/status"; Dir::State::extended_states "$apt_dir/state/extended";
Dir::Log "$apt_dir/log"; Dir::Cache "$apt_dir/cache"; Dir::Cache::archives "$apt_dir/cache/archives";
Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";
Dir::Etc::sourcelist "$apt_dir/etc/sources.list"; Dir::Etc::sourceparts "$apt_dir/etc/none";
Dir::Etc::preferences "/dev/null"; Dir::Etc::preferencesparts "$apt_dir/etc/none";
Dir::Etc::trusted "$apt_dir/etc/none.gpg"; Dir::Etc::trustedparts "$apt_dir/trust";
#clear APT::Update::Pre-Invoke; #clear APT::Update::Post-Invoke; #clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke; #clear DPkg::Post-Invoke; #clear DPkg::Pre-Install-Pkgs;
#clear APT::Architectures; APT::Architectures { "$arch"; };
#clear Acquire::Languages; Acquire::Languages { "none"; }; Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
#clear APT::Default-Release;
APT::Sandbox::User "root"; APT::Install-Recommends "false"; APT::Install-Suggests "false";
APT::Keep-Downloaded-Packages "true"; Acquire::Retries "3"; APT::Get::AllowUnauthenticated "false";
E
# What the machine has already (its C toolchain) is declared as installed, so apt's solver leaves it out; nothing else is.
cat >"$apt_dir/status" <<E
Package: host-c-toolchain
Status: install ok installed
Maintainer: none
Architecture: $arch
Version: 1
Provides: gcc (= 999), libc-dev, libc6-dev (= 999), binutils (= 999)
Description: stands in for the machine's own cc

E
: >"$apt_dir/state/extended"
apt=(apt-get -q -c "$apt_dir/apt.conf")

# --- 2. package lists
log=$apt_dir/update.log
update() { "${apt[@]}" update -o APT::Update::Error-Mode=any >"$log" 2>&1; }
say "package lists of $suite from $(sed -E 's#//[^/@]*@#//***@#' <<<"$mirror")"
if ! update; then
  grep -qE 'NO_PUBKEY|not signed|Missing key' "$log" || { cat "$log" >&2; die "apt-get update failed"; }
  # Our keyring is older than the suite's key: take the newest keyring the machine's own, already trusted, suites offer.
  say "the keys here do not sign $suite: asking the machine's own suites for a newer debian-archive-keyring"
  (cd "$apt_dir" && apt-get -q -o APT::Sandbox::User=root download debian-archive-keyring >>"$log" 2>&1) || {
    cat "$log" >&2
    die "$suite is signed by an unknown key: apt-get update && apt-get install debian-archive-keyring"
  }
  dpkg-deb -x "$apt_dir"/debian-archive-keyring_*.deb "$apt_dir/keyring"
  cp -L "$apt_dir"/keyring/usr/share/keyrings/debian-archive-keyring.gpg "$apt_dir/trust/0.gpg"
  update || { cat "$log" >&2; die "apt-get update failed with the newer keyring too"; }
fi

# --- 3. the packages, by apt's solver
want=(rustc libstd-rust-dev-wasm32)
if [ -z "${RUST_LLD:-}" ]; then
  lld=$(apt-cache -c "$apt_dir/apt.conf" show --no-all-versions libstd-rust-dev-wasm32 |
    sed -nE 's/^Recommends:.*\b(lld-[0-9]+).*/\1/p' | head -1)
  want+=("${lld:-lld}")
fi
"${apt[@]}" install -y --print-uris "${want[@]}" >"$apt_dir/plan.txt" || die "apt cannot resolve: ${want[*]}"
grep "^'" "$apt_dir/plan.txt" | awk '{print $2, $3}' | sed 's/%3a/:/' >"$dest/packages.txt"
say "$(wc -l <"$dest/packages.txt") packages, $(awk '{s+=$2} END{printf "%.0f", s/1e6}' "$dest/packages.txt") MB to download"

# --- 4. download (apt checks size and SHA256 against the signed lists) and unpack
"${apt[@]}" install -y --download-only "${want[@]}" >"$apt_dir/download.log" 2>&1 ||
  { cat "$apt_dir/download.log" >&2; die "download failed"; }
say "unpacking"
mkdir "$dest/root.new"
grep "^'" "$apt_dir/plan.txt" | awk '{print $2}' | while read -r deb; do
  dpkg-deb -x "$apt_dir/cache/archives/$deb" "$dest/root.new"
done
find "$dest/root.new/usr/lib/rustlib" -maxdepth 1 -name 'wasm32-*' ! -name $target -exec rm -rf {} +
rm -rf "$dest/root.new"/usr/share/{doc,man,info,lintian,locale} "$root"
mv "$dest/root.new" "$root"
rm -rf "$apt_dir/cache" "$apt_dir/state"

# --- 5. wrappers: the programs run through the loader and the libc they were built for
loader=$(ls "$root"/usr/lib/*-linux-gnu*/ld-linux*.so.* "$root"/lib/*-linux-gnu*/ld-linux*.so.* 2>/dev/null | head -1 || true)
[ -n "$loader" ] || die "no dynamic loader in the unpacked libc6"
cat >"$dest/rustc" <<E
#!/bin/sh
exec "$loader" --library-path "${loader%/*}" "$root/usr/bin/rustc" --sysroot "$root/usr" "\$@"
E
chmod +x "$dest/rustc"
linker=${RUST_LLD:-}
if [ -z "$linker" ]; then
  lld=$(ls "$root"/usr/lib/llvm-*/bin/lld | head -1)
  linker=$dest/wasm-ld
  cat >"$linker" <<E
#!/bin/sh
exec "$loader" --argv0 wasm-ld --library-path "${loader%/*}:${lld%/bin/lld}/lib" "$lld" "\$@"
E
  chmod +x "$linker"
fi

# --- 6. tests: a wasm program, a program for this machine (build scripts), a proc macro (loaded into rustc)
say "testing"
"$dest/rustc" --version >/dev/null || die "the unpacked rustc does not run"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
wasm=(--edition 2021 --target $target -C linker="$linker")
echo 'fn main() { println!("hello"); }' >hello.rs
"$dest/rustc" "${wasm[@]}" -o hello.wasm hello.rs || die "rustc cannot build for $target"
[ "$(head -c4 hello.wasm | od -An -c | tr -d ' \n')" = '\0asm' ] || die "no wasm came out"
"$dest/rustc" -o hello hello.rs && [ "$(./hello)" = hello ] || die "rustc cannot build programs for this machine"
echo 'use proc_macro::TokenStream as T; #[proc_macro] pub fn m(_: T) -> T { "42".parse().unwrap() }' >m.rs
echo 'fn main() { println!("{}", m::m!()); }' >use.rs
"$dest/rustc" --edition 2021 --crate-type proc-macro --extern proc_macro -o libm.so m.rs &&
  "$dest/rustc" "${wasm[@]}" --extern m=libm.so -o use.wasm use.rs ||
  die "proc macros do not work (is this machine's glibc newer than that of $suite?)"

# --- 7. the stamp, last: a toolchain without it is never used
printf '%s' "$STAMP" >"$dest/stamp.new"
mv "$dest/stamp.new" "$dest/stamp"
