//! Files of columns beside the formats of single messages: the bytes of one file of all messages.

use polywire_core::format::{Bound, Format};
use polywire_core::tools::loss::LossReport;
use polywire_core::{Error, Result, Writer};
use polywire_schema::infer::Inference;

use crate::comparison::{ColumnsRow, Lost};
use crate::messages::Messages;

/// Returns the rows of files of columns, all with the schema that is inferred from all messages.
///
/// # Errors
/// A message cannot be read any more.
pub(crate) fn rows(messages: &Messages, formats: &[&'static Format]) -> Result<Vec<ColumnsRow>> {
    if formats.is_empty() {
        return Ok(Vec::new());
    }
    let mut walker = messages.walker(messages.dialect().clone());
    let mut inference = Inference::new();
    for index in 0..messages.len() {
        let (bytes, base) = messages.get(index);
        inference.add(|sink| walker.walk(bytes, base, sink))?;
    }
    let schema = inference.finish(None);
    let row = |format: &&'static Format| {
        let mut row = ColumnsRow { format: format.name.into(), title: format.title.into(), ..ColumnsRow::default() };
        let bound =
            format.columns.ok_or_else(|| Error::internal("a format without columns")).and_then(|columns| columns.adopt(&schema, true));
        let written = bound.and_then(|bound| file(messages, &*bound, &mut row.losses));
        match written {
            Ok(bytes) => row.bytes = Some(bytes),
            Err(error) => row.why = Some(error.to_string()),
        }
        row
    };
    Ok(formats.iter().map(row).collect())
}

/// Returns the bytes of a file of all messages.
fn file(messages: &Messages, bound: &dyn Bound, losses: &mut Vec<Lost>) -> Result<u64> {
    let mut writer: Box<dyn Writer> = bound.writer().ok_or_else(|| Error::internal("columns that are not written"))?;
    let mut walker = messages.walker(messages.dialect().clone());
    let mut report = LossReport::default();
    let (mut out, mut count) = (Vec::new(), 0);
    writer.begin_stream();
    for index in 0..messages.len() {
        let (bytes, base) = messages.get(index);
        walker.walk(bytes, base, &mut *writer).and_then(|()| writer.finish(&mut out))?;
        walker.losses(&mut report, bytes, base, &writer.losses());
        count += out.len() as u64;
        out.clear();
    }
    writer.end_stream(&mut out)?;
    losses.extend(report.iter().map(|loss| Lost {
        path: loss.path.to_string(),
        what: loss.what.to_string(),
        count: loss.count,
        example: None,
    }));
    Ok(count + out.len() as u64)
}
