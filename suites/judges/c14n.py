"""Judges XML by lxml, which is libxml2: one question a line, one answer a line, both JSON.

A question is {"path": FILE} with, if the testee read the document, "written": the XML that it wrote.
Answers: "same", "refused: ...", "read" (nothing was written), "other: ..." (another canonical form),
"no canonical form: ..." (of names of namespaces that are relative).
"""
import io
import json
import sys

from lxml import etree


class Nothing(etree.Resolver):
    """Makes every external entity and document type empty: nothing is ever fetched."""

    def resolve(self, url, public, context):
        return self.resolve_string("", context)


def parser(recover):
    made = etree.XMLParser(attribute_defaults=True, resolve_entities=True, no_network=True, recover=recover)
    made.resolvers.add(Nothing())
    return made


def is_passed_over(entry):
    """Only validity is wrong, or an entity may be declared outside of the document (XML 1.0 4.1)."""
    return entry.domain_name == "VALID" or entry.type_name.startswith("DTD_") or entry.type_name == "WAR_UNDECLARED_ENTITY"


def parse(data):
    strict = parser(False)
    try:
        tree = etree.parse(io.BytesIO(data), strict)
    except etree.XMLSyntaxError:
        errors = [entry for entry in strict.error_log if entry.level_name != "WARNING"]
        if not errors or not all(map(is_passed_over, errors)):
            raise
        # A reader that does not validate passes over all of them.
        return etree.parse(io.BytesIO(data), parser(True))
    # A namespace error is in the log of a document that libxml2 reads.
    names = [entry for entry in strict.error_log if entry.domain_name == "NAMESPACE" and entry.level_name == "ERROR"]
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
    try:
        demanded = canonical(tree)
    except (etree.C14NError, ValueError) as error:
        return "no canonical form: " + str(error)
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
