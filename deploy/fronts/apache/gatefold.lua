-- Queries Gatefold about a request, for gatefold.conf in this folder (Debian: lua-socket).
--
-- Replace @GATEFOLD@ (host:port of `gatefold serve`), and @PUBLICATION@ and @ROOT@ as in that file. Only the headers listed here
-- reach Gatefold, so that a client cannot forge the headers that Apache sets.

local http = require("socket.http")

local endpoint = "http://@GATEFOLD@/auth-request/original-uri"
local prefix = "/content/@PUBLICATION@/"
local root = "@ROOT@/"

local forbidden, unavailable = 403, 503
http.TIMEOUT = 5 -- seconds

-- The request target from the request line, before Apache interprets it.
local function target(r)
    return r.the_request:match("^%S+ (.*) HTTP/[%d.]+$")
end

local function query(r, uri)
    local headers = {
        ["X-Original-URI"] = uri,
        ["X-Original-Method"] = r.method,
        ["X-Forwarded-For"] = r.useragent_ip,
    }
    -- If-Range is not sent to Gatefold, see below.
    for _, name in ipairs({ "Authorization", "Range", "User-Agent" }) do
        headers[name] = r.headers_in[name]
    end
    local ok, status, fields = http.request({ url = endpoint, headers = headers, redirect = false })
    if ok and status == 200 and fields["x-gatefold-path"] then
        return 200, fields["x-gatefold-path"], fields["x-gatefold-resumption"]
    end
    if ok and status == 403 then return forbidden end
    return unavailable
end

local function decode(path)
    return (path:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

function check_access(r)
    local uri = target(r)
    if not uri then return forbidden end
    local status, path, resumption = query(r, uri)
    if status ~= 200 then return status end

    -- Expired credentials may continue a download but not start one. An If-Range that does not match would restart the
    -- download. The same tag in If-Match, which Apache evaluates first, results in 412 instead.
    local tag = resumption and r.headers_in["If-Range"]
    if tag then
        if not tag:match('^"[^"]*"$') then return forbidden end
        r.headers_in["If-Match"] = tag
    end

    -- Apache has already selected a file. It must be the file of the checked path.
    path = decode(path)
    if path:sub(1, #prefix) ~= prefix then return forbidden end
    if r.uri ~= path or r.filename ~= root .. path:sub(#prefix + 1) then return forbidden end
    return apache2.OK
end
