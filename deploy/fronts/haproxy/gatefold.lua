-- Queries Gatefold about a request, for haproxy.cfg in this folder. Replace @GATEFOLD@ (host:port of `gatefold serve`).
--
-- Only the headers listed here reach Gatefold, so that a client cannot forge the headers that HAProxy sets.

local endpoint = "http://@GATEFOLD@/auth-request/original-uri"
local patience = 5000 -- milliseconds

local function verdict(txn)
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

    local answer = core.httpclient():get({ url = endpoint, headers = headers, timeout = patience })
    local path = answer.headers and answer.headers["x-gatefold-path"]
    if answer.status == 200 and path then
        return "granted", path[0], answer.headers["x-gatefold-resumption"] ~= nil
    end
    if answer.status == 403 then return "refused" end
    return "silent"
end

core.register_action("ask_gatefold", { "http-req" }, function(txn)
    local word, path, is_resumption = verdict(txn)
    txn:set_var("txn.gatefold_verdict", word)
    if path then txn:set_var("txn.gatefold_path", path) end
    if is_resumption then txn:set_var("txn.gatefold_resumption", "yes") end
end)
