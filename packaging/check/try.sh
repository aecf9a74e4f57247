#!/bin/sh
# try.sh KIND BASE_URL - installs one package, uses it, and removes it, in a root that has no compiler. Writes `name=value` lines to
# /mnt/result/result. It runs as root; whatever needs no root runs as the user `me` (1000), as a person would.
set -u
kind=$1 base_url=$2
result=/mnt/result/result
home=/home/me
search=$home/.local/bin:$home/venv/bin:$home/npm/bin:/mnt/tools/bin:/usr/local/bin:/usr/bin:/bin

say() { printf '%s=%s\n' "$1" "$2" >>"$result"; }

# Runs a command as the user, with an environment of a few words.
as_me() {
    setpriv --reuid=1000 --regid=1000 --clear-groups env -i HOME="$home" PATH="$search" LANG=C.UTF-8 \
        OPENAI_BASE_URL="$base_url" OPENAI_MODEL=mock "$@"
}

install() {
    case $kind in
    tarball)
        as_me tar -xzf /mnt/packages/artoo-*-x86_64-unknown-linux-gnu.tar.gz -C "$home" &&
            as_me sh "$home"/artoo-*/install.sh
        ;;
    deb) dpkg -i /mnt/packages/artoo_*_amd64.deb ;;
    wheel)
        as_me python3 -m venv "$home/venv" &&
            as_me "$home/venv/bin/pip" install --quiet --no-index --disable-pip-version-check /mnt/packages/artoo-*_x86_64.whl
        ;;
    npm)
        as_me npm install --silent --offline --no-audit --no-fund --global --prefix "$home/npm" \
            /mnt/packages/artoo-cli-linux-x64-*.tgz /mnt/packages/artoo-cli-[0-9]*.tgz
        ;;
    esac
}

uninstall() {
    case $kind in
    tarball) as_me sh "$home"/artoo-*/install.sh --uninstall && as_me sh -c 'rm -r "$HOME"/artoo-*-x86_64-unknown-linux-gnu' ;;
    deb) dpkg --purge artoo ;;
    wheel) as_me "$home/venv/bin/pip" uninstall --quiet --yes artoo && as_me rm -r "$home/venv" ;;
    npm) as_me npm uninstall --silent --global --prefix "$home/npm" artoo-cli artoo-cli-linux-x64 && as_me rm -r "$home/npm" "$home/.npm" ;;
    esac
}

for compiler in cc gcc clang tcc rustc; do
    if command -v $compiler >/dev/null; then say compiler $compiler; fi
done
started=$(date +%s%N)
install >/mnt/result/install.log 2>&1
say install $?
as_me cp -r /mnt/sample "$home/sample"
cd "$home/sample" || exit 1
as_me artoo --version >/mnt/result/version.log 2>&1
say version $?
as_me artoo run --json "How many .txt files are in docs?" >/mnt/result/run.log 2>/mnt/result/run.err
say run $?
ended=$(date +%s%N)
say milliseconds $(((ended - started) / 1000000))
say output "$(tail -n 1 /mnt/result/run.log | tr -d '\n' | sed -n 's/.*"directive":"\([a-z_]*\)".*/\1/p')"
as_me artoo doctor >/mnt/result/doctor.log 2>&1
say doctor $?
if [ "$kind" = wheel ]; then
    as_me "$home/venv/bin/python" -c 'import artoo, sys
result = artoo.run("How many .txt files are in docs?")
sys.exit(0 if result.exit_code == 0 else 1)' >/mnt/result/import.log 2>&1
    say import $?
fi
if [ "$kind" = deb ]; then
    [ -s /usr/share/man/man1/artoo.1.gz ] || say missing manual
fi
uninstall >/mnt/result/uninstall.log 2>&1
say uninstall $?
# What is left of the home is the user's data.
say left "$(cd "$home" && find . -mindepth 1 -maxdepth 1 ! -name sample | sort | tr '\n' ' ')"
