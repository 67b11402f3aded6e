"""Judges XML by lxml, which is libxml2: one question a line, one answer a line, both JSON.

A question is {"path": FILE} with, if the testee read the document, "written": the XML that it wrote.
Answers: "same", "refused: ...", "read" (nothing was written), "other: ..." (another canonical form),
"external" (the document needs another file).
"""
import io
import json
import sys

from lxml import etree


def parse(data):
    parser = etree.XMLParser(
        attribute_defaults=True, resolve_entities="internal", load_dtd=False, no_network=True, huge_tree=True
    )
    tree = etree.parse(io.BytesIO(data), parser)
    # A warning is libxml2's; a namespace error is in the log of a document that it reads.
    names = [entry for entry in parser.error_log if entry.domain_name == "NAMESPACE" and entry.level_name == "ERROR"]
    if names:
        raise ValueError(names[0].message)
    return tree


def canonical(tree):
    out = io.BytesIO()
    tree.write_c14n(out, with_comments=True)
    return out.getvalue()


def answer(question):
    with open(question["path"], "rb") as file:
        data = file.read()
    try:
        tree = parse(data)
    except (etree.XMLSyntaxError, ValueError) as error:
        return "refused: " + str(error)
    if any(isinstance(node, etree._Entity) for node in tree.iter()):
        return "external"
    try:
        demanded = canonical(tree)
    except (etree.C14NError, ValueError) as error:
        return "external" if "entity" in str(error).lower() else "no canonical form: " + str(error)
    if "written" not in question:
        return "read"
    try:
        written = canonical(parse(question["written"].encode()))
    except (etree.XMLSyntaxError, etree.C14NError, ValueError) as error:
        return "other: the XML that was written is refused: " + str(error)
    if written == demanded:
        return "same"
    for place, (one, two) in enumerate(zip(demanded, written)):
        if one != two:
            break
    else:
        place = min(len(demanded), len(written))
    return "other: %r, not %r" % (written[max(0, place - 20) : place + 40], demanded[max(0, place - 20) : place + 40])


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
