#!/bin/sh
# Installs artoo from the folder in which this script lies, for this user and without root; removes it again with --uninstall.
# It runs in any POSIX shell (dash, busybox) and writes below the prefix alone.

set -u
umask 022
unset CDPATH
LC_ALL=C
export LC_ALL

usage() {
    cat <<'END'
Installs artoo from the unpacked folder.

Usage: ./install.sh [--prefix DIR]
       ./install.sh --uninstall [--prefix DIR]

  --prefix DIR   Install below this folder [default: ~/.local]
  --uninstall    Remove what was installed there, and nothing else
  -h, --help     Print this
END
}

say() { printf '%s\n' "$*"; }

# fail MESSAGE [HINT]
fail() {
    printf 'error: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
    exit 1
}

# The text as one word of a shell.
quoted() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

has() { command -v "$1" >/dev/null 2>&1; }

# --- What is installed -----------------------------------------------------------------------------------------------------------

# Prints a line for each file of the unpacked folder that is installed: its place below the prefix, a blank, its name in the folder.
# No name has a blank in it.
places() {
    say "bin/artoo artoo"
    for page in man/*.1; do
        [ ! -f "$page" ] || say "share/man/man1/${page#man/} $page"
    done
    say "share/bash-completion/completions/artoo completions/artoo.bash"
    say "share/zsh/site-functions/_artoo completions/_artoo"
    say "share/fish/vendor_completions.d/artoo.fish completions/artoo.fish"
    for text in README.md LICENSE-* THIRD-PARTY-LICENSES.*; do
        [ ! -f "$text" ] || say "share/doc/artoo/$text $text"
    done
    say "share/artoo/install.sh install.sh"
}

# Whether a line of a manifest names a path below the prefix, or the prefix (`.`).
is_below() {
    case "/$1/" in
    /./) return 0 ;;
    *//* | */../* | */./*) return 1 ;;
    *) return 0 ;;
    esac
}

# --- Checks, before anything is written ------------------------------------------------------------------------------------------

check_sums() {
    [ -f SHA256SUMS ] || fail "there is no SHA256SUMS beside this script" "unpack the whole archive, and start the script in its folder"
    for line in $(places | sed 's/.* //') install.sh; do
        grep -q "^[0-9a-f]* [ *]$line\$" SHA256SUMS || fail "SHA256SUMS does not name $line" "unpack the archive again"
        [ -f "$line" ] || fail "$line is missing" "unpack the archive again"
    done
    if has sha256sum; then
        sums=$(sha256sum -c SHA256SUMS 2>&1)
    elif has shasum; then
        sums=$(shasum -a 256 -c SHA256SUMS 2>&1)
    else
        fail "there is neither sha256sum nor shasum, so that the files cannot be checked" "install coreutils"
    fi || {
        printf '%s\n' "$sums" | grep -v ': OK$' >&2
        fail "the files are not those that SHA256SUMS names" "unpack the archive again"
    }
}

# The processor of the program, from its ELF header; empty where it cannot be told.
processor_of_program() {
    has od || return 0
    case $(od -An -tx1 -N20 artoo | tr -d ' \n') in
    7f454c46*3e00) say x86_64 ;;
    7f454c46*b700) say aarch64 ;;
    esac
}

check_machine() {
    system=$(uname -s)
    [ "$system" = Linux ] || fail "this archive is for Linux, and this system is $system" "build artoo from its sources there"
    wanted=$(processor_of_program)
    here=$(uname -m)
    [ -z "$wanted" ] || [ "$wanted" = "$here" ] ||
        fail "this archive is for the processor $wanted, and this machine has $here" "get the archive whose name has $here in it"
    case $wanted in
    x86_64) loader=/lib64/ld-linux-x86-64.so.2 ;;
    aarch64) loader=/lib/ld-linux-aarch64.so.1 ;;
    *) loader=/ ;;
    esac
    [ -e "$loader" ] || fail "artoo needs glibc, and its $loader is not here" "use a system with glibc (Debian, Ubuntu, Fedora), or build artoo from its sources here"
    version=$(./artoo --version 2>&1) && return
    needed=$(printf '%s\n' "$version" | sed -n "s/.*GLIBC_\([0-9.]*\)' not found.*/\1/p" | sort -t . -k 2n | tail -n 1)
    [ -n "$needed" ] || fail "the program cannot be started here: $version" "unpack the archive where programs may be started"
    found=$(getconf GNU_LIBC_VERSION 2>/dev/null) || found="an older one"
    fail "artoo needs glibc $needed, and this system has $found" "use a newer system, or build artoo from its sources here"
}

# The real path of a folder below the prefix; fails where a link leads out of the prefix.
real_folder() {
    real=$(cd -P -- "$prefix" && pwd -P) || return 1
    where=$(cd -P -- "$prefix/$1" && pwd -P) || return 1
    case "${where%/}/" in
    "${real%/}/"*) say "$where" ;;
    *) return 1 ;;
    esac
} 2>/dev/null

