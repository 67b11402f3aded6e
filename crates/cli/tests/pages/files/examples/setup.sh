# A repository, for examples that compare a file with the branch main.
git init --quiet --initial-branch main
git add testdata/schemas/shop.proto
git -c user.name=Example -c user.email=example@example.org commit --quiet --message "The first release"
