//! Hostile bytes: streams that do not fit their schema, and damaged files of columns.

use std::sync::Arc;

use polywire_arrow::{Bad, CellReader, CellWriter, FileKind, FileWriter, Plan, Rest, Rows, Squeeze};
use polywire_core::tools::adapt::Walker;
use polywire_core::{Limits, Tree};
use polywire_formats::registry;
use polywire_testing::{Rng, mutate};

mod hostile_bytes;
mod random;

#[test]
fn no_stream_is_a_panic() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..1000 {
        let (number, chosen, options) = (rng.u8(..10), rng.u8(..), rng.u8(..));
        let format = registry::find(hostile_bytes::FORMATS[usize::from(number)]).unwrap();
        let (schema, _) = hostile_bytes::choices(chosen, options);
        let mut bytes = vec![number, chosen, options];
        for _ in 0..rng.usize(1..4) {
            let value = random::value(&mut rng, &schema);
            // Not every format holds every value.
            let (mut writer, mut message) = (format.writer.unwrap()(), Vec::new());
            if value.emit(&mut *writer).and_then(|()| writer.finish(&mut message)).is_err() {
                continue;
            }
            bytes.extend(if rng.bool() { message } else { mutate(&mut rng, &message) });
        }
        hostile_bytes::sink(&bytes);
    }
}

#[test]
fn no_file_is_a_panic() {
    let mut rng = Rng::with_seed(2);
    for number in 0..60 {
        let (schema, options) = hostile_bytes::choices(number, number);
        let kind = [FileKind::Stream, FileKind::File, FileKind::Parquet][usize::from(number) % 3];
        let options = options.with_rest(Rest::Refuse).for_parquet(kind == FileKind::Parquet);
        let mut rows = Rows::new(Arc::new(Plan::new(&schema, &options).unwrap()));
        for _ in 0..5 {
            let (value, mut tree) = (random::value(&mut rng, &schema), Tree::new());
            value.emit(&mut tree).unwrap();
            match tree.emit(&mut rows) {
                Ok(()) => rows.finish().unwrap(),
                Err(_) => rows.reset(),
            }
        }
        let batch = rows.take().unwrap();
        let squeeze = [Squeeze::None, Squeeze::Lz4, Squeeze::Zstd][usize::from(number) / 3 % 3];
        let mut writer = FileWriter::new(kind, Vec::new(), &batch.schema(), squeeze).unwrap();
        writer.write(&batch).unwrap();
        let file = writer.finish().unwrap();
        hostile_bytes::file(&file);
        for _ in 0..20 {
            hostile_bytes::file(&mutate(&mut rng, &file));
        }
    }
}

/// Cells of engines hold any bytes: each is a row, and rows are cells again.
#[test]
fn no_cell_is_a_panic() {
    let mut rng = Rng::with_seed(3);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..400 {
        let format = registry::find(hostile_bytes::FORMATS[rng.usize(..hostile_bytes::FORMATS.len())]).unwrap();
        if format.first_gives_fields {
            continue;
        }
        let (schema, options) = hostile_bytes::choices(rng.u8(..), rng.u8(..));
        let mut cells: Vec<Option<Vec<u8>>> = vec![None, Some(Vec::new())];
        for _ in 0..rng.usize(1..6) {
            let value = random::value(&mut rng, &schema);
            let (mut writer, mut message) = (format.writer.unwrap()(), Vec::new());
            if value.emit(&mut *writer).and_then(|()| writer.finish(&mut message)).is_err() {
                continue;
            }
            cells.push(Some(if rng.bool() { message } else { mutate(&mut rng, &message) }));
        }
        let plan = Arc::new(Plan::new(&schema, &options.with_bad(Bad::Column)).unwrap());
        let mut reader = CellReader::new(Walker::new(format, &Limits::DEFAULT), plan, false).unwrap();
        let mut batches = Vec::new();
        let all = cells.iter().map(|cell| cell.as_deref());
        reader
            .read(0, all, &mut |batch| {
                batches.push(batch);
                Ok(())
            })
            .unwrap();
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), cells.len());
        (good, bad) = (good + reader.filled().rows - reader.filled().bad, bad + reader.filled().bad);
        let mut writer = CellWriter::new(registry::find("msgpack").unwrap(), false).unwrap();
        for batch in &batches {
            let mut rows = 0;
            // A row of nulls is no message of every schema.
            let written = writer.write(0, batch, &mut |cells| {
                rows += arrow_array::Array::len(&cells);
                Ok(())
            });
            assert!(written.is_err() || rows == batch.num_rows());
        }
    }
    assert!(good > 400 && bad > 200, "{good} good, {bad} bad");
}
