//! The program of the user's guide, as it stands there.

#[allow(dead_code)]
mod guide {
    include!(concat!(env!("OUT_DIR"), "/guide.rs"));

    #[test]
    fn the_program_of_the_guide_does_what_it_says() {
        main().unwrap();
    }
}
