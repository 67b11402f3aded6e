-- One line of JSON for the benchmark. Times are microseconds.
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"seconds":%.6f,"requests":%d,"bytes":%d,"errors":%d,"mean":%.1f,"deviation":%.1f,"min":%d,"p50":%d,"p99":%d,"max":%d}\n',
    summary.duration / 1e6, summary.requests, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout,
    latency.mean, latency.stdev, latency.min, latency:percentile(50), latency:percentile(99), latency.max))
end
