//! Fields of two structures, compared by their positions on the wire.

/// A field: its identity in both versions, and whether it is nullable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// Number that the same field has in both versions.
    pub(super) key: u32,
    pub(super) nullable: bool,
}

/// A change of one structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The reader has a field that the writer lacks, after the field with that key, or first.
    Unwritten { item: Item, behind: Option<u32> },
    /// The writer has a field that the reader lacks.
    Unread(u32),
    /// The reader has the field at another place: after the field with that key, or first.
    Moved { key: u32, behind: Option<u32> },
    /// The field is nullable on one side only.
    Nullable(u32),
}

/// Returns whether every structure of the writer's fields is one of the reader's fields, given that
/// fields with the same key have the same bytes.
pub(super) fn is_aligned(writer: &[Item], reader: &[Item]) -> bool {
    let nullable = |items: &[Item]| items.iter().filter(|item| item.nullable).count();
    let known = nullable(writer);
    // The bit of a field that the reader lacks may be 1; fields after the writer's last are null.
    if known > nullable(reader) || known.div_ceil(8) != nullable(reader).div_ceil(8) {
        return false;
    }
    let mut seen = 0;
    let there = reader.iter().filter(|item| {
        seen += usize::from(item.nullable);
        !item.nullable || seen <= known
    });
    there.eq(writer)
}

/// Returns the writer's fields with one change made.
pub(super) fn changed(writer: &[Item], change: Change) -> Vec<Item> {
    let mut items = writer.to_vec();
    let insert = |items: &mut Vec<Item>, item: Item, behind: Option<u32>| {
        let at = behind.and_then(|key| items.iter().position(|item| item.key == key)).map_or(0, |at| at + 1);
        items.insert(at, item);
    };
    match change {
        Change::Unwritten { item, behind } => insert(&mut items, item, behind),
        Change::Unread(key) => items.retain(|item| item.key != key),
        Change::Moved { key, behind } => {
            if let Some(at) = items.iter().position(|item| item.key == key) {
                let item = items.remove(at);
                insert(&mut items, item, behind);
            }
        }
        Change::Nullable(key) => {
            for item in items.iter_mut().filter(|item| item.key == key) {
                item.nullable = !item.nullable;
            }
        }
    }
    items
}

/// Marks the numbers of a longest ascending subsequence, which did not move. All numbers are
/// distinct.
pub(super) fn steady(numbers: &[u32]) -> Vec<bool> {
    // For each length, the position of the lowest number that ends such a subsequence.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; numbers.len()];
    for (n, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        before[n] = length.checked_sub(1).map(|last| ends[last]);
        if length == ends.len() { ends.push(n) } else { ends[length] = n }
    }
    let mut steady = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(n) = next {
        steady[n] = true;
        next = before[n];
    }
    steady
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Item> {
        text.bytes().map(|letter| Item { key: u32::from(letter.to_ascii_lowercase()), nullable: letter.is_ascii_uppercase() }).collect()
    }

    /// Capital letters are nullable fields.
    #[test]
    fn what_may_be_null_can_be_appended() {
        for (writer, reader, aligned) in [
            ("ab", "ab", true),
            ("ab", "ba", false),
            ("ab", "abc", false),
            ("ab", "abC", false),
            ("Ab", "AbC", true),
            ("Ab", "ACb", true),
            ("Ab", "CAb", false),
            ("AbC", "Ab", false),
            ("ABCDEFGH", "ABCDEFGHI", false),
            ("ABCDEFGHI", "ABCDEFGHIJ", true),
            ("a", "A", false),
        ] {
            assert_eq!(is_aligned(&items(writer), &items(reader)), aligned, "{writer} {reader}");
        }
        assert_eq!(steady(&[0, 2, 1, 3, 4]), [true, false, true, true, true]);
        assert_eq!(steady(&[3, 0, 1]), [false, true, true]);
    }
}
