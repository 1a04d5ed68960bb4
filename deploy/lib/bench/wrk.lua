-- Sends one request repeatedly, as given in the environment, or many in turn, and replaces {n} by a different number in each.
-- Prints one line of JSON at the end.
local method, path, body = os.getenv("BENCH_METHOD"), os.getenv("BENCH_PATH"), os.getenv("BENCH_BODY")

local function add_header(headers, line)
    local name, value = line:match("^(.-): (.*)$")
    headers[name] = value
end

local threads = 0
function setup(thread)
    thread:set("place", threads)
    threads = threads + 1
end

-- Requests are built once, except for the numbers, so that the script does not affect the measurement.
function init(arguments)
    texts, turn, number = {}, 0, 0
    -- A path and headers, separated by tabs.
    local function add(line)
        local headers, path = {}, nil
        for header in (os.getenv("BENCH_HEADERS") or ""):gmatch("[^\n]+") do add_header(headers, header) end
        for part in line:gmatch("[^\t]+") do
            if path then add_header(headers, part) else path = part end
        end
        local text = wrk.format(method, path, headers, body ~= "" and body or nil)
        local place = text:find("{n}", 1, true)
        texts[#texts + 1] = place and {text:sub(1, place - 1), text:sub(place + 3)} or text
    end
    local file = os.getenv("BENCH_LINES")
    if file and file ~= "" then
        -- Each thread has a separate part of the lines, so that no request is repeated before all others were sent.
        local lines = {}
        for line in io.lines(file) do lines[#lines + 1] = line end
        local all = tonumber(os.getenv("BENCH_THREADS"))
        local function border(part) return math.floor(#lines * part / all) end
        for number = border(place) + 1, border(place + 1) do add(lines[number]) end
    else
        add(path)
    end
    count = #texts
    -- The prefix differs between threads and between runs.
    first = string.format("%d-%d-", os.time(), place)
end

function request()
    turn = turn % count + 1
    local text = texts[turn]
    if type(text) == "string" then return text end
    number = number + 1
    return text[1] .. first .. number .. text[2]
end

function done(summary, latency, requests)
    io.stderr:write(string.format(
        '{"requests": %d, "microseconds": %d, "bytes": %d, "p50": %.1f, "p99": %.1f, "status_errors": %d, "socket_errors": %d}\n',
        summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
        summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
