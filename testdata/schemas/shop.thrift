// Messages of the corpus of Thrift's protocols.

struct Person {
  1: required string name,
}

service Shop {
  // Looks a person up.
  Person lookUp(11: string word, 12: Person nearby),
}
