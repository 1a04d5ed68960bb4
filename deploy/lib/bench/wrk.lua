-- One request over and over, from the environment; at the end one line of JSON.
local method, path, body = os.getenv("BENCH_METHOD"), os.getenv("BENCH_PATH"), os.getenv("BENCH_BODY")
local headers = {}
for line in (os.getenv("BENCH_HEADERS") or ""):gmatch("[^\n]+") do
    local name, value = line:match("^(.-): (.*)$")
    headers[name] = value
end

-- Made once: what is measured is the server.
function init(arguments)
    text = wrk.format(method, path, headers, body ~= "" and body or nil)
end
function request() return text end

function done(summary, latency, requests)
    io.stderr:write(string.format(
        '{"requests": %d, "microseconds": %d, "bytes": %d, "p50": %.1f, "p99": %.1f, "status_errors": %d, "socket_errors": %d}\n',
        summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
        summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
