# Editions behind Gatefold, with Varnish (7.1 or newer; Debian: varnish, and nginx for the files).
#
# Installation: replace @GATEFOLD_HOST@, @GATEFOLD_PORT@ (of `gatefold serve`), @PUBLICATION@ and @RUN@ (the folder of the file
# server's socket), pass the file to varnishd with -f, and install ../nginx/files.conf.
#
# Every request makes two passes. The first pass sends it to Gatefold, and the response is not cached. A granted request is
# restarted with the path that Gatefold checked. Only the second pass may serve a file from the cache, so that files are cached
# but decisions are not.
#
# Varnish writes no access log, but its shared memory contains everything. This includes download tokens in queries, which work
# like passwords until they expire, and identifiers of app installations with purchases in other paths. Configure varnishncsa to
# log only content paths, instead of its default format:
#
#     varnishncsa -F '%h %t "%m %{VCL_Log:path}x" %s %b "%{User-agent}i"'

vcl 4.1;

import std;

backend gatefold {
    .host = "@GATEFOLD_HOST@";
    .port = "@GATEFOLD_PORT@";
    .connect_timeout = 2s;
    .first_byte_timeout = 5s;
}

backend files {
    .path = "@RUN@/gatefold-files.sock";
}

sub vcl_recv {
    if (req.restarts == 0) {
        call query_gatefold;
        return (pass);
    }
    call serve_file;
    return (hash);
}

# The first pass: the query to Gatefold.
sub query_gatefold {
    # The client cannot forge the headers that describe its request.
    unset req.http.X-Original-Method;
    unset req.http.X-Forwarded-Uri;
    unset req.http.X-Forwarded-Method;
    unset req.http.X-Gatefold-Resumption;
    set req.http.X-Original-URI = req.url;

    if (req.method != "GET" && req.method != "HEAD") {
        return (synth(405));
    }
    if (req.url !~ "^/content/@PUBLICATION@/") {
        return (synth(404));
    }
    std.log("path:" + regsub(req.url, "\?.*", ""));
    # Several ranges, or a range that Varnish cannot handle, are removed. A server may send the whole file instead.
    if (req.http.Range !~ "^bytes=([0-9]{1,15}-[0-9]{0,15}|-0*[1-9][0-9]{0,14})$"
        || (req.http.Range ~ "[0-9]-[0-9]"
            && std.integer(regsub(req.http.Range, "^bytes=([0-9]+)-.*$", "\1"), 0)
                > std.integer(regsub(req.http.Range, "^bytes=[0-9]+-", ""), 0))) {
        unset req.http.Range;
    }
    # A condition that does not match would restart a download, which expired credentials may not do. vcl_deliver compares it.
    unset req.http.X-If-Range;
    if (req.http.If-Range) {
        std.collect(req.http.If-Range);
        set req.http.X-If-Range = req.http.If-Range;
        unset req.http.If-Range;
    }
    set req.http.X-Original-Method = req.method;
    set req.url = "/auth-request/original-uri";
    set req.backend_hint = gatefold;
}

# The second pass. vcl_deliver has set req.url to the checked path.
sub serve_file {
    std.log("path:" + regsub(req.url, "^/gatefold-checked", ""));
    unset req.http.Authorization;
    unset req.http.Cookie;
    unset req.http.Accept-Encoding;
    set req.http.Host = "editions";
    set req.backend_hint = files;
}

sub vcl_backend_fetch {
    if (bereq.backend == gatefold) {
        set bereq.method = "GET";
        unset bereq.body;
    }
}

sub vcl_backend_response {
    if (beresp.status == 200 && bereq.backend == files) {
        set beresp.ttl = 5m;
        set beresp.grace = 0s;
    } else {
        set beresp.uncacheable = true;
        set beresp.ttl = 0s;
    }
    return (deliver);
}

sub vcl_deliver {
    if (req.restarts == 0) {
        if (resp.status == 200 && resp.http.X-Gatefold-Path ~ "^/content/@PUBLICATION@/") {
            set req.url = "/gatefold-checked" + resp.http.X-Gatefold-Path;
            if (resp.http.X-Gatefold-Resumption) {
                set req.http.X-Gatefold-Resumption = resp.http.X-Gatefold-Resumption;
            }
            if (req.http.X-If-Range) {
                set req.http.If-Range = req.http.X-If-Range;
            }
            return (restart);
        }
        if (resp.status == 403) {
            return (synth(403));
        }
        return (synth(503));
    }
    if (resp.status >= 400) {
        return (synth(resp.status));
    }
    if (req.http.X-Gatefold-Resumption && req.http.If-Range && req.http.If-Range != resp.http.ETag) {
        return (synth(403));
    }
    unset resp.http.Age;
    unset resp.http.Via;
    unset resp.http.X-Varnish;
    set resp.http.Cache-Control = "private";
    set resp.http.Vary = "Authorization";
    return (deliver);
}

# Every response that is not a file. This is the only place that forbids its caching.
sub vcl_synth {
    set resp.http.Cache-Control = "no-store, no-cache, must-revalidate, private, max-age=0";
    set resp.http.Pragma = "no-cache";
    set resp.http.Expires = "0";
    set resp.http.Vary = "Authorization";
    set resp.body = "";
    return (deliver);
}
