import Foundation
import Synchronization
import Testing

@testable import Conformance

/// A compliant server that differs from the fake server, so that no rule may find anything.
struct CompliantVariant: Sendable, CustomTestStringConvertible {
    let title: String
    /// Created for each check, because it may count.
    let fake: @Sendable () -> FakePublisherServer

    var testDescription: String { title }

    static let all = [
        CompliantVariant(
            "additional elements in another order, as in the historic server's credentials"
        ) {
            FakePublisherServer { request, response in
                guard request.isCredentials,
                    let match = response.text.firstMatch(of: #/(<userid>.*</userid>)(<pass.*</password>)/#)
                else { return }
                response.text = response.text.replacing(match.0, with: match.2 + match.1)
                    .replacing("</cred", with: "<!-- Requested Product ID --><expires in=\"s\">120<a/></expires></cred")
            }
        },
        CompliantVariant("rejections with dates, request ids and alternating server names") {
            let count = Mutex(0)
            return FakePublisherServer { request, response in
                guard request.isSignIn, response.isRejection else { return }
                let number = count.withLock { count -> Int in
                    count += 1
                    return count
                }
                response.text += "<!-- Generated: Sun, 22 Nov 2026 10:00:0\(number) GMT -->"
                response.set("Date", "Sun, 22 Nov 2026 10:00:0\(number) GMT")
                response.set("X-Request-Id", "\(UUID())")
                response.set("X-Served-By", "web-\(number % 2)")
                if number.isMultiple(of: 3) { response.set("X-Purged", "1") }
            }
        },
        CompliantVariant("rejections that contain the rejected name") {
            FakePublisherServer { request, response in
                guard request.isSignIn, response.isRejection, let name = request.plainName else { return }
                // Contains words that could be a reader's name.
                response.text = response.text.replacing("Invalid", with: "\(name), peter or pan: invalid")
                response.set("X-User", name)
            }
        },
        CompliantVariant("a cache in front that forwards everything and reports misses") {
            FakePublisherServer { _, response in
                response.set("X-Cache", "MISS from white-1.example.net")
                response.set("Cache-Status", "\"edge; hit\"; fwd=miss; detail=hit")
            }
        },
        CompliantVariant("a 424 during an outage") {
            FakePublisherServer { _, response in
                if response.status == 503 { response = .text(424, "Not now") }
            }
        },
        CompliantVariant("credentials denied in the document during an outage") {
            FakePublisherServer { request, response in
                guard request.isCredentials, response.status == 503 else { return }
                response = FakePublisherServer().document(
                    "<credentials><error status=\"notentitled\" message=\"Later\"/></credentials>")
                response.set("Retry-After", "30")
            }
        },
        CompliantVariant("credentials granted during an outage") {
            FakePublisherServer { request, response in
                guard request.isCredentials, response.status == 503 else { return }
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "\(UUID())")
            }
        },
        CompliantVariant("a renewal that fails during an outage") {
            FakePublisherServer { request, response in
                guard request.isRenewal, request.user == "200-500-500" else { return }
                response = .text(503, "Temporarily unavailable")
                response.set("Retry-After", "30")
            }
        },
        CompliantVariant("a renewal that returns its input, as in the historic server") {
            FakePublisherServer { request, response in
                guard request.isRenewal, request.user == nil, let token = request["token"], !token.isEmpty else {
                    return
                }
                response = FakePublisherServer().document(
                    "<token>\(FakePublisherServer.escape(token.filter { $0 != "\0" }))</token>")
            }
        },
        CompliantVariant("a token that can be renewed once") {
            let isRenewed = Mutex(false)
            return FakePublisherServer { request, response in
                guard request.call == "renew_token", request.user == "expiredtoken", request.method != "PATCH" else {
                    return
                }
                let again = isRenewed.withLock { isRenewed -> Bool in
                    defer { isRenewed = true }
                    return isRenewed
                }
                if again {
                    let isHead = response.isHead
                    response = FakePublisherServer().document(
                        "<error status=\"notrecognised\" message=\"Sign in again\"/>")
                    response.isHead = isHead
                }
            }
        },
        CompliantVariant("a 501 for other methods") {
            FakePublisherServer { _, response in
                if response.status == 405 { response = .text(501, "Not implemented") }
            }
        },
    ]

    private init(_ title: String, _ fake: @escaping @Sendable () -> FakePublisherServer) {
        self.title = title
        self.fake = fake
    }
}
