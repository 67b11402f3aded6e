//! The comparison from end to end: prove, size, time, rank.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use polywire_core::format::Format;
use polywire_core::{Error, Result, Tree};

use crate::advice;
use crate::columns;
use crate::comparison::{
    CodecTimes, Comparison, Fields, Group, Input, Made, Memory, Method, Network, Origin, Price, Quantiles, Ratios, RivalRatios, RivalRow,
    Row, RowSchema, Sizes, Time, Times, VERSION, Verdict,
};
use crate::compressed::{GZIP_LEVEL, ZSTD_LEVEL};
use crate::digest;
use crate::harness::{LEAST_ROUNDS, ROUNDS};
use crate::holdout::{FITTING, HELD_OUT, Holdout};
use crate::lists::{self, LongList};
use crate::machine::Machine;
use crate::measure::{RivalTimes, TIMED_BYTES, measure};
use crate::messages::{self, Messages};
use crate::more;
use crate::options::Options;
use crate::program;
use crate::progress::{Progress, Watch};
use crate::prove::{Proof, prove};
use crate::report::{counted, rival_name, thousands};
use crate::rivals::{self, Checked};
use crate::secrets;
use crate::size::{self, Charged, SAMPLE_BYTES, sizes};
use crate::sort::Sort;
use crate::spoken;

/// Measures what `messages` cost in each format of `options`.
///
/// `watch` is called between messages and between batches of measurements, never inside a
/// measurement.
///
/// # Errors
/// There are no messages or no formats, or the time budget is not a positive number. A format that
/// cannot hold the messages is not an error: its row says why.
pub fn compare(messages: &Messages, options: &Options, watch: &mut dyn FnMut(Progress)) -> Result<Comparison> {
    if messages.is_empty() {
        return Err(messages::none());
    }
    let formats = formats(options)?;
    // In hundredths of a second, as reports show it.
    let all = || (100.0 * Options::ALL_TIME / (3 * formats.len()) as f64).ceil() / 100.0;
    let time = options.time.unwrap_or_else(|| Options::TIME.min(all()));
    if !(time > 0.0 && time.is_finite()) {
        return Err(Error::usage(format!("a time budget of {time} seconds")).expected("a number above 0"));
    }
    let machine = Machine::here();
    let made = made(options);
    let (spoken, holdout) = spoken::of(messages, &formats, options)?;
    let measured = holdout.measured();
    let sample = Arc::new(messages.sample(&measured, SAMPLE_BYTES));
    let proofs = prove(messages, spoken, holdout, &sample, watch)?;
    let alone = size::alone(&sample);
    let instead = charged_instead(&proofs, options, messages.format());
    let charged_as = instead.map(|proof| proof.format.name);
    let all_sizes = all_sizes(&proofs, watch, |proof| {
        let charged = Charged { proof, instead, messages };
        if proof.why.is_none() { sizes(&charged, measured.len(), &sample, &alone).map(Some) } else { Ok(None) }
    })?;
    // The same messages for every row: those that all schemas of timed rows fit.
    let held = |index: &usize| proofs.iter().filter(|proof| proof.is_timed()).all(|proof| proof.message(*index).is_some());
    let timed: Vec<usize> = sample.iter().copied().filter(held).collect();
    let chosen = messages.sample(&timed, TIMED_BYTES);
    let checked = rivals::check(messages, &proofs, &sample, &options.rivals, watch);
    let times = measure(messages, &proofs, &checked, &chosen, (time, options.runs.max(1)), options.allocations, watch)?;
    let mut extras = extras(messages, &proofs, &all_sizes, (&sample, &chosen, &alone), options, time, watch)?;
    let fields = if options.more.fields { Some(more::fields(messages, &proofs, &chosen)?) } else { None };
    let rows = proofs.into_iter().zip(all_sizes).zip(checked).zip(times).map(|(((proof, sizes), checked), (times, of_rivals))| Row {
        rivals: checked.into_iter().zip(of_rivals).map(|(checked, times)| rival_row(checked, times, sample.len())).collect(),
        ..row(proof, charged_as, sizes, times)
    });
    let rows = rows.zip(extras.drain(..)).map(|(row, extra)| Row {
        quantiles: extra.quantiles,
        compression: extra.compression,
        memory: extra.memory,
        network: extra.network,
        price: extra.price,
        ..row
    });
    let (rows, base) = ranked(rows.collect(), options, messages.format());
    let fields = fields.map(|fields| in_order(fields, &rows));
    let columns = columns::rows(messages, &options.columns)?;
    let programs = program::measure(messages, &options.programs, time, options.timeout, watch);
    let lengths = || (0..messages.len()).map(|index| messages.get(index).0.len());
    let timed_bytes = chosen.iter().map(|index| messages.get(*index).0.len()).sum();
    let method = method(options, time, holdout, &rows, (chosen.len(), timed_bytes), (sample.len(), alone.len()));
    let input = Input {
        sources: messages.sources().to_vec(),
        format: messages.format().name.to_string(),
        each: messages.each().map(ToString::to_string),
        kind: messages.kind().map(str::to_string),
        messages: messages.len(),
        bytes: messages.bytes(),
        smallest: lengths().min().unwrap_or(0),
        largest: lengths().max().unwrap_or(0),
        sha256: digest::of(messages),
    };
    let mut caveats = caveats(&input, &rows, &method, &machine, options);
    caveats.extend(list_within(messages)?);
    let sort = options.sort.name().to_string();
    let mut comparison = Comparison {
        version: VERSION,
        input,
        base,
        sort,
        rows,
        fields,
        columns,
        baseline: None,
        programs,
        method,
        machine,
        made,
        advice: Vec::new(),
        caveats,
    };
    comparison.advice = advice::sentences(&comparison, options.purpose);
    Ok(comparison)
}

