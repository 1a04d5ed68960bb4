import OutgoingRequests
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Evidence in service responses")
struct EvidenceTests {
    private func call(_ purpose: ServiceCall.Purpose, _ yaml: String) throws -> ServiceCall {
        try ServiceCall(
            purpose, try YAMLSettings.read(text: yaml, name: "call.yaml", folder: "/", environment: [:]),
            base: ServiceURL("https://h.example"), namespaces: [:], usesServiceAccount: false)
    }

    /// Returns the error that rejects a call at startup, or nil.
    private func rejection(_ purpose: ServiceCall.Purpose, _ yaml: String) -> String? {
        do {
            _ = try call(purpose, yaml)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func response(_ status: Int, _ body: String) -> OutboundResponse {
        OutboundResponse(status: status, headers: [], body: Array(body.utf8))
    }

    @Test("Pitfall 14: `has` treats JSON booleans and empty values as missing")
    func truthValues() throws {
        for place in ["/token", "$.token", "$..token"] {
            let signIn = try call(
                .signIn,
                "read: {token: {json: \(place)}}\nauthenticated: {has: [token]}\nrejected: {status: [401], by_status: true}"
            )
            for token in ["false", "true", "null", "\"\"", "\" \"", "[]", "[false]", "[null, \" \"]", "{}", "[{}]"] {
                #expect(throws: ServiceFailure.unrecognizedResponse(.signIn, status: 200), "\(place) \(token)") {
                    try signIn.outcome(of: response(200, "{\"token\": \(token)}"))
                }
            }
            for token in ["\"false\"", "7", "[\"t\"]"] {
                let outcome = try signIn.outcome(of: response(200, "{\"token\": \(token)}"))
                guard case .good = outcome else {
                    Issue.record("\(token) is something")
                    continue
                }
            }
        }
    }

    @Test(
        "Pitfall 14: a value that every page has is no evidence for a grant or a rejection",
        arguments: [
            "{xml: \"boolean(//user)\"}", "{xml: \"not(//error)\"}", "{xml: \"count(//user)\"}",
            "{xml: \"sum(//user)\"}",
            "{xml: \"string(//user = 'x')\"}", "{xml: \"name(/*)\"}", "{xml: \"//*\"}",
            "{xml: \"concat('u', //user)\"}",
            "status", "text", "{header: Content-Type}",
        ])
    func anybodys(read: String) throws {
        for purpose in [ServiceCall.Purpose.signIn, .renew, .verdict, .subscription, .health] {
            let text = rejection(
                purpose,
                "read: {x: \(read), e: {json: /e}}\n\(purpose.good): {has: [x]}\nrejected: {when: {e: unknown}}")
            #expect(text?.contains("`x` is in every response") == true, "\(purpose): \(text ?? "accepted")")
        }
        let text = rejection(
            .signIn, "read: {x: \(read), e: {json: /e}}\nauthenticated: {when: {e: ok}}\nrejected: {has: [x]}")
        #expect(text?.contains("`x` is in every response") == true, "\(text ?? "accepted")")
    }

    @Test("Pitfall 14: a value is evidence only if an arbitrary page would not contain it")
    func words() {
        for (read, word, isEvidence) in [
            ("status", "200", false), ("{xml: \"not(//error)\"}", "true", false),
            ("{xml: \"boolean(//user)\"}", "false", false), ("{xml: \"boolean(//user)\"}", "true", true),
            ("{xml: \"//user\"}", "x", true), ("{json: /ok}", "true", true), ("text", "OK", true),
            ("{header: X-Result}", "OK", true), ("{form: result}", "ok", true),
        ] {
            let text = rejection(
                .signIn,
                "read: {x: \(read), e: {json: /e}}\nauthenticated: {when: {x: \"\(word)\"}}\nrejected: {when: {e: unknown}}"
            )
            #expect((text == nil) == isEvidence, "\(read) \(word): \(text ?? "accepted")")
        }
        for read in ["{xml: \"//user/@id\"}", "{xml: \"string(//user/id)\"}", "{json: /token}", "{form: token}"] {
            let text = rejection(
                .signIn, "read: {x: \(read)}\nauthenticated: {has: [x]}\nrejected: {status: [401], by_status: true}")
            #expect(text == nil, "\(read)")
        }
    }

    @Test("A rejection by status alone needs `by_status: true`")
    func rejections() throws {
        for purpose in [ServiceCall.Purpose.signIn, .subscription, .verdict, .renew] {
            let yaml = "read: {e: {json: /e}, state: {json: /s}}\n\(purpose.good): {when: {e: ok}}\nrejected: "
            for status in [401, 403, 404, 200] {
                let text = rejection(purpose, yaml + "{status: [\(status)]}")
                #expect(text?.contains("rejected: expected `when` or `has`") == true, "\(text ?? "accepted")")
                #expect(rejection(purpose, yaml + "{status: [\(status)], by_status: true}") == nil)
                #expect(rejection(purpose, yaml + "{status: [\(status)], when: {e: unknown}}") == nil)
            }
        }
    }

    @Test("A response about an unknown edition can be mapped to a rejection")
    func unknownEdition() throws {
        let verdict = try call(
            .verdict,
            """
            url: "/products/{edition}"
            read: {held: {json: /held}, error: {json: /error, optional: true}}
            granted: {when: {held: "true"}}
            rejected:
              - {when: {held: "false"}}
              - {status: [400], when: {error: unknown product}}
              - {status: [404], by_status: true}
            """)
        let responses = [
            (200, "{\"held\": false}"), (400, "{\"error\": \"Unknown product\"}"), (404, "<html/>"), (404, ""),
        ]
        for (status, body) in responses {
            guard case .rejected = try verdict.outcome(of: response(status, body)) else {
                Issue.record("\(status) \(body) is a rejection")
                continue
            }
        }
        #expect(throws: ServiceFailure.unrecognizedResponse(.verdict, status: 400)) {
            try verdict.outcome(of: response(400, "{}"))
        }
    }

    @Test(
        "An unusable response for one reader or edition keeps the breaker closed; a service failure opens it")
    func breaker() {
        for failure: any Error in [
            ServiceFailure.unrecognizedResponse(.verdict, status: 404),
            ServiceFailure.unrecognizedResponse(.signIn, status: 400),
            ServiceFailure.unrecognizedResponse(.subscription, status: 200),
            ServiceFailure.contradictory(.subscription),
            ServiceFailure.noValue("id"), ServiceFailure.undecided, UnsendableValue(), UnsendableValue(name: "id"),
        ] {
            #expect(!FailureClassification.isBackendFailure(failure), "\(failure)")
            #expect(FailureClassification.isNotQueried(failure), "the last known result is served")
        }
        for failure: any Error in [
            ServiceFailure.unrecognizedResponse(.verdict, status: 500),
            ServiceFailure.unrecognizedResponse(.signIn, status: 503),
            ServiceFailure.unrecognizedResponse(.subscription, status: 401),
            ServiceFailure.unrecognizedResponse(.verdict, status: 403),
            ServiceFailure.unrecognizedResponse(.verdict, status: 429),
            ServiceFailure.unrecognizedResponse(.health, status: 404),
            ServiceFailure.fault(.subscription), AuthorizationFailure.noToken, HTTPFailure.timedOut,
        ] {
            #expect(FailureClassification.isBackendFailure(failure), "\(failure)")
        }
    }
}
