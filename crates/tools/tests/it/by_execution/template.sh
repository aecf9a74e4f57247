# Makes the tree that a row of the tables runs in, in the current folder. HOME is its `home`.
set -e
umask 022
mkdir -p home/{Documents/old,Pictures,Downloads,.local/bin,.config/{app,autostart,gh,google-chrome/Default},.ssh,.aws} \
    home/{.mozilla/firefox/x.default,.thunderbird/x.default/Mail,Maildir/cur,.gnupg,Vault,.local/share/app} shared tmp \
    home/artoo_workspace/sub home/project/{src/deep,dest/sub,from/sub,mirror/src,empty,one/two,bin,parts.d,site,rodir} \
    home/project/flags/{sed,sort,tar,chmod}

# The home.
cd home
printf '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n' > .gitconfig
echo 'export EDITOR=ed' > .bashrc
echo '. ~/.bashrc' > .profile
echo 'ls' > .bash_history
echo 'theme = dark' > .config/app/settings.ini
printf '[Desktop Entry]\nExec=true\n' > .config/autostart/app.desktop
printf '#!/bin/sh\necho tool\n' > .local/bin/tool
echo 'kept for years' > .local/share/app/state
echo 'dear Grace' > Documents/letter.txt
echo 'shared' > Documents/shared.txt
echo 'income 12' > 'Documents/tax return.csv'
echo 'older' > Documents/old/1999.txt
echo 'not really a picture' > Pictures/cat.jpg
echo 'notes' > Downloads/notes.txt
chmod 755 .local/bin/tool
chmod 700 .ssh .gnupg

# The workspace.
cd artoo_workspace
for name in old.txt report.md sub/one.txt sub/two.txt .hidden; do echo "earlier: $name" > "$name"; done
ln -s ../project link-to-project
cd ../project

# The working folder: ordinary files, names that hurt, links in and out.
printf 'alpha\nbeta\ngamma\n' > a.txt
printf 'bravo\nbeta\n\nbanana 2\nbeta 1\n' > b.txt
printf 'charlie\nabc\n' > c.txt
for name in -dash.txt 'name with blank.txt' $'new\nline.txt' naïve.txt а.txt .hidden .env ignored.txt notes.md readonly.txt xaa xx00; do
    echo "old words in $name" > "./$name"
done
printf 'name,value\nb.txt,1\nc.txt,22\n' > data.csv
printf 'x,y\n1,2\n3,4\n' > more.csv
printf '{"b": 1, "a": [1, 2]}\n' > data.json
echo 'a.txt b.txt' > list.txt
printf '[main]\nport = 80\n' > config.ini
: > empty.txt
echo 'def twice(x):' > src/lib.py
echo '    return 2 * x' >> src/lib.py
echo 'import lib' > src/util.py
echo 'import sys; print(sum(range(10)))' > main.py
echo 'far down' > src/deep/x.txt
echo 'inside' > rodir/kept.txt
for name in a.txt b.txt old.txt sub/s.txt; do echo "from $name" > "from/$name"; done
for name in a.txt b.txt sub/s.txt; do echo "dest $name" > "dest/$name"; done
echo 'mirrored' > mirror/src/util.py
ln -s a.txt link.txt
ln -s src linkdir
ln -s ../Documents/letter.txt out.txt
ln -s ../Documents outdir
ln -s ../Documents/nowhere.txt dangling
echo 'two names' > hard1.txt
ln hard1.txt hard2.txt
ln ../Documents/shared.txt hardout.txt
printf 'x' | dd of=sparse.img bs=1 seek=65535 status=none
echo 'with an attribute' > xattr.txt

# Programs that remove a.txt, in as many languages.
printf '#!/bin/sh\necho 1\n' > script.sh
printf '#!/bin/sh\necho setuid\n' > setuid.sh
echo 'rm -f a.txt' > wipe.sh
printf '#!/bin/sh\nrm -f a.txt\n' | tee clean.sh bin/ls parts.d/clean > /dev/null
echo 'BEGIN { print "x" > "a.txt" }' > wipe.awk
echo 'w a.txt' > wipe.sed
echo 'import os; os.remove("a.txt")' | tee wipe.py > site/sitecustomize.py
echo 'unlink "a.txt"; 1' | tee wipe.pl > Wipe.pm
echo 'require("fs").unlinkSync("a.txt")' > wipe.js
printf '[alias]\n\tx = !rm -f a.txt\n' > wipe.gitconfig
printf '.PHONY: all clean\nall:\n\techo made\nclean:\n\trm -f a.txt\nb.txt: FORCE\n\ttouch b.txt\nFORCE:\n' > Makefile
printf 'x := $(shell rm -f a.txt)\nall:\n\ttrue\n' > wipe.mk

