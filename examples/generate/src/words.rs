//! The word lists: every name is invented, and the first ones of a list are the commonest.

/// Goods of the ticket shop, 13 to 16 characters, and the price of a piece in cents.
pub const GOODS: &[(&str, u32)] = &[
    ("Adult day ticket", 1450),
    ("Child day ticket", 750),
    ("Family day pass", 3900),
    ("Coffee to go 0.3", 320),
    ("Senior admission", 1100),
    ("Evening ticket", 890),
    ("Audio guide hire", 500),
    ("Ferry, one way A", 460),
    ("Ferry, return AB", 830),
    ("Mineral water 1l", 210),
    ("Student day pass", 980),
    ("Guided tour 45 m", 650),
    ("Butter pretzel L", 290),
    ("Locker, one day", 200),
    ("Map of the coast", 495),
    ("Crème brûlée 90g", 540),
    ("Postcard set (6)", 480),
    ("Group ticket 10+", 9900),
    ("Tower admission", 600),
    ("Bicycle on ferry", 350),
    ("Annual pass, one", 5900),
    ("Apple juice 0.5l", 340),
    ("Rain cape, green", 790),
    ("Planetarium show", 925),
    ("Dog day ticket", 300),
    ("Parking 4 hours", 640),
    ("Parking all day", 1200),
    ("Seal plush small", 1495),
    ("Seal plush large", 2995),
    ("Lighthouse model", 3450),
    ("Wheelchair hire", 0),
    ("Exhibition guide", 1290),
    ("Puzzle 500 parts", 1699),
    ("Café voucher 20€", 2000),
    ("Telescope 2 min.", 100),
    ("Annual pass, two", 9900),
    ("Night tour adult", 1850),
    ("Night tour child", 990),
    ("Notebook, lined", 575),
    ("Umbrella, folded", 1590),
    ("Sun hat, unisex", 1250),
    ("Fridge magnet 3x", 895),
    ("Cinema 4D ticket", 1075),
    ("Herring roll XXL", 620),
    ("Fish soup, bowl", 780),
    ("Key ring, anchor", 445),
];

/// Short words, of at most nine letters.
pub const WORDS: &[&str] = &[
    "water", "house", "light", "north", "river", "stone", "paper", "green", "table", "market", "garden", "winter", "bridge", "silver",
    "harbour", "morning", "kettle", "signal", "copper", "meadow", "lantern", "orchard", "pebble", "saddle", "thunder", "velvet", "whistle",
    "anchor", "barley", "candle", "drizzle", "ember", "feather", "granite", "hollow", "ivory", "juniper", "lichen", "marble", "nettle",
    "oak", "pine", "quarry", "ridge", "sparrow", "thistle", "umber", "willow", "yarrow", "zephyr",
];

/// Makers of optical goods.
pub const MAKERS: &[&str] =
    &["Quorvane", "Tresselby", "Ombrafell", "Dyxmoor", "Haldrune", "Peverlock", "Zintaurel", "Wrenmarsh", "Lysk & Doel"];

/// Lines of models.
pub const MODELS: &[&str] = &["Trekker", "Fenwatch", "Skyline", "Heron", "Compact", "Polaris", "Dune", "Marine", "Owl II", "Ridgeway"];

/// Magnification and aperture, as they are printed on binoculars.
pub const POWERS: &[&str] = &["8x42", "10x42", "8x32", "10x50", "7x50", "8x25", "12x50", "10x25", "15x70", "20x80"];

/// What can be said in favour of binoculars.
pub const FEATURES: &[&str] =
    &["Waterproof", "BaK-4 Prisms", "Fog Proof", "Wide Angle", "Nitrogen Filled", "6.5 deg", "ED Glass", "Close Focus 2m", "Twist-up Cups"];

/// Colours.
pub const COLOURS: &[&str] = &["Black", "Green", "Grey", "Sand", "Brown", "Orange"];

/// Things that go with binoculars.
pub const ACCESSORIES: &[&str] = &[
    "Chest Harness with Quick Clips for Binoculars",
    "Padded Case \"Trail\" for 42mm Binoculars & Straps",
    "Tripod Adapter, Metal, 1/4\" Thread, for Binoculars",
    "Floating Neck Strap, 5cm wide, Bright Orange",
    "Lens Pen and Cloth Set, 3 Pieces, for Field Optics",
    "Objective Caps (Pair), Tethered, for 50mm Lenses",
];

/// What sellers shout at the end of a title.
pub const SHOUTS: &[&str] = &["NEW IN BOX", "MINT", "with Case", "Free Delivery!", "L@@K", "Bargain", "+ Strap & Cloth"];

/// Second lines of an offer.
pub const SUBTITLES: &[&str] = &[
    "BRIGHT AND SHARP, ONE OWNER, KEPT IN A DRY PLACE",
    "Ships today if you order before noon",
    "Rubber armour worn at the edges, optics <perfect>",
    "LEFT BARREL OUT OF LINE, SOLD FOR PARTS",
    "Two year guarantee from a family shop",
];

/// Towns, each with its postal code and region.
pub const TOWNS: &[(&str, &str, &str)] = &[
    ("Norrick Bay", "20417", "WE"),
    ("Port Calder", "31150", "SO"),
    ("Elmsworthy", "10023", "CA"),
    ("Upper Tarn", "47786", "NO"),
    ("Sankt Oyle", "55201", "EA"),
    ("Hazelmouth", "20981", "WE"),
    ("Brigg-on-Lode", "61340", "EA"),
    ("Kingsferry", "33097", "SO"),
    ("Drumlach", "71002", "NO"),
    ("Vall Serena", "82445", "SO"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goods_names_have_13_to_16_characters() {
        for (name, _) in GOODS {
            assert!((13..=16).contains(&name.chars().count()), "{name}: {}", name.chars().count());
        }
    }

    #[test]
    fn words_have_at_most_nine_letters() {
        assert!(WORDS.iter().all(|word| word.len() <= 9));
    }
}
