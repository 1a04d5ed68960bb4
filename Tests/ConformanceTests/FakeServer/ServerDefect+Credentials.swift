@testable import Conformance

extension ServerDefect {
    static let credentials: [ServerDefect] = [
        ServerDefect("credentials-held", "a listed edition is denied") { request, response in
            if request.isCredentials, request.user == "lapsedsome" {
                response = FakePublisherServer().document("<credentials><error status=\"notentitled\"/></credentials>")
            }
        },
        ServerDefect("credentials-unheld", "an unlisted edition is granted") { request, response in
            if request.isCredentials, request.user == "activesome", request["product_id"] == FakePublisherServer.second
            {
                response = FakePublisherServer().grant(FakePublisherServer.second, userid: "salt")
            }
        },
        ServerDefect("credentials-unheld", "active readers are granted every edition") { request, response in
            if request.isCredentials, request.user == "yesbyproxy" {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        ServerDefect("credentials-no-product", "credentials are issued without a product") { request, response in
            if request.isCredentials, request.user == "activeall", request["product_id"] == nil {
                response = FakePublisherServer().grant("", userid: "salt")
            }
        },
        ServerDefect("credentials-userid", "a colon") { request, response in
            if request.isCredentials, request.user == "peter", !response.isRejection {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "2024:salt")
            }
        },
        ServerDefect("credentials-userid", "a space") { request, response in
            if request.isCredentials, request.user == "peter", !response.isRejection {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "2024 salt")
            }
        },
        ServerDefect("credentials-userid", "a control character") { request, response in
            if request.isCredentials, request.user == "peter", !response.isRejection {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "2024\u{7F}salt")
            }
        },
        ServerDefect("credentials-userid-token", "the token, as in the historic server") { request, response in
            if request.isCredentials, request.user == "activeglobal", !response.isRejection {
                response = FakePublisherServer().grant(
                    request["product_id"] ?? "", userid: "\(FakePublisherServer.token("activeglobal"))-1")
            }
        },
        ServerDefect("credentials-userid-fresh", "the same userid each time") { request, response in
            if request.isCredentials, !response.isRejection {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        ServerDefect("credentials-password-form", "upper-case hexadecimal") { request, response in
            if request.isCredentials, request.user == "lapsedsome",
                let match = response.text.firstMatch(of: /<password>([^<]*)</)
            {
                response.text = response.text.replacing(match.1, with: match.1.uppercased() + "A")
            }
        },
        ServerDefect("credentials-password", "another secret") { request, response in
            if request.isCredentials, request.user == "lapsedsome",
                let match = response.text.firstMatch(of: /<password>([^<]*)</)
            {
                response.text = response.text.replacing(match.1, with: String(repeating: "5", count: 40))
            }
        },
        ServerDefect("credentials-feed-password", "another secret") { request, response in
            if let match = response.text.firstMatch(of: /global_auth_password="([^"]*)"/) {
                response.text = response.text.replacing(match.1, with: String(repeating: "5", count: 40))
            }
        },
        ServerDefect("credentials-feed-given", "the feed password is missing") { request, response in
            if request.isSignIn { response.text = response.text.replacing(#/ global_auth_password="[^"]*"/#, with: "") }
        },
        ServerDefect("credentials-feed-given", "the feed password is missing for a lapsed reader") {
            request, response in
            if request.isSignIn, request["username"] == "lapsedglobal" {
                response.text = response.text.replacing(#/ global_auth_password="[^"]*"/#, with: "")
            }
        },
        ServerDefect("credentials-headers", "a header value with a line break") { request, response in
            response.text = response.text.replacing("a&amp;b", with: "a&#13;&#10;b")
        },
        ServerDefect("credentials-headers", "an invalid header name") { request, response in
            response.text = response.text.replacing("\"X-Edge\"", with: "\"X Edge\"")
        },
    ]
}