# Names that become options where a glob meets them.
echo alpha | tee flags/sed/a.txt flags/sort/a.txt flags/tar/a.txt flags/chmod/a.txt flags/sort/b.txt > /dev/null
: | tee flags/sed/-i flags/sort/-oa.txt flags/chmod/--reference=run.sh flags/tar/--checkpoint=1 > /dev/null
: > 'flags/tar/--checkpoint-action=exec=sh wipe.sh'
echo 'rm -f a.txt' > flags/tar/wipe.sh
echo 'true' > flags/chmod/run.sh
chmod 755 flags/chmod/run.sh

# Archives and a patch with other words for the same names.
mkdir packed && cd packed
mkdir from
echo 'packed a' > a.txt
echo 'packed b' > b.txt
echo 'packed from a' > from/a.txt
tar cf ../archive.tar a.txt b.txt from
tar czf ../archive.tgz a.txt b.txt from
tar cf ../second.tar b.txt
cd ..
if command -v zip > /dev/null; then (cd packed && zip -qr ../archive.zip .); fi
rm -r packed
gzip -k -c c.txt > c.txt.gz
printf -- '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n' > change.patch
if command -v python3 > /dev/null; then
    python3 -c 'import sqlite3; c = sqlite3.connect("a.db"); c.execute("create table t (n)"); c.execute("insert into t values (1)"); c.commit()'
fi

chmod 755 script.sh clean.sh bin/ls parts.d/clean
chmod 4755 setuid.sh
chmod 444 readonly.txt rodir/kept.txt
chmod 640 c.txt

# A repository with history, another branch, something staged, a stash and a remote outside.
if command -v git > /dev/null; then
    export GIT_AUTHOR_DATE='2024-05-01T12:00:00Z' GIT_COMMITTER_DATE='2024-05-01T12:00:00Z'
    git init -q --bare --template= ../../shared/remote.git
    git -C ../../shared/remote.git config receive.denyDeleteCurrent ignore
    git init -q --template= .
    mkdir .git/hooks .git/info
    printf 'ignored.txt\n' > .gitignore
    printf 'flags\narchive*\na.db\nsparse.img\n' > .git/info/exclude
    git config core.checkStat minimal
    git config core.trustctime false
    git remote add origin ../../shared/remote.git
    git add b.txt c.txt data.csv src notes.md .gitignore config.ini
    git commit -qm first
    git tag v1
    git branch old
    git push -q origin main old
    git checkout -qb other
    echo 'other words' > b.txt
    echo 'only there' > only-other.txt
    git add b.txt only-other.txt
    git commit -qm 'on the other branch'
    git checkout -q main
    echo 'more' >> notes.md
    git commit -qam second
    echo 'stashed' >> config.ini
    git stash -q
    echo 'not yet committed' >> c.txt
    echo 'staged' > staged.txt
    git add staged.txt
    # A repository whose index does not know the files any more, as after a copy.
    git init -q --template= "$HOME/artoo_workspace/site"
    echo '<p>' > "$HOME/artoo_workspace/site/index.html"
    git -C "$HOME/artoo_workspace/site" add .
    git -C "$HOME/artoo_workspace/site" commit -qm site
fi

# Everything is old; one file is newer. The indexes are younger than the files, so that git trusts them.
cd ../..
find . -name index -path '*/.git/*' -prune -o -exec touch -h -d '2024-05-01T12:00:00Z' {} +
echo 'newer' > home/project/newer.txt
touch -d '2025-01-01T12:00:00Z' home/project/newer.txt
if command -v git > /dev/null; then git -C home/project status > /dev/null; fi
find . -type d -exec touch -d '2024-05-01T12:00:00Z' {} +
chmod 555 home/project/rodir
