@testable import Conformance

extension ServerDefect {
    static let paths: [ServerDefect] = [
        ServerDefect("path-slash", "a redirect") { request, response in
            if request.isVerification, request.path.hasSuffix("/") {
                response = .text(301, "Moved")
                response.set("Location", "/test/verify_subscription")
            }
        },
        ServerDefect("path-slash", "no renewal with a trailing slash, which apps send") { request, response in
            if request.call == "renew_token", request.path.hasSuffix("/") { response = .text(404, "Not found") }
        },
        ServerDefect("path-post", "the form of a renewal is ignored") { request, response in
            if request.call == "renew_token", request.method == "POST" {
                response = FakePublisherServer().document("<error status=\"notrecognised\"/>")
            }
        },
        ServerDefect("path-post", "forms are ignored") { request, response in
            if request.isVerification, request.method == "POST", request.user != nil {
                response = FakePublisherServer().document("<subscription state=\"stale\"/>")
            }
        },
        ServerDefect("path-head-body", "a body") { request, response in
            if request.method == "HEAD", !request.isContent { response.isHead = false }
        },
        ServerDefect("path-head-fields", "another status") { request, response in
            if request.method == "HEAD", request.call == "edition_credentials" { response.status = 405 }
        },
        ServerDefect("path-head-fields", "another content type for a renewal") { request, response in
            if request.method == "HEAD", request.call == "renew_token" { response.set("Content-Type", "text/plain") }
        },
        ServerDefect("path-allow", "no Allow header") { _, response in response.set("Allow", nil) },
        ServerDefect("path-allow", "PATCH is handled as GET") { request, response in
            if request.method == "PATCH" {
                var get = request
                get.method = "GET"
                response = FakePublisherServer().response(get)
            }
        },
        ServerDefect("path-unknown", "every path returns a page") { request, response in
            if response.status == 404, !request.path.hasSuffix("x.css"), !request.isContent { response.status = 200 }
        },
    ]
}
