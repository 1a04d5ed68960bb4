@testable import Conformance

extension Breakage {
    static let caches: [Breakage] = [
        Breakage("cache-success", "a good verification may be kept") { request, answer in
            if request.isVerification, request.user == "activesome" { answer.set("Cache-Control", "max-age=60") }
        },
        Breakage("cache-refusal", "a refused sign-in may be kept") { request, answer in
            if request.isSignIn, request.body.count < 1000, answer.isRefusal,
                request.header("Content-Type")?.hasSuffix("form-urlencoded") == true
            {
                answer.set("Cache-Control", nil)
            }
        },
        Breakage("cache-refusal", "a failure may be kept") { request, answer in
            if answer.status == 503 { answer.set("Cache-Control", "public") }
        },
        Breakage("cache-not-found", "a 404 may be kept") { _, answer in
            if answer.status == 404 { answer.set("Cache-Control", nil) }
        },
        Breakage("cache-method", "a 405 may be kept") { _, answer in
            if answer.status == 405 { answer.set("Cache-Control", nil) }
        },
        Breakage("cache-head", "an answer to HEAD may be kept") { request, answer in
            if request.method == "HEAD", !request.isContent { answer.set("Cache-Control", nil) }
        },
        Breakage("cache-malformed", "an answer to a NUL may be kept") { request, answer in
            if request.holds("a\u{0}b") { answer.set("Cache-Control", nil) }
        },
        Breakage("cache-no-store", "no-cache without no-store, as the historic server has it") { request, answer in
            if !request.isContent {
                answer.set("Cache-Control", "no-cache, must-revalidate, post-check=0, pre-check=0")
            }
        },
        Breakage("cache-validators", "a tag on each answer") { request, answer in
            if !request.isContent { answer.set("ETag", "\"5f\"") }
        },
        Breakage("cache-validators", "a date on each answer") { request, answer in
            if !request.isContent { answer.set("Last-Modified", "Sun, 22 Nov 2026 10:00:00 GMT") }
        },
        Breakage("cache-cookies", "a session") { request, answer in
            if request.isSignIn { answer.set("Set-Cookie", "PHPSESSID=1") }
        },
        Breakage("cache-hit", "something in front keeps answers") { request, answer in
            if request.isVerification { answer.set("X-Cache", "HIT from edge-3") }
        },
        Breakage("cache-deception", "anything behind a call is the call") { request, answer in
            if request.path.hasSuffix("x.css") { answer = StandIn().document("<subscription state=\"stale\"/>") }
        },
    ]
}
