//! Runs the programs of the user's guides unchanged.

#[allow(dead_code)]
mod guide {
    include!(concat!(env!("OUT_DIR"), "/guide.rs"));

    #[test]
    fn the_program_of_the_guide_does_what_it_says() {
        main().unwrap();
    }
}

#[allow(dead_code)]
mod protobuf {
    include!(concat!(env!("OUT_DIR"), "/guide_protobuf.rs"));

    #[test]
    fn the_program_of_the_page_does_what_it_says() {
        main().unwrap();
    }
}
