import JSON
import OutgoingRequests

@testable import Backends
@testable import Receipts

extension FuzzTarget {
    /// A token endpoint's response, and a service's response about a token.
    static let tokenResponse = FuzzTarget(
        "token-response", upTo: 1024, of: "ClientCredentials", "Authorization", "GoogleServiceAccount"
    ) { bytes in
        if let token = try? ClientCredentials.token(in: bytes) {
            promise(isCarried(token.text), "a token contains a line break")
            if let lifetime = token.lifetime {
                promise(lifetime > 0 && lifetime < 1e9, "a token's lifetime is out of range")
            }
            promise(
                (try? ClientCredentials.token(in: withUnknownMember(bytes))) == token,
                "an unknown member changed the result")
        }
        let input = text(bytes)
        let response = JSONWriter.bytes(["access_token": .string(input), "token_type": "bEARER", "expires_in": "60"])
        let expected = isCarried(input) ? TokenCache.Token(text: input, lifetime: 60) : nil
        promise((try? ClientCredentials.token(in: response)) == expected, "a token was changed or rejected")
        if let token = try? GoogleServiceAccount.token(in: OutboundResponse(status: 200, headers: [], body: bytes)) {
            promise(isCarried(token.text), "a Google token contains a line break")
            promise((1...86_400).contains(token.lifetime ?? 0), "a Google token lasts more than a day")
        }
        promise(GoogleServiceAccount.isToken(input) == isCarried(input), "the rules for tokens differ")
        let document = JSONWriter.bytes(["access_token": "t", "token_type": "bearer", "expires_in": .string(input)])
        if let lifetime = (try? ClientCredentials.token(in: document))?.lifetime {
            promise(lifetime > 0 && lifetime < 1e9, "a token's lifetime is out of range")
        }
        let challenge = OutboundRequest.Header(name: "www-authenticate", value: input)
        let basic = OutboundRequest.Header(
            name: "WWW-Authenticate", value: "Basic realm=\"r\", error=\"invalid_token\"")
        let rejects = ClientCredentials.rejectsToken(rejection([challenge]))
        promise(
            ClientCredentials.rejectsToken(rejection([challenge, basic])) == rejects,
            "an unrelated challenge changed the result")
        guard rejects == true else { return }
        // A quoted text may contain backslashes anywhere.
        let folded = input.replacing("\\", with: "").lowercased()
        promise(folded.contains("bearer") && folded.contains("invalid_token"), "a token was discarded without evidence")
    }

    /// Returns whether the token may follow `Bearer ` in a header without injecting anything after it.
    private static func isCarried(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Returns the object with an additional member, which clients must ignore (RFC 6749 section 5.1).
    private static func withUnknownMember(_ object: [UInt8]) -> [UInt8] {
        guard let json = try? JSONParser.parse(object), json["zq9"] == nil,
            let brace = object.firstIndex(of: UInt8(ascii: "{"))
        else { return object }
        let member = Array(#""zq9": {"access_token": "u", "expires_in": 1}, "#.utf8)
        return Array(object[...brace]) + member + Array(object[(brace + 1)...])
    }

    private static func rejection(_ headers: [OutboundRequest.Header]) -> OutboundResponse {
        OutboundResponse(status: 401, headers: headers, body: [])
    }
}