/// Returns the origin of a comparison that starts at this moment.
fn made(options: &Options) -> Made {
    Made {
        at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: secrets::masked(&options.command),
    }
}

/// Returns the sizes of all proofs, found on all processors.
fn all_sizes(proofs: &[Proof], watch: &mut Watch<'_>, of: impl Fn(&Proof) -> Result<Option<Sizes>> + Sync) -> Result<Vec<Option<Sizes>>> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, Result<Option<Sizes>>)>> = Mutex::new(Vec::new());
    let work = |watch: &mut dyn FnMut(usize)| {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(proof) = proofs.get(place) else { return };
            watch(place);
            let sizes = of(proof);
            found.lock().unwrap_or_else(PoisonError::into_inner).push((place, sizes));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from).min(proofs.len()) {
            scope.spawn(|| work(&mut |_| ()));
        }
        work(&mut |done| watch(Progress { stage: "compressing", format: proofs[done].format.name, done, total: proofs.len() }));
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, sizes)| sizes).collect()
}

/// Returns the formats to compare, each once, with the base among them.
fn formats(options: &Options) -> Result<Vec<&'static Format>> {
    let mut formats: Vec<&'static Format> = Vec::new();
    for format in options.formats.iter().copied().chain(options.base) {
        if formats.iter().all(|known| known.name != format.name) {
            formats.push(format);
        }
    }
    if formats.is_empty() {
        return Err(Error::usage("an empty list of formats").expected("at least one format to compare"));
    }
    Ok(formats)
}

/// Returns the proof of the format that messages are charged in that do not fit a learned schema:
/// the base, or another format that needs no learned schema and keeps all values.
fn charged_instead<'p>(proofs: &'p [Proof], options: &Options, input: &'static Format) -> Option<&'p Proof> {
    let wanted = options.base.map_or(input.name, |base| base.name);
    let sound =
        |proof: &&Proof| proof.verdict == Verdict::Exact && proof.schema.as_ref().is_none_or(|schema| schema.origin == Origin::Given);
    proofs.iter().filter(sound).find(|proof| proof.format.name == wanted).or_else(|| proofs.iter().find(sound))
}

fn row(proof: Proof, charged_as: Option<&str>, sizes: Option<Sizes>, times: Option<Times>) -> Row {
    let unfit = proof.unfit.len();
    let charged_as = charged_as.filter(|_| unfit > 0).map(String::from);
    let schema = proof.schema.map(|schema| RowSchema { unfit, charged_as, ..schema });
    Row {
        group: if schema.is_some() { Group::WithSchema } else { Group::WithoutSchema },
        schema,
        format: proof.format.name.to_string(),
        title: proof.format.title.to_string(),
        rank: None,
        verdict: proof.verdict,
        why: proof.why,
        losses: proof.losses,
        remarks: proof.remarks,
        more: proof.more,
        sizes,
        times,
        quantiles: None,
        compression: None,
        memory: None,
        network: None,
        price: None,
        ratios: None,
        rivals: Vec::new(),
    }
}

/// Figures of a format that are measured if they are asked for.
#[derive(Default)]
struct Extra {
    quantiles: Option<Quantiles>,
    compression: Option<Vec<CodecTimes>>,
    memory: Option<Memory>,
    network: Option<Network>,
    price: Option<Price>,
}

