# A repository whose schema changed after version 1.0.
git init --quiet --initial-branch main
commit() {
    cp "testdata/schemas/$1" fleet.extprot
    git add fleet.extprot
    git -c user.name=Example -c user.email=example@example.org commit --quiet --message "$1"
}
commit fleet-older.extprot
git tag v1.0
cp examples/fleet.extprot testdata/schemas/fleet.extprot
commit fleet.extprot
