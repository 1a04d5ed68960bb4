# Editions behind Gatefold, with Varnish (7.1 or newer; Debian: varnish, and nginx for the files).
#
# Install: replace @GATEFOLD_HOST@, @GATEFOLD_PORT@ (of `gatefold serve`), @PUBLICATION@ and @RUN@ (the folder of the file
# server's socket), name the file in varnishd's -f, and install ../nginx/files.conf.
#
# Every request makes two rounds. In the first it goes to Gatefold and nothing of the answer is kept. Granted, it is
# restarted with the path that Gatefold checked, and only in that second round may a file come from the cache: files are
# cached, permissions never.
#
# Varnish itself writes no access log, but whoever reads its shared memory sees everything, tickets in queries too, which are as
# good as a password until they end, and identifiers of apps' installations in other paths, which have their purchases. Have
# varnishncsa write a log with the path of content and nothing else, in place of its usual format:
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
        call ask;
        return (pass);
    }
    call serve;
    return (hash);
}

# The first round.
sub ask {
    # Nothing the client claims about its own request is believed.
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
    # Several ranges, or one that Varnish would choke on: a server may send the whole file instead.
    if (req.http.Range !~ "^bytes=([0-9]{1,15}-[0-9]{0,15}|-0*[1-9][0-9]{0,14})$"
        || (req.http.Range ~ "[0-9]-[0-9]"
            && std.integer(regsub(req.http.Range, "^bytes=([0-9]+)-.*$", "\1"), 0)
                > std.integer(regsub(req.http.Range, "^bytes=[0-9]+-", ""), 0))) {
        unset req.http.Range;
    }
    # A condition that fails would begin a download anew, which ended credentials must not: vcl_deliver compares it.
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

# The second round: req.url is the checked path since vcl_deliver.
sub serve {
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

# Every answer that is not a file: the one place that says it must not be cached.
sub vcl_synth {
    set resp.http.Cache-Control = "no-store, no-cache, must-revalidate, private, max-age=0";
    set resp.http.Pragma = "no-cache";
    set resp.http.Expires = "0";
    set resp.http.Vary = "Authorization";
    set resp.body = "";
    return (deliver);
}