# Each folder must lie below the prefix with all links resolved, and take new files. A file that is there must be an earlier one of ours.
check_places() {
    elsewhere="choose another folder by --prefix"
    if [ ! -e "$prefix" ] && [ ! -h "$prefix" ]; then
        above=$(dirname -- "$prefix")
        [ -d "$above" ] || fail "$above is not there" "make it, or $elsewhere"
        [ -w "$above" ] || fail "$above is not yours to write into" "$elsewhere"
        return
    fi
    for file in $(places | sed 's/ .*//') "$manifest"; do
        folder=$(dirname "$file")
        while [ ! -e "$prefix/$folder" ] && [ ! -h "$prefix/$folder" ]; do folder=$(dirname "$folder"); done
        where=$(real_folder "$folder") || fail "$prefix/$folder is no folder below $prefix" "$elsewhere"
        [ -w "$where" ] || fail "$where is not yours to write into" "$elsewhere"
        if [ -d "$prefix/$file" ] && [ ! -h "$prefix/$file" ]; then
            fail "$prefix/$file is a folder" "$elsewhere"
        elif [ -e "$prefix/$file" ] || [ -h "$prefix/$file" ]; then
            [ "$file" = "$manifest" ] || in_manifest "file $file" ||
                fail "$prefix/$file is there already, and this script did not install it" "remove it, or $elsewhere"
        fi
    done
}

# --- The manifest: `file PATH` and `dir PATH` of everything that was made below the prefix ---------------------------------------

manifest=share/artoo/manifest

in_manifest() { [ -f "$prefix/$manifest" ] && grep -qxF -- "$1" "$prefix/$manifest"; }

# The paths of a kind (`file`, `dir`) in the manifest that lie below the prefix.
recorded() {
    [ -f "$prefix/$manifest" ] || return 0
    sed -n "s/^$1 //p" "$prefix/$manifest" | while IFS= read -r path; do
        ! is_below "$path" || say "$path"
    done
}

# The path of a folder below the prefix; `.` is the prefix itself.
place() {
    case $1 in
    .) say "$prefix" ;;
    *) say "$prefix/$1" ;;
    esac
}

# Makes a folder below the prefix and those above it, and notes which were not there.
make_folder() {
    [ ! -d "$prefix/$1" ] || return 0
    [ "$1" = . ] || make_folder "$(dirname "$1")" || return 1
    mkdir -- "$(place "$1")" && made="$made
dir $1"
}

# --- Installation ----------------------------------------------------------------------------------------------------------------

# Takes back what was begun. The files that were there before are whole: only renaming replaces them.
give_up() {
    trap '' HUP INT TERM
    for file in $(places | sed 's/ .*//') "$manifest"; do
        rm -f -- "$prefix/$file.artoo-new"
    done
    remove_folders "$(printf '%s\n' "$made" | sed -n 's/^dir //p')" >/dev/null
    fail "artoo could not be installed in $prefix: $1" "nothing was changed there; look at the message above"
}

# Removes these folders where they are empty, the deepest first, and prints those that stay.
remove_folders() {
    printf '%s\n' "$1" | sed '/^$/d' | sort -r | while IFS= read -r folder; do
        [ ! -d "$prefix/$folder" ] || rmdir -- "$(place "$folder")" 2>/dev/null || say "$folder"
    done
}

# Removes a file, unless a link leads out of the prefix.
remove_file() {
    real_folder "$(dirname -- "$1")" >/dev/null || return 0
    rm -f -- "$prefix/$1"
}

