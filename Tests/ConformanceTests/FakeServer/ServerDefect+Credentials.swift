@testable import Conformance

extension ServerDefect {
    static let credentials: [ServerDefect] = [
        ServerDefect("credentials-held", "an edition that is listed is refused") { request, response in
            if request.isCredentials, request.user == "lapsedsome" {
                response = FakePublisherServer().document("<credentials><error status=\"notentitled\"/></credentials>")
            }
        },
        ServerDefect("credentials-unheld", "an edition that is not listed is given") { request, response in
            if request.isCredentials, request.user == "activesome", request["product_id"] == FakePublisherServer.second
            {
                response = FakePublisherServer().grant(FakePublisherServer.second, userid: "salt")
            }
        },
        ServerDefect("credentials-unheld", "whoever is active is given everything") { request, response in
            if request.isCredentials, request.user == "yesbyproxy" {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        ServerDefect("credentials-no-product", "nothing is asked for, and given") { request, response in
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
        ServerDefect("credentials-userid-token", "the token, as the historic server has it") { request, response in
            if request.isCredentials, request.user == "activeglobal", !response.isRejection {
                response = FakePublisherServer().grant(
                    request["product_id"] ?? "", userid: "\(FakePublisherServer.token("activeglobal"))-1")
            }
        },
        ServerDefect("credentials-userid-fresh", "always the same") { request, response in
            if request.isCredentials, !response.isRejection {
                response = FakePublisherServer().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        ServerDefect("credentials-password-form", "capital letters") { request, response in
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
        ServerDefect("credentials-feed-given", "it is left out") { request, response in
            if request.isSignIn { response.text = response.text.replacing(#/ global_auth_password="[^"]*"/#, with: "") }
        },
        ServerDefect("credentials-feed-given", "it is left out for a lapsed reader") { request, response in
            if request.isSignIn, request["username"] == "lapsedglobal" {
                response.text = response.text.replacing(#/ global_auth_password="[^"]*"/#, with: "")
            }
        },
        ServerDefect("credentials-headers", "a value that ends the line") { request, response in
            response.text = response.text.replacing("a&amp;b", with: "a&#13;&#10;b")
        },
        ServerDefect("credentials-headers", "a name that is none") { request, response in
            response.text = response.text.replacing("\"X-Edge\"", with: "\"X Edge\"")
        },
    ]
}
