"""Compares our reading of the EXI test suite of the W3C with the XML beside it, and our writing with EXIficient's reading."""

import collections
import os
import re
import subprocess
import sys
import tempfile
import xml.parsers.expat

XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
PRESERVE = {"c": "comments", "d": "dtd", "p": "pis", "x": "prefixes", "l": "lexical"}
FLAGS = {"a": "byte", "p": "precompression", "c": "compression", "f": "fragment", "r": "selfContained"}
# Documents that the suite has changed after streams of them were made: the file, and what only the streams have.
CHANGED = {"doc-13": "{}html", "indexed-11": "test00"}


def streams(root):
    """Yields each stream without a schema, and its options."""
    for folder, _, names in sorted(os.walk(root)):
        for name in sorted(names):
            document, mark, options = name.partition(".exi%")
            parts = (options.split("%") + [""] * 5)[:5]
            # `i` means the types that XML Schema has built in.
            if not mark or "xsd" in options or "i" in parts[1]:
                continue
            chosen = [PRESERVE[c] for c in parts[0] if c in PRESERVE] + [FLAGS[c] for c in parts[1] if c in FLAGS]
            bounds = zip(("valuePartitionCapacity", "valueMaxLength", "blockSize"), parts[2:])
            yield os.path.join(folder, name), document, tuple(chosen + [f"{bound}={value}" for bound, value in bounds if value])


def merged(events):
    """Joins texts, drops white space at their ends, and sorts the attributes of an element."""
    joined = []
    for kind, *rest in events:
        if kind == "CH" and joined and joined[-1][0] == "CH":
            joined[-1] = ("CH", joined[-1][1] + rest[0])
        else:
            joined.append((kind, *rest))
    out, attributes = [], []
    for event in joined:
        if event[0] == "AT":
            attributes.append(event)
            continue
        out += sorted(attributes)
        attributes = []
        if event[0] == "CH":
            event = ("CH", event[1].strip())
            if not event[1]:
                continue
        out.append(event)
    return out


def of_xml(path, options):
    """Returns the events of a document of XML that a stream with these options keeps."""
    events = []
    parser = xml.parsers.expat.ParserCreate(namespace_separator="\x01")
    parser.ordered_attributes = True

    def name(text):
        uri, _, local = text.rpartition("\x01")
        return f"{{{uri}}}{local}"

    def value(attribute, text):
        # A name's prefix is the stream's own.
        return text.rpartition(":")[2] if attribute == XSI_TYPE else text

    def start(element, attributes):
        events.append(("SE", name(element)))
        pairs = zip(map(name, attributes[::2]), attributes[1::2])
        events.extend(("AT", attribute, value(attribute, text)) for attribute, text in pairs)

    def external(context, _base, system, _public):
        if "dtd" in options:
            events.append(("ER", context.split("\x0c")[0]))
        else:
            inner = parser.ExternalEntityParserCreate(context)
            with open(os.path.join(os.path.dirname(path), system), "rb") as file:
                inner.Parse(file.read(), True)
        return 1

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: events.append(("EE",))
    parser.CharacterDataHandler = lambda text: events.append(("CH", text))
    parser.ExternalEntityRefHandler = external
    if "comments" in options:
        parser.CommentHandler = lambda text: events.append(("CM", text))
    if "pis" in options:
        parser.ProcessingInstructionHandler = lambda target, text: events.append(("PI", target, text))
    if "dtd" in options:
        parser.StartDoctypeDeclHandler = lambda root, system, public, _: events.append(("DT", root, public or "", system or ""))
    with open(path, "rb") as file:
        text = file.read()
    if "fragment" in options:
        text = b"<fragment>" + text + b"</fragment>"
    parser.Parse(text, True)
    return merged(events[1:-1] if "fragment" in options else events)


def unquoted(text):
    """Returns the text that a debug string of Rust shows."""
    escapes = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}
    text = re.sub(r"\\u\{([0-9a-f]+)\}", lambda match: chr(int(match[1], 16)), text[1:-1])
    return re.sub(r"\\(.)", lambda match: escapes.get(match[1], match[1]), text)


def of_stream(lines):
    """Returns the events that the example `events` prints."""
    events = []
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "SE":
            events.append(("SE", rest[rest.index("{"):]))
        elif kind == "AT":
            match = re.match(r"(?:[^{|]*\|)?(\{.*?\}[^ ]+) (.*)$", rest)
            text = unquoted(match[2]) if match[2].startswith('"') else match[2]
            events.append(("AT", match[1], re.sub(r"^.*[|}:]", "", text) if match[1] == XSI_TYPE else text))
        elif kind in ("CH", "CM"):
            events.append((kind, unquoted(rest)))
        elif kind == "PI":
            target, _, text = rest.partition(" ")
            events.append(("PI", target, unquoted(text)))
        elif kind == "DT":
            root, public, system, _ = [unquoted(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', rest)]
            events.append(("DT", root, public, system))
        elif kind not in ("NS",):
            events.append((kind, rest) if rest else (kind,))
    return merged(events)


def main():
    example, data, root, list_file, again = sys.argv[1:6]
    groups = collections.defaultdict(list)
    for path, document, options in streams(root):
        groups[options].append((path, document))
    equal = changed = total = 0
    failures = []
    with open(list_file, "w", encoding="utf-8") as pairs:
        for options, files in groups.items():
            printed = subprocess.run([example, *options, *(path for path, _ in files)], capture_output=True, check=True).stdout.decode()
            for (path, document), part in zip(files, printed.split("FILE ")[1:], strict=True):
                total += 1
                lines = part.rstrip("\n").split("\n")
                end = re.fullmatch(r"ED (\d+) of (\d+)", lines[-1])
                if not end or end[1] != end[2]:
                    failures.append(f"{path}: {lines[-1]}")
                    continue
                inner = path[path.index("/data/") + len("/data/"):].rsplit("/", 1)[0].replace("builtinGrammar", "builtInGrammar")
                twin = os.path.join(data, inner, document if document.endswith(".frag") else document + ".xml")
                if of_stream(lines[1:-1]) == of_xml(twin, options):
                    equal += 1
                elif any(name in document and mark in part for name, mark in CHANGED.items()):
                    changed += 1
                else:
                    failures.append(f"{path}: another document than {twin}")
            # Elements of a user's own in an options document are not written.
            for path, _ in (file for file in files if "user-defined" not in file[0]):
                folder = tempfile.mkdtemp(dir=again)
                subprocess.run([example, *options, "--recode", folder, path], check=True)
                pairs.write("\t".join([",".join(options), path, os.path.join(folder, os.path.basename(path))]) + "\n")
    print(f"{root}: of {total} streams, {equal} are equal to their XML; of {changed} the XML has changed since")
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


main()
