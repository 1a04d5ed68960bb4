@testable import Conformance

extension ServerDefect {
    static let tokens: [ServerDefect] = [
        ServerDefect("token-forged", "a forged token is active") { request, response in
            if request.isVerification, request["token"]?.hasPrefix("forged") == true {
                response.text = response.text.replacing("stale", with: "active")
            }
        },
        ServerDefect("token-forged", "a forged token is renewed") { request, response in
            if request.isRenewal, request["token"]?.hasPrefix("forged") == true {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("activeall"))</token>")
            }
        },
        ServerDefect("token-missing", "a token is issued without a token") { request, response in
            if request.isRenewal, request["token"] == nil, request.body.isEmpty {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("activeall"))</token>")
            }
        },
        ServerDefect("token-missing", "credentials are issued without a token") { request, response in
            if request.isCredentials, request["token"] == nil, request.body.isEmpty {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        ServerDefect("token-stale", "an expired token has the state inactive") { request, response in
            if request.isVerification, request.user == "expiredtoken" {
                response.text = response.text.replacing("stale", with: "inactive")
            }
        },
        ServerDefect("token-stale", "a permanently stale token becomes valid") { request, response in
            if request.isVerification, request.user == "alwaysstaletoken", request["token"]?.hasSuffix("X") == true {
                response.text = response.text.replacing("stale", with: "active")
            }
        },
        ServerDefect("token-renew", "a permanently stale token is rejected") { request, response in
            if request.isRenewal, request.user == "alwaysstaletoken" {
                response = FakePublisherServer().document("<error status=\"notrecognised\"/>")
            }
        },
        ServerDefect("token-renew", "a renewable token is rejected") { request, response in
            if request.isRenewal, request.user == "expiredtoken" {
                response = FakePublisherServer().document("<error status=\"notrecognised\"/>")
            }
        },
        ServerDefect("token-renew-loop", "a renewal returns a stale token") { request, response in
            if request.isRenewal, request.user == "expiredtoken" {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("blockedtoken"))</token>")
            }
        },
        ServerDefect("token-renew-loop", "a renewal returns an unknown token") { request, response in
            Self.renewWithRubbish(
                request, &response,
                FakePublisherServer().document("<subscription state=\"unknown\"><issues/></subscription>"))
        },
        ServerDefect("token-renew-loop", "a renewal returns a token at which the server fails") { request, response in
            Self.renewWithRubbish(request, &response, .text(500, "Error"))
        },
        ServerDefect("token-renew-loop", "a renewal returns a token that cannot be verified") { request, response in
            Self.renewWithRubbish(request, &response, .text(404, "Not found"))
        },
        ServerDefect("token-renew-refused", "a blocked token is renewed") { request, response in
            if request.isRenewal, request.user == "blockedtoken" {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("activeall"))</token>")
            }
        },
    ]

    /// Makes a renewal return an unknown token, whose verification yields this response.
    private static func renewWithRubbish(
        _ request: FakeServerRequest, _ response: inout FakeResponse, _ verification: FakeResponse
    ) {
        if request.isRenewal, request.user == "expiredtoken" {
            response = FakePublisherServer().document("<token>rubbish</token>")
        }
        if request.isVerification, request["token"] == "rubbish" { response = verification }
    }
}