/// Returns what was asked for beside the sizes and times, by proof. The messages are those of the
/// sample, the timed ones, and those that are compressed alone.
fn extras(
    messages: &Messages,
    proofs: &[Proof],
    sizes: &[Option<Sizes>],
    (sample, chosen, alone): (&[usize], &[usize], &[usize]),
    options: &Options,
    time: f64,
    watch: &mut Watch<'_>,
) -> Result<Vec<Extra>> {
    let asked = options.more;
    let mut compression = match asked.compression {
        true => more::compression(proofs, chosen, alone, time, watch)?,
        false => proofs.iter().map(|_| None).collect(),
    };
    let mut all = Vec::new();
    for ((proof, sizes), compression) in proofs.iter().zip(sizes).zip(compression.drain(..)) {
        let lengths = || sample.iter().filter_map(|index| proof.message(*index).map(<[u8]>::len)).collect();
        let memory = match options.heap.filter(|_| asked.memory && proof.is_timed()) {
            Some(heap) => more::memory(messages, proof, chosen, &heap)?,
            None => None,
        };
        let sizes = sizes.as_ref();
        all.push(Extra {
            quantiles: if asked.quantiles { more::quantiles(lengths()) } else { None },
            compression,
            memory,
            network: sizes.zip(asked.bandwidth).map(|(sizes, bits)| more::network(sizes, bits)),
            price: sizes.zip(asked.egress_price).map(|(sizes, price)| more::price(sizes, price)),
        });
    }
    Ok(all)
}

/// Puts the formats of the fields in the order of the rows.
fn in_order(mut fields: Fields, rows: &[Row]) -> Fields {
    fields.formats.sort_by_key(|format| rows.iter().position(|row| row.format == *format));
    fields
}

fn rival_row(checked: Checked, times: RivalTimes, messages: usize) -> RivalRow {
    RivalRow {
        name: checked.rival.name().to_string(),
        about: checked.rival.about().to_string(),
        verdict: checked.verdict,
        why: checked.why,
        losses: checked.losses,
        more: checked.more,
        raw: checked.written.map(|bytes| bytes as f64 / messages as f64),
        encode: times.encode,
        decode: times.decode,
        ratios: None,
    }
}

/// Orders the rows, and sets ranks and ratios. Returns the rows and the name of the base.
fn ranked(mut rows: Vec<Row>, options: &Options, input: &'static Format) -> (Vec<Row>, Option<String>) {
    let class = |row: &Row| match row.verdict {
        Verdict::Exact => 0,
        Verdict::Unfit => 1,
        Verdict::Lossy => 2,
        Verdict::Impossible => 3,
    };
    rows.sort_by(|one, other| {
        let order = one
            .group
            .cmp(&other.group)
            .then(class(one).cmp(&class(other)))
            .then(key(one, options.sort).total_cmp(&key(other, options.sort)));
        if options.sort == Sort::Name { order.then_with(|| one.format.cmp(&other.format)) } else { order }
    });
    if options.sort != Sort::Name {
        for group in [Group::WithoutSchema, Group::WithSchema] {
            let exact = rows.iter_mut().filter(|row| row.group == group && row.verdict == Verdict::Exact);
            exact.enumerate().for_each(|(place, row)| row.rank = Some(place + 1));
        }
    }
    let wanted = options.base.map_or(input.name, |base| base.name);
    let usable = |row: &&Row| row.sizes.is_some() && row.times.is_some();
    let base = rows.iter().filter(usable).find(|row| row.format == wanted).or_else(|| rows.iter().find(usable)).cloned();
    for row in &mut rows {
        row.ratios = base.as_ref().and_then(|base| ratios(row, base));
        for rival in &mut row.rivals {
            rival.ratios = base.as_ref().and_then(|base| rival_ratios(rival, base));
        }
    }
    (rows, base.map(|base| base.format))
}

/// Returns the figure that rows are ordered by: infinity for a row without it, and 0 for all rows
/// in order of names.
fn key(row: &Row, sort: Sort) -> f64 {
    let size = |of: fn(&Sizes) -> Option<f64>| row.sizes.as_ref().and_then(of).unwrap_or(f64::INFINITY);
    let time = |of: fn(&Times) -> &Time| row.times.as_ref().map_or(f64::INFINITY, |times| of(times).ns.median);
    match sort {
        Sort::Bytes => size(|sizes| Some(sizes.raw)),
        Sort::Gzip => size(|sizes| Some(sizes.gzip)),
        Sort::Zstd => size(|sizes| Some(sizes.zstd)),
        Sort::Dictionary => size(|sizes| sizes.dictionary.as_ref().map(|dictionary| dictionary.zstd)),
        Sort::Batch => size(|sizes| Some(sizes.batch_zstd)),
        Sort::Encode => time(|times| &times.encode),
        Sort::Decode => time(|times| &times.decode),
        Sort::Scan => time(|times| &times.scan),
        Sort::Name => 0.0,
    }
}

