import Gatefold
import OutgoingRequests
import Protections
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("What counts as a service's own answer")
struct EvidenceTests {
    private func call(_ purpose: ServiceCall.Purpose, _ yaml: String) throws -> ServiceCall {
        try ServiceCall(
            purpose, try YAMLSettings.read(text: yaml, name: "call.yaml", folder: "/", environment: [:]),
            base: ServiceURL("https://h.example"), namespaces: [:], isAuthorizedByUs: false)
    }

    /// What a call is refused for at the start; nil when it is not.
    private func refusal(_ purpose: ServiceCall.Purpose, _ yaml: String) -> String? {
        do {
            _ = try call(purpose, yaml)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func answer(_ status: Int, _ body: String) -> HTTPAnswer {
        HTTPAnswer(status: status, headers: [], body: Array(body.utf8))
    }

    @Test("Pitfall 14: `has` takes neither a truth value nor nothing for something, in JSON")
    func truthValues() throws {
        for place in ["/token", "$.token", "$..token"] {
            let signIn = try call(
                .signIn,
                "read: {token: {json: \(place)}}\nrecognised: {has: [token]}\nrefused: {status: [401], by_status: true}"
            )
            for token in ["false", "true", "null", "\"\"", "\" \"", "[]", "[false]", "[null, \" \"]", "{}", "[{}]"] {
                #expect(throws: ServiceFailure.notUnderstood(.signIn, status: 200), "\(place) \(token)") {
                    try signIn.outcome(of: answer(200, "{\"token\": \(token)}"))
                }
            }
            for token in ["\"false\"", "7", "[\"t\"]"] {
                let outcome = try signIn.outcome(of: answer(200, "{\"token\": \(token)}"))
                guard case .good = outcome else {
                    Issue.record("\(token) is something")
                    continue
                }
            }
        }
    }

    @Test(
        "Pitfall 14: what any page has is no evidence, for good news and for refusals",
        arguments: [
            "{xml: \"boolean(//user)\"}", "{xml: \"not(//error)\"}", "{xml: \"count(//user)\"}",
            "{xml: \"sum(//user)\"}",
            "{xml: \"string(//user = 'x')\"}", "{xml: \"name(/*)\"}", "{xml: \"//*\"}",
            "{xml: \"concat('u', //user)\"}",
            "status", "text", "{header: Content-Type}",
        ])
    func anybodys(read: String) throws {
        for purpose in [ServiceCall.Purpose.signIn, .renew, .verdict, .subscription, .health] {
            let text = refusal(
                purpose,
                "read: {x: \(read), e: {json: /e}}\n\(purpose.good): {has: [x]}\nrefused: {when: {e: unknown}}")
            #expect(text?.contains("`x` is there in any answer") == true, "\(purpose): \(text ?? "accepted")")
        }
        let text = refusal(
            .signIn, "read: {x: \(read), e: {json: /e}}\nrecognised: {when: {e: ok}}\nrefused: {has: [x]}")
        #expect(text?.contains("`x` is there in any answer") == true, "\(text ?? "accepted")")
    }

    @Test("Pitfall 14: a word that any page says is no evidence, and one that only the service says is")
    func words() {
        for (read, word, isEvidence) in [
            ("status", "200", false), ("{xml: \"not(//error)\"}", "true", false),
            ("{xml: \"boolean(//user)\"}", "false", false), ("{xml: \"boolean(//user)\"}", "true", true),
            ("{xml: \"//user\"}", "x", true), ("{json: /ok}", "true", true), ("text", "OK", true),
            ("{header: X-Result}", "OK", true), ("{form: result}", "ok", true),
        ] {
            let text = refusal(
                .signIn,
                "read: {x: \(read), e: {json: /e}}\nrecognised: {when: {x: \"\(word)\"}}\nrefused: {when: {e: unknown}}"
            )
            #expect((text == nil) == isEvidence, "\(read) \(word): \(text ?? "accepted")")
        }
        for read in ["{xml: \"//user/@id\"}", "{xml: \"string(//user/id)\"}", "{json: /token}", "{form: token}"] {
            let text = refusal(
                .signIn, "read: {x: \(read)}\nrecognised: {has: [x]}\nrefused: {status: [401], by_status: true}")
            #expect(text == nil, "\(read)")
        }
    }

    @Test("A refusal by the status alone is one only where the configuration says so")
    func refusals() throws {
        for purpose in [ServiceCall.Purpose.signIn, .subscription, .verdict, .renew] {
            let yaml = "read: {e: {json: /e}, state: {json: /s}}\n\(purpose.good): {when: {e: ok}}\nrefused: "
            for status in [401, 403, 404, 200] {
                let text = refusal(purpose, yaml + "{status: [\(status)]}")
                #expect(text?.contains("refused: expected `when` or `has`") == true, "\(text ?? "accepted")")
                #expect(refusal(purpose, yaml + "{status: [\(status)], by_status: true}") == nil)
                #expect(refusal(purpose, yaml + "{status: [\(status)], when: {e: unknown}}") == nil)
            }
        }
    }

    @Test("What a service says of an edition that it does not know can be mapped to a refusal")
    func unknownEdition() throws {
        let verdict = try call(
            .verdict,
            """
            url: "/products/{edition}"
            read: {held: {json: /held}, error: {json: /error, optional: true}}
            granted: {when: {held: "true"}}
            refused:
              - {when: {held: "false"}}
              - {status: [400], when: {error: unknown product}}
              - {status: [404], by_status: true}
            """)
        let said = [(200, "{\"held\": false}"), (400, "{\"error\": \"Unknown product\"}"), (404, "<html/>"), (404, "")]
        for (status, body) in said {
            guard case .refused = try verdict.outcome(of: answer(status, body)) else {
                Issue.record("\(status) \(body) is a refusal")
                continue
            }
        }
        #expect(throws: ServiceFailure.notUnderstood(.verdict, status: 400)) {
            try verdict.outcome(of: answer(400, "{}"))
        }
    }

    @Test(
        "What is not understood of one reader or edition does not open the breaker, and the service's own trouble does")
    func breaker() {
        for failure: any Error in [
            ServiceFailure.notUnderstood(.verdict, status: 404), ServiceFailure.notUnderstood(.signIn, status: 400),
            ServiceFailure.notUnderstood(.subscription, status: 200), ServiceFailure.contradictory(.subscription),
            ServiceFailure.noValue("id"), ServiceFailure.undecided, Unsendable(), Unsendable(name: "id"),
        ] {
            #expect(!Failing.isBackends(failure), "\(failure)")
            #expect(Failing.meansNotAsked(failure), "the last known answer stands in")
        }
        for failure: any Error in [
            ServiceFailure.notUnderstood(.verdict, status: 500), ServiceFailure.notUnderstood(.signIn, status: 503),
            ServiceFailure.notUnderstood(.subscription, status: 401),
            ServiceFailure.notUnderstood(.verdict, status: 403),
            ServiceFailure.notUnderstood(.verdict, status: 429), ServiceFailure.notUnderstood(.health, status: 404),
            ServiceFailure.fault(.subscription), AuthorizationFailure.noToken, HTTPFailure.timedOut,
        ] {
            #expect(Failing.isBackends(failure), "\(failure)")
        }
    }
}
