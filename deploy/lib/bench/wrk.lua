-- Sends the requests of a template, as given in the environment, so that none is repeated: {1}, {2}… are replaced by the fields of
-- the next line of a file, and {n} by a different number in each request. Prints one line of JSON at the end.
local method, path, body = os.getenv("BENCH_METHOD"), os.getenv("BENCH_PATH"), os.getenv("BENCH_BODY")
local template_headers = {}
for header in os.getenv("BENCH_HEADERS"):gmatch("[^\n]+") do
    local name, value = header:match("^(.-): (.*)$")
    template_headers[name] = value
end

local threads = 0
function setup(thread)
    thread:set("place", threads)
    threads = threads + 1
end

-- As long as each number, so that the Content-Length of a form is right.
local placeholder = "{n}NNNNNNNNNNNNN"

-- Requests are built once, except for the numbers, so that the script does not affect the measurement.
function init(arguments)
    texts, turn, number = {}, 0, 0
    local function add(line)
        local fields = {}
        for field in line:gmatch("[^\t]+") do fields["{" .. #fields + 1 .. "}"] = field; fields[#fields + 1] = field end
        local function filled(text) return (text:gsub("{%d+}", fields):gsub("{n}", placeholder)) end
        local headers = {}
        for name, value in pairs(template_headers) do headers[name] = filled(value) end
        local text = wrk.format(method, filled(path), headers, body ~= "" and filled(body) or nil)
        local start = text:find(placeholder, 1, true)
        texts[#texts + 1] = start and {text:sub(1, start - 1), text:sub(start + #placeholder)} or text
    end
    local file = os.getenv("BENCH_LINES")
    if file ~= "" then
        -- Each thread has a separate part of the lines, so that no line is used again before all others.
        local lines = {}
        for line in io.lines(file) do lines[#lines + 1] = line end
        local all = tonumber(os.getenv("BENCH_THREADS"))
        local function border(part) return math.floor(#lines * part / all) end
        for number = border(place) + 1, border(place + 1) do add(lines[number]) end
    else
        add("")
    end
    count = #texts
    -- The first half of the number differs between threads and between runs.
    first = string.format("%08x", (os.time() * 64 + place) % 2 ^ 32)
end

function request()
    turn = turn % count + 1
    local text = texts[turn]
    if type(text) == "string" then return text end
    number = number + 1
    return text[1] .. first .. string.format("%08x", number) .. text[2]
end

function done(summary, latency, requests)
    io.stderr:write(string.format(
        '{"requests": %d, "microseconds": %d, "bytes": %d, "p50": %.1f, "p99": %.1f, "status_errors": %d, "socket_errors": %d}\n',
        summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
        summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
