"""Makes the messages of the benchmark: of real size, by seeded chance, from the messages in the folder examples."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"

CITIES = ["Berlin", "Köln", "München", "Hamburg", "Zürich", "Wien", "Frankfurt am Main", "Leipzig", "São Paulo", "New York"]
NAMES = ["Ada", "Björn", "Chen", "Dunja", "Emil", "Fatima", "Grace", "Hedy", "Ivan", "Jürgen"]
FAMILIES = ["Müller", "Lovelace", "Hopper", "Nakamura", "O'Brien", "Smith", "García", "Kowalski", "Jansen", "Öztürk"]
WORDS = "please ring twice then leave the parcel with a neighbour or behind the blue door of the house".split()


def orders(seed: int):
    """Yields flat records: numbers, texts, a truth value, and a note that two of three lack."""
    chance = random.Random(seed)
    number, time = 10_000_000, 1_773_468_124_000
    while True:
        number += chance.randint(1, 9)
        time += chance.randint(0, 5_000)
        order = {
            "id": number,
            "time": time,
            "customer": f"{chance.choice(NAMES)} {chance.choice(FAMILIES)}",
            "city": chance.choice(CITIES),
            "price": chance.randint(100, 99_999) / 100,
            "quantity": chance.randint(1, 40),
            "paid": chance.random() < 0.8,
        }
        if chance.random() < 1 / 3:
            order["note"] = " ".join(chance.choices(WORDS, k=chance.randint(2, 9)))
        yield order


def tickets(seed: int):
    """Yields shift reports as those of examples/tickets.jsonl, with one to nine vouchers."""
    chance = random.Random(seed)
    with open(EXAMPLES / "tickets.jsonl", encoding="utf-8") as lines:
        vouchers = [voucher for line in lines for voucher in json.loads(line)["vouchers"]]
    goods = [(voucher["goods_name"], voucher["sum"]) for voucher in vouchers]
    number, start = 61_300, 1_773_468_124_000
    while True:
        number += 1
        start += chance.randint(1, 60) * 1_000
        time, inside = start, []
        for place in range(chance.randint(1, 9)):
            name, price = chance.choice(goods)
            time += chance.randint(1_000, 400_000)
            inside.append({"number": place + 1, "sum": price, "goods_name": name, "time": time, "flag": chance.random() < 0.5})
        yield {
            "shift_number": number,
            "cash_register": chance.randint(4_100, 4_140),
            "start_time": start,
            "end_time": time + 1_000,
            "vouchers": inside,
        }


def numbers(seed: int):
    """Yields rows of twelve numbers: readings of instruments."""
    chance = random.Random(seed)
    time = 1_773_468_124_000
    while True:
        time += 250
        row = {"time": time, "sensor": chance.randint(1, 4_000), "state": chance.randint(0, 7)}
        for name in ("x", "y", "z", "vx", "vy", "vz"):
            row[name] = round(chance.gauss(0, 100), 3)
        row |= {"volts": round(chance.uniform(3, 5), 3), "count": chance.randint(0, 10**12), "delta": chance.randint(-500, 500)}
        yield row


def compact(message) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def cell(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(char in text for char in ',"\n') else text


def element(name: str, value) -> str:
    if isinstance(value, dict):
        return f"<{name}>" + "".join(element(key, part) for key, part in value.items()) + f"</{name}>"
    if isinstance(value, list):
        return "".join(element(name, part) for part in value)
    return f"<{name}>{cell(value) if isinstance(value, bool) else escape(str(value))}</{name}>"


def modules(place: Path):
    """Compiles the schemas with protoc, and returns their Python modules and where their text is."""
    for proto in (HERE / "orders.proto", EXAMPLES / "search.proto"):
        if not (place / f"{proto.stem}_pb2.py").exists():
            protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{proto.parent}", f"--python_out={place}", str(proto)]
            subprocess.run(protoc, check=True)
    sys.path.insert(0, str(place))
    import orders_pb2
    import search_pb2

    return {
        "orders": (orders_pb2.Order, HERE / "orders.proto"),
        "items": (search_pb2.Item, EXAMPLES / "search.proto"),
    }


def items(seed: int, types):
    """Yields messages of the type Item: those of examples/search-reply.pb with other prices and texts."""
    import search_pb2

    chance = random.Random(seed)
    reply = search_pb2.FindItemsByKeywordsResponse.FromString((EXAMPLES / "search-reply.pb").read_bytes())
    found = list(reply.searchResult.item)
    while True:
        item = types["items"][0]()
        item.CopyFrom(chance.choice(found))
        item.itemId = str(chance.randint(10**11, 10**12))
        item.title = " ".join(chance.choices(item.title.split() + WORDS, k=chance.randint(4, 12)))
        item.sellingStatus.currentPrice = item.sellingStatus.convertedCurrentPrice = chance.randint(100, 99_999) / 4
        if chance.random() < 0.3:
            item.sellingStatus.bidCount = chance.randint(1, 90)
        else:
            item.sellingStatus.ClearField("bidCount")
        yield item


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def gather(pieces, size: int, between: bytes = b"") -> tuple[bytes, int]:
    out, count = bytearray(), 0
    for piece in pieces:
        out += piece
        out += between
        count += 1
        if len(out) >= size:
            return bytes(out), count
    raise AssertionError("pieces that end")


def make(format: str, shape: str, size: int, place: Path) -> Path:
    """Returns the file of a format's messages of a shape, of about `size` bytes. It is made once."""
    path = place / f"{shape}-{size}.{format}"
    if path.exists():
        return path
    kinds = {"orders": orders, "tickets": tickets, "numbers": numbers}
    head, tail, between = b"", b"", b""
    if format == "protobuf":
        types = modules(place)
        if shape == "items":
            messages = (item.SerializeToString() for item in items(1, types))
        else:
            messages = (types[shape][0](**order).SerializeToString() for order in orders(1))
        pieces = (varint(len(message)) + message for message in messages)
    elif format == "jsonl":
        pieces, between = map(compact, kinds[shape](1)), b"\n"
    elif format == "msgpack":
        import msgpack

        pieces = map(msgpack.packb, kinds[shape](1))
    elif format == "csv":
        first = next(kinds[shape](1))
        names = list(first) + (["note"] if shape == "orders" and "note" not in first else [])
        head = ",".join(names).encode() + b"\n"
        pieces = (",".join(cell(row.get(name, "")) for name in names).encode() for row in kinds[shape](1))
        between = b"\n"
    else:
        head, tail = b'<?xml version="1.0" encoding="UTF-8"?>\n<all>', b"</all>\n"
        pieces, between = (element("message", message).encode() for message in kinds[shape](1)), b"\n"
    content, count = gather(pieces, size, between)
    path.write_bytes(head + content + tail)
    print(f"made {path.name}: {count} messages, {path.stat().st_size} bytes", file=sys.stderr)
    return path
