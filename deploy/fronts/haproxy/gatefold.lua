-- Queries Gatefold about a request, for haproxy.cfg in this folder. Replace @GATEFOLD@ (host:port of `gatefold serve`).
--
-- Only the headers listed here reach Gatefold, so that a client cannot forge the headers that HAProxy sets.

local endpoint = "http://@GATEFOLD@/auth-request/original-uri"
local timeout = 5000 -- milliseconds

local function query(txn)
    local headers = {
        ["x-original-uri"] = { txn.f:url() },
        ["x-original-method"] = { txn.f:method() },
        ["x-forwarded-for"] = { txn.f:src() },
    }
    -- If-Range is not sent to Gatefold, see haproxy.cfg.
    for _, name in ipairs({ "authorization", "range", "user-agent" }) do
        local value = txn.f:req_fhdr(name)
        if value then headers[name] = { value } end
    end

    local response = core.httpclient():get({ url = endpoint, headers = headers, timeout = timeout })
    local path = response.headers and response.headers["x-gatefold-path"]
    if response.status == 200 and path then
        return "granted", path[0], response.headers["x-gatefold-resumption"] ~= nil
    end
    if response.status == 403 then return "denied" end
    return "unavailable"
end

core.register_action("query_gatefold", { "http-req" }, function(txn)
    local verdict, path, is_resumption = query(txn)
    txn:set_var("txn.gatefold_verdict", verdict)
    if path then txn:set_var("txn.gatefold_path", path) end
    if is_resumption then txn:set_var("txn.gatefold_resumption", "yes") end
end)