put_in() {
    cd -- "$source" || fail "cannot enter $source"
    check_sums
    check_machine
    check_places
    made=
    files=$(places | sed 's/ .*//')
    trap 'give_up "it was interrupted"' HUP INT TERM
    for folder in $(printf '%s\n' "$files" "$manifest" | sed 's,/[^/]*$,,' | sort -u); do
        make_folder "$folder" || give_up "cannot make $prefix/$folder"
    done
    places | while read -r file from; do
        rm -f -- "$prefix/$file.artoo-new" && cp -- "$from" "$prefix/$file.artoo-new" || exit 1
        case $file in
        bin/* | *.sh) chmod 755 -- "$prefix/$file.artoo-new" ;;
        *) chmod 644 -- "$prefix/$file.artoo-new" ;;
        esac || exit 1
    done || give_up "not every file could be copied"
    folders=$(recorded dir && printf '%s\n' "$made" | sed -n 's/^dir //p')
    old=$(recorded file)
    # Until the end, the manifest names the old files and the new ones: whatever interrupts this, they can be removed.
    write_manifest "$files
$old" "$folders" || give_up "cannot write $prefix/$manifest"
    trap '' HUP INT TERM
    for file in $files; do
        [ ! -h "$prefix/$file" ] || rm -f -- "$prefix/$file"
        mv -f -- "$prefix/$file.artoo-new" "$prefix/$file" || fail "cannot replace $prefix/$file" "start this script again"
    done
    printf '%s\n' "$old" | while IFS= read -r file; do
        [ -z "$file" ] || printf '%s\n' "$files" | grep -qxF -- "$file" || remove_file "$file"
    done
    # A folder that only an older version needed goes as well.
    left=$(remove_folders "$folders")
    write_manifest "$files" "$left" || fail "cannot write $prefix/$manifest" "start this script again"
    report
}

# write_manifest FILES FOLDERS
write_manifest() {
    rm -f -- "$prefix/$manifest.artoo-new" &&
        {
            printf '%s\n' "$1" | sed '/^$/d; s/^/file /' | sort -u
            printf '%s\n' "$2" | sed '/^$/d; s/^/dir /' | sort -u
        } >"$prefix/$manifest.artoo-new" &&
        mv -f -- "$prefix/$manifest.artoo-new" "$prefix/$manifest"
}

report() {
    say "$version is installed:"
    for file in $files; do say "  $prefix/$file"; done
    case ":$PATH:" in
    *":$prefix/bin:"*) say "$prefix/bin is in PATH: artoo setup chooses a model." ;;
    *)
        case ${SHELL:-} in
        */fish) line="fish_add_path $(quoted "$prefix/bin")" into=.config/fish/config.fish ;;
        */zsh) line="export PATH=$(quoted "$prefix/bin"):\"\$PATH\"" into=.zshrc ;;
        */bash) line="export PATH=$(quoted "$prefix/bin"):\"\$PATH\"" into=.bashrc ;;
        *) line="export PATH=$(quoted "$prefix/bin"):\"\$PATH\"" into=.profile ;;
        esac
        say "$prefix/bin is not in PATH. Add this line to ~/$into, and open a new terminal:"
        say "  $line"
        ;;
    esac
    case ${SHELL:-} in
    */zsh)
        say "For completions, this line belongs into ~/.zshrc before compinit:"
        say "  fpath=($(quoted "$prefix/share/zsh/site-functions") \$fpath)"
        ;;
    esac
    say "To remove it: sh $(quoted "$prefix/share/artoo/install.sh") --uninstall"
}

# --- Removal ---------------------------------------------------------------------------------------------------------------------

take_out() {
    [ -f "$prefix/$manifest" ] || fail "artoo was not installed in $prefix by this script: there is no $prefix/$manifest" "name the folder by --prefix"
    folders=$(recorded dir)
    recorded file | while IFS= read -r file; do
        [ -e "$prefix/$file" ] || [ -h "$prefix/$file" ] || continue
        if ! real_folder "$(dirname -- "$file")" >/dev/null; then
            say "left: $prefix/$file, since a link leads out of $prefix" >&2
            continue
        fi
        rm -f -- "$prefix/$file" || exit 1
        say "removed: $prefix/$file"
    done || fail "not everything could be removed from $prefix" "what is left stands in $prefix/$manifest"
    rm -f -- "$prefix/$manifest" || fail "cannot remove $prefix/$manifest"
    remove_folders "$folders" >/dev/null
    home=${HOME:-'~'}
    say "Your data stays. Remove it yourself if you do not want it any more:"
    say "  ${ARTOO_DATA_DIR:-$home/.artoo} (runs, memory, sessions, models)"
    say "  ${XDG_CONFIG_HOME:-$home/.config}/artoo (configuration)"
    say "  ${ARTOO_WORKSPACE:-$home/artoo_workspace} (files that runs made)"
}

main() {
    for tool in chmod cp dirname grep mkdir mv rm rmdir sed sort tail tr uname; do
        has "$tool" || fail "there is no $tool in PATH" "install coreutils, grep and sed, or busybox"
    done
    source=$(cd -P -- "$(dirname -- "$0")" && pwd -P) || fail "cannot tell where this script lies"
    prefix=
    task=install
    # The copy of an installation removes that installation.
    case $source in
    */share/artoo) [ ! -f "$source/manifest" ] || prefix=${source%/share/artoo} ;;
    esac
    while [ $# -gt 0 ]; do
        case $1 in
        --prefix)
            [ $# -gt 1 ] || fail "--prefix needs a folder" "./install.sh --help"
            prefix=$2
            [ -n "$prefix" ] || fail "--prefix needs a folder" "./install.sh --help"
            shift
            ;;
        --prefix=?*) prefix=${1#--prefix=} ;;
        --uninstall) task=uninstall ;;
        -h | --help)
            usage
            exit 0
            ;;
        *) fail "unknown option: $1" "./install.sh --help" ;;
        esac
        shift
    done
    if [ -z "$prefix" ]; then
        [ -n "${HOME:-}" ] || fail "HOME is not set, so that there is no default folder" "name one by --prefix"
        prefix=$HOME/.local
    fi
    case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
    esac
    while [ "$prefix" != "${prefix%/}" ]; do prefix=${prefix%/}; done
    case $task in
    install) put_in ;;
    uninstall) take_out ;;
    esac
}

main "$@"
exit
