"""Measures Polywire in Spark beside the other ways, on one machine.

    target/engines/venv/bin/python python/engines/bench.py [--messages 10000000] [--rounds 3]

It compares `decode` of Protobuf with a pandas_udf of Google's protobuf (upb), `decode` of JSON with Spark's own from_json, and one worker
with two, each pinned to a core. The answers are compared before anything is measured. It fails if a limit is not kept. It needs the
packages of tools/check-engines.sh, and `protobuf`.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time

import polywire
import pyarrow as pa
import pyarrow.parquet as parquet
import pyspark
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import polywire.spark

PROTO = """syntax = "proto3";
message Order {
  int64 id = 1;
  string name = 2;
  double price = 3;
  bool paid = 4;
  repeated Item items = 5;
  message Item { string sku = 1; int64 count = 2; }
}
"""
LIMITS = {"protobuf / pandas_udf": 0.2, "json / from_json": 1.0}
LEAST = {"one worker / two": 1.5}
KINDS = 10_000
PARTS = 16


def order(number):
    return {
        "id": number,
        "name": f"order number {number}",
        "price": number / 4,
        "paid": number % 2 == 1,
        "items": [{"sku": f"SKU-{number % 97:05}", "count": place + 1} for place in range(number % 4)],
    }


def write(folder, messages):
    """Writes the messages to files of Parquet, without compression: the same orders again and again."""
    orders = [order(number) for number in range(1, KINDS + 1)]
    lines = polywire.convert(b"\n".join(polywire.encode(one, "json") for one in orders), "jsonl", "jsonl").splitlines()
    import io

    decoded = pa.table({"payload": pa.array(lines, pa.binary())})
    schema = polywire.infer_schema(io.BytesIO(b"\n".join(lines)), "jsonl")
    encoded = [polywire.encode(one, "protobuf", PROTO) for one in orders]
    json, protobuf = decoded["payload"].combine_chunks(), pa.array(encoded, pa.binary())
    for part in range(PARTS):
        count = messages * (part + 1) // PARTS - messages * part // PARTS
        places = pa.array([number % KINDS for number in range(count)], pa.int32())
        table = pa.table({"json": json.take(places), "protobuf": protobuf.take(places)})
        parquet.write_table(table, f"{folder}/{part:02}.parquet", compression="none", use_dictionary=False)
    return schema


def upb():
    """Returns the pandas_udf of Google's protobuf."""
    import pandas

    def read(batches):
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
        from google.protobuf.internal import api_implementation

        assert api_implementation.Type() == "upb"
        file = descriptor_pb2.FileDescriptorProto(name="order.proto", syntax="proto3")
        message = file.message_type.add(name="Order")
        item = message.nested_type.add(name="Item")
        kinds = {"int64": 3, "string": 9, "double": 1, "bool": 8}
        for number, (name, kind) in enumerate([("id", "int64"), ("name", "string"), ("price", "double"), ("paid", "bool")], 1):
            message.field.add(name=name, number=number, type=kinds[kind], label=1)
        message.field.add(name="items", number=5, type=11, label=3, type_name=".Order.Item")
        item.field.add(name="sku", number=1, type=9, label=1)
        item.field.add(name="count", number=2, type=3, label=1)
        pool = descriptor_pool.DescriptorPool()
        pool.Add(file)
        parse = message_factory.GetMessageClass(pool.FindMessageTypeByName("Order")).FromString
        for batch in batches:
            ids, names, prices, paid, items = [], [], [], [], []
            for cell in batch:
                one = parse(cell)
                ids.append(one.id)
                names.append(one.name)
                prices.append(one.price)
                paid.append(one.paid)
                items.append([{"sku": item.sku, "count": item.count} for item in one.items])
            yield pandas.DataFrame({"id": ids, "name": names, "price": prices, "paid": paid, "items": items})

    from collections.abc import Iterator

    read.__annotations__ = {"batches": Iterator[pandas.Series], "return": Iterator[pandas.DataFrame]}
    return f.pandas_udf(read, "id long, name string, price double, paid boolean, items array<struct<sku:string,count:long>>")


