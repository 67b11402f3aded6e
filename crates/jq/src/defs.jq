# Filters of jq 1.7 that the interpreter's own library lacks, or has in another form.

# Errors and ends
def halt_error($code): say_halt, halt($code);
def halt_error: halt_error(3);
def stderr: (stderr_empty as $x | .), .;
def debug: (debug_empty as $x | .), .;
def debug(msgs): ((msgs | debug_empty) as $x | .), .;

# Kinds
def isvalid(f): try (f | true) catch false;
def abs: if . < 0 then - . else . end;
def toarray: if type == "array" then . else [.] end;
def have_literal_numbers: true;
def have_decnum: false;
def isfinite: type == "number" and (isinfinite | not);
def normals: select(isnormal);
def finites: select(isfinite);

# Entries
def from_entries: reduce .[] as $x ({};
    . + { ($x | if type == "object" then
            (if has("key") then .key elif has("k") then .k elif has("name") then .name
             elif has("Name") then .Name elif has("Key") then .Key elif has("K") then .K else null end)
          else . end
          | if type == "string" then . elif type == "null" then "null" else tojson end):
        ($x | if type == "object" then
            (if has("value") then .value elif has("v") then .v elif has("Value") then .Value elif has("V") then .V else null end)
          else null end) });
def with_entries(f): to_entries | map(f) | from_entries;

# Paths
def leaf_paths: paths(scalars);
def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);
def del(f): delpaths([path(f)]);
def to_entries: [keys_unsorted[] as $k | { key: $k, value: .[$k] }];
def pick(pathexps): . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));

# Lists
def flatten($depth): if $depth < 0 then error("flatten depth must not be negative") else flatten_to($depth) end;
def flatten: flatten_to(1e9);
def transpose: [range(0; map(length) | max // 0) as $i | [.[][$i]]];
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $y | [$x] + $y end;
def combinations(n): . as $dot | [range(n) | $dot] | combinations;
def index($i): indices($i) | .[0];
def rindex($i): indices($i) | .[-1:][0];
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; g): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; g)) end;
def until(cond; update): def _until: if cond then . else (update | _until) end; _until;
def any(g; cond): isempty(first(g | cond and true | select(.))) | not;
def all(g; cond): isempty(first(g | cond and true | select(. | not)));

# Streams
def truncate_stream(stream): . as $n | null | stream | . as $input
  | if (.[0] | length) > $n then setpath([0]; $input[0][$n:]) else empty end;
def fromstream(f): { x: null, e: false } as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def tostream: path(def r: (.[]?|r), .; r) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);

# SQL
def INDEX(stream; idx_expr): reduce stream as $row ({}; .[$row | idx_expr | tostring] |= $row);
def INDEX(idx_expr): INDEX(.[]; idx_expr);
def GROUP_BY(f): group_by(f);
def UNIQUE_BY(f): unique_by(f);
def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];
def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];
def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def ascii: [.] | implode;

# Regular expressions
def flags_of: if . == null then "" else . end;
def re_of($val; f; g): ($val | type) as $t
  | if $t == "string" then f
    elif $t == "array" and ($val | length) > 0 then g
    else error($t + " not a string or array") end;
def test($val): re_of($val; test($val; ""); test($val[0]; $val[1] | flags_of));
def match($val): re_of($val; match($val; ""); match($val[0]; $val[1] | flags_of));
def capture($val): re_of($val; capture($val; ""); capture($val[0]; $val[1] | flags_of));
def match(re; flags): matches(re; (flags | flags_of))[]
  | .[0] + { captures: .[1:] };
def split($sep): split_text($sep);
def splits($re): splits($re; null);
def splits($re; flags): split($re; (flags | flags_of))[];

# Dates
def todate: todateiso8601;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def todateiso8601: floor | strftime("%Y-%m-%dT%H:%M:%SZ");

# Formats
def @text: tostring;
def @json: tojson;
def @base64: base64_text;
def @base64d: base64_of;
def @base32: base32_text;
def @base32d: base32_of;
def @html: html_text;
def @uri: tostring | encode_uri;
def @sh: [if type == "array" then .[] else . end
    | if type == "string" then "'\(escape_sh)'"
      elif type == "array" or type == "object" then error("\(type) (\(excerpt)) can not be escaped for shell")
      else tojson end] | join(" ");
def @csv: csv_row;
def @tsv: tsv_row;
