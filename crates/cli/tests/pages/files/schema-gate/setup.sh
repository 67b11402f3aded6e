# A repository whose schema has a release, and then a change that is not committed.
git init --quiet --initial-branch main
cp testdata/schemas/shop.proto orders.proto
git add orders.proto
git -c user.name=Example -c user.email=example@example.org commit --quiet --message "The first release"
git tag v1
cp testdata/schemas/shop-changed.proto orders.proto