def session(workers):
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(f"local-cluster[{workers},1,2048]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.files.maxPartitionBytes", str(64 << 20))
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(100).repartition(workers).count()
    pin(workers)
    return spark


def pin(workers):
    """Gives each executor a core of its own, with all threads and the workers of Python that it starts later."""
    executors = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                line = file.read()
        except OSError:
            continue
        if "CoarseGrainedExecutorBackend" in line and "java" in line.split("\0")[0]:
            executors.append(int(pid))
    assert len(executors) == workers, executors
    cores = sorted(os.sched_getaffinity(0))
    children = {pid: cores[place % len(cores)] for place, pid in enumerate(sorted(executors))}
    for pid, core in children.items():
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(thread), {core})
        for child in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{child}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                os.sched_setaffinity(int(child), {core})


def run(df):
    begin = time.perf_counter()
    df.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - begin


def frames(spark, folder, schema):
    """Returns the ways, by their names."""
    df = spark.read.parquet(folder)
    by_json = polywire.spark.decode(df.select("json"), "json", "json", schema, rest="refuse")
    own = by_json.schema
    return {
        "protobuf": polywire.spark.decode(df.select("protobuf"), "protobuf", "protobuf", PROTO, rest="refuse"),
        "pandas_udf": df.select(upb()("protobuf").alias("m")).select("m.*"),
        "json": by_json,
        "from_json": df.select(f.from_json(f.col("json").cast("string"), own).alias("m")).select("m.*"),
    }


def check(made):
    """Compares the answers of all ways, on the sums of their columns."""

    def sums(df):
        columns = [f.count("*"), f.sum("id"), f.sum("price"), f.sum(f.length("name")), f.sum(f.col("paid").cast("int"))]
        inner = [f.sum(f.coalesce(f.size("items"), f.lit(0)) * (f.coalesce(f.size("items"), f.lit(0)) >= 0).cast("int"))]
        return tuple(float(value) for value in df.select(*columns, *inner).collect()[0])

    found = {name: sums(df) for name, df in made.items()}
    assert len(set(found.values())) == 1, found
    return found["json"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", action="store_true", help="measure one worker and two, and nothing else")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        schema = write(folder, given.messages)
        times = {}
        for workers in (1, 2):
            spark = session(workers)
            made = frames(spark, folder, schema)
            if workers == 1:
                made = {"protobuf": made["protobuf"]}
            elif given.workers:
                made = {"protobuf": made["protobuf"]}
            else:
                print("sums:", check(made), flush=True)
            for round in range(given.rounds + 1):
                for name, df in made.items():
                    taken = run(df)
                    # The first round warms the machine up.
                    if round > 0:
                        times.setdefault((name, workers), []).append(taken)
                    print(f"{name} on {workers}: {taken:.2f} s{'' if round else ', to warm up'}", flush=True)
            spark.stop()
    median = {key: statistics.median(taken) for key, taken in times.items()}
    figures = {"one worker / two": median["protobuf", 1] / median["protobuf", 2]}
    if not given.workers:
        figures["protobuf / pandas_udf"] = median["protobuf", 2] / median["pandas_udf", 2]
        figures["json / from_json"] = median["json", 2] / median["from_json", 2]
    print(f"{given.messages} messages, {platform.machine()}, Spark {pyspark.__version__}, Python {platform.python_version()}")
    for (name, workers), seconds in median.items():
        print(f"{name:12} {workers} worker{'s' if workers > 1 else ''}: {seconds:8.2f} s, {given.messages / seconds:12.0f} messages a second")
    kept = True
    for name, figure in figures.items():
        good = figure <= LIMITS[name] if name in LIMITS else figure >= LEAST[name]
        limit = f"at most {LIMITS[name]}" if name in LIMITS else f"at least {LEAST[name]}"
        print(f"{name}: {figure:.3f}, {limit}{'' if good else ': NOT KEPT'}")
        kept = kept and good
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
