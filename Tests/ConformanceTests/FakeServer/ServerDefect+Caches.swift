@testable import Conformance

extension ServerDefect {
    static let caches: [ServerDefect] = [
        ServerDefect("cache-success", "a verification is cacheable") { request, response in
            if request.isVerification, request.user == "activesome" { response.set("Cache-Control", "max-age=60") }
        },
        ServerDefect("cache-refusal", "a rejected sign-in is cacheable") { request, response in
            if request.isSignIn, request.body.count < 1000, response.isRejection,
                request.header("Content-Type")?.hasSuffix("form-urlencoded") == true
            {
                response.set("Cache-Control", nil)
            }
        },
        ServerDefect("cache-refusal", "a temporary failure is cacheable") { request, response in
            if response.status == 503 { response.set("Cache-Control", "public") }
        },
        ServerDefect("cache-not-found", "a 404 is cacheable") { _, response in
            if response.status == 404 { response.set("Cache-Control", nil) }
        },
        ServerDefect("cache-method", "a 405 is cacheable") { _, response in
            if response.status == 405 { response.set("Cache-Control", nil) }
        },
        ServerDefect("cache-head", "a response to HEAD is cacheable") { request, response in
            if request.method == "HEAD", !request.isContent { response.set("Cache-Control", nil) }
        },
        ServerDefect("cache-malformed", "a response to a NUL is cacheable") { request, response in
            if request.holds("a\u{0}b") { response.set("Cache-Control", nil) }
        },
        ServerDefect("cache-no-store", "no-cache without no-store, as in the historic server") {
            request, response in
            if !request.isContent {
                response.set("Cache-Control", "no-cache, must-revalidate, post-check=0, pre-check=0")
            }
        },
        ServerDefect("cache-validators", "every response has an entity tag") { request, response in
            if !request.isContent { response.set("ETag", "\"5f\"") }
        },
        ServerDefect("cache-validators", "every response has a Last-Modified date") { request, response in
            if !request.isContent { response.set("Last-Modified", "Sun, 22 Nov 2026 10:00:00 GMT") }
        },
        ServerDefect("cache-cookies", "a session cookie") { request, response in
            if request.isSignIn { response.set("Set-Cookie", "PHPSESSID=1") }
        },
        ServerDefect("cache-hit", "a proxy in front caches responses") { request, response in
            if request.isVerification { response.set("X-Cache", "HIT from edge-3") }
        },
        ServerDefect("cache-deception", "a path below a call is handled as the call") { request, response in
            if request.path.hasSuffix("x.css") {
                response = FakePublisherServer().document("<subscription state=\"stale\"/>")
            }
        },
    ]
}
