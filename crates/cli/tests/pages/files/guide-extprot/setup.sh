# The protocol stands in the page.
mkdir src protocols
sed -n '/^```extprot$/,/^```$/p' docs/guide-extprot.md | sed '1d;$d' > protocols/fleet.extprot
