@testable import Conformance

extension Breakage {
    static let paths: [Breakage] = [
        Breakage("path-slash", "a redirect") { request, answer in
            if request.isVerification, request.path.hasSuffix("/") {
                answer = .text(301, "Moved")
                answer.set("Location", "/test/verify_subscription")
            }
        },
        Breakage("path-slash", "no renewal with a slash, which is how apps write it") { request, answer in
            if request.call == "renew_token", request.path.hasSuffix("/") { answer = .text(404, "Not found") }
        },
        Breakage("path-post", "a renewal by form is not read") { request, answer in
            if request.call == "renew_token", request.method == "POST" {
                answer = StandIn().document("<error status=\"notrecognised\"/>")
            }
        },
        Breakage("path-post", "a form is not read") { request, answer in
            if request.isVerification, request.method == "POST", request.user != nil {
                answer = StandIn().document("<subscription state=\"stale\"/>")
            }
        },
        Breakage("path-head-body", "a body") { request, answer in
            if request.method == "HEAD", !request.isContent { answer.isHead = false }
        },
        Breakage("path-head-fields", "another status") { request, answer in
            if request.method == "HEAD", request.call == "edition_credentials" { answer.status = 405 }
        },
        Breakage("path-head-fields", "another type of a renewal") { request, answer in
            if request.method == "HEAD", request.call == "renew_token" { answer.set("Content-Type", "text/plain") }
        },
        Breakage("path-allow", "no methods") { _, answer in answer.set("Allow", nil) },
        Breakage("path-allow", "PATCH is as good as GET") { request, answer in
            if request.method == "PATCH" {
                var get = request
                get.method = "GET"
                answer = StandIn().answer(get)
            }
        },
        Breakage("path-unknown", "a page for everything") { request, answer in
            if answer.status == 404, !request.path.hasSuffix("x.css"), !request.isContent { answer.status = 200 }
        },
    ]
}
