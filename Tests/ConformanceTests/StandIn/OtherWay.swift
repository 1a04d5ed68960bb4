import Foundation
import Synchronization
import Testing

@testable import Conformance

/// A way to be right that is not the stand-in's: no rule may find anything.
struct OtherWay: Sendable, CustomTestStringConvertible {
    let title: String
    /// Made anew for each check, because it may count.
    let standIn: @Sendable () -> StandIn

    var testDescription: String { title }

    static let all = [
        OtherWay("the elements of credentials in another order, and more of them, as the historic server has it") {
            StandIn { request, answer in
                guard request.isCredentials,
                    let match = answer.text.firstMatch(of: #/(<userid>.*</userid>)(<pass.*</password>)/#)
                else { return }
                answer.text = answer.text.replacing(match.0, with: match.2 + match.1)
                    .replacing("</cred", with: "<!-- Requested Product ID --><expires in=\"s\">120<a/></expires></cred")
            }
        },
        OtherWay("dates, numbers of requests and two servers by turns in refusals") {
            let count = Mutex(0)
            return StandIn { request, answer in
                guard request.isSignIn, answer.isRefusal else { return }
                let number = count.withLock { count -> Int in
                    count += 1
                    return count
                }
                answer.text += "<!-- Generated: Sun, 22 Nov 2026 10:00:0\(number) GMT -->"
                answer.set("Date", "Sun, 22 Nov 2026 10:00:0\(number) GMT")
                answer.set("X-Request-Id", "\(UUID())")
                answer.set("X-Served-By", "web-\(number % 2)")
                if number.isMultiple(of: 3) { answer.set("X-Purged", "1") }
            }
        },
        OtherWay("refusals that name whoever was refused") {
            StandIn { request, answer in
                guard request.isSignIn, answer.isRefusal, let name = request.plainName else { return }
                // With words that some reader could be called.
                answer.text = answer.text.replacing("Invalid", with: "\(name), peter or pan: invalid")
                answer.set("X-User", name)
            }
        },
        OtherWay("a cache in front that passes everything on, and says so") {
            StandIn { _, answer in
                answer.set("X-Cache", "MISS from white-1.example.net")
                answer.set("Cache-Status", "\"edge; hit\"; fwd=miss; detail=hit")
            }
        },
        OtherWay("another status than a 2xx where the subscriber system is down") {
            StandIn { _, answer in
                if answer.status == 503 { answer = .text(424, "Not now") }
            }
        },
        OtherWay("credentials that are refused in the document where the subscriber system is down") {
            StandIn { request, answer in
                guard request.isCredentials, answer.status == 503 else { return }
                answer = StandIn().document(
                    "<credentials><error status=\"notentitled\" message=\"Later\"/></credentials>")
                answer.set("Retry-After", "30")
            }
        },
        OtherWay("credentials that are given where the subscriber system is down") {
            StandIn { request, answer in
                guard request.isCredentials, answer.status == 503 else { return }
                answer = StandIn().grant(request["product_id"] ?? "", userid: "\(UUID())")
            }
        },
        OtherWay("a renewal that fails where the subscriber system is down") {
            StandIn { request, answer in
                guard request.isRenewal, request.user == "200-500-500" else { return }
                answer = .text(503, "Temporarily unavailable")
                answer.set("Retry-After", "30")
            }
        },
        OtherWay("a renewal that gives back whatever it is given, as the historic server's does") {
            StandIn { request, answer in
                guard request.isRenewal, request.user == nil, let token = request["token"], !token.isEmpty else {
                    return
                }
                answer = StandIn().document("<token>\(StandIn.escape(token.filter { $0 != "\0" }))</token>")
            }
        },
        OtherWay("a token that can be renewed once") {
            let isRenewed = Mutex(false)
            return StandIn { request, answer in
                guard request.call == "renew_token", request.user == "expiredtoken", request.method != "PATCH" else {
                    return
                }
                let again = isRenewed.withLock { isRenewed -> Bool in
                    defer { isRenewed = true }
                    return isRenewed
                }
                if again {
                    let isHead = answer.isHead
                    answer = StandIn().document("<error status=\"notrecognised\" message=\"Sign in again\"/>")
                    answer.isHead = isHead
                }
            }
        },
        OtherWay("a 501 for other methods") {
            StandIn { _, answer in
                if answer.status == 405 { answer = .text(501, "Not implemented") }
            }
        },
    ]

    private init(_ title: String, _ standIn: @escaping @Sendable () -> StandIn) {
        self.title = title
        self.standIn = standIn
    }
}