fn ratios(row: &Row, base: &Row) -> Option<Ratios> {
    let (sizes, times) = (row.sizes.as_ref()?, row.times.as_ref()?);
    let (of_sizes, of_times) = (base.sizes.as_ref()?, base.times.as_ref()?);
    let time = |of: fn(&Times) -> &Time| of(times).ns.median / of(of_times).ns.median;
    let dictionary = |sizes: &Sizes| sizes.dictionary.as_ref().map(|dictionary| dictionary.zstd);
    Some(Ratios {
        raw: sizes.raw / of_sizes.raw,
        gzip: sizes.gzip / of_sizes.gzip,
        zstd: sizes.zstd / of_sizes.zstd,
        dictionary: dictionary(sizes).zip(dictionary(of_sizes)).map(|(this, base)| this / base),
        batch_gzip: sizes.batch_gzip / of_sizes.batch_gzip,
        batch_zstd: sizes.batch_zstd / of_sizes.batch_zstd,
        encode: time(|times| &times.encode),
        decode: time(|times| &times.decode),
        scan: time(|times| &times.scan),
    })
}

fn rival_ratios(rival: &RivalRow, base: &Row) -> Option<RivalRatios> {
    let (sizes, times) = (base.sizes.as_ref()?, base.times.as_ref()?);
    let time = |this: &Option<Time>, base: &Time| this.as_ref().map(|this| this.ns.median / base.ns.median);
    Some(RivalRatios {
        raw: rival.raw.map(|raw| raw / sizes.raw),
        encode: time(&rival.encode, &times.encode),
        decode: time(&rival.decode, &times.decode),
    })
}

fn method(options: &Options, time: f64, holdout: Holdout, rows: &[Row], timed: (usize, usize), compressed: (usize, usize)) -> Method {
    let (timed_messages, timed_bytes) = timed;
    let (sample_messages, alone_messages) = compressed;
    let measured_messages = holdout.measured().len();
    let mut text = vec![
        "Round trip: every message is written in each format, read back and compared with the original value by value; a format that changes \
         a value is shown with what it changes, and not ranked; its counts are of the first 10,000 messages that lose values. The messages \
         written one after the other must be told apart again, too."
            .to_string(),
        format!(
            "Sizes: bytes per message, on average. White space between values is left out in every format. gzip (level {GZIP_LEVEL}) and zstd \
             (level {ZSTD_LEVEL}) compress each message alone, and all of them as one stream. The dictionary is trained on every other message, \
             and measured on those between; the dictionary's own bytes are not counted."
        ),
        format!(
            "Times: nanoseconds per message, median of up to {ROUNDS} rounds (at least {LEAST_ROUNDS}) within {time} s for each measurement; ± is half the \
             distance between the quartiles. A round runs encode, decode and scan of every format in turn, over {} \
             ({} in the input's format).",
            counted(timed_messages as u64, "message"),
            counted(timed_bytes as u64, "byte")
        ),
        "Encode: a prepared tree is played to the writer and finished into a reused buffer; fields of one name are grouped beforehand for formats \
         that need lists. Decode: one message is walked into a recycled tree that borrows its text where it can. Scan: the same walk into a \
         sink that only counts. Finding where messages end, compression and files are not in the clock."
            .to_string(),
        "MB/s: million bytes per second, by each format's own raw bytes: a smaller format moves fewer bytes for the same message, so compare \
         times, not these. Allocations: per message, after one pass that warms up."
            .to_string(),
    ];
    let inferred = |row: &Row| row.schema.as_ref().is_some_and(|schema| schema.origin == Origin::Inferred);
    if rows.iter().any(inferred) {
        let held_out = if holdout.is_split() {
            format!(
                "learned on every other message ({} of them), and all rows, with and without a schema, are sized and timed on the other {}",
                thousands(holdout.learned() as u64),
                thousands(measured_messages as u64)
            )
        } else {
            format!("learned on the messages that all rows are measured on: of fewer than {HELD_OUT} messages none are held out")
        };
        text.push(format!(
            "Schemas that were not given are {held_out}. A measured message that does not fit needs a new version of the schema: it is counted, \
             and charged at the bytes of the base. A row is ranked if at least {FITTING} % fit. Times are of messages that fit every timed row. \
             The schema's own bytes are shown, and not counted in the messages'. Rows with and without a schema are ranked apart."
        ));
    }
    if !options.rivals.is_empty() {
        text.push(
            "Other libraries read the very bytes that their format's row is about, to the tree that they give to users who don't know the shape of \
             their messages; making the tree and dropping it is timed. Those that write also write that tree, into a reused buffer. Before, on \
             every message, what a library made of it was written in the format again and compared with the message value by value; a library \
             that has other values is shown with what differs. They are not ranked."
                .to_string(),
        );
    }
    if !options.programs.is_empty() {
        text.push(
            "Own programs are run as a whole, on all messages as they came, and on nothing: the clock goes from start to end. What the first \
             takes longer than the second, round by round, is the time of the messages, reading them from a pipe and finding where they \
             end included. A program that prints one number must print how many messages there are; of one that prints none, nothing is checked."
                .to_string(),
        );
    }
    Method {
        time,
        runs: options.runs.max(1),
        measured_messages,
        timed_messages,
        timed_bytes,
        sample_messages,
        alone_messages,
        gzip_level: GZIP_LEVEL,
        zstd_level: ZSTD_LEVEL,
        text,
    }
}

