"""Messages for the tests of both engines."""

import polywire
import pytest

COUNT = 100_000
"The number of messages of most tests."
KINDS = 1_000
"The number of different ones."
PROTO = """syntax = "proto3";
message Order {
  uint32 id = 1;
  uint64 serial = 2;
  string name = 3;
  repeated Item items = 4;
  map<string, uint32> stock = 5;
  State state = 6;
  oneof way { string mail = 7; uint32 phone = 8; }
  bytes raw = 9;
  double ratio = 10;
  message Item { string sku = 1; sint64 count = 2; }
  enum State { OPEN = 0; PAID = 1; SENT = 2; }
}
"""


def order(number):
    """Returns message `number` as an object."""
    made = {
        "id": number,
        "serial": 2**63 + number,
        "name": f"order {number}",
        "items": [{"sku": f"S{number % 97}", "count": -number}] * (number % 3),
        "stock": {"a": number % 5, "b": 4_000_000_000},
        "state": ["OPEN", "PAID", "SENT"][number % 3],
        "raw": bytes([number % 256]),
        "ratio": number / 8,
    }
    made["mail" if number % 2 else "phone"] = f"{number}@example.com" if number % 2 else number
    return made


@pytest.fixture(scope="session")
def encoded():
    """The orders in Protobuf."""
    return [polywire.encode(order(number), "protobuf", PROTO) for number in range(KINDS)]


@pytest.fixture(scope="session")
def messages(encoded):
    """100,000 orders in Protobuf."""
    return [encoded[number % KINDS] for number in range(COUNT)]


@pytest.fixture(scope="session")
def lines():
    """100,000 messages of JSON."""
    return [b'{"id":%d,"name":"order %d","price":%d.5,"tags":["a","b%d"]}' % (n, n, n, n % 7) for n in range(COUNT)]
