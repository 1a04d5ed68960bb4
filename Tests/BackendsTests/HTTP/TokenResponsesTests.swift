import Foundation
import OutgoingRequests
import Testing

@testable import Backends

@Suite("Token responses")
struct TokenResponsesTests {
    @Test("Only an explicit `invalid_token` error rejects the token")
    func rejections() {
        func rejects(_ challenges: String...) -> Bool? {
            let headers = challenges.map { OutboundRequest.Header(name: "WWW-Authenticate", value: $0) }
            return ClientCredentials.rejectsToken(OutboundResponse(status: 401, headers: headers, body: []))
        }
        #expect(rejects() == nil)
        #expect(rejects("Bearer") == nil)
        #expect(rejects("Basic realm=x, error=invalid_token") == nil)
        #expect(rejects(#"Bearer realm="x", error="invalid_token", error_description="expired, again""#) == true)
        #expect(rejects("Basic realm=x", #"bearer error=invalid_token"#) == true)
        #expect(rejects(#"Bearer error="insufficient_scope""#) == false)
    }

    @Test("A response without a usable token is an error")
    func responses() throws {
        func token(_ text: String) throws -> TokenCache.Token { try ClientCredentials.token(in: Array(text.utf8)) }
        #expect(
            try token(#"{"access_token":"a","token_type":"bearer","expires_in":60}"#) == .init(text: "a", lifetime: 60))
        #expect(
            try token(#"{"access_token":"a","token_type":"Bearer","expires_in":"60"}"#)
                == .init(text: "a", lifetime: 60))
        #expect(try token(#"{"access_token":"a","token_type":"Bearer"}"#) == .init(text: "a", lifetime: nil))
        for text in [
            "", "{}", #"{"access_token":"a"}"#, #"{"access_token":"","token_type":"Bearer"}"#,
            #"{"access_token":"a b","token_type":"Bearer"}"#, #"{"access_token":"a","token_type":"mac"}"#,
            #"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#,
            #"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#,
            #"{"access_token":1,"token_type":"Bearer"}"#,
        ] {
            #expect(throws: AuthorizationFailure.noToken, "\(text)") { try token(text) }
        }
    }
}
