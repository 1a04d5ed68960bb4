@testable import Conformance

extension Breakage {
    static let paths: [Breakage] = [
        Breakage("path-slash", "a redirect") { request, answer in
            if request.isVerification, request.path.hasSuffix("/") {
                answer = .text(301, "Moved")
                answer.set("Location", "/test/verify_subscription")
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
        Breakage("path-allow", "no methods") { _, answer in answer.set("Allow", nil) },
        Breakage("path-unknown", "a page for everything") { request, answer in
            if answer.status == 404, !request.path.hasSuffix("x.css"), !request.isContent { answer.status = 200 }
        },
    ]
}
