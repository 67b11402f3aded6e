"""Compares serial numbers, and the object identifiers of extensions, with OpenSSL's.

Input is the output of the example `certificates` of polywire-asn1, as `tools/judge-asn1 --certificates` calls it. Files of
several blocks are left out. Files that are not DER are listed by the rule that they break.
"""

import base64
import os
import re
import subprocess
import sys


def object_identifier(octets):
    arcs, arc = [], 0
    for octet in octets:
        arc = arc << 7 | octet & 127
        if octet < 128:
            arcs.append(arc)
            arc = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, [first, arcs[0] - 40 * first, *arcs[1:]]))


def main():
    alike, refused, different, broken = [0, 0], 0, [], {}
    for line in sys.stdin:
        print(line, end="") if line.count("|") < 3 else None
        parts = line.rstrip("\n").split("|")
        if len(parts) > 6 and parts[5] == "ber":
            rule = re.search(r"X\.\d+ \d+(?:\.\d+)*", parts[6])
            reason = re.search(r"expected (.*?)(?: \(X\.|, saw )", parts[6])
            key = (rule.group(0) if rule else "no rule", reason.group(1) if reason else parts[6])
            broken.setdefault(key, []).append(os.path.basename(parts[0]))
        if len(parts) < 4 or parts[1] != "certificate":
            continue
        name, _, serial, extensions = parts[:4]
        raw = open(name, "rb").read()
        if raw.count(b"-----BEGIN") > 1:
            continue
        form = "PEM" if b"-----BEGIN" in raw else "DER"
        shown = subprocess.run(["openssl", "x509", "-in", name, "-inform", form, "-noout", "-serial"], capture_output=True, text=True)
        if shown.returncode:
            refused += 1
        else:
            digits = shown.stdout.strip().split("=")[1]
            number = -int(digits[1:], 16) if digits[0] == "-" else int(digits, 16)
            if str(number) == serial:
                alike[0] += 1
            else:
                different.append((name, "serial number", digits, serial))
        der = raw
        if form == "PEM":
            body = raw.split(b"-----BEGIN")[1].split(b"-----")[1]
            der = base64.b64decode(b"".join(text.strip() for text in body.split(b"\n") if b":" not in text))
        tree = subprocess.run(["openssl", "asn1parse", "-inform", "DER"], input=der, capture_output=True)
        found, inside = [], False
        for row in tree.stdout.decode(errors="replace").split("\n"):
            known = re.match(r" *(\d+):d=(\d+) +hl=(\d+) l= *(\d+) (?:prim|cons): (.*)", row)
            if not known:
                continue
            at, depth, head, length = map(int, known.group(1, 2, 3, 4))
            if depth == 2:
                inside = known.group(5).startswith("cont [ 3 ]")
            if inside and depth == 5 and known.group(5).startswith("OBJECT"):
                found.append(object_identifier(der[at + head : at + head + length]))
        if " ".join(found) == extensions:
            alike[1] += 1
        else:
            different.append((name, "extensions", " ".join(found), extensions))
    print(f"serial numbers alike {alike[0]}, extensions alike {alike[1]}, OpenSSL refuses {refused}, different {len(different)}")
    for one in different[:20]:
        print(*one)
    for (rule, reason), names in sorted(broken.items()):
        print(f"not DER by {rule}, {reason}: {len(names)}: {' '.join(sorted(names))}")
    return 1 if different else 0


sys.exit(main())
