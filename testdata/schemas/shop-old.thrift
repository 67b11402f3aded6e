// An older version of shop.thrift.

struct Person {
  1: required string name,
  2: i32 age,
}

service Shop {
  // Looks a person up.
  Person lookUp(11: string word),
}