/// Returns the advice to measure the entries of a document that is mostly one list.
fn list_within(messages: &Messages) -> Result<Option<String>> {
    if messages.len() != 1 {
        return Ok(None);
    }
    let (bytes, base) = messages.get(0);
    let mut tree = Tree::new();
    messages.walker(messages.dialect().clone()).walk(bytes, base, &mut tree)?;
    let found = lists::long_list(&tree, messages.format());
    Ok(found.map(|LongList { path, records }| {
        let records = thousands(records as u64);
        format!(
            "The message is mostly a list of {records} records: if each of them is sent or stored by itself, compare with --each '{path}'."
        )
    }))
}

/// Half the distance of the quartiles, above which a time is called unsteady.
const UNSTEADY: f64 = 0.1;

/// Fewer messages say little about a system's traffic.
const FEW: usize = 10;

fn caveats(input: &Input, rows: &[Row], method: &Method, machine: &Machine, options: &Options) -> Vec<String> {
    let part = |some: usize, all: usize| format!("{} of {}", thousands(some as u64), thousands(all as u64));
    let mut caveats = Vec::new();
    if machine.debug {
        caveats.push("This is a debug build: its times say nothing about a release build's.".to_string());
    }
    if input.messages < FEW {
        let messages = counted(input.messages as u64, "message");
        caveats.push(format!("Only {messages}: averages of so few say little about other messages, and all of it stays in the caches."));
    }
    if method.measured_messages < input.messages {
        let measured = part(method.measured_messages, input.messages);
        caveats.push(format!("Sizes and times are of {measured} messages: schemas were learned on the others."));
    }
    if method.timed_messages < method.measured_messages {
        let (timed, measured) = (thousands(method.timed_messages as u64), thousands(method.measured_messages as u64));
        caveats.push(format!("Times are of {timed} messages, spread over {measured} that were measured."));
    }
    if method.sample_messages < method.measured_messages {
        let sample = part(method.sample_messages, method.measured_messages);
        let rest = "Bytes as written, and the proof, are of all.";
        caveats.push(format!("Compressed sizes are of a sample: {sample} messages, spread evenly. {rest}"));
    }
    if method.alone_messages < method.sample_messages {
        let alone = part(method.alone_messages, method.sample_messages);
        caveats.push(format!("{alone} messages were compressed alone, spread evenly."));
    }
    if let Some(why) = rows.iter().find_map(|row| row.sizes.as_ref()?.no_dictionary.as_ref()) {
        caveats.push(format!("Figures with a dictionary are missing: {why}."));
    }
    let shaky = |time: &Time| time.ns.relative() > UNSTEADY;
    let mut unsteady: Vec<String> = Vec::new();
    for row in rows {
        if row.times.as_ref().is_some_and(|t| [&t.encode, &t.decode, &t.scan].into_iter().any(shaky)) {
            unsteady.push(row.format.clone());
        }
        let rivals = row.rivals.iter().filter(|rival| rival.encode.iter().chain(&rival.decode).any(shaky));
        unsteady.extend(rivals.map(|rival| rival_name(row, rival)));
    }
    if !unsteady.is_empty() {
        caveats.push(format!(
            "Times of {} are unsteady (beyond ±10 %): give them more time, or the machine less else to do.",
            unsteady.join(", ")
        ));
    }
    if let Some(load) = machine.load
        && load > machine.cores as f64 / 2.0
    {
        caveats.push(format!("The machine was busy with other things: load {load} on {} cores.", machine.cores));
    }
    if options.allocations.is_none() {
        caveats.push("Allocations were not counted.".to_string());
    }
    caveats
}
