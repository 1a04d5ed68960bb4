-- Asks Gatefold about a request, for gatefold.conf beside this file (Debian: lua-socket).
--
-- Replace @GATEFOLD@ (host:port of `gatefold serve`), @PUBLICATION@ and @ROOT@ as there. Only what is named here reaches
-- Gatefold: none of the client's other headers can speak for Apache.

local http = require("socket.http")

local endpoint = "http://@GATEFOLD@/auth-request/original-uri"
local prefix = "/content/@PUBLICATION@/"
local root = "@ROOT@/"

local forbidden, unavailable = 403, 503
http.TIMEOUT = 5 -- seconds

-- The target as it stood in the request line, before Apache read it.
local function target(r)
    return r.the_request:match("^%S+ (.*) HTTP/[%d.]+$")
end

local function ask(r, uri)
    local headers = {
        ["X-Original-URI"] = uri,
        ["X-Original-Method"] = r.method,
        ["X-Forwarded-For"] = r.useragent_ip,
    }
    -- If-Range stays with Apache: see below.
    for _, name in ipairs({ "Authorization", "Range", "User-Agent" }) do
        headers[name] = r.headers_in[name]
    end
    local asked, status, answer = http.request({ url = endpoint, headers = headers, redirect = false })
    if asked and status == 200 and answer["x-gatefold-path"] then
        return 200, answer["x-gatefold-path"], answer["x-gatefold-resumption"]
    end
    if asked and status == 403 then return forbidden end
    return unavailable
end

local function decode(path)
    return (path:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

function check_access(r)
    local uri = target(r)
    if not uri then return forbidden end
    local status, path, resumption = ask(r, uri)
    if status ~= 200 then return status end

    -- Ended credentials may continue a download and begin none. An If-Range that fails would begin it anew; the same tag as
    -- If-Match, which Apache looks at first, is then 412.
    local tag = resumption and r.headers_in["If-Range"]
    if tag then
        if not tag:match('^"[^"]*"$') then return forbidden end
        r.headers_in["If-Match"] = tag
    end

    -- Apache has already chosen a file. It must be the one of the checked path.
    path = decode(path)
    if path:sub(1, #prefix) ~= prefix then return forbidden end
    if r.uri ~= path or r.filename ~= root .. path:sub(#prefix + 1) then return forbidden end
    return apache2.OK
end
