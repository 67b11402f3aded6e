# The schema stands in the page.
mkdir src
sed -n '/^```proto$/,/^```$/p' docs/protobuf.md | sed '1d;$d' > tracks.proto
