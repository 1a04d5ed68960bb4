import Foundation
import Gatefold
import OutgoingRequests
import Testing

@testable import Backends

@Suite("What is answered about a token")
struct TokenAnswersTests {
    @Test("Only a service that says so refuses the token")
    func refusals() {
        func refuses(_ challenges: String...) -> Bool? {
            let headers = challenges.map { HTTPQuestion.Header(name: "WWW-Authenticate", value: $0) }
            return ClientCredentials.refusesToken(HTTPAnswer(status: 401, headers: headers, body: []))
        }
        #expect(refuses() == nil)
        #expect(refuses("Bearer") == nil)
        #expect(refuses("Basic realm=x, error=invalid_token") == nil)
        #expect(refuses(#"Bearer realm="x", error="invalid_token", error_description="expired, again""#) == true)
        #expect(refuses("Basic realm=x", #"bearer error=invalid_token"#) == true)
        #expect(refuses(#"Bearer error="insufficient_scope""#) == false)
    }

    @Test("An answer without a usable token is none")
    func answers() throws {
        func token(_ text: String) throws -> TokenKeeper.Token { try ClientCredentials.token(in: Array(text.utf8)) }
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
