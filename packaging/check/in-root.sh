#!/bin/sh
# in-root.sh ROOT CHANGES PACKAGES TOOLS SAMPLE RESULT COMMAND [ARGUMENT...]
#
# Runs a command in a copy of ROOT, for one check: ROOT itself is not written. CHANGES/upper receives what the command changed outside of
# the homes and of /tmp, which are in memory (a trial of artoo needs a file system that can be the upper layer of an overlay).
# A chroot would not do: the kernel refuses user namespaces to a process in one. So the old root is left by pivot_root.
# Call it as: unshare --mount --propagation private --pid --fork sh in-root.sh ...
set -eu
root=$1 changes=$2 packages=$3 tools=$4 sample=$5 result=$6
shift 6
mkdir -p "$changes/upper" "$changes/work" "$changes/merged"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$changes/upper,workdir=$changes/work" "$changes/merged"
cd "$changes/merged"
mkdir -p mnt/packages mnt/tools mnt/sample mnt/result mnt/old
mount --bind "$packages" mnt/packages
mount --bind "$tools" mnt/tools
mount --bind "$sample" mnt/sample
mount --bind "$result" mnt/result
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs home
mkdir -p home/me
chown 1000:1000 home/me mnt/result
pivot_root . mnt/old
cd /
umount -l /mnt/old
exec "$@"
