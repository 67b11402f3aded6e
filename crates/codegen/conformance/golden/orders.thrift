namespace rs orders

typedef i64 Cents

/** How an order stands. */
enum State { OPEN = 1, PAID, GONE = 7, LOST = 7 }

/** One thing of an order. */
struct Item {
  1: required string name,
  2: optional Cents price,
  3: State state = State.OPEN,
  4: list<double> sizes = [],
  5: set<i16> codes,
  6: map<State, binary> seals,
  7: uuid key,
  8: bool fresh = true,
  9: Place place,
  /** What it came with. */
  10: Choice choice,
  -1: byte type,
  40: i32 few = 3,
  41: string note = "none",
}

struct Place { 1: required i32 row, 2: i16 seat = -1 }

union Choice { 1: string text, 2: i64 number, 3: bool flag, 4: Item item, 5: list<Choice> several }

/** Trees of several kinds. */
struct Tree {
  1: Tree left,
  2: Tree right,
  3: list<Tree> others,
  4: map<string, Tree> named,
  5: map<Place, list<bool>> flags,
  6: map<i32, map<uuid, double>> deep,
  7: required i8 self,
}

struct Order {
  1: required i64 id,
  2: list<Item> items,
  3: Tree tree,
  4: list<State> states,
  5: list<string> words,
  6: list<i64> numbers,
  7: list<bool> flags,
}

struct Empty {}

union Nothing {}

exception Refused { 1: string why, 2: State state }

const i32 MOST = 100
const i64 LEAST = -9223372036854775808
const double RATE = 1.5e3
const bool OPEN = true
const string NAME = "an \"order\"\n"
const binary SEAL = "ab"
const uuid KEY = "00112233-4455-6677-8899-aabbccddeeff"
const State FIRST = State.OPEN
const State LAST = State.LOST
const list<set<i16>> rows = [[1, MOST], []]
const map<State, list<string>> words = {State.OPEN: ["new"], State.GONE: []}
const i8 fn = 7

service Orders { Order get(1: i64 id) throws (1: Refused refused) }
